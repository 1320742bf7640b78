"""Asking plugins whose call it is: all that claim calls at the same time, and none for longer than a limit.

A claim is tool code, so it runs on a thread that can be lost. One that raises, or does not answer in time, has no
opinion, and an event says so.
"""

from __future__ import annotations

import functools
import threading
from typing import TYPE_CHECKING

from ..threads.hook_pool import HookFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.clock import Timer
    from ...supervision.runtime.events import EventStream
    from ..calls.call import Call
    from ..endpoint.endpoint import Endpoint
    from ..services import Services
    from .decision import Claims
    from .table import RoutingTable


class ClaimCollector:
    """See the module. Thread-safe; nothing here blocks.

    Args:
        routing_table: the present routes.
        services: the board's; claims are asked in its threads.
        patience: seconds that a call may wait for claims.
    """

    def __init__(
        self,
        routing_table: RoutingTable,
        services: Services,
        patience: float,
    ) -> None:
        self._routing_table = routing_table
        self._threads = services.threads
        self._clock = services.clock
        self._events = services.events
        self._patience = patience

    def ask(self, call: Call, done: Callable[[Claims], None]) -> ClaimRound:
        """Ask about a call; ``done`` is told once what was said, from any thread, this one too."""
        endpoints = [
            endpoint
            for name in self._routing_table.routes.claimers
            if (endpoint := self._routing_table.endpoints.get(name)) is not None
        ]
        asking = ClaimRound(call.tool_name, {endpoint.name for endpoint in endpoints}, self._events, done)
        late = functools.partial(asking.overdue, self._patience)
        asking.timer = self._clock.call_at(self._clock.now() + self._patience, late)
        for endpoint in endpoints:
            claim = functools.partial(_claim, endpoint, call)
            self._threads.ask(endpoint.name, claim, functools.partial(asking.said, endpoint.name))
        asking.begun()
        return asking


class ClaimRound:
    """The claims of one call, as they come in."""

    def __init__(
        self,
        tool: str | None,
        plugins: set[str],
        events: EventStream,
        done: Callable[[Claims], None],
    ) -> None:
        self.timer: Timer | None = None
        self._tool = tool
        self._open = plugins
        self._events = events
        self._done = done
        self._claims: dict[str, bool | None] = {}
        self._begun = False
        self._over = False
        self._lock = threading.Lock()

    def begun(self) -> None:
        """All have been asked: none is answered for before, or the one that answers first would be all."""
        with self._lock:
            self._begun = True
        self._settle()

    def said(self, plugin: str, verdict: bool | HookFailed | None) -> None:
        """One has answered, or failed to."""
        if isinstance(verdict, HookFailed):
            self._events.publish("claim_failed", plugin, tool=self._tool, error=str(verdict))
            verdict = None
        with self._lock:
            if plugin not in self._open:  # its time was over before
                return
            self._open.discard(plugin)
            self._claims[plugin] = verdict
        self._settle()

    def overdue(self, patience: float) -> None:
        """Those that have not answered have no opinion."""
        with self._lock:
            late = [] if self._over else sorted(self._open)
            self._open = set()
        for plugin in late:
            error = f"no answer within {patience:g} s"
            self._events.publish("claim_failed", plugin, tool=self._tool, error=error)
        self._settle()

    def drop(self) -> None:
        """The answer is not wanted any more."""
        with self._lock:
            self._over = True
        if self.timer is not None:
            self.timer.cancel()

    def _settle(self) -> None:
        with self._lock:
            if self._over or self._open or not self._begun:
                return
            self._over = True
        if self.timer is not None:
            self.timer.cancel()
        self._done(self._claims)


def _claim(endpoint: Endpoint, call: Call) -> bool | None:
    return endpoint.adapter.claim(endpoint.invocation(call), endpoint.cell.copy())
