"""Lines of a descriptor, with an end to their length, until its end or until told to stop.

Not a buffered reader: that cannot be told to stop while it waits for input. On Windows nothing can that reads a
pipe or a terminal, so there a thread reads, which is left behind.
"""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .signals import Interruption

_BITE = 64 * 1024

_SLICE = 0.1
"""Seconds: Python on Windows hears of an interrupt only between two waits."""


class Line(NamedTuple):
    """A line of input.

    Attributes:
        number: 1, 2, 3, …
        text: without its end; what came of it when it is too long.
        too_long: it is longer than it may be, and the rest of it was passed over.
    """

    number: int
    text: bytes
    too_long: bool = False


def read_lines(descriptor: int, interruption: Interruption, limit: int) -> Iterator[Line]:
    """Yield the lines of a descriptor, the last one too if nothing ends it; read no more when interrupted.

    What has been read by then is yielded all the same: it is nowhere else any more.

    Args:
        descriptor: a file, a pipe or a terminal.
        interruption: the reason to stop, if there comes one.
        limit: the most bytes that a line may have.
    """
    splitter = LineSplitter(limit)
    bites = bites_by_thread if sys.platform == "win32" else _bites
    for data in bites(descriptor, interruption):
        yield from splitter.feed(data) if data else splitter.end()


def _bites(descriptor: int, interruption: Interruption) -> Iterator[bytes]:
    """What is read, the empty bytes of the end too; ends when interrupted."""
    watched: list[int | Interruption] = [descriptor, interruption]
    data = None
    while data != b"":
        ready, _, _ = select.select(watched, [], [])
        if interruption in ready:
            return
        data = os.read(descriptor, _BITE)
        yield data


def bites_by_thread(descriptor: int, interruption: Interruption) -> Iterator[bytes]:
    """As `_bites`, where a descriptor cannot be waited for beside other things. One bite is read ahead."""
    came: queue.Queue[bytes | OSError] = queue.Queue(1)

    def read() -> None:
        bite: bytes | OSError = b"?"
        while bite and isinstance(bite, bytes):
            try:
                bite = os.read(descriptor, _BITE)
            except OSError as error:
                bite = error
            came.put(bite)

    threading.Thread(target=read, name="callboard-input", daemon=True).start()
    data: bytes | OSError | None = None
    while data != b"":
        try:
            data = came.get(timeout=_SLICE)
        except queue.Empty:
            if interruption.reason is not None:
                return
            continue
        if isinstance(data, OSError):
            raise data
        yield data
        if interruption.reason is not None and came.empty():
            return


class LineSplitter:
    """Bytes in, lines out; holds one unfinished line and no more of it than a line may have."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._number = 0
        self._pieces: list[bytes] = []
        self._room = limit
        self._size = 0

    def feed(self, data: bytes) -> Iterator[Line]:
        """The lines that ``data`` ends."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield self._take()
        self._add(rest)

    def end(self) -> Iterator[Line]:
        """The line that nothing ended, if there is one."""
        if self._size:
            yield self._take()

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if piece and self._room:
            self._pieces.append(piece[: self._room])
            self._room -= len(self._pieces[-1])

    def _take(self) -> Line:
        line = Line(self._number + 1, b"".join(self._pieces), self._size > self._limit)
        self._number, self._pieces, self._room, self._size = line.number, [], self._limit, 0
        return line
