"""What the configuration says of the agent: which model to ask, and how a turn goes on.

A key never stands in a configuration: the provider's options name the environment variable that has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from ..base.frozen import frozen
from ..base.paths import at_home
from ..base.suggestions import meant
from .errors import ConfigurationError, refused, require_known, require_object, require_texts

if TYPE_CHECKING:
    from pathlib import Path

PROVIDERS: Final[dict[str, str]] = {
    "openai_chat": "openai_chat.OpenAIChatProvider",
    "openai_compatible": "openai_chat.OpenAIChatProvider",
    "openai_responses": "openai_responses.OpenAIResponsesProvider",
    "anthropic_messages": "anthropic_messages.AnthropicProvider",
    "anthropic": "anthropic_messages.AnthropicProvider",
}
"""The types of providers that are shipped -> where they are."""

KEYS: Final = frozenset({"provider", "system", "max_rounds", "deadline", "tags", "session_dir"})

REQUEST_KEYS: Final = frozenset({"provider", "model", "models"})
"""The keys on top of a configuration that are handed on to requests."""


@frozen
class AgentSettings:
    """What the configuration says of the agent.

    Attributes:
        provider: the dotted path of the provider's class; ``None`` if no provider is configured.
        options: the provider's options, such as ``model`` and ``base_url``.
        system: what each conversation begins with; ``None`` for nothing.
        max_rounds: how often the model may be asked in one turn; ``None`` for what `AgentCore.run` has.
        deadline: seconds that a turn may take; ``None`` for no limit.
        tags: in force for each request.
        session_dir: where sessions are kept; ``None`` for nowhere.
    """

    provider: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    max_rounds: int | None = None
    deadline: float | None = None
    tags: tuple[str, ...] = ()
    session_dir: Path | None = None


def read_agent_settings(given: Any, base: Path, path: str = "$.agent") -> AgentSettings:
    """Read the section.

    Args:
        given: as it was written.
        base: the folder that a relative path is relative to.
        path: of the section, for errors.

    Raises:
        ConfigurationError: something in it is wrong.
    """
    require_object(given, path)
    require_known(given, KEYS, path=path)
    provider, options = _provider(given.get("provider"), f"{path}.provider")
    system, folder = (_text(given.get(key), f"{path}.{key}") for key in ("system", "session_dir"))
    return AgentSettings(
        provider=provider,
        options=options,
        system=system,
        max_rounds=_rounds(given.get("max_rounds"), f"{path}.max_rounds"),
        deadline=_seconds(given.get("deadline"), f"{path}.deadline"),
        tags=require_texts(given.get("tags", []), f"{path}.tags"),
        session_dir=None if folder is None else base / at_home(folder),
    )


def read_request_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """Read the keys of a configuration that are a request's: those of `REQUEST_KEYS` that it has. Only a provider knows its models.

    Raises:
        ConfigurationError: ``provider`` is no text, or ``models`` is no list of objects.
    """
    _text(given.get("provider"), "$.provider")
    models = given.get("models")
    if models is not None and not (
        isinstance(models, list | tuple) and all(isinstance(each, Mapping) for each in models)
    ):
        raise refused(models, "$.models", "a list of objects")
    return {key: given[key] for key in REQUEST_KEYS if key in given}


def _provider(given: Any, path: str) -> tuple[str | None, dict[str, Any]]:
    if given is None:
        return None, {}
    if isinstance(given, str):
        given = {"type": given}
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        raise refused(given, path, "an object with a 'type', and the provider's options")
    options = {key: value for key, value in given.items() if key != "type"}
    kind = given["type"]
    if (dotted := provider_path(kind)) is not None:
        return dotted, options
    raise ConfigurationError(
        f"{path}.type is {kind!r:.60}, no type of provider and no dotted path of a class; {meant(kind, PROVIDERS)}",
        path=f"{path}.type",
    )


def provider_path(kind: str) -> str | None:
    """Return the dotted path of a type of providers, or of what is such a path itself; ``None`` if it is neither."""
    if kind in PROVIDERS:
        return f"callboard.agent.providers.{PROVIDERS[kind]}"
    return kind if "." in kind else None


def _text(value: Any, path: str) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise refused(value, path, "a text")


def _rounds(value: Any, path: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    raise refused(value, path, "a whole number, 1 or more")


def _seconds(value: Any, path: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return float(value)
    raise refused(value, path, "more than 0 seconds, or null for no limit")
