"""Asking plugins whose call it is: all that are asked about it at the same time, and none for longer than a limit.

A claim is tool code, so it runs on a thread that can be lost. One that raises, or does not answer in time, has no
opinion, and an event says so. A plugin is asked about a few calls at once, and about the others in their order as it answers.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from typing import TYPE_CHECKING

from ...base.locks import Lock
from ...plugins.results.failures import describe
from ..threads.hook_pool import MAX_STUCK, HookFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.clock import Timer
    from ...supervision.runtime.events import EventStream
    from ..calls.call import Call
    from ..endpoint.endpoint import Endpoint
    from ..services import Services
    from ..threads.hook_pool import HookPool
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
        self._lock = Lock()
        self._inquiries: dict[str, Inquiries] = {}
        self._rounds: set[ClaimRound] = set()

    def ask(self, call: Call, done: Callable[[Claims], None]) -> ClaimRound:
        """Ask about a call; ``done`` is told once what was said, from any thread, this one too."""
        endpoints = [
            endpoint
            for name in self._routing_table.routes.asked(call.tool_name)
            if (endpoint := self._routing_table.endpoints.get(name)) is not None
        ]
        asking = ClaimRound(call.tool_name, {endpoint.name for endpoint in endpoints}, self._events, done)
        asking.at_end = functools.partial(self._rounds.discard, asking)
        late = functools.partial(asking.overdue, self._patience)
        asking.timer = self._clock.call_at(self._clock.now() + self._patience, late)
        self._rounds.add(asking)  # after its timer is set: whatever interrupts this, it comes to its end
        for endpoint in endpoints:
            self._of(endpoint.name).ask(asking, functools.partial(_claim, endpoint, call))
        asking.begun()
        return asking

    def forget(self, plugin: str) -> None:
        """A plugin has left the board: it is not waited for."""
        with self._lock:
            self._inquiries.pop(plugin, None)
        for asking in list(self._rounds):
            asking.said(plugin, None)

    def _of(self, plugin: str) -> Inquiries:
        with self._lock:
            return self._inquiries.setdefault(plugin, Inquiries(plugin, self._threads))


class Inquiries:
    """What one plugin is asked: about `MAX_STUCK` calls at once, and about the others when it has answered. Thread-safe."""

    def __init__(self, plugin: str, threads: HookPool) -> None:
        self._plugin = plugin
        self._threads = threads
        self._lock = Lock()
        self._waiting: deque[Question] = deque()
        self._under_way: set[Question] = set()

    def ask(self, asking: ClaimRound, claim: Callable[[], bool | HookFailed | None]) -> None:
        """Ask now or later; not at all while as many claims hang as may be under way."""
        with self._lock:
            hanging = sum(each.asking.late for each in self._under_way) >= MAX_STUCK
            if hanging:
                self._waiting.clear()  # nobody awaits those any more
            else:
                self._waiting.append(Question(asking, claim))
        if hanging:
            error = f"{MAX_STUCK} earlier claims of {self._plugin!r} have not come back"
            asking.said(self._plugin, HookFailed(error, plugin=self._plugin))
        else:
            self._go_on()

    def _go_on(self) -> None:
        while (question := self._next()) is not None:
            try:
                if self._take(question):
                    answered = functools.partial(self._answered, question)
                    # Counted apart from the plugin's other hooks, which a burst of calls would keep from being asked.
                    whose = f"claims of {self._plugin}"
                    self._threads.ask(whose, question.claim, answered, most=sys.maxsize)
            except BaseException:  # an interrupt, raised again: it is asked later, at worst once more
                self._put_back(question)
                raise
            finally:
                question.handing_over = False

    def _next(self) -> Question | None:
        with self._lock:
            self._drop_unawaited()
            return self._waiting[0] if self._waiting and len(self._under_way) < MAX_STUCK else None

    def _drop_unawaited(self) -> None:
        while self._waiting and not self._waiting[0].asking.awaits(self._plugin):
            self._waiting.popleft()

    def _take(self, question: Question) -> bool:
        """False if another thread was faster."""
        with self._lock:
            if not self._waiting or self._waiting[0] is not question or len(self._under_way) >= MAX_STUCK:
                return False
            question.handing_over = True
            self._under_way.add(question)
            self._waiting.popleft()
            return True

    def _put_back(self, question: Question) -> None:
        with self._lock:
            if question in self._under_way:
                self._under_way.discard(question)
                self._waiting.appendleft(question)

    def _answered(self, question: Question, verdict: bool | HookFailed | None) -> None:
        with self._lock:
            self._under_way.discard(question)
        question.asking.said(self._plugin, verdict)
        if not question.handing_over:  # else the thread that hands it over asks the next one, in its loop
            self._go_on()


class Question:
    """Whether a plugin takes a call."""

    __slots__ = ("asking", "claim", "handing_over")

    def __init__(self, asking: ClaimRound, claim: Callable[[], bool | HookFailed | None]) -> None:
        self.asking: ClaimRound = asking
        self.claim: Callable[[], bool | HookFailed | None] = claim
        self.handing_over: bool = False


class ClaimRound:
    """The claims of one call, as they come in.

    Attributes:
        timer: ends the patience with those that have not answered.
        at_end: called once nothing is awaited any more.
        late: the patience has ended before all had answered.
    """

    def __init__(
        self,
        tool: str | None,
        plugins: set[str],
        events: EventStream,
        done: Callable[[Claims], None],
    ) -> None:
        self.timer: Timer | None = None
        self.at_end: Callable[[], None] | None = None
        self.late: bool = False
        self._tool = tool
        self._open = plugins
        self._events = events
        self._done = done
        self._claims: dict[str, bool | None] = {}
        self._begun = False
        self._over = False
        self._lock = Lock()

    def begun(self) -> None:
        """All have been asked: none is answered for before, or the one that answers first would be all."""
        with self._lock:
            self._begun = True
        self._settle()

    def awaits(self, plugin: str) -> bool:
        """Whether a plugin's answer is still wanted."""
        with self._lock:
            return not self._over and plugin in self._open

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
            self.late = True
            late = [] if self._over else sorted(self._open)
            self._open = set()
        for plugin in late:
            error = f"no answer within {patience:g} s"
            self._events.publish("claim_failed", plugin, tool=self._tool, error=error)
        self._settle()

    def drop(self) -> None:
        """The answer is not wanted any more. The timer goes on: what hangs is to be counted all the same."""
        with self._lock:
            self._over = True
        if self.at_end is not None:
            self.at_end()

    def _settle(self) -> None:
        with self._lock:
            if self._over or self._open or not self._begun:
                return
            self._over = True
        if self.timer is not None:
            self.timer.cancel()
        if self.at_end is not None:
            self.at_end()
        self._done(self._claims)


def _claim(endpoint: Endpoint, call: Call) -> bool | HookFailed | None:
    """In a thread that may be lost."""
    try:
        return endpoint.adapter.claim(endpoint.invocation(call), endpoint.cell.copy())
    except BaseException as error:  # noqa: BLE001 - tool code: SystemExit too ends in here
        return HookFailed(f"it raised {describe(error)}", plugin=endpoint.name)
