"""Where calls find the plugins that take them: the routes and the desks as they are now.

Looked into by whoever submits a call, in its own thread: of nearly every call this is all the routing there is.
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
    from ..endpoint.endpoint import Desk
    from .decision import Claims


class Switch:
    """The routes and desks as they are now; read without a lock, replaced as a whole."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.routes = Routes()
        self.desks: Mapping[str, Desk] = {}

    def update(self, change: Callable[[Routes], Routes]) -> None:
        """Replace the routes."""
        with self._lock:
            self.routes = change(self.routes)

    def add(self, desk: Desk) -> None:
        """Know a desk from now on."""
        with self._lock:
            self.desks = {**self.desks, desk.name: desk}

    def remove(self, name: str) -> None:
        """Know a plugin no more."""
        with self._lock:
            self.routes = self.routes.without(name)
            self.desks = {n: desk for n, desk in self.desks.items() if n != name}

    def deliver(self, call: Call, claims: Claims) -> None:
        """Give the call to the tool that takes it, or end it with the reason why there is none."""
        offering = () if claims or call.tool_name is None else self.routes.by_name.get(call.tool_name, ())
        if len(offering) == 1 and (only := self.desks.get(offering[0])) is not None:
            only.submit(call)  # nearly always: nothing was claimed, and one plugin offers the name
            return
        choice = choose(self.routes, call.tool_name, claims)
        match choice:
            case Taken(plugin):
                desk = self.desks.get(plugin)
                if desk is not None:
                    desk.submit(call)
                else:  # removed at this very moment
                    call.finish(_no_tool(call, NoTool(), self))
            case Ambiguous(plugins):
                error = (
                    f"{' and '.join(map(repr, plugins))} take the call of {call.tool_name!r} with equal right"
                )
                call.finish(failure(Code.AMBIGUOUS_TOOL, error, plugins=list(plugins)))
            case NoTool():
                call.finish(_no_tool(call, choice, self))


def _no_tool(call: Call, choice: NoTool, switch: Switch) -> dict[str, Any]:
    if choice.rejected_by:
        error = f"{', '.join(map(repr, choice.rejected_by))} offers {call.tool_name!r} but rejects this call"
    elif call.tool_name is None:
        error = "the call names no tool, and no plugin claims it"
    else:
        names = sorted(switch.routes.by_name)
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")  # noqa: PLR2004
        error = f"there is no tool {call.tool_name!r}; there are: {shown or 'none'}"
        if unseen := [plugin for plugin in switch.desks if plugin not in switch.routes.tools]:
            error += f" (the tools of {', '.join(map(repr, unseen))} are not known: its host did not come up)"
    return failure(Code.UNKNOWN_TOOL, error)
