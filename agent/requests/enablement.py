"""Who takes part in a request: the extensions, features and tool plugins that are enabled for it, and why the others are not.

What decides is `plugins/adapter/enablement.py`'s; here everybody is asked. Tool plugins are asked on threads that can be
lost: one that raises or hangs is not offered in that request, since a gate that does not answer stays shut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import PluginError
from ...base.frozen import frozen
from ...hosts.protocol.context_filter import what_crosses
from ...plugins.adapter.enablement import NO, tags_in_force, tags_refuse
from ...plugins.adapter.hook_set import HookSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...actors.board import Board
    from ...actors.endpoint.plugin import PluginHandle
    from .provider_adapter import ProviderAdapter

Json = dict[str, Any]

SECONDS = 5.0
"""That a plugin may take to say who it is, and again to say whether it is enabled."""


class Facts(NamedTuple):
    """What a request says of itself, for those who decide whether they take part.

    Attributes:
        config: of the request.
        models: those in it.
        context: of the request.
    """

    config: Json
    models: list[Json]
    context: Mapping[str, Any]


@frozen
class Refusal:
    """Why a plugin, or one of its tools, is not offered.

    Attributes:
        plugin: its name.
        tool: which of its tools; ``None`` for all of them, and for an extension.
        reason: a sentence without its subject.
    """

    plugin: str
    tool: str | None
    reason: str


@frozen
class Participants:
    """Who takes part in a request.

    Attributes:
        tags: those in force: the given ones, then those of provider, extensions and tool plugins.
        extensions: the extensions and features that are enabled, in their order.
        handles: the tool plugins that are, in order of registration.
        refused: the others.
    """

    tags: tuple[str, ...]
    extensions: tuple[ProviderAdapter, ...]
    handles: tuple[PluginHandle, ...]
    refused: tuple[Refusal, ...]


def participants(
    board: Board,
    provider: ProviderAdapter | None,
    extensions: Sequence[ProviderAdapter],
    facts: Facts,
    tags: Iterable[str],
) -> Participants:
    """Ask everybody, and settle who takes part. Blocks for as long as plugins' hooks take.

    A plugin that takes no calls at present takes no part, and one that could not say what it is neither.

    Args:
        board: whose tool plugins they are.
        provider: takes part in any case; it may add tags.
        extensions: and features, in their order.
        facts: of the request.
        tags: those that the request is given.

    Raises:
        HookError, ContractError: a hook of the provider or an extension failed.
    """
    whys: dict[str, str | None] = {}
    handles: list[PluginHandle] = []
    for handle in board.plugin_manager.handles().values():
        whys[handle.name] = why = handle.absence
        if why is None:
            handles.append(handle)
    added = _tags_of(board, handles, facts)
    willing = [handle for handle in handles if not isinstance(added[handle.name], PluginError)]
    stages = [_Stage(stage) for stage in extensions]
    saying = stages if provider is None else [_Stage(provider), *stages]
    in_force = tags_in_force(
        tags,
        *[stage.tags(facts) for stage in saying],
        *[said for said in added.values() if not isinstance(said, PluginError)],
    )
    left_out = [stage.refusal(in_force, facts) for stage in stages]
    answers: dict[str, Any] = {**added, **_refusals_of(board, willing, in_force, facts)}
    whys |= {handle.name: _reason(answers[handle.name]) for handle in handles}
    refused = [
        Refusal(stage.name, None, why)
        for stage, why in zip(extensions, left_out, strict=True)
        if why is not None
    ]
    refused += [Refusal(name, None, why) for name, why in whys.items() if why is not None]
    return Participants(
        tags=in_force,
        extensions=tuple(stage for stage, why in zip(extensions, left_out, strict=True) if why is None),
        handles=tuple(handle for handle in handles if whys[handle.name] is None),
        refused=tuple(refused),
    )


def _tags_of(
    board: Board, handles: Sequence[PluginHandle], facts: Facts
) -> dict[str, list[str] | PluginError]:
    return board.scatter_gather.ask(
        handles,
        "tags",
        lambda _, adapter: adapter.get_tags(facts.config, facts.models),
        about=(repr(facts.config), repr(facts.models)),
        needs=("get_tags",),
        timeout=SECONDS,
    )


def _refusals_of(
    board: Board, handles: Sequence[PluginHandle], tags: tuple[str, ...], facts: Facts
) -> dict[str, str | PluginError | None]:
    context = dict(facts.context)
    return board.scatter_gather.ask(
        handles,
        "enablement",
        lambda _, adapter: adapter.refusal(facts.config, tags, facts.models, context),
        about=(tags, repr(facts.config), repr(facts.models), repr(what_crosses(context))),
        needs=("is_enabled", "required_tags", "forbidden_tags"),
        timeout=SECONDS,
    )


def _reason(answer: Any) -> str | None:
    if isinstance(answer, PluginError):
        return f"it could not say whether it is enabled: {answer}"
    return answer if isinstance(answer, str) else None


_DECIDING = ("get_tags", "required_tags", "forbidden_tags", "is_enabled")


class _Stage:
    """What a provider or an extension says of tags and enablement. In this thread: it is the embedder's own."""

    def __init__(self, stage: ProviderAdapter) -> None:
        self._hooks = HookSet(stage.plugin, name=stage.name, only=_DECIDING)

    def tags(self, facts: Facts) -> list[str]:
        """The tags that it adds."""
        return self._hooks.ask_list("get_tags", str, facts.config, facts.models)

    def refusal(self, tags: tuple[str, ...], facts: Facts) -> str | None:
        """Why it is not enabled; ``None`` if it is."""
        word = self._hooks.ask("is_enabled", facts.config, list(tags), facts.models, dict(facts.context))
        if word is not None:
            return None if word else NO
        required, forbidden = (
            self._hooks.ask_list(hook, str) for hook in ("required_tags", "forbidden_tags")
        )
        return tags_refuse(tags, required=required, forbidden=forbidden)
