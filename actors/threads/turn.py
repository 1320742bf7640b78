"""A turn: one holder has it at a time. An interrupt neither loses it nor leaves it taken.

A lock does not know its holder: if a signal handler raises between ``acquire`` and the next line, it stays locked for ever. A turn
does, so that a holder may give it back at any time, and more than once.
"""

from __future__ import annotations

import queue
import time
from contextlib import suppress

from ...base.locks import Lock


class Turn:
    """See the module. From any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder: object | None = None
        # `SimpleQueue` is written in C: no handler runs while its own lock is held.
        self._waiting: list[queue.SimpleQueue[None]] = []

    def take(self, holder: object, timeout: float | None = None) -> bool:
        """Wait until it is the turn of ``holder``; false if it is not after ``timeout`` seconds.

        Call it within the ``try`` whose ``finally`` gives the turn back.
        """
        until = None if timeout is None else time.monotonic() + timeout
        woken: queue.SimpleQueue[None] = queue.SimpleQueue()
        while not self._is_of(holder, woken):
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            with suppress(queue.Empty):
                woken.get(timeout=left)
        return True

    def give_back(self, holder: object) -> None:
        """Let others have it. Nothing happens where it is the turn of another; after an interrupt it is to be called again."""
        with self._lock:
            if self._holder is holder:
                self._holder = None
            if self._holder is None:
                for woken in self._waiting:
                    woken.put(None)
                self._waiting = []  # last: an interrupt may come before

    def _is_of(self, holder: object, woken: queue.SimpleQueue[None]) -> bool:
        with self._lock:
            if self._holder is None:
                self._holder = holder
            elif self._holder is not holder:
                self._waiting.append(woken)
            return self._holder is holder
