"""Threads for code that may never return: each does one job at a time, and is lost with a job that hangs.

A thread that was handed back waits a while for the next job. Those that are lost are daemons, which keep no program from
ending. Tools' calls have threads of their own, which hold an event loop from call to call: see `Workers`.
"""

from __future__ import annotations

import threading
from collections import deque
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from ...base.foreign import Log, contain
from ...base.forking import disown_in_child
from ...base.locks import Lock
from ...plugins.results.failures import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[["PoolThread"], bool]

logger: Log = Log("callboard.actors")


class PoolThread:
    """A thread of a pool, with its first job."""

    def __init__(self, pool: ThreadPool, job: Job) -> None:
        self.jobs: SimpleQueue[Job] = SimpleQueue()
        self.jobs.put(job)
        self._pool = pool
        self._thread = threading.Thread(target=self._run, name=pool.name, daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int:
        """The thread's."""
        return self._thread.ident or 0

    def _run(self) -> None:
        going_on = True
        while going_on:
            try:
                job = self.jobs.get(timeout=self._pool.idle_seconds)
            except Empty:
                # One that is no longer idle was given a job a moment ago.
                going_on = not self._pool.take_out(self)
            except BaseException as error:  # noqa: BLE001 - a fault of ours, at any line: see `ThreadPool.failed`
                going_on = self._pool.failed(self, error)
            else:
                try:
                    # An interrupt of the thread that gave it the job may have left it among the idle, and so with a second job.
                    self._pool.take_out(self)
                    going_on = job(self) or not self.jobs.empty()
                except BaseException as error:  # noqa: BLE001 - as above
                    going_on = self._pool.failed(self, error)


class ThreadPool:
    """See the module. Thread-safe.

    Args:
        name: of the threads.
        idle_seconds: after which a thread that has nothing to do ends.
        failed: called in a thread that fails by a fault of Callboard's own, with the error in words.
    """

    def __init__(self, name: str, idle_seconds: float, failed: Callable[[str], None] | None = None) -> None:
        self.name = name
        self.idle_seconds = idle_seconds
        self._failed = failed
        self._lock = Lock()
        self._idle: deque[PoolThread] = deque()
        self._closed = False
        disown_in_child(self)

    def run(self, job: Job) -> PoolThread:
        """Have a thread do a job. Never blocks.

        Args:
            job: is given the thread, must not raise, and says whether the thread was handed back and goes on.

        Raises:
            RuntimeError: the machine has no thread to give.
        """
        with self._lock:
            if self._idle:
                # The one that has been idle for longest: the last one may be handing over its answer still.
                thread = self._idle[0]
                # Under the lock and before it is taken out, whatever interrupts this: one that is not idle has a job, or had one.
                thread.jobs.put(job)
                return self._idle.popleft()
        return PoolThread(self, job)

    def hand_back(self, thread: PoolThread) -> bool:
        """Make a thread idle, from its job, before the answer is known: who gets that wants the next. False once closed."""
        with self._lock:
            if not self._closed and thread not in self._idle:
                self._idle.append(thread)
            return not self._closed

    def take_out(self, thread: PoolThread) -> bool:
        """Whether it is idle; then it gets no more jobs."""
        with self._lock:
            if thread not in self._idle:
                return False
            self._idle.remove(thread)
            return True

    def failed(self, thread: PoolThread, error: BaseException) -> bool:
        """Note a fault of Callboard's own in a thread. It goes on if it is idle or has a job yet; else it is lost with its job."""
        contain(error, logger, "a thread %r has failed", self.name)
        if self._failed is not None:
            self._failed(describe(error))
        with self._lock:
            return thread in self._idle or not thread.jobs.empty()

    def close(self) -> None:
        """Let the idle threads end, and the others when their jobs do."""
        with self._lock:
            self._closed = True
            for thread in self._idle:
                thread.jobs.put(_end)
            self._idle.clear()  # last: an interrupt may come before

    def forked(self, parent: int) -> None:
        """In a child that was forked off there are no threads, and none that would release the lock."""
        self._lock = Lock()
        self._idle = deque()


def _end(_: PoolThread) -> bool:
    return False
