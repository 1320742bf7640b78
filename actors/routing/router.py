"""The router: reads a tool call, finds the tool that takes it, and gives it to that tool's endpoint.

Most boards have no plugin that claims calls. There the way of a call needs nothing but a look
into an immutable table, so the submitting thread does that itself, by the `RoutingTable`. Where
claims have to be asked the actor waits for them, without blocking and with a limit: a plugin
that does not answer in time has no opinion.

Calls of one name are given on in the order in which they came, also while claims are waited for.
Calls of different names do not wait for each other.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ...supervision.runtime.telling import tell
from ..endpoint.messages import Shutdown
from ..threads.actor import BaseActor
from .messages import Claimed, Dispatch, Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..calls.call import Call
    from ..services import Services
    from .claims import ClaimCollector, ClaimRound
    from .decision import Claims
    from .table import RoutingTable


MAX_WAITING = 10_000
"""Calls that may wait for claims at once."""


@dataclass(slots=True)
class _Pending:
    call: Call
    claims: Claims | None
    asking: ClaimRound | None = None


class UnreadCalls:
    """Calls that were given to the router and that it has not read of yet.

    What lies behind the order to stop in an actor's inbox is never read, and that is not reported. Who would
    wait for it for ever is in here. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[Call] = set()
        self._closed = False

    def add(self, call: Call) -> bool:
        """Note a call; False if the router will never read of it."""
        with self._lock:
            if not self._closed:
                self._calls.add(call)
            return not self._closed

    def discard(self, call: Call) -> None:
        """It has been read of."""
        with self._lock:
            self._calls.discard(call)

    def close(self) -> list[Call]:
        """Take no more; returns those that it will not read of."""
        with self._lock:
            self._closed = True
            left = list(self._calls)
            self._calls.clear()
            return left


class RouterActor(BaseActor):
    """See the module.

    Args:
        routing_table: the present routes.
        unread: to be told of a call before this actor is told to route it.
        submit: reads a tool call and submits it; for other actors that ask with `Dispatch`.
        claiming: asks plugins whose call it is.
        services: the board's.
    """

    def __init__(
        self,
        routing_table: RoutingTable,
        unread: UnreadCalls,
        submit: Callable[[Dispatch], Call],
        claiming: ClaimCollector,
        services: Services,
    ) -> None:
        super().__init__("router", services.events, services.clock)
        self._routing_table = routing_table
        self._unread = unread
        self._submit = submit
        self._claiming = claiming
        self._mailboxes: dict[str | None, deque[_Pending]] = {}
        self._waiting: dict[int, _Pending] = {}

    def receive(self, message: Any) -> Any:
        """Handle one message."""
        match message:
            case Dispatch():
                return self._submit(message)
            case Route(call, claims):
                self._route(call, claims)
            case Claimed(call, claims):
                self._claimed(call, claims)
            case Shutdown():
                self.stop()
            case _:
                super().receive(message)
        return None

    def on_stop(self) -> None:
        """However it was stopped: no caller is left waiting."""
        for call in [*self._unread.close(), *(pending.call for pending in self._waiting.values())]:
            error = "the router was stopped"
            call.finish(failure(Code.CANCELLED, error, outcome=Outcome.NOT_SENT))

    def _route(self, call: Call, claims: Claims | None) -> None:
        self._unread.discard(call)
        if len(self._waiting) >= MAX_WAITING:
            error = f"{MAX_WAITING} calls are waiting for plugins to say whether they are theirs"
            call.finish(failure(Code.OVERLOADED, error))
            return
        pending = self._waiting[id(call)] = _Pending(call, claims)
        self._mailboxes.setdefault(call.tool_name, deque()).append(pending)
        if claims is None:
            told = functools.partial(self._on_claims, call)
            pending.asking = self._claiming.ask(call, told)
        self._deliver_ready(call.tool_name)

    def _on_claims(self, call: Call, claims: Claims) -> None:
        """In any thread."""
        tell(self.actor_ref, Claimed(call, claims))

    def _claimed(self, call: Call, claims: Claims) -> None:
        pending = self._waiting.get(id(call))
        if pending is not None and pending.call is call:
            pending.claims = claims
            self._deliver_ready(call.tool_name)

    def _deliver_ready(self, name: str | None) -> None:
        """Give on the calls of one name that wait for no claim any more, from the first one on."""
        mailbox = self._mailboxes.get(name)
        while mailbox and (mailbox[0].claims is not None or mailbox[0].call.done()):
            pending = mailbox.popleft()
            if pending.asking is not None:
                pending.asking.drop()
            del self._waiting[id(pending.call)]
            if not pending.call.done():
                self._routing_table.deliver(pending.call, pending.claims or {})
        if not mailbox:
            self._mailboxes.pop(name, None)
