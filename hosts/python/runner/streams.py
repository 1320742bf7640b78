"""The protocol's way in and out: descriptors that are taken away from the plugin before it is loaded.

Afterwards descriptor 0 is ``/dev/null`` and 1 is stderr, for Python, for code in C and for every child:
neither a print nor a child that inherits all speaks into the protocol or eats its requests. A copy of
this process, made by a tool with ``fork``, has no part in the protocol either.
"""

from __future__ import annotations

import io
import os
import select
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from ....base.locks import Lock
from ...protocol.wire import LineSplitter

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable

_ASIDE = 100
"""The lowest number for the protocol's descriptors: out of the way of a tool that closes "the first few"."""

_CHUNK = 1 << 16


def claim_streams() -> tuple[int, int]:
    """Take stdin and stdout away from everybody else; return the descriptors to read from and to write to."""
    sys.stdout.flush()
    source, sink = _aside(0), _aside(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A print has to be out before the crash that follows it, and may hold what UTF-8 cannot say.
        sys.stdout.reconfigure(errors="backslashreplace", write_through=True)
    return source, sink


def _aside(descriptor: int) -> int:
    if sys.platform != "win32":
        with suppress(OSError):  # few descriptors are allowed here, so any number has to do
            return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ASIDE)
    return os.dup(descriptor)


class Outlet:
    """Writes lines to the client, whole and one after the other, from any thread.

    It blocks while the client does not read: what a tool has said is out of its reach when `send`
    returns, so an exit right behind it loses nothing.

    Args:
        sink: the descriptor.
        on_gone: told why the client cannot be written to any more.
    """

    def __init__(self, sink: int, on_gone: Callable[[str | None], None]) -> None:
        self._sink = sink
        self._on_gone = on_gone
        self._lock = Lock()
        self.disowned: bool = False

    def send(self, line: bytes) -> None:
        """Write a line, newline included."""
        with self._lock:  # across the writing: a line is whole, whichever thread answers
            if self.disowned:
                return
            try:
                self._write_all(memoryview(line))
            except OSError as error:
                broken = isinstance(error, BrokenPipeError)
                self._on_gone(None if broken else f"stdout cannot be written: {error.strerror}")

    def _write_all(self, rest: memoryview) -> None:
        while rest:
            rest = rest[os.write(self._sink, rest) :]

    def disown(self) -> None:
        """In a copy of the process: say nothing from now on. The lock may be held by a thread that is not there."""
        self._lock = Lock()
        self.disowned = True


class Inlet:
    """Reads lines from the client, until there is nobody to send any."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._splitter = LineSplitter(sys.maxsize)

    def read(self, on_line: Callable[[bytes], None]) -> str | None:
        """Hand over each line; return at the end, with its reason if that is worth telling.

        The end is that of stdin or that of our parent: a process which the parent has forked may
        hold the other end of stdin too, and keep the end from coming.
        """
        if sys.platform == "win32":
            there_may_be_more = always
        else:
            there_may_be_more = _until_the_parent_ends(self._source)
        try:
            while there_may_be_more():
                data = os.read(self._source, _CHUNK)
                if not data:
                    return None
                for line in self._splitter.feed(data):
                    on_line(line)
        except OSError as error:
            return f"stdin cannot be read: {error.strerror}"
        return None


def always() -> bool:
    """Where nothing is forked, stdin has one other end, and its end is all there is to wait for."""
    return True


if sys.platform != "win32":

    def _until_the_parent_ends(source: int) -> Callable[[], bool]:
        """Waits until there is something to read; false when there will be nothing any more."""
        poll = select.poll()
        poll.register(source, select.POLLIN)
        if sys.platform == "linux":
            with suppress(OSError):  # some sandboxes forbid it
                poll.register(os.pidfd_open(os.getppid()), select.POLLIN)
        return lambda: any(ready == source for ready, _ in poll.poll())
