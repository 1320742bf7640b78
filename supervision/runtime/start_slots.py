"""How many hosts may start at the same time: the others wait for a slot, in order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

AT_ONCE: Final = max(4, 2 * (os.cpu_count() or 1))
"""More starts at the same time only share the processors: each would take longer, and all could miss their deadlines."""

LONGEST_HOLD: Final = 5.0
"""Seconds after which a start keeps no other from its own, however long its deadline is: it may wait for a network."""


def hold(deadline: float) -> float:
    """Seconds that a start with so many seconds keeps its slot, if it has not ended before."""
    return min(deadline / 2, LONGEST_HOLD)


class StartSlots:
    """Slots for starts. From any thread.

    Args:
        most: how many are held at the same time.
    """

    def __init__(self, most: int = AT_ONCE) -> None:
        self._lock = Lock()
        self._free = most
        self._held: set[Hashable] = set()
        self._waiting: dict[Hashable, Callable[[], object]] = {}  # in order

    def take(self, key: Hashable, granted: Callable[[], object]) -> bool:
        """Take a slot, once for each key. False if none is free: then ``granted`` is called in its turn.

        ``granted`` is called in the thread that gives a slot back: it must not block.
        """
        with self._lock:
            if self._free:
                self._free -= 1
                self._held.add(key)
                return True
            self._waiting[key] = granted
            return False

    def give_back(self, key: Hashable) -> None:
        """Give the slot back, or wait for it no longer. A key that has neither changes nothing."""
        with self._lock:
            if key not in self._held:
                self._waiting.pop(key, None)
                return
            self._held.remove(key)
            if not self._waiting:
                self._free += 1
                return
            next_key = next(iter(self._waiting))
            granted = self._waiting.pop(next_key)
            self._held.add(next_key)
        granted()
