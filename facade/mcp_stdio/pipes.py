"""The two pipes to a client, in an asyncio loop: what comes is read as soon as it is there, and what is due in a turn is written at once.

Neither blocks the loop: a client that does not read is waited for by the loop, and by nobody else.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if sys.platform == "linux":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable

_SMALL: Final = 256 * 1024
_BITE: Final = 1024 * 1024
"""Bytes that are read at a time: fewer where little comes, as each time that much memory is taken."""

_PIPE_BYTES: Final = 1024 * 1024

MUCH: Final = 1024 * 1024
"""Bytes that wait for the client to read; whoever has more to tell than must be waits until there are fewer."""

TOO_MUCH: Final = 16 * 1024 * 1024
"""Bytes that may wait for the client to read. With more no request is begun, and nothing is read from it until it has taken half of them."""


class Reading:
    """Reads of a descriptor while it is asked to.

    Args:
        descriptor: of a pipe, a socket, a terminal or a file; stays the caller's.
        hear: told what was read, and empty bytes once at the end.
    """

    def __init__(self, descriptor: int, hear: Callable[[bytes], object]) -> None:
        self._descriptor = descriptor
        self._hear = hear
        self._loop = asyncio.get_running_loop()
        self._bite = _SMALL
        self._always_ready = False
        self._going = False
        _widen(descriptor)

    def begin(self) -> None:
        """Read from now on."""
        self._going = True
        try:
            self._loop.add_reader(self._descriptor, self._read)
        except PermissionError:  # a file, which nothing waits for
            self._always_ready = True
            self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Read no more, until `begin`."""
        self._going = False
        if not self._always_ready:
            self._loop.remove_reader(self._descriptor)

    def _read(self) -> None:
        if not self._going:
            return
        try:
            data = os.read(self._descriptor, self._bite)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # how a terminal, or a socket, says that nobody is there any more
            data = b""
        self._bite = _BITE if len(data) == self._bite else _SMALL if len(data) < _SMALL else self._bite
        if not data:
            self.pause()
        self._hear(data)
        if self._always_ready and self._going:
            self._loop.call_soon(self._read)


class Writing:
    """Writes to a descriptor all that is due in a turn of the loop, with one call of the system if that takes it.

    Args:
        descriptor: of a pipe, a socket, a terminal or a file; stays the caller's.
        gone: called once when nobody reads there any more.

    Attributes:
        waiting: bytes that wait to be written.
    """

    def __init__(self, descriptor: int, gone: Callable[[], object]) -> None:
        self._descriptor, self._restore = _never_blocking(descriptor)
        self._gone = gone
        self._loop = asyncio.get_running_loop()
        self._due: list[bytes] = []
        self._left: memoryview = memoryview(b"")
        self._scheduled = False
        self._broken = False
        self._room: asyncio.Event | None = None
        self.waiting = 0
        _widen(descriptor)

    def write(self, line: bytes, *, is_last: bool = False) -> None:
        """Have it written, in the order of these calls: once the turn is over, or at once if it is the last of its turn."""
        if self._broken:
            return
        self._due.append(line)
        self.waiting += len(line)
        if is_last:
            self.flush()
        elif not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flush_at_last)

    async def room(self, most: int = MUCH) -> None:
        """Wait until no more than so many bytes wait to be written."""
        while self.waiting > most:
            if self._room is None:
                self._room = asyncio.Event()
            await self._room.wait()

    def _flush_at_last(self) -> None:
        self._scheduled = False
        self.flush()

    def flush(self) -> None:
        """Write what is due, as much of it as there is room for now, before the turn is over."""
        if self._left:  # the loop waits for room
            return
        due, self._due = self._due, []
        if due:
            self._put(due[0] if len(due) == 1 else b"".join(due))

    def _put(self, data: bytes | memoryview) -> None:
        try:
            count = os.write(self._descriptor, data)
        except (BlockingIOError, InterruptedError):
            count = 0
        except OSError:  # nobody reads any more
            self._break()
            return
        self.waiting -= count
        if count < len(data):
            self._left = memoryview(data)[count:]
            self._loop.add_writer(self._descriptor, self._go_on)
        if self._room is not None:
            self._room.set()
            self._room = None

    def _go_on(self) -> None:
        left, self._left = self._left, memoryview(b"")
        self._loop.remove_writer(self._descriptor)
        self._put(left)
        if not self._left:
            self.flush()

    def _break(self) -> None:
        self._broken, self.waiting = True, 0
        self._due.clear()
        if self._room is not None:
            self._room.set()
        self._gone()

    def close(self) -> None:
        """Write no more; the descriptor is as it was."""
        if self._left:
            self._loop.remove_writer(self._descriptor)
        self._broken = True
        self._restore()


def _never_blocking(descriptor: int) -> tuple[int, Callable[[], None]]:
    """A descriptor that leads to the same, and does not block; and what undoes that.

    The state stands in what a descriptor shares with its copies: stderr may be one of them, and whatever writes there expects to be waited for.
    """
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return descriptor, _nothing
    if stat.S_ISFIFO(kind) and sys.platform == "linux":
        with suppress(OSError):  # without /proc, or in another user's name
            own = os.open(f"/proc/self/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            return own, lambda: os.close(own)
    if sys.platform != "win32" and os.get_blocking(descriptor):
        os.set_blocking(descriptor, False)
        return descriptor, lambda: os.set_blocking(descriptor, True)
    return descriptor, _nothing


def _nothing() -> None:
    """There is nothing to undo."""


def _widen(descriptor: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # no pipe, or beyond the user's quota: the usual size serves too
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
