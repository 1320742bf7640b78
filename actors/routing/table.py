"""Where a call is read as it comes, and finds the plugin that takes it: the routes and the endpoints as they are now.

Run by the thread that submits a call: of nearly every call this is all the routing there is.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.locks import Lock
from ...base.suggestions import nearest
from ...interop.default_registry import get_registry_from_context
from ...plugins.contract.invocation import Invocation
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ..calls.call import Call
from .decision import Ambiguous, NoTool, Routes, Taken, choose
from .missing import missing_in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...interop.hub import InspectedCall
    from ...interop.registry.tool_registry import ToolInteropRegistry
    from ...supervision.runtime.clock import Clock
    from ..calls.stage import Result
    from ..catalog.catalog import Catalog
    from ..endpoint.endpoint import Endpoint
    from .decision import Choice


def registry_for(catalog: Catalog, context: dict[str, Any] | None) -> ToolInteropRegistry:
    """What reads the calls of a request, whose tools may be declared in other ways than the board has them."""
    if context is None or "tool_interop" not in context:
        return catalog.registry
    return get_registry_from_context(context)


def invocation_of(
    inspected: InspectedCall,
    tool_call: Any,
    context: dict[str, Any] | None,
    prepared: dict[str, Any] | None = None,
    key: str | None = None,
) -> Invocation:
    """A call as its tool sees it, from the call as it was read."""
    _, _, name, _, payload, kind, format_, metadata, _ = inspected
    # By place: by name it takes three times as long, on the way of every call.
    return Invocation(name, payload, kind, format_, metadata, tool_call, None, prepared, context, key)


class CallParser:
    """Reads calls in every format that the catalog's registry knows, or that of their request."""

    def __init__(self, catalog: Catalog, clock: Clock) -> None:
        self._catalog = catalog
        self._clock = clock
        self._made_up = itertools.count(1)
        self._own = os.urandom(4).hex()

    def read(
        self, tool_call: Any, *, context: dict[str, Any] | None, streaming: bool, key: str | None = None
    ) -> Call:
        """The call that a value asks for. One that cannot be read, or must not be run, has ended already."""
        try:
            registry = self._catalog.registry if context is None else registry_for(self._catalog, context)
            inspected = registry.inspect_call(tool_call)
        except CallboardError as error:  # such as what is no JSON beside what is asked for
            return self._unreadable(tool_call, str(error))
        call = Call(
            inspected.call_id or self._make_up_id(),
            invocation_of(inspected, tool_call, context, None, key),
            submitted=self._clock.now(),
            streaming=streaming,
        )
        if inspected.payload_kind == "malformed":
            fault = inspected.payload_metadata.get("error") or {}
            problem = str(fault.get("message") or "the arguments cannot be read")
            call.finish(failure(Code.INVALID_CALL, problem, outcome=Outcome.NOT_SENT, raw=inspected.raw))
        elif (state := inspected.payload_metadata.get("answered")) is not None:
            problem = f"the call has been answered: its state is {state!r}"
            call.finish(failure(Code.INVALID_CALL, problem, outcome=Outcome.NOT_SENT, raw=inspected.raw))
        return call

    def _unreadable(self, tool_call: Any, error: str) -> Call:
        given = tool_call.get("id") if isinstance(tool_call, dict) else None
        call = Call(
            given if isinstance(given, str) and given else self._make_up_id(),
            Invocation(tool_name=None, payload=None, payload_kind="malformed"),
        )
        call.finish(failure(Code.INVALID_CALL, error, outcome=Outcome.NOT_SENT))
        return call

    def _make_up_id(self) -> str:
        # Callers number their own calls call_1, call_2, …, and another board makes ids up as well.
        return f"call_{self._own}_{next(self._made_up)}"


class RoutingTable:
    """The routes and endpoints as they are now; read without a lock, replaced as a whole.

    Attributes:
        via_router: calls go by the router, because a plugin claims calls, or because the router still has calls that were
            submitted before, when one did. It is false again by `settle` only.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self.routes: Routes = Routes()
        self.endpoints: Mapping[str, Endpoint] = {}
        self.via_router: bool = False

    def update(self, change: Callable[[Routes], Routes]) -> None:
        """Replace the routes."""
        with self._lock:
            self.routes = change(self.routes)
            if self.routes.claimers:
                self.via_router = True

    def settle(self) -> None:
        """Have calls go past the router, unless a plugin claims calls. The router has none, and is given none meanwhile."""
        with self._lock:
            self.via_router = bool(self.routes.claimers)

    def add(self, endpoint: Endpoint) -> None:
        """Know an endpoint from now on."""
        with self._lock:
            self.endpoints = {**self.endpoints, endpoint.name: endpoint}

    def remove(self, name: str) -> None:
        """Know a plugin no more."""
        with self._lock:
            self.routes = self.routes.without(name)
            endpoints = dict(self.endpoints)
            endpoints.pop(name, None)
            self.endpoints = endpoints

    def deliver(self, call: Call) -> None:
        """Give a call that nobody was asked about to the tool that takes it, or end it with the reason why there is none."""
        offered_by = () if call.tool_name is None else self.routes.by_name.get(call.tool_name, ())
        if len(offered_by) == 1 and (only := self.endpoints.get(offered_by[0])) is not None:
            only.submit(call)  # nearly always
            return
        self.carry_out(choose(self.routes, call.tool_name, {}), call)

    def carry_out(self, choice: Choice, call: Call) -> None:
        """Give a call to the tool that was chosen, or end it with the reason why there is none."""
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


_LONGEST_COMPARED = 200
_MOST_COMPARED = 1000


def _near(name: str, names: list[str]) -> str | None:
    """Return the tool that was meant, if one is near; a name of a caller's must not cost much."""
    return None if len(name) > _LONGEST_COMPARED else nearest(name, names[:_MOST_COMPARED])


def _missing(routing_table: RoutingTable) -> dict[str, str]:
    """Return the plugins that have no tools because they are not up, each with the reason; parked hosts of theirs are probed."""
    missing = {}
    for plugin, endpoint in routing_table.endpoints.items():
        if routing_table.routes.tools.get(plugin):
            continue
        if endpoint.probe is not None:
            endpoint.probe()
        why = endpoint.absence()
        if why is None and plugin in routing_table.routes.tools:
            continue  # it is up, and has no tools
        missing[plugin] = why or "it is starting"
    return missing


def _no_tool(call: Call, choice: NoTool, routing_table: RoutingTable) -> Result:
    if choice.rejected_by:
        error = f"{', '.join(map(repr, choice.rejected_by))} offers {call.tool_name!r} but rejects this call"
    elif call.tool_name is None:
        error = "the call names no tool, and no plugin claims it"
    else:
        names = sorted(routing_table.routes.by_name)
        shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")  # noqa: PLR2004 - as many as were joined
        near = _near(call.tool_name, names)
        hint = f"did you mean {near!r}? There are:" if near is not None else "there are:"
        error = f"there is no tool {call.tool_name!r}; {hint} {shown or 'none'}"
        for plugin, endpoint in routing_table.endpoints.items():
            if why := endpoint.left_out().get(call.tool_name):
                error += f" ({plugin!r} has it and does not offer it: {why})"
        error += missing_in_short("Not up, so that their tools are not known", _missing(routing_table))
    return failure(Code.UNKNOWN_TOOL, error)
