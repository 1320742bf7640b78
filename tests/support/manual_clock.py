"""A clock that stands still until a test advances it.

It satisfies `callboard.supervision.runtime.clock.Clock`. Timed calls run in the thread that advances, one
after the other in the order in which they are due, each at its own time: what a call schedules
within the span that is being advanced runs too. Nothing runs by itself, not even what is already
due when it is put on the clock: `advance(0)` runs that.

Putting calls on the clock and cancelling them is safe from any thread. Where an actor does it in
its own time, `wait_pending` waits until it has.
"""

from __future__ import annotations

import itertools
import queue
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ManualTimer:
    """A call on a `ManualClock`."""

    def __init__(self, clock: ManualClock, when: float, order: int, function: Callable[[], object]) -> None:
        self.when = when
        self.order = order
        self.function = function
        self._clock = clock

    def cancel(self) -> None:
        """Do not make the call; too late is not an error."""
        self._clock.take_off(self)


class ManualClock:
    """See the module.

    Args:
        start: the first moment. Not 0, so that nothing may take a time for a duration.
    """

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start
        self._timers: list[ManualTimer] = []
        self._order = itertools.count()
        self._changed = threading.Condition()

    def now(self) -> float:
        """The present."""
        with self._changed:
            return self._now

    def call_at(self, when: float, function: Callable[[], object]) -> ManualTimer:
        """Have ``function`` called when the clock is advanced to ``when`` or beyond."""
        with self._changed:
            timer = ManualTimer(self, when, next(self._order), function)
            self._timers.append(timer)
            self._timers.sort(key=lambda timer: (timer.when, timer.order))
            self._changed.notify_all()
        return timer

    def inbox(self) -> queue.SimpleQueue[Any]:
        """An actor's inbox; who reads it does so in real time."""
        return queue.SimpleQueue()

    def take_off(self, timer: ManualTimer) -> None:
        """Take a call off the clock; unknown ones are ignored."""
        with self._changed:
            if timer in self._timers:
                self._timers.remove(timer)
                self._changed.notify_all()

    def pending(self) -> tuple[float, ...]:
        """When the calls on the clock are due, the earliest first."""
        with self._changed:
            return tuple(timer.when for timer in self._timers)

    def advance(self, seconds: float) -> int:
        """Let time pass, making the calls that fall due; return how many were made."""
        assert seconds >= 0, "time does not go back"
        return self._advance_to(self.now() + seconds)

    def advance_to_next(self) -> float:
        """Let time pass until the next call is due, and make it and all that are due with it.

        Returns:
            How many seconds that took; 0 when the call was due already.
        """
        pending = self.pending()
        assert pending, "nothing is on the clock"
        seconds = max(0.0, pending[0] - self.now())
        self._advance_to(max(self.now(), pending[0]))
        return seconds

    def wait_pending(self, count: int = 1, timeout: float = 10.0) -> tuple[float, ...]:
        """Wait, in real time, until ``count`` calls are on the clock; return when they are due."""
        with self._changed:
            there = self._changed.wait_for(lambda: len(self._timers) == count, timeout)
            due = tuple(timer.when for timer in self._timers)
        assert there, (
            f"{count} calls were expected on the clock; after {timeout:g} s there are {len(due)}: {due}"
        )
        return due

    def _advance_to(self, target: float) -> int:
        made = 0
        while (function := self._next_due(target)) is not None:
            function()
            made += 1
        with self._changed:
            self._now = max(self._now, target)
        return made

    def _next_due(self, target: float) -> Callable[[], object] | None:
        with self._changed:
            if not self._timers or self._timers[0].when > target:
                return None
            timer = self._timers.pop(0)
            self._now = max(self._now, timer.when)
            self._changed.notify_all()
            return timer.function
