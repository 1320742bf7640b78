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
from typing import TYPE_CHECKING, Any, Final

from ...base.forking import close_own, own

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    Lock = AbstractContextManager[Any]

LEASE: Final = 0.02
"""Seconds after which the pump takes the pipe back from a loop that has not read meanwhile."""

_BITE = 64 * 1024


class LoopReader:
    """One lease. Made in the thread in which the loop runs, by the pump, which holds ``lock`` meanwhile.

    Args:
        loop: reads from now on.
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

    Raises:
        NotImplementedError, OSError: the loop cannot read pipes, or there is no descriptor left.
    """

    __slots__ = (
        "__weakref__", "_copy", "_failed", "_hear", "_wake", "ended", "gone", "lock", "loop", "reads", "returned",
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
        self.loop = loop
        self.lock = lock
        self.returned = returned
        self.ended = False
        self.gone = False
        self.reads = 0
        self._hear = hear
        self._wake = wake
        self._failed = failed
        self._copy = own(os.dup(stdout))
        try:
            loop.add_reader(self._copy, self._read)
        except BaseException:  # raised again: only this one knows of the copy
            self._close()
            raise

    def _read(self) -> None:
        with self.lock:  # who tells holds it, so that output stays in order
            if self.ended:
                self._leave()
                return
            try:
                data = os.read(self._copy, _BITE)
                self.reads += 1
                if data:
                    self._hear(data)
            except BlockingIOError:
                return
            except BaseException as error:  # an interrupt, in whatever of it: raised again
                self.end()
                self._failed(error)
                raise
            if len(data) in {
                0,
                _BITE,
            }:  # its end, a large message or a flood: the pump can give way to others
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


def is_uninterrupted() -> bool:
    """Whether Ctrl-C leaves alone what an event loop reads that runs in this thread.

    Where Python raises `KeyboardInterrupt` in the midst of the main thread's code, it could come between the read and what becomes of
    it. `asyncio.run` has a handler of its own, which cancels a task instead.
    """
    if threading.current_thread() is not threading.main_thread():
        return True
    return signal.getsignal(signal.SIGINT) is not signal.default_int_handler
