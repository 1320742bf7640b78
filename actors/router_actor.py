"""The router: reads a tool call, finds the tool that takes it, and gives it to that tool's desk.

Most boards have no plugin that claims calls. There the way of a call needs nothing but a look
into an immutable table, so whoever submits it does that in its own thread, by `Switch`. Where
claims have to be asked the actor waits for them, without blocking and with a limit: a plugin
that does not answer in time has no opinion.

Calls of one name are given on in the order in which they came, also while claims are waited for.
Calls of different names do not wait for each other.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..plugins.codes import Code, Outcome
from ..plugins.failures import failure
from ..supervision.telling import tell
from . import messages as m
from .base import HouseActor
from .hook_threads import HookFailed, HookThreads
from .routing import Ambiguous, NoTool, Routes, Taken, choose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..supervision.clock import Clock, Timer
    from ..supervision.events import EventStream
    from .call import Call
    from .desk import Desk


MAX_WAITING = 10_000
"""Calls that may wait for claims at once."""


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

    def deliver(self, call: Call, claims: Mapping[str, bool | None]) -> None:
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


@dataclass(slots=True)
class _Pending:
    call: Call
    asked: set[str]
    timer: Timer
    claims: dict[str, bool | None] = field(default_factory=dict)


class Entrusted:
    """Calls that were given to the router and that it has not read of yet.

    What lies behind the order to stop in an actor's inbox is never read, and nobody is told of that. Who would
    wait for it for ever is in here. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[Call] = set()
        self._closed = False

    def add(self, call: Call) -> bool:
        """Note a call; False if nobody will ever read of it."""
        with self._lock:
            if not self._closed:
                self._calls.add(call)
            return not self._closed

    def discard(self, call: Call) -> None:
        """It has been read of."""
        with self._lock:
            self._calls.discard(call)

    def close(self) -> list[Call]:
        """Take no more; returns those that nobody will read of."""
        with self._lock:
            self._closed = True
            left = list(self._calls)
            self._calls.clear()
            return left


class RouterActor(HouseActor):
    """See the module.

    Args:
        switch: the present routes.
        entrusted: to be told of a call before this actor is told to route it.
        submit: reads a tool call and submits it; for other actors that ask with `Dispatch`.
        threads: where claims are asked.
        patience: seconds that a call may wait for claims.
    """

    def __init__(
        self,
        switch: Switch,
        entrusted: Entrusted,
        submit: Callable[[m.Dispatch], Call],
        *,
        threads: HookThreads,
        clock: Clock,
        events: EventStream,
        patience: float,
    ) -> None:
        super().__init__("router", events, clock)
        self._switch = switch
        self._entrusted = entrusted
        self._submit = submit
        self._threads = threads
        self._patience = patience
        self._lanes: dict[str | None, deque[_Pending]] = {}
        self._waiting: dict[int, _Pending] = {}

    def receive(self, message: Any) -> Any:
        """Handle one message."""
        match message:
            case m.Dispatch():
                return self._submit(message)
            case m.Route(call):
                self._route(call)
            case m.Claimed(call, plugin, verdict):
                self._claimed(call, plugin, verdict)
            case m.ClaimsOverdue(call):
                self._overdue(call)
            case m.Shutdown():
                self.stop()
            case _:
                super().receive(message)
        return None

    def on_stop(self) -> None:
        """Whoever stopped it: no caller is left waiting."""
        for call in [*self._entrusted.close(), *(pending.call for pending in self._waiting.values())]:
            error = "the router was stopped"
            call.finish(failure(Code.CANCELLED, error, outcome=Outcome.NOT_SENT))

    def _route(self, call: Call) -> None:
        self._entrusted.discard(call)
        if len(self._waiting) >= MAX_WAITING:
            error = f"{MAX_WAITING} calls are waiting for plugins to say whether they are theirs"
            call.finish(failure(Code.OVERLOADED, error))
            return
        claimers = self._switch.routes.claimers
        overdue = functools.partial(tell, self.actor_ref, m.ClaimsOverdue(call))
        timer = self._clock.call_at(self._clock.now() + self._patience, overdue)
        pending = _Pending(call, set(claimers), timer)
        self._waiting[id(call)] = pending
        self._lanes.setdefault(call.tool_name, deque()).append(pending)
        for plugin in claimers:
            desk = self._switch.desks.get(plugin)
            if desk is None:
                pending.asked.discard(plugin)
                continue
            claim = functools.partial(_claim, desk, call)
            self._threads.ask(plugin, claim, functools.partial(self._on_verdict, call, plugin))
        self._deliver_ready(call.tool_name)

    def _on_verdict(self, call: Call, plugin: str, verdict: bool | HookFailed | None) -> None:
        """In the thread that asked."""
        if isinstance(verdict, HookFailed):
            self.events.publish("claim_failed", plugin, tool=call.tool_name, error=str(verdict))
            verdict = None
        tell(self.actor_ref, m.Claimed(call, plugin, verdict))

    def _claimed(self, call: Call, plugin: str, verdict: bool | None) -> None:
        pending = self._waiting.get(id(call))
        if pending is None or plugin not in pending.asked:
            return
        pending.asked.discard(plugin)
        pending.claims[plugin] = verdict
        self._deliver_ready(call.tool_name)

    def _overdue(self, call: Call) -> None:
        pending = self._waiting.get(id(call))
        if pending is None:
            return
        for plugin in pending.asked:
            self.events.publish(
                "claim_failed", plugin, tool=call.tool_name, error=f"no answer within {self._patience:g} s"
            )
        pending.asked.clear()
        self._deliver_ready(call.tool_name)

    def _deliver_ready(self, name: str | None) -> None:
        """Give on the calls of one name that wait for no claim any more, from the first one on."""
        lane = self._lanes.get(name)
        while lane and (not lane[0].asked or lane[0].call.done()):
            pending = lane.popleft()
            pending.timer.cancel()
            del self._waiting[id(pending.call)]
            if not pending.call.done():
                self._switch.deliver(pending.call, pending.claims)
        if not lane:
            self._lanes.pop(name, None)


def _claim(desk: Desk, call: Call) -> bool | None:
    return desk.adapter.claim(desk.invocation(call), desk.cell.copy())
