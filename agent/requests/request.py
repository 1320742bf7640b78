"""What one model request is made of: the tools that are offered, and how their formats are read.

Core owns this for as long as the request lasts. The registry and the accepted formats are handed to the
provider, its extensions, features and the tools in ``context["tool_interop"]``, and stand nowhere else: neither in
the configuration nor in a state, which have to stay JSON.

Schemas are handed on as the tools wrote them. To convert them is the business of the provider that makes the
payload, since it alone knows what that has to look like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.frozen import frozen
from ...plugins.contract.context import request_context
from .enablement import Facts, Refusal, participants
from .provider_stack import ProviderStack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...actors.board import Board
    from ...actors.catalog.catalog import ToolDescriptor
    from ...actors.endpoint.plugin import PluginHandle
    from ...interop.default_registry import ToolInteropRegistry
    from .provider_adapter import ProviderAdapter

Json = dict[str, Any]


class RequestError(CallboardError):
    """The configuration of a request cannot be used.

    Attributes:
        path: what is wrong, as a JSON path into the configuration.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


@frozen
class Request:
    """One model request, before anything is converted or sent. Make it with `compose_request`.

    Attributes:
        tools: those that are offered, with the schemas that they have for this request, in order of registration.
        extensions: the extensions that are enabled, in their order.
        features: the features that are.
        tags: those in force.
        registry: reads and converts the formats of this request, and knows its freeform tools.
        schema_target_formats: what the provider and its extensions accept, best first; empty if they do not say.
        context: for the hooks of provider, extensions, features and tools; holds ``tool_interop``.
        refused: who is not offered, and why.
    """

    tools: tuple[ToolDescriptor, ...]
    extensions: tuple[ProviderAdapter, ...]
    features: tuple[ProviderAdapter, ...]
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
    provider: ProviderAdapter | None,
    extensions: Sequence[ProviderAdapter],
    config: Json,
    *,
    context: Mapping[str, Any],
    state: Json | None = None,
    features: Sequence[ProviderAdapter] = (),
) -> Request:
    """Settle which tools are offered, and how they are read. Blocks for as long as plugins' hooks take.

    Args:
        board: whose tools they are.
        provider: who is asked; ``None`` for a look at the tools without one, which leaves the extensions' formats out too.
        extensions: all there are, in their order; those that are not enabled are left out.
        config: of the request; ``tags`` and ``models`` in it are looked at.
        context: from `core_context`, or of an application.
        state: the request's provider state, as ``init`` made it.
        features: all there are, in their order; those that are not enabled are left out.

    Raises:
        RequestError: ``tags`` or ``models`` are not what they have to be.
        HookError, ContractError: a hook of the provider, an extension or a feature failed.
        ContributionError: an accessor or adapter lacks what its protocol asks for.
    """
    facts = Facts(config, _listed(config, "models", dict), context)
    stages = (*extensions, *features)
    there = participants(board, provider, stages, facts, _listed(config, "tags", str))
    enabled = tuple(each for each in there.extensions if each in extensions)
    with_features = tuple(each for each in there.extensions if each in features)
    stack = None if provider is None else ProviderStack(provider, enabled, with_features)
    state = {} if state is None else state
    formats = () if stack is None else tuple(stack.accepted_tool_schema_formats(state))
    tools, unreachable = _declared(board, there.handles, formats)
    contributions = () if stack is None else stack.contributions(state)
    registry = board.catalog.for_request(contributions, tools)
    return Request(
        tools=tools,
        extensions=enabled,
        features=with_features,
        tags=there.tags,
        registry=registry,
        schema_target_formats=formats,
        context=request_context(context, registry=registry, schema_target_formats=formats),
        refused=(*there.refused, *unreachable),
    )


def _declared(
    board: Board, members: Sequence[PluginHandle], formats: tuple[str, ...]
) -> tuple[tuple[ToolDescriptor, ...], list[Refusal]]:
    """The tools of these plugins as they are declared for these formats; those whose calls would reach no plugin are not."""
    offers = board.catalog.offers
    declared = board.variants.of(members, formats)
    tools, unreachable = [], []
    for member in members:
        names = {tool.tool_name for tool in offers.get(member.name, ())}
        for tool in declared[member.name]:
            if member.claims or tool.tool_name in names:
                tools.append(tool)
            else:
                why = (
                    "it is declared for this request only, and calls of that name would not reach the plugin"
                )
                unreachable.append(Refusal(member.name, tool.tool_name, why))
    return tuple(tools), unreachable


def _listed(config: Json, key: str, item: type) -> list[Any]:
    given = config.get(key)
    if given is None:
        return []
    if not isinstance(given, list | tuple) or not all(isinstance(each, item) for each in given):
        kind = "texts" if item is str else "objects"
        raise RequestError(f"$.{key} is {given!r:.60}; it has to be a list of {kind}", path=f"$.{key}")
    return list(given)
