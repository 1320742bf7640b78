"""How the tools of a board's plugins come to be offered: catalog, routes and checks, changed together.

It belongs to the plugin manager, which holds its lock around every change and knows which plugins there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ..catalog.argument_validation import checks_of
from ..catalog.diff import tool_changes
from ..routing.decision import add_routes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...supervision.runtime.events import EventStream
    from ..catalog.catalog import Catalog, ToolDescriptor
    from ..endpoint.plugin import PluginHandle
    from ..routing.table import RoutingTable


class Registration:
    """See the module.

    Args:
        routing_table: where calls find the plugins' endpoints.
        catalog: where the plugins' tools are listed.
    """

    def __init__(self, routing_table: RoutingTable, catalog: Catalog, events: EventStream) -> None:
        self._routing_table = routing_table
        self._catalog = catalog
        self._events = events

    def offer(
        self,
        handle: PluginHandle,
        schemas: Iterable[dict[str, Any]],
        later: Callable[[], Iterable[PluginHandle]],
    ) -> None:
        """Offer a plugin's tools, for the first time or instead of others.

        Args:
            handle: whose they are.
            schemas: their declarations.
            later: the plugins that were put on the board after it, in that order. They are prepared and their hosts
                started at the same time, and which of them has a name must not be a matter of chance: those
                that are not in use yet give way, and have that as their problem.

        Raises:
            ContractError: a schema cannot be read.
            NameTaken: the calls could not be told from another plugin's. Nothing has changed.
        """
        before = self._catalog.offers.get(handle.name)
        tools = self._catalog.describe(handle.name, schemas, handle.known_as)
        routes = self._routing_table.routes
        sharers = {plugin for tool in tools for plugin in routes.by_name.get(tool.tool_name, ())} - {
            handle.name
        }
        rivals = [
            (each, self._catalog.offers[each.name])
            for each in (later() if sharers else ())
            if each.name in sharers and not each.admitted
        ]
        for each, _ in rivals:
            routes = routes.without(each.name)
        routes = add_routes(routes, handle.name, tools, claims=handle.claims, scope=handle.scope)
        displaced: list[tuple[PluginHandle, CallboardError]] = []
        for each, theirs in rivals:
            try:
                routes = add_routes(routes, each.name, theirs, claims=each.claims, scope=each.scope)
            except CallboardError as error:
                # Without its traceback: the frames know the generation that offers, and the problem outlasts it.
                displaced.append((each, error.with_traceback(None)))
        endpoint = handle.endpoint
        inspect = self._catalog.registry.inspect_schema
        endpoint.checks = checks_of(tools, inspect, endpoint.settings.validate)
        kinds = {tool.tool_name: inspect(tool.schema).kind for tool in tools}
        taking_arguments = [name for name, kind in kinds.items() if kind == "object"]
        # One that claims calls has seen what they are.
        endpoint.objects_only = frozenset(() if handle.claims else taking_arguments)
        self._catalog.offer(handle.name, tools, freeform="text" in kinds.values())
        self._routing_table.update(lambda _: routes)
        self._tell(handle, tools)
        for each, problem in displaced:
            self._catalog.remove(each.name)
            each.problem = problem
        if before is not None:
            self._events.publish("tools_changed", handle.name, **tool_changes(before, tools)._asdict())

    def check(self, offers: Sequence[tuple[PluginHandle, Sequence[dict[str, Any]]]]) -> None:
        """Look whether plugins could offer these tools instead of those they offer. Raises as `offer`; changes nothing."""
        routes = self._routing_table.routes
        for handle, _ in offers:
            routes = routes.without(handle.name)
        for handle, schemas in offers:
            tools = self._catalog.describe(handle.name, schemas, handle.known_as)
            routes = add_routes(routes, handle.name, tools, claims=handle.claims, scope=handle.scope)

    def _tell(self, handle: PluginHandle, tools: tuple[ToolDescriptor, ...]) -> None:
        self._events.publish("plugin_registered", handle.name, tools=[tool.tool_name for tool in tools])
        if handle.endpoint.checks is not None:
            for tool, why in handle.endpoint.checks.unchecked.items():
                self._events.publish("arguments_unchecked", handle.name, tool=tool, why=why)
