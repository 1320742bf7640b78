"""The places for what is under way: the reader of calls waits for one when there are none.

Made of a queue, since that can be fed from a signal handler, where a semaphore cannot.
"""

from __future__ import annotations

import queue
import sys
from typing import Final

ALL: Final = sys.maxsize
"""As many places as there are."""


class Slots:
    """So many places. They are taken by one thread, and given back by any.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._free: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.give(count)

    def take(self, places: int) -> int:
        """Wait for so many places, or for all if that is less.

        Returns how many are to be given back. 0 when interrupted: then none are taken.
        """
        wanted = min(places, self._count)
        for taken in range(wanted):
            if not self._free.get():
                self.give(taken)
                return 0
        return wanted

    def give(self, places: int) -> None:
        """Give places back."""
        for _ in range(places):
            self._free.put(True)

    def interrupt(self) -> None:
        """Let `take` give up waiting, once; from a signal handler too."""
        self._free.put(False)
