"""What one model request is made of: the tools that are offered, and how their formats are read.

Core owns this for as long as the request lasts. The registry and the accepted formats are handed to the
provider, its extensions and the tools in ``context["tool_interop"]``, and stand nowhere else: neither in
the configuration nor in a state, which have to stay JSON.

Schemas are handed on as the tools wrote them. To convert them is the business of whoever makes the
payload, since nobody else knows what it has to look like.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..interop.registry import Tier, TieredContribution, ToolInteropContribution
from ..plugins.context import request_context
from ..plugins.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..actors.board import Board
    from ..actors.catalog import ToolDescriptor
    from ..interop.registry import ToolInteropRegistry

Json = dict[str, Any]


class Stage(Protocol):
    """What a request asks of a provider or an extension, such as a `ProviderAdapter`.

    Attributes:
        plugin: the object itself, whose tags and enablement are asked.
    """

    plugin: Any
    name: str

    def accepted_tool_schema_formats(self, state: Json) -> list[str]:
        """Return the formats of declarations that can be sent, best first."""

    def interop_contribution(self, state: Json) -> Any:
        """Return a `ToolInteropContribution`, or ``None``."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Request:
    """One model request, before anything is converted or sent. Make it with `compose_request`.

    Attributes:
        tools: those that are offered, with the schemas that they have for this request, in order of registration.
        extensions: the extensions that are enabled, in their order.
        tags: those in force.
        registry: reads and converts the formats of this request, and knows its freeform tools.
        schema_target_formats: what the provider and its extensions accept, best first; empty if they do not say.
        context: for the hooks of provider, extensions and tools; holds ``tool_interop``.
        refused: who is not offered, and why.
    """

    tools: tuple[ToolDescriptor, ...]
    extensions: tuple[Stage, ...]
    tags: tuple[str, ...]
    registry: ToolInteropRegistry
    schema_target_formats: tuple[str, ...]
    context: Json
    refused: tuple[Refusal, ...]

    @property
    def schemas(self) -> list[Json]:
        """The source schemas of the tools: what ``state["_tools"]`` of a provider is."""
        return [tool.schema for tool in self.tools]


def compose_request(
    board: Board,
    provider: Stage | None,
    extensions: Sequence[Stage],
    config: Json,
    *,
    context: Mapping[str, Any],
    state: Json | None = None,
) -> Request:
    """Settle which tools are offered, and how they are read. Blocks for as long as plugins' hooks take.

    Args:
        board: whose tools they are.
        provider: who is asked; ``None`` for a request that only the tools' formats matter to.
        extensions: all there are, in their order; those that are not enabled are left out.
        config: of the request; ``tags`` and ``models`` in it are looked at.
        context: from `core_context`, or of an application.
        state: the request's provider state, as ``init`` made it.

    Raises:
        HookError, ContractError: a hook of the provider or an extension failed.
        ContributionError: an accessor or adapter lacks what its protocol asks for.
    """
    state = {} if state is None else state
    stages = [*extensions, *([] if provider is None else [provider])]
    formats = tuple(dict.fromkeys(_accepted(stages, state)))
    tools = tuple(tool for tool in board.tools() if tool.available)
    registry = board.catalog.for_request(_contributions(provider, extensions, state), tools)
    return Request(
        tools=tools,
        extensions=tuple(extensions),
        tags=tuple(config.get("tags") or ()),
        registry=registry,
        schema_target_formats=formats,
        context=request_context(context, registry=registry, schema_target_formats=formats),
        refused=(),
    )


def _accepted(stages: Iterable[Stage], state: Json) -> Iterator[str]:
    """Formats of the extensions come before the provider's: an extension is there to change what is sent."""
    for stage in stages:
        yield from stage.accepted_tool_schema_formats(state)


def _contributions(
    provider: Stage | None, extensions: Iterable[Stage], state: Json
) -> Iterator[TieredContribution]:
    ranked = [] if provider is None else [(Tier.PROVIDER, provider)]
    ranked += [(Tier.EXTENSION, extension) for extension in extensions]
    for tier, stage in ranked:
        contribution = stage.interop_contribution(state)
        if contribution is None:
            continue
        if not isinstance(contribution, ToolInteropContribution):
            raise ContractError(
                f"provider {stage.name!r}: get_tool_interop_contribution answered with a "
                f"{type(contribution).__name__}, not with a ToolInteropContribution",
                plugin=stage.name,
            )
        yield TieredContribution(tier, stage.name, contribution)
