"""Threads for code that may never return: one is lent for a job, and handed back when that is done, or lost with it.

A thread that was handed back waits a moment for the next job: many plugins are loaded one after the other, and to begin a
thread for each would take longer than most of them.
"""

from __future__ import annotations

import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from ...base.foreign import Log, contain
from ...base.forking import disown_in_child

if TYPE_CHECKING:
    from collections.abc import Callable

logger = Log("callboard.actors")

_IDLE_SECONDS = 0.02
"""Between two plugins there is less. A thread that nobody needs is soon gone, for whoever looks at what a board leaves."""


class LentThread:
    """A thread that does one job at a time."""

    def __init__(self, pool: LentThreads) -> None:
        self._pool = pool
        self._jobs: SimpleQueue[Callable[[LentThread], bool]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="callboard-load", daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int:
        """The thread's."""
        return self._thread.ident or 0

    def do(self, job: Callable[[LentThread], bool]) -> None:
        """Have it do a job, which is given the thread, must not raise, and says whether the thread was handed back."""
        self._jobs.put(job)

    def _run(self) -> None:
        going_on = True
        while going_on:
            try:
                job = self._jobs.get(timeout=_IDLE_SECONDS)
            except Empty:
                # One that is no longer idle has been lent a moment ago, and there comes a job.
                going_on = not self._pool.take_out(self)
            else:
                try:
                    going_on = job(self)
                except BaseException as error:  # noqa: BLE001 - a fault of ours: the thread is lost, as one that hangs is
                    contain(error, logger, "a thread that loads plugins has failed")
                    return


class LentThreads:
    """Those of a process. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[LentThread] = []
        disown_in_child(self)

    def lend(self) -> LentThread:
        """Return a thread that has nothing to do. Raises `RuntimeError`: the machine has none to give."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return LentThread(self)

    def hand_back(self, thread: LentThread) -> None:
        """Take it back from its job, before anybody hears that this is done: who hears of it wants the next."""
        with self._lock:
            self._idle.append(thread)

    def take_out(self, thread: LentThread) -> bool:
        """Whether it is idle; then it is lent to nobody any more."""
        with self._lock:
            if thread not in self._idle:
                return False
            self._idle.remove(thread)
            return True

    def forked(self, parent: int) -> None:
        """In a child that was forked off there are none, and nobody who would let go of the lock."""
        self._lock = threading.Lock()
        self._idle = []
