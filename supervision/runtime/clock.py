"""Time, as a part that can be replaced.

Everything on a board that waits asks a `Clock` to be called later; nothing sleeps. The real one
is a heap and one thread, started with the first timer; tests hand in one that they advance.
"""

from __future__ import annotations

import heapq
import itertools
import math
import queue
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from ...base.foreign import Log, contain, is_interrupt
from ...base.forking import disown_in_child, keep
from ...base.locks import Lock
from ...base.threads import begin_thread
from ...plugins.results.failures import describe

if TYPE_CHECKING:
    from collections.abc import Callable

_WORTH_A_SWEEP = 512

logger: Log = Log("callboard.supervision")


class Timer(Protocol):
    """A call that has been put on the clock."""

    def cancel(self) -> None:
        """Do not make the call; too late is not an error."""


class Inbox(Protocol):
    """Where an actor's messages wait; a `queue.SimpleQueue` is one."""

    def put(self, message: Any, /) -> None:
        """Add a message; from any thread, never blocking."""

    def get(self) -> Any:
        """Take the next message, waiting for one; in the actor's thread."""

    def empty(self) -> bool:
        """Whether none waits."""


class Clock(Protocol):
    """Monotonic seconds, and calls at a time."""

    def now(self) -> float:
        """The present, in seconds since an arbitrary moment; never goes back."""

    def call_at(self, when: float, function: Callable[[], object]) -> Timer:
        """Call ``function`` once it is ``when``. It runs on the clock's thread: it must not block."""

    def inbox(self) -> Inbox:
        """An inbox for an actor that lives in this time.

        Real time needs no more than a queue. A virtual one decides by it whose turn it is, and knows
        by it when all is done that was to be done before time may go on.
        """


class LentClock:
    """A clock of the embedder's, whose faults cost no call its answer.

    One that cannot tell the time has stood still since it last could. What it does not take is put on the machine's
    clock, after as many seconds. Both are logged.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0.0
        self._instead: SystemClock | None = None
        self._lock = Lock()

    def now(self) -> float:
        try:
            self._last = self._clock.now()
        except BaseException as error:  # the clock is the program's
            if is_interrupt(error):
                raise
            contain(error, logger, "the clock cannot tell the time")
        return self._last

    def call_at(self, when: float, function: Callable[[], object]) -> Timer:
        try:
            return _LentTimer(self._clock.call_at(when, function))
        except BaseException as error:  # the clock is the program's
            if is_interrupt(error):
                raise
            contain(error, logger, "the clock cannot be given a call")
        with self._lock:
            if self._instead is None:
                self._instead = SystemClock()
        return self._instead.call_at(time.monotonic() + when - self._last, function)

    def inbox(self) -> Inbox:
        return self._clock.inbox()

    def close(self) -> None:
        """Make no more of the calls that it has not taken. The clock itself is the embedder's."""
        if self._instead is not None:
            self._instead.close()


class _LentTimer:
    __slots__ = ("_timer",)

    def __init__(self, timer: Timer) -> None:
        self._timer = timer

    def cancel(self) -> None:
        try:
            self._timer.cancel()
        except BaseException as error:  # the clock is the program's
            if is_interrupt(error):
                raise
            contain(error, logger, "a call cannot be taken off the clock")


class _Entry:
    __slots__ = ("clock", "function")

    def __init__(self, clock: SystemClock, function: Callable[[], object]) -> None:
        self.clock = clock
        self.function: Callable[[], object] | None = function

    def cancel(self) -> None:
        if self.function is not None:
            self.function = None
            self.clock.note_cancelled()


_Due = tuple[float, int, _Entry]


def _live(heap: list[_Due]) -> list[_Due]:
    return [due for due in heap if due[2].function is not None]


class SystemClock:
    """The machine's monotonic clock. The wall clock may jump; nothing here looks at it.

    Nearly every timer is a call's deadline and is cancelled long before it is due. So a cancelled
    entry stays in the heap, and the heap is rebuilt when most of it is dead: both are cheaper
    than taking one out of the middle. A new timer wakes the thread only if it is the earliest.

    Args:
        failed: told if the clock's own thread fails, which goes on: whose, and how.
    """

    def __init__(self, failed: Callable[[str, str], None] | None = None) -> None:
        self.failed = failed
        self._heap: list[_Due] = []  # as tuples they are compared in C
        self._lock = Lock()
        self._wake = threading.Condition(self._lock)
        self._order = itertools.count()
        self._cancelled = 0
        self._sleeps_until = math.inf
        self._thread: threading.Thread | None = None
        self._closed = False
        disown_in_child(self)

    now: Callable[[], float] = staticmethod(time.monotonic)

    @staticmethod
    def inbox() -> Inbox:
        # Written in C: a message costs 3 µs less than through the queue.Queue that pykka would take.
        return queue.SimpleQueue()

    def call_at(self, when: float, function: Callable[[], object]) -> Timer:
        """See `Clock.call_at`. After `close` the call is never made."""
        entry = _Entry(self, function)
        with self._lock:
            if self._closed:
                return entry
            heapq.heappush(self._heap, (when, next(self._order), entry))
            if self._thread is None:
                self._start()
            elif (
                self._heap[0][0] < self._sleeps_until
            ):  # not "is mine": an interrupted caller has woken nobody for its own
                self._wake.notify()
        return entry

    def _start(self) -> None:
        thread = threading.Thread(target=self._run, name="callboard-clock", daemon=True)
        if begin_thread(thread):
            self._thread = thread
        else:  # the next timer tries again, and what is late then is made up for
            logger.error("no thread for the clock; timed calls will be late")

    def note_cancelled(self) -> None:
        """An entry of the heap is dead; sweep when most are."""
        # Counted without the lock: a lost count delays the sweep, and cancelling stays cheap.
        self._cancelled += 1
        if self._cancelled > _WORTH_A_SWEEP and self._cancelled * 2 > len(self._heap):
            with self._lock:
                self._heap = _live(self._heap)
                heapq.heapify(self._heap)
                self._cancelled = 0

    def close(self) -> None:
        """Make no more calls, and end the thread."""
        with self._lock:
            self._closed = True
            self._heap.clear()
            self._wake.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def forked(self, parent: int) -> None:
        """In a child that was forked off: what is on it is the parent's; a board of the child's own may have it."""
        keep(self._heap)
        self._heap = []
        self._lock = Lock()
        self._wake = threading.Condition(self._lock)
        self._thread = None

    def _run(self) -> None:
        while not self._closed:
            try:
                self._make_calls()
            except BaseException as error:  # noqa: BLE001 - a fault of ours: what is on the clock is called all the same
                contain(error, logger, "the thread of the clock has failed, and goes on")
                if self.failed is not None:
                    self.failed("clock", describe(error))

    def _wait_until_due(self) -> None:
        while not self._closed:
            self._sleeps_until = self._heap[0][0] if self._heap else math.inf
            wait = self._sleeps_until - time.monotonic()
            if wait <= 0:
                return
            self._wake.wait(min(wait, threading.TIMEOUT_MAX))

    def _make_calls(self) -> None:
        while True:
            with self._lock:
                self._wait_until_due()
                if self._closed:
                    return
                entry = heapq.heappop(self._heap)[2]
                # Taken, so that cancelling it from now on counts for nothing.
                function, entry.function = entry.function, None
            if function is not None:
                try:
                    function()
                except BaseException as error:  # noqa: BLE001 - the calls that are due after it are made all the same
                    contain(error, logger, "a timed call failed")
