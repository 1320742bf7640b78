"""Where calls find the plugins that take them: the routes and the endpoints as they are now.

Read by the thread that submits a call: of nearly every call this is all the routing there is.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from .decision import Ambiguous, NoTool, Routes, Taken, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..calls.call import Call
    from ..endpoint.endpoint import Endpoint
    from .decision import Claims


class RoutingTable:
    """The routes and endpoints as they are now; read without a lock, replaced as a whole."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.routes = Routes()
        self.endpoints: Mapping[str, Endpoint] = {}

    def update(self, change: Callable[[Routes], Routes]) -> None:
        """Replace the routes."""
        with self._lock:
            self.routes = change(self.routes)

    def add(self, endpoint: Endpoint) -> None:
        """Know a endpoint from now on."""
        with self._lock:
            self.endpoints = {**self.endpoints, endpoint.name: endpoint}

    def remove(self, name: str) -> None:
        """Know a plugin no more."""
        with self._lock:
            self.routes = self.routes.without(name)
            self.endpoints = {n: endpoint for n, endpoint in self.endpoints.items() if n != name}

    def deliver(self, call: Call, claims: Claims) -> None:
        """Give the call to the tool that takes it, or end it with the reason why there is none."""
        registration = () if claims or call.tool_name is None else self.routes.by_name.get(call.tool_name, ())
        if len(registration) == 1 and (only := self.endpoints.get(registration[0])) is not None:
            only.submit(call)  # nearly always: nothing was claimed, and one plugin offers the name
            return
        choice = choose(self.routes, call.tool_name, claims)
        match choice:
            case Taken(plugin):
                endpoint = self.endpoints.get(plugin)
                if endpoint is not None:
                    endpoint.submit(call)
                else:  # removed at this very moment
                    call.finish(_no_tool(call, NoTool(), self))
            case Ambiguous(plugins):
                error = (
                    f"{' and '.join(map(repr, plugins))} take the call of {call.tool_name!r} with equal right"
                )
                call.finish(failure(Code.AMBIGUOUS_TOOL, error, plugins=list(plugins)))
            case NoTool():
                call.finish(_no_tool(call, choice, self))


def _no_tool(call: Call, choice: NoTool, routing_table: RoutingTable) -> dict[str, Any]:
    if choice.rejected_by:
        error = f"{', '.join(map(repr, choice.rejected_by))} offers {call.tool_name!r} but rejects this call"
    elif call.tool_name is None:
        error = "the call names no tool, and no plugin claims it"
    else:
        names = sorted(routing_table.routes.by_name)
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")  # noqa: PLR2004 - as many as were joined
        error = f"there is no tool {call.tool_name!r}; there are: {shown or 'none'}"
        if unseen := [
            plugin for plugin in routing_table.endpoints if plugin not in routing_table.routes.tools
        ]:
            error += f" (the tools of {', '.join(map(repr, unseen))} are not known: its host did not come up)"
    return failure(Code.UNKNOWN_TOOL, error)
