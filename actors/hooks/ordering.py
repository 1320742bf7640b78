"""Calls on their way through the gates, in the order in which they were submitted.

The gates are asked about one call of a plugin at a time, whatever its name is. So calls reach the plugin in their order however
long each gate takes, and a gate that counts sees them in their order too. Calls of different plugins do not wait for each
other. A person who is asked about a call holds up the later calls of its plugin, and no others; the caller of a served board
that is asked holds up none. Which plugin a call is
of, while claims are waited for too, is decided as in the router, by `PluginQueues`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from ...base.locks import Lock
from ..routing.queues import PluginQueues

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_WAITING = 10_000
"""Calls of one board that may be at the gates, or wait for them."""


class QueuedCall(Protocol):
    """What stands in the queue."""

    def begin(self) -> None:
        """It is its turn; it calls `GateQueue.leave` once it is through, before or after this returns."""

    def interrupt(self) -> None:
        """A signal handler has raised in the thread that was to begin it, so that it may have begun in part."""


class _Progress:
    """How far a call has come: its `begin` was called, that has returned, the call has left."""

    __slots__ = ("begun", "left", "returned")

    def __init__(self) -> None:
        self.begun = self.returned = self.left = False


class GateQueue:
    """See the module. Thread-safe; nothing here blocks."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._queues: PluginQueues[QueuedCall] = PluginQueues()
        self._progress: dict[QueuedCall, _Progress] = {}

    def enter(self, passenger: QueuedCall, plugins: Iterable[str]) -> bool:
        """Stand in the queues of the plugins that offer its name, until `decide`; False if too many wait already."""
        with self._lock:
            if len(self._progress) >= MAX_WAITING:
                return False
            self._progress[passenger] = _Progress()
            self._queues.enter(passenger, plugins)
        return True

    def decide(self, passenger: QueuedCall, plugin: str | None) -> None:
        """Stand in the queue of the plugin that takes it; ``None``: in none, since no plugin does."""
        with self._lock:
            turns = self._queues.decide(passenger, plugin)
        self._begin(turns)

    def leave(self, passenger: QueuedCall) -> None:
        """A call is through, or has ended before. Leaving twice is no error."""
        with self._lock:
            progress = self._progress.get(passenger)
            if progress is None:
                return
            progress.left = True
            turns = self._let_go(passenger, progress)
        self._begin(turns)

    def abandon(self, passenger: QueuedCall) -> None:
        """As `leave`, of a call whose `begin` may have been interrupted, and with it those of calls whose turn it was after it."""
        with self._lock:
            if passenger in self._progress:
                del self._progress[passenger]
            self._queues.leave(passenger)
            turns = self._queues.turns()
        self._begin(turns)

    def _begin(self, turns: list[QueuedCall]) -> None:
        """Have calls begin, and then those whose turn it is by that. One thread does it, in a loop."""
        ready = deque(turns)
        while ready:
            passenger = ready.popleft()
            try:
                if self._may_begin(passenger):
                    passenger.begin()
                    ready.extend(self._returned(passenger))
            except BaseException:  # an interrupt: raised again
                passenger.interrupt()
                raise

    def _may_begin(self, passenger: QueuedCall) -> bool:
        """False if it has left, or another thread has had it begin."""
        with self._lock:
            progress = self._progress.get(passenger)
            if progress is None or progress.begun:
                return False
            progress.begun = True
            return True

    def _returned(self, passenger: QueuedCall) -> list[QueuedCall]:
        with self._lock:
            progress = self._progress.get(passenger)
            if progress is None:
                return []
            progress.returned = True
            return self._let_go(passenger, progress)

    def _let_go(self, passenger: QueuedCall, progress: _Progress) -> list[QueuedCall]:
        """Take a call out if it has left; one that is just beginning when that has returned, or the stack would grow."""
        if not progress.left or progress.begun != progress.returned:
            return []
        turns = self._queues.leave(passenger)
        del self._progress[passenger]
        return turns
