"""A host process whose pipes never block; who writes does so himself, and its pump reads.

The process's end is a readable descriptor like the others, so a grandchild that holds stdout open
delays nothing. Waking the pump is a pipe too, so that one `poll` waits for all there is to wait for.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.forking import close_own, own
from ..errors import HostGone
from .process import HostProcess

assert sys.platform != "win32", "pipes cannot be polled on Windows: there it is a `ThreadedProcess`"

from .exit_watch import exit_descriptor  # noqa: E402 - there are none on Windows

if TYPE_CHECKING:
    from ..process_tree.group import Leader
    from ..process_tree.watchdog import Watchdog

_PIPE_BYTES = 256 * 1024
"""Asked of the kernel for stdin and stdout: a large message then takes few changes of process."""


class PolledProcess(HostProcess):
    """See the module, and `HostProcess`."""

    def __init__(self, leader: Leader, host: str, watchdog: Watchdog | None) -> None:
        super().__init__(leader, host, watchdog)
        popen = leader.popen
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        self.exit_reader = self.wake_reader = self._wake_writer = -1
        self._stdin: int | None = popen.stdin.fileno()
        self._backlog: deque[memoryview] = deque()
        for stream in (popen.stdin, popen.stdout, popen.stderr):
            os.set_blocking(stream.fileno(), False)
        for stream in (popen.stdin, popen.stdout):
            _widen(stream.fileno())

    def prepare(self) -> None:
        self.wake_reader, self._wake_writer = map(own, os.pipe())
        for descriptor in (self.wake_reader, self._wake_writer):
            os.set_blocking(descriptor, False)
        self.exit_reader = exit_descriptor(self.pid)

    def write(self, data: bytes) -> None:
        with self._lock:
            if self._stdin is None:
                raise HostGone(f"host {self.host!r} is not running", host=self.host)
            if self._backlog:
                self._backlog.append(memoryview(data))
                return
            try:
                written = os.write(self._stdin, data)
            except BlockingIOError:
                written = 0
            except OSError as error:
                self._lose_stdin()
                raise HostGone(f"host {self.host!r} has closed its stdin", host=self.host) from error
            if written < len(data):
                self._backlog.append(memoryview(data)[written:])
                self._wake()

    # What follows is for the pump, in its thread.

    @property
    def stdin_waiting(self) -> int | None:
        """The descriptor of stdin while there is a backlog for it, else ``None``."""
        with self._lock:
            return self._stdin if self._backlog else None

    def flush(self) -> None:
        """Write what the pipe takes of the backlog."""
        with self._lock:
            while self._backlog and self._stdin is not None:
                try:
                    written = os.write(self._stdin, self._backlog[0])
                except BlockingIOError:
                    return
                except OSError:  # those who wait for an answer are told when it ends, as it now has to
                    self._lose_stdin()
                    return
                rest = self._backlog.popleft()[written:]
                if rest:
                    self._backlog.appendleft(rest)

    def close(self) -> None:
        with self._lock:
            for stream in (self.popen.stdout, self.popen.stderr):
                assert stream is not None
                stream.close()
            for descriptor in (self.exit_reader, self.wake_reader, self._wake_writer):
                if descriptor >= 0:
                    close_own(descriptor)
            self._group.close()
            self.exit_reader = self.wake_reader = self._wake_writer = -1

    def forked(self, parent: int) -> None:
        super().forked(parent)
        self._stdin = None
        self.exit_reader = self.wake_reader = self._wake_writer = -1

    def wake(self) -> None:
        """Have the pump look after what has changed; from any thread."""
        with self._lock:
            self._wake()

    # With the lock held. Waking is no exception: a descriptor that was closed in between may be
    # somebody else's by now.

    def _wake(self) -> None:
        if self._wake_writer >= 0:
            with suppress(BlockingIOError):  # full: it is awake
                os.write(self._wake_writer, b"!")

    def _close_stdin(self) -> None:
        self._give_up(self._backlog)
        if self._stdin is not None:
            self._stdin = None
            assert self.popen.stdin is not None
            self.popen.stdin.close()


def _widen(descriptor: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # beyond the user's quota: the usual size serves too
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
