"""An asyncio loop that reads a host's stdout itself, in the place of its pump, while it awaits one short call after the other.

Then no thread stands between the pipe and the coroutine: two changes of thread are most of what such a call costs. It is the
pattern Leader/Followers, with a lease: the loop may be blocked by whatever runs in it, and others may begin to wait for the same
host. So the pump, whose lease it is, takes the pipe back as soon as the loop has not read for a while, or is asked to by anyone,
or when the process ends.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from ...base.forking import close_own, own
from ...base.locks import RLock

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    Lock = AbstractContextManager[Any]

LEASE: Final = 0.02
"""Seconds after which the pump takes the pipe back from a loop that has not read meanwhile."""

_SMALL, _LARGE = 256 * 1024, 1024 * 1024
"""Bytes that are read at a time: more where one message is under way, of which a part was read."""

_TIME_LIMITS = [
    _number
    for name in ("SIGALRM", "SIGVTALRM", "SIGPROF", "SIGUSR1")
    if (_number := getattr(signal, name, None)) is not None  # Windows has none of them
]


class LoopReader:
    """One lease.

    Args:
        loop: reads once it has begun.
        stdout: the descriptor of the pipe; a copy of it is read, so that it may be closed at any time.
        lock: who reads, and tells what was read, holds it; who is told in the loop's thread may come back to it.
        hear: told what was read, in the loop's thread.
        wake: has the pump look after the lease; from any thread.
        failed: called with what came out of ``hear``: an interrupt, such as Ctrl-C, that may have cost a part of the output.
        returned: called in the pump's thread once the pump has the pipe again.

    Attributes:
        ended: it is about to be given back.
        gone: the pump has the pipe again; changed with the lock held.
        reads: how often the loop has read.
    """

    __slots__ = (
        "__weakref__", "_copy", "_failed", "_hear", "_size", "_stdout", "_wake", "ended", "gone", "lock", "loop", "reads", "returned",
    )  # fmt: skip

    def __init__(
        self,
        loop: AbstractEventLoop,
        stdout: int,
        *,
        lock: Lock,
        hear: Callable[[bytes], None],
        wake: Callable[[], None],
        failed: Callable[[BaseException], None],
        returned: Callable[[], None],
    ) -> None:
        self.loop: AbstractEventLoop = loop
        self.lock: Lock = lock
        self.returned: Callable[[], None] = returned
        self.ended: bool = False
        self.gone: bool = False
        self.reads: int = 0
        self._hear = hear
        self._wake = wake
        self._failed = failed
        self._stdout = stdout
        self._copy = -1
        self._size = _SMALL

    def begin(self) -> None:
        """Have the loop, which runs in this thread, read; whoever leases it holds ``lock`` meanwhile.

        Raises:
            NotImplementedError, OSError: the loop cannot read pipes, or there is no descriptor left.
        """
        self._copy = own(os.dup(self._stdout))
        self.loop.add_reader(self._copy, self._read)

    def _read(self) -> None:
        with self.lock:  # who tells holds it, so that output stays in order
            if self.ended:
                self._leave()
                return
            try:
                size = self._size
                data = os.read(self._copy, size)
                self.reads += 1
                if data:
                    self._hear(data)
            except BlockingIOError:
                return
            except BaseException as error:  # an interrupt, in whatever of it: raised again
                self.end()
                self._leave()  # here: the interrupt ends the loop, which may not run what `leave` hands it
                self._failed(error)
                raise
            # The end, a huge message or a flood: the pump reads on, for it can give way to others.
            whole = len(data) < size
            of_one = not whole and size == _SMALL and b"\n" not in data
            self._size = _LARGE if of_one else _SMALL
            if not data or not (whole or of_one):
                self.end()

    def end(self) -> None:
        """Give the pipe back; from any thread, without waiting for it."""
        self.ended = True
        self._wake()

    def leave(self) -> None:
        """Take the reader out of its loop, there."""
        try:
            self.loop.call_soon_threadsafe(self._leave)
        except RuntimeError:  # the loop was closed, and has forgotten its readers
            self._close()

    def _leave(self) -> None:
        if self._copy >= 0:
            self.loop.remove_reader(self._copy)
            self._close()

    def _close(self) -> None:
        copy, self._copy = self._copy, -1
        if copy >= 0:
            close_own(copy)

    def __del__(self) -> None:
        # A loop that is neither run nor closed again takes no reader out.
        if hasattr(self, "_copy"):
            self._close()


class Lending:
    """Who reads a host's stdout: its pump, or for a while an asyncio loop.

    Args:
        stdout: the descriptor of the pipe.
        poll: has the pump wait for what is in the pipe, or not; in its thread.
        do: takes a step of the pump's, whatever that raises.
        hear, wake, failed: see `LoopReader`.

    Attributes:
        lock: held from a read until what was read is told, so that output stays in order.
        telling: the pump holds it, and may be telling what it has read for long.
        reader: the loop's; ``None`` while the pump reads.
    """

    def __init__(
        self,
        stdout: int,
        *,
        poll: Callable[[bool], None],
        do: Callable[[Callable[[], None]], None],
        hear: Callable[[bytes], None],
        wake: Callable[[], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self.lock: RLock = RLock()
        self.telling = False
        self.reader: LoopReader | None = None
        self._stdout = stdout
        self._poll = poll
        self._do = do
        self._hear, self._wake, self._failed = hear, wake, failed
        self._over = False
        self._polled = True
        self._reads, self._look_at = 0, 0.0

    def lead(self, loop: AbstractEventLoop, returned: Callable[[], None]) -> LoopReader | None:
        """Have an asyncio loop, which runs in this thread, read for a while; ``None`` if that cannot be now. See `Pumping.lead`."""
        if self.telling or not is_uninterrupted():
            return None
        reader = LoopReader(
            loop,
            self._stdout,
            lock=self.lock,
            hear=self._hear,
            wake=self._wake,
            failed=self._failed,
            returned=returned,
        )
        # A with block, and not acquire(blocking=False): a signal handler that raises between that and the try block would leave it held.
        with self.lock:
            if self._over or self.reader is not None:
                return None
            # First: of a reader that an interrupt leaves in the loop, the pump has to know.
            self.reader = reader
            try:
                reader.begin()
            except (NotImplementedError, OSError):
                reader.end()
                return None
        self._wake()
        return reader

    # By the pump, in its thread

    def look_after(self, timeout: float | None) -> float | None:
        """Leave stdout to a loop that reads it, or take it back; returns in how many seconds to look again."""
        reader = self.reader
        if reader is None:
            return timeout
        now = time.monotonic()
        if self._polled:
            self._poll(False)
            self._polled = False
            self._reads, self._look_at = reader.reads, now + LEASE
        if reader.ended or (now >= self._look_at and reader.reads == self._reads):
            self.take_back()
            self._poll(True)
            self._polled = True
            return timeout
        if now >= self._look_at:
            self._reads, self._look_at = reader.reads, now + LEASE
        left = self._look_at - now
        return left if timeout is None else min(timeout, left)

    def take_back(self) -> None:
        """Have the pump read again, and tell who has lent it so."""
        with self.lock:
            reader, self.reader = self.reader, None
            if reader is None:
                return
            reader.ended = reader.gone = True
        reader.leave()
        self._do(reader.returned)

    def end(self) -> None:
        """Lend it to nobody any more."""
        with self.lock:
            self._over = True
        self.take_back()


def is_uninterrupted() -> bool:
    """Whether signals leave alone what an event loop reads that runs in this thread.

    Where a handler raises in the midst of the main thread's code, it could do so between the read and what becomes of it. On Ctrl-C
    `asyncio.run` cancels a task instead. The other signals are those by which time limits are kept, of pytest-timeout and Celery among
    others; a handler of one of them is there to raise.
    """
    if threading.current_thread() is not threading.main_thread():
        return True
    return signal.getsignal(signal.SIGINT) is not signal.default_int_handler and not any(
        callable(signal.getsignal(each)) for each in _TIME_LIMITS
    )
