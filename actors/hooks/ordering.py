"""Calls on their way through the gates, in the order in which they were submitted.

The gates of one tool are asked about one call at a time, so that calls reach the tool in their order however long
each gate takes, and a gate that counts sees them in their order too. Calls of different names do not wait for each
other. A person who is asked about a call holds up the later calls to its tool, and no others.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Protocol

MAX_WAITING = 10_000
"""Calls of one board that may wait for the gates."""


class QueuedCall(Protocol):
    """What stands in the queue."""

    def begin(self) -> None:
        """It is its turn; it calls `GateQueue.leave` once it is through, before or after this returns."""


class _Line:
    __slots__ = ("busy", "pumped", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[QueuedCall] = deque()
        self.busy = False
        self.pumped = False


class GateQueue:
    """See the module. Thread-safe; nothing here blocks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str | None, _Line] = {}
        self._count = 0

    def enter(self, name: str | None, passenger: QueuedCall) -> bool:
        """Stand in the line of a tool's name; False if too many wait already."""
        with self._lock:
            if self._count >= MAX_WAITING:
                return False
            self._count += 1
            self._lines.setdefault(name, _Line()).waiting.append(passenger)
        self._pump(name)
        return True

    def leave(self, name: str | None) -> None:
        """Who was under way in that line is through."""
        with self._lock:
            self._lines[name].busy = False
        self._pump(name)

    def _pump(self, name: str | None) -> None:
        """Have the next one begin, and so on as long as they are through at once. One thread does it, in a loop."""
        while True:
            with self._lock:
                line = self._lines.get(name)
                if line is None or line.pumped or line.busy:
                    return
                if not line.waiting:
                    del self._lines[name]
                    return
                passenger = line.waiting.popleft()
                self._count -= 1
                line.busy = line.pumped = True
            try:
                passenger.begin()
            finally:
                with self._lock:
                    line.pumped = False
