"""The router: reads a tool call, finds the tool that takes it, and gives it to that tool's endpoint.

Most boards have no plugin that claims calls. There the way of a call needs nothing but a look
into an immutable table, so the submitting thread does that itself, by the `RoutingTable`. Where
claims have to be asked the actor waits for them, without blocking and with a limit: a plugin
that does not answer in time has no opinion.

The calls of one plugin are given on in the order in which they came, also while claims are waited for, whatever
their names are. Calls of different plugins do not wait for each other. See `PluginQueues`.
"""

from __future__ import annotations

import functools
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ...supervision.runtime.telling import tell
from ..endpoint.messages import Shutdown
from ..threads.actor import BaseActor
from .decision import Taken, choose
from .messages import Claimed, Dispatch, Ended, Interrupted, Route
from .queues import PluginQueues

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    import pykka

    from ..calls.call import Call
    from ..calls.stage import Result, Stage
    from ..services import Services
    from .claims import ClaimCollector, ClaimRound
    from .decision import Choice, Claims, Routes
    from .table import RoutingTable


MAX_WAITING = 10_000
"""Calls that may wait for claims at once."""


class CallsAtRouter:
    """The way to the router, and the `CallOwner` of the calls that go by it, until a tool is given them.

    It knows the calls that the router has not read of yet: what lies behind the order to stop in an actor's inbox is
    never read, and that is not reported. Thread-safe.

    Attributes:
        router: the actor.
    """

    on_awaited: Callable[[Call, AbstractEventLoop], None] | None = None
    on_waited: Callable[[], None] | None = None
    router: pykka.ActorRef[RouterActor]

    def __init__(self, routing_table: RoutingTable) -> None:
        self._routing_table = routing_table
        self._lock = Lock()
        self._unread: set[Call] = set()
        self._closed = False

    def give(self, call: Call, claims: Claims | None) -> None:
        """Have the router find the tool for a call, behind those that it was given before."""
        call.belongs_to(self)
        if not (self._add(call) and tell(self.router, Route(call, claims))):
            call.finish(failure(Code.CANCELLED, "the board has been stopped", outcome=Outcome.NOT_SENT))

    def _add(self, call: Call) -> bool:
        with self._lock:
            if not self._closed:
                self._unread.add(call)
                # Another thread may have found out since the caller looked that no call has to go by the router.
                self._routing_table.via_router = True
            return not self._closed

    def read(self, call: Call) -> None:
        """The router has read of a call."""
        with self._lock:
            self._unread.discard(call)

    def settle(self) -> None:
        """The router has no call that it has read of; see `RoutingTable.settle`."""
        with self._lock:
            if not self._unread:
                self._routing_table.settle()

    def close(self) -> list[Call]:
        """Take no more; returns those that the router will not read of."""
        with self._lock:
            self._closed = True
            left = list(self._unread)
            self._unread.clear()
            return left

    def on_ended_early(self, call: Call, stage: Stage) -> None:
        tell(self.router, Ended(call))

    def on_ended(self, call: Call, result: Result) -> None:
        """See `CallOwner`."""

    def on_interrupted(self, call: Call) -> None:
        if not tell(self.router, Interrupted(call)):
            call.recover()


@dataclass(slots=True)
class _Pending:
    """What is known of a call that waits for its turn; the choice, once claims are known, among the routes of then."""

    asking: ClaimRound | None = None
    claims: Claims | None = None
    routes: Routes | None = None
    choice: Choice | None = None


class RouterActor(BaseActor):
    """See the module.

    Args:
        routing_table: the present routes.
        calls: the calls on their way here.
        submit: reads a tool call and submits it; for other actors that ask with `Dispatch`.
        claiming: asks plugins whose call it is.
        services: the board's.
    """

    def __init__(
        self,
        routing_table: RoutingTable,
        calls: CallsAtRouter,
        submit: Callable[[Dispatch], Call],
        claiming: ClaimCollector,
        services: Services,
    ) -> None:
        super().__init__("router", services.events, services.clock)
        calls.router = self.actor_ref
        self._routing_table = routing_table
        self._calls = calls
        self._submit = submit
        self._claiming = claiming
        self._queues: PluginQueues[Call] = PluginQueues()
        self._waiting: dict[Call, _Pending] = {}

    def receive(self, message: Any) -> Any:
        """Handle one message."""
        match message:
            case Dispatch():
                return self._submit(message)
            case Route(call, claims):
                self._route(call, claims)
            case Claimed(call, claims):
                self._claimed(call, claims)
            case Ended(call):
                self._ended(call)
            case Interrupted(call):
                call.recover()
                self._ended(call)
            case Shutdown():
                self.stop()
            case _:
                super().receive(message)
        return None

    def on_stop(self) -> None:
        """However it was stopped: no caller is left waiting."""
        for call in [*self._calls.close(), *self._waiting]:
            error = "the router was stopped"
            if not call.finish(failure(Code.CANCELLED, error, outcome=Outcome.NOT_SENT)):
                call.recover()

    def _route(self, call: Call, claims: Claims | None) -> None:
        self._calls.read(call)
        routes = self._routing_table.routes
        if call.decided:  # it has ended on its way here
            self._settle()
        elif len(self._waiting) >= MAX_WAITING:
            error = f"{MAX_WAITING} calls are waiting for plugins to say whether they are theirs"
            call.finish(failure(Code.OVERLOADED, error))
        else:
            pending = self._waiting[call] = _Pending()
            self._queues.enter(call, routes.offering(call.tool_name))
            if claims is None and routes.asked(call.tool_name):
                pending.asking = self._claiming.ask(call, functools.partial(self._on_claims, call))
            else:
                self._claimed(call, claims or {})

    def _on_claims(self, call: Call, claims: Claims) -> None:
        """In any thread."""
        tell(self.actor_ref, Claimed(call, claims))

    def _claimed(self, call: Call, claims: Claims) -> None:
        pending = self._waiting.get(call)
        if pending is not None:
            pending.claims = claims
            self._deliver(self._decide(call, pending))

    def _ended(self, call: Call) -> None:
        """Nobody waits for it any more, nor does it hold up the calls behind it."""
        self._calls.read(call)
        pending = self._waiting.pop(call, None)
        if pending is not None and pending.asking is not None:
            pending.asking.drop()
        self._deliver(self._queues.leave(call))

    def _decide(self, call: Call, pending: _Pending) -> list[Call]:
        """Put a call into the queue of the plugin that takes it; returns the calls whose turn it is now."""
        pending.routes = self._routing_table.routes
        pending.choice = choose(pending.routes, call.tool_name, pending.claims or {})
        return self._queues.decide(call, pending.choice.plugin if isinstance(pending.choice, Taken) else None)

    def _deliver(self, calls: list[Call]) -> None:
        """Give on the calls whose turn it is, and those whose turn it is by that."""
        ready = deque(calls)
        while ready:
            call = ready.popleft()
            pending = self._waiting[call]
            if pending.routes is not self._routing_table.routes and self._has_moved(call, pending):
                ready.extend(self._decide(call, pending))
                continue
            assert pending.choice is not None
            del self._waiting[call]
            self._routing_table.carry_out(pending.choice, call)
            ready.extend(self._queues.leave(call))
        self._settle()

    def _has_moved(self, call: Call, pending: _Pending) -> bool:
        """Whether another plugin takes a call than when it was decided: plugins have come or gone while it waited."""
        pending.routes = self._routing_table.routes
        return choose(pending.routes, call.tool_name, pending.claims or {}) != pending.choice

    def _settle(self) -> None:
        if not self._waiting:
            self._calls.settle()
