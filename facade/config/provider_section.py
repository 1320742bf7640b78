"""Which provider an agent asks, by what its configuration says of it.

| `provider` at the top | `agent.provider` | providers among `plugins` | asked is |
|---|---|---|---|
| names one of these | any | has it | that one |
| the name of a shipped type, or a dotted path | not there | any other | that one |
| the type of the section | there | any other | that of the section |
| anything else | any | any | refused |
| not there | there | any | that of the section |
| not there | not there | one | that one |
| not there | not there | none, or several | refused |
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..base.suggestions import meant
from .agent_section import PROVIDERS, provider_path
from .errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .configuration import Configuration


@frozen
class Choice:
    """Which provider is asked.

    Attributes:
        name: by what name; its own if ``None``.
        path: the dotted path of its class; ``None`` if it is among the plugins.
        options: its options.
        where: what in the configuration says so.
    """

    name: str | None = None
    path: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    where: str = "$.provider"


def choose(configuration: Configuration, there: Sequence[str]) -> Choice:
    """Decide it; see the module.

    Args:
        configuration: it counts what is under ``provider``, ``model`` and ``agent``.
        there: the names of the providers among the plugins.

    Raises:
        ConfigurationError: no provider is named, or none of those there are.
    """
    asked, model = configuration.agent.get("provider"), configuration.agent.get("model")
    settings = configuration.agent_settings
    of_section = Choice(None, settings.provider, settings.options, "$.agent.provider")
    if asked is None:
        if settings.provider is not None:
            return of_section
        if len(there) == 1:
            return Choice(there[0])
        raise _refused(_NO_MODEL if not there else _which(there), configuration, "$.agent.provider")
    if asked in there:
        return Choice(asked)
    path = provider_path(asked)
    if settings.provider is not None and path == settings.provider:
        return of_section
    if settings.provider is None and path is not None:
        return Choice(asked if asked in PROVIDERS else None, path, {} if model is None else {"model": model})
    known = [*there, *(PROVIDERS if settings.provider is None else ())]
    also = "" if settings.provider is None else " (without it the section 'agent.provider' is asked)"
    raise _refused(f"$.provider is {asked!r:.60}{also}; {meant(asked, known)}", configuration, "$.provider")


_NO_MODEL = (
    'the configuration has no model to ask; add "agent": {"provider": {"type": "openai_chat", "model": …}}, '
    "or a provider in 'plugins'"
)


def _which(there: Sequence[str]) -> str:
    return f"the configuration has several providers; name one by 'provider': {', '.join(there)}"


def _refused(message: str, configuration: Configuration, path: str) -> ConfigurationError:
    return ConfigurationError(
        message, path=path, file=str(configuration.file) if configuration.file else None
    )
