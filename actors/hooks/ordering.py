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

    def interrupt(self) -> None:
        """A signal handler has raised in the thread that was to begin it, so that it may have begun in part."""


class _Line:
    """The calls to one tool: those that wait, the one that is under way, and the one whose `begin` has not returned."""

    __slots__ = ("beginning", "under_way", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[QueuedCall] = deque()
        self.under_way: QueuedCall | None = None
        self.beginning: QueuedCall | None = None


class GateQueue:
    """See the module. Thread-safe; nothing here blocks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[str | None, _Line] = {}

    def enter(self, name: str | None, passenger: QueuedCall) -> bool:
        """Stand in the line of a tool's name; False if too many wait already."""
        with self._lock:
            if sum(len(line.waiting) for line in self._lines.values()) >= MAX_WAITING:
                return False
            self._lines.setdefault(name, _Line()).waiting.append(passenger)
        self._pump(name)
        return True

    def leave(self, name: str | None, passenger: QueuedCall) -> None:
        """A call is through, if it was under way in that line."""
        with self._lock:
            line = self._lines.get(name)
            if line is not None and line.under_way is passenger:
                line.under_way = None
        self._pump(name)

    def abandon(self, name: str | None, passenger: QueuedCall) -> None:
        """As `leave`, of a call whose `begin` may have been interrupted."""
        self._begun(name, passenger)
        self.leave(name, passenger)

    def _pump(self, name: str | None) -> None:
        """Have the next one begin, and so on as long as they are through at once. One thread does it, in a loop."""
        while (passenger := self._next(name)) is not None:
            try:
                passenger.begin()
                self._begun(name, passenger)
            except BaseException:  # an interrupt: raised again
                passenger.interrupt()
                raise

    def _next(self, name: str | None) -> QueuedCall | None:
        with self._lock:
            line = self._lines.get(name)
            if line is None or line.beginning is not None or line.under_way is not None:
                return None
            if not line.waiting:
                del self._lines[name]
                return None
            line.under_way = line.beginning = line.waiting[0]
            return line.waiting.popleft()

    def _begun(self, name: str | None, passenger: QueuedCall) -> None:
        with self._lock:
            line = self._lines.get(name)
            if line is not None and line.beginning is passenger:
                line.beginning = None
