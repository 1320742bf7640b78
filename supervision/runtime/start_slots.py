"""How many hosts may start at the same time: the others wait for a slot, in order.

A slot stands for a processor that a start computes on, not for the start itself: one that waits for something else, such as
a network or an answer that never comes, gives its slot back before it is ready.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .clock import Clock, Timer

AT_ONCE: Final = max(4, 2 * (os.cpu_count() or 1))
"""More starts at the same time only share the processors: each would take longer, and all could miss their deadlines."""

LONGEST_HOLD: Final = 5.0
"""Seconds after which a start keeps no other from its own, though it still computes."""

LOOK_EVERY: Final = 0.2
"""Seconds between two looks at the starts that others wait for."""


def hold(deadline: float) -> float:
    """Seconds that a start with so many seconds keeps its slot, if it has not ended before."""
    return min(deadline / 2, LONGEST_HOLD)


@frozen(eq=False)
class Start:
    """A start that takes a slot.

    Attributes:
        key: its own: it has one slot at most.
        longest: seconds that it may hold a slot, see `hold`.
        granted: called once it has a slot, if it had none at once.
        look: called every `LOOK_EVERY` seconds while it holds a slot and others wait: it gives the slot back if it
            computes nothing. Both are called in the thread of another start or of the clock: they must not block.
    """

    key: Hashable
    longest: float
    granted: Callable[[], object]
    look: Callable[[], object]


class StartSlots:
    """Slots for starts. From any thread.

    Args:
        clock: when a slot has been held for too long, and when to look at those who hold one.
        most: how many are held at the same time.
    """

    def __init__(self, clock: Clock, most: int = AT_ONCE) -> None:
        self._clock = clock
        self._most = most
        self._lock = Lock()
        self._held: dict[Hashable, tuple[Start, Timer]] = {}
        self._waiting: dict[Hashable, Start] = {}  # in order
        self._next_look: Timer | None = None

    def take(self, start: Start) -> bool:
        """Take a slot. False if none is free: then its ``granted`` is called in its turn."""
        with self._lock:
            if len(self._held) < self._most:
                self._grant(start)
                return True
            self._waiting[start.key] = start
            if self._next_look is None:
                self._look_later()
            return False

    def give_back(self, key: Hashable) -> None:
        """Give the slot back, or wait for it no longer. A key that has neither changes nothing."""
        granted: Callable[[], object] | None = None
        with self._lock:
            if (held := self._held.pop(key, None)) is None:
                self._waiting.pop(key, None)
            else:
                held[1].cancel()
                if self._waiting:
                    start = self._waiting.pop(next(iter(self._waiting)))
                    self._grant(start)
                    granted = start.granted
            if not self._waiting and self._next_look is not None:
                self._next_look.cancel()
                self._next_look = None
        if granted is not None:
            granted()

    def _grant(self, start: Start) -> None:
        until = self._clock.now() + start.longest
        self._held[start.key] = start, self._clock.call_at(until, lambda: self.give_back(start.key))

    def _look_later(self) -> None:
        self._next_look = self._clock.call_at(self._clock.now() + LOOK_EVERY, self._look)

    def _look(self) -> None:
        with self._lock:
            self._next_look = None
            if not self._waiting:
                return
            self._look_later()
            starts = [start for start, _ in self._held.values()]
        for start in starts:
            start.look()
