"""How the tools of a board's plugins come to be offered: catalog, names, routes and checks, changed together.

It belongs to the plugin manager, which holds its lock around every change and knows which plugins there are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.foreign import Log
from ..catalog.argument_validation import checks_of
from ..catalog.diff import tool_changes
from ..routing.decision import add_routes
from .tool_names import ToolNames, contest, holders, offered_under, others_than_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...supervision.runtime.events import EventStream
    from ..catalog.catalog import Catalog, ToolDescriptor
    from ..endpoint.plugin import PluginHandle
    from ..routing.decision import Routes
    from ..routing.table import RoutingTable

    Tools = tuple[ToolDescriptor, ...]

logger: Log = Log("callboard.actors")


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
        self._names = ToolNames()
        self._given: dict[str, Mapping[str, str]] = {}

    def offer(
        self,
        handle: PluginHandle,
        schemas: Iterable[dict[str, Any]],
        handles: Callable[[], Iterable[PluginHandle]],
        *,
        remembered: bool = False,
    ) -> None:
        """Offer a plugin's tools, for the first time or instead of others.

        Args:
            handle: whose they are.
            schemas: their declarations.
            handles: returns the plugins of the board, in the order in which they came. They are prepared and their hosts
                started at the same time, and which of them has a name must not be a matter of chance: see `contest`. Those
                that may not be offered beside this one have that as their problem.
            remembered: it declared them when it was last up.

        Raises:
            ContractError: a schema cannot be read.
            NameTaken: the calls could not be told from another plugin's. Nothing has changed.
        """
        described = self._catalog.describe(handle.name, schemas, handle.known_as)
        routes = self._routing_table.routes
        wanted = {tool.tool_name: self._wanted(handle, tool.tool_name) for tool in described}
        found = contest(handle, wanted, handles, routes, own_name=self._own_name, is_kept=self._is_kept)
        given = self._names.assign(handle.name, wanted, handle.apart, found.taken.__contains__)
        tools = _under(described, given)
        if remembered:
            tools = tuple([replace(tool, remembered=True) for tool in tools])
        moving = [(each, self._apart(each, own_names)) for each, own_names in found.yields]
        rivals = [(each, self._catalog.offers[each.name]) for each in found.displaced]
        for each in (*[each for each, _ in moving], *found.displaced):
            routes = routes.without(each.name)
        routes = _with(routes, handle, tools)
        displaced: list[tuple[PluginHandle, CallboardError]] = []
        for each, theirs in rivals:
            try:
                routes = _with(routes, each, theirs)
            except CallboardError as error:
                # Without its traceback: the frames know the generation that offers, and the problem outlasts it.
                displaced.append((each, error.with_traceback(None)))
        for each, (_, theirs) in moving:
            routes = _with(routes, each, theirs)
        former = self._catalog.offers
        for each, (names, theirs) in (*moving, (handle, (given, tools))):
            self._put(each, names, theirs)
        self._routing_table.update(lambda _: routes)
        self._tell(handle, tools)
        for each, (_, theirs) in moving:
            self._events.publish(
                "tools_changed", each.name, **tool_changes(former[each.name], theirs)._asdict()
            )
        for each, problem in displaced:
            self._catalog.remove(each.name)
            each.problem = problem
        if (before := former.get(handle.name)) is not None:
            self._events.publish("tools_changed", handle.name, **tool_changes(before, tools)._asdict())

    def offer_remembered(
        self,
        handle: PluginHandle,
        schemas: Iterable[dict[str, Any]],
        names: Mapping[str, str],
        handles: Callable[[], Iterable[PluginHandle]],
    ) -> None:
        """Offer what a plugin offered when it was last up, under those names, but for those that others have.

        Calls wait for its host, as they do while it is restarted.
        """
        self._names.keep(handle.name, names, only_free=True)
        try:
            self.offer(handle, schemas, handles, remembered=True)
        except CallboardError as error:
            logger.warning("what %r offered when it was last up is not offered: %s", handle.name, error)

    def keep_names(self, handle: PluginHandle) -> None:
        """A plugin is in use: the names of its tools stay theirs from now on."""
        handle.admitted = True
        self._names.keep(handle.name, self._given.get(handle.name, {}))

    def named(self, handle: PluginHandle, schemas: Iterable[dict[str, Any]]) -> Tools:
        """A plugin's tools under the names that they would be offered by if it declared these. Raises `ContractError`."""
        described = self._catalog.describe(handle.name, schemas, handle.known_as)
        routes = self._routing_table.routes
        wanted = {tool.tool_name: self._wanted(handle, tool.tool_name) for tool in described}
        given = self._names.assign(
            handle.name, wanted, handle.apart, lambda name: bool(holders(handle, name, routes))
        )
        return _under(described, given)

    def check(self, offers: Sequence[tuple[PluginHandle, Sequence[dict[str, Any]]]]) -> None:
        """Look whether plugins could offer these tools instead of those they offer. Raises as `offer`; changes nothing."""
        routes = self._routing_table.routes
        for handle, _ in offers:
            routes = routes.without(handle.name)
        for handle, schemas in offers:
            routes = _with(routes, handle, self.named(handle, schemas))

    def _wanted(self, handle: PluginHandle, own: str) -> str:
        return self._names.kept(handle.name, own) or own

    def _own_name(self, handle: PluginHandle, name: str) -> str | None:
        return offered_under(self._given.get(handle.name, {}), name)

    def _is_kept(self, handle: PluginHandle, own: str) -> bool:
        return self._names.kept(handle.name, own) is not None

    def _apart(self, handle: PluginHandle, own_names: frozenset[str]) -> tuple[Mapping[str, str], Tools]:
        """A plugin's names, and its tools under them, if those of some of them are given to another plugin."""
        given = self._given[handle.name]
        moved = {
            own: name if own not in own_names else handle.apart(own) or name for own, name in given.items()
        }
        by_former = {given[own]: name for own, name in moved.items()}
        return moved, _under(self._catalog.offers[handle.name], by_former)

    def _put(self, handle: PluginHandle, given: Mapping[str, str], tools: Tools) -> None:
        """List a plugin's tools, and have its endpoint look at their calls; before it is sent any of them."""
        self._given[handle.name] = given
        if handle.admitted:
            self.keep_names(handle)
        handle.use_names(others_than_own(given))
        endpoint = handle.endpoint
        inspect = self._catalog.registry.inspect_schema
        endpoint.checks = checks_of(tools, inspect, endpoint.settings.validate)
        kinds = {tool.tool_name: inspect(tool.schema).kind for tool in tools}
        taking_arguments = [name for name, kind in kinds.items() if kind == "object"]
        # One that claims calls has seen what they are.
        endpoint.objects_only = frozenset(() if handle.claims else taking_arguments)
        self._catalog.offer(handle.name, tools, freeform="text" in kinds.values())

    def _tell(self, handle: PluginHandle, tools: Tools) -> None:
        self._events.publish("plugin_registered", handle.name, tools=[tool.tool_name for tool in tools])
        if handle.endpoint.checks is not None:
            for tool, why in handle.endpoint.checks.unchecked.items():
                self._events.publish("arguments_unchecked", handle.name, tool=tool, why=why)


def _with(routes: Routes, handle: PluginHandle, tools: Tools) -> Routes:
    return add_routes(routes, handle.name, tools, claims=handle.claims, scope=handle.scope)


def _under(tools: Tools, names: Mapping[str, str]) -> Tools:
    """The tools under other names."""
    return tuple(
        [
            tool
            if (name := names[tool.tool_name]) == tool.tool_name
            else replace(tool, tool_name=name, schema={**tool.schema, "name": name})
            for tool in tools
        ]
    )
