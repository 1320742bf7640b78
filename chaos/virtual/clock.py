"""Time that passes only when it is told to, for actors that are real.

A board that is given a `VirtualClock` runs on its real pykka actors, but they run one at a time in a
fixed order (see `turns`), and time stands still while they do. So the same program with the same
seed does the same things in the same order, and a minute takes no time.

Timed calls are made in the thread that advances the clock, one after the other in the order in which
they are due; after each one all is run until it is quiet. What a call schedules within the span that
is being advanced is made too.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING

from ...base.locks import Lock
from .scheduler import Turns, VirtualInbox

if TYPE_CHECKING:
    from collections.abc import Callable


class VirtualTimer:
    """A call on a `VirtualClock`."""

    __slots__ = ("function", "when")

    def __init__(self, when: float, function: Callable[[], object]) -> None:
        self.when: float = when
        self.function: Callable[[], object] | None = function

    def cancel(self) -> None:
        """Do not make the call; too late is not an error."""
        self.function = None


class VirtualClock:
    """See the module. It satisfies `callboard.supervision.runtime.clock.Clock`.

    Args:
        start: the first moment. Not 0, so that nothing may take a time for a duration.
        patience: real seconds after which an actor that does not come back is taken for stuck.
    """

    def __init__(self, start: float = 1000.0, *, patience: float = 10.0) -> None:
        self.start = start
        self.turns: Turns = Turns(patience)
        self._now = start
        self._lock = Lock()
        self._timers: list[tuple[float, int, VirtualTimer]] = []
        self._order = itertools.count()
        self._serial = itertools.count(1)

    # What a board wants of it

    def now(self) -> float:
        """The present."""
        return self._now

    def call_at(self, when: float, function: Callable[[], object]) -> VirtualTimer:
        """Have ``function`` called when the clock is advanced to ``when``; at once if that is past."""
        timer = VirtualTimer(when, function)
        with self._lock:
            heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    def inbox(self) -> VirtualInbox:
        """An inbox whose reader lives in this time."""
        return VirtualInbox(self.turns)

    # What a test wants of it

    @property
    def elapsed(self) -> float:
        """Seconds since the first moment."""
        return self._now - self.start

    def serial(self) -> int:
        """1, then 2, …: for what needs a number of its own that is the same in every run."""
        return next(self._serial)

    def soon(self, function: Callable[[], object]) -> None:
        """Have ``function`` called in its turn, at the present moment. It must not block."""
        self.turns.soon(function)

    def settle(self) -> None:
        """Run all that can run at the present moment, the calls that are due among it.

        Raises:
            Stuck: somebody does not come back.
            NeverQuiet: there is no end to it.
        """
        self._advance_to(self._now)

    def advance(self, seconds: float) -> None:
        """Let time pass, and run all that happens meanwhile. Raises as `settle`."""
        if not seconds >= 0:
            raise ValueError(f"time does not go back, not by {seconds} s either")
        self._advance_to(self._now + seconds)

    def advance_to_next(self) -> float:
        """Let time pass until the next call is due, and run what follows; return the seconds it took.

        Raises:
            ValueError: nothing is on the clock, so nothing will happen any more.
        """
        self.settle()
        due = self.pending()
        if not due:
            raise ValueError("nothing is on the clock: nothing will happen any more by itself")
        seconds = due[0] - self._now
        self._advance_to(due[0])
        return seconds

    def advance_until(self, condition: Callable[[], bool], within: float) -> bool:
        """Let time pass until ``condition`` holds, from call to call; False if it does not ``within`` that."""
        end = self._now + within
        self.settle()
        while not condition():
            due = self.pending()
            if not due or due[0] > end:
                self._advance_to(end)
                return condition()
            self._advance_to(due[0])
        return True

    def pending(self) -> tuple[float, ...]:
        """When the calls on the clock are due, the earliest first."""
        with self._lock:
            return tuple(sorted(when for when, _, timer in self._timers if timer.function is not None))

    def _advance_to(self, target: float) -> None:
        self.turns.run()
        while (function := self._next_due(target)) is not None:
            function()
            self.turns.run()
        self._now = max(self._now, target)

    def _next_due(self, target: float) -> Callable[[], object] | None:
        with self._lock:
            return self._take_due(target)

    def _take_due(self, target: float) -> Callable[[], object] | None:
        while self._timers and self._timers[0][0] <= target:
            when, _, timer = heapq.heappop(self._timers)
            function, timer.function = timer.function, None
            if function is not None:
                self._now = max(self._now, when)
                return function
        return None
