"""What is on its way into a pipe, kept so that an interrupt between any two lines loses no byte and sends none twice.

A signal handler may raise in the caller's thread right after the kernel has taken some bytes. So how many it took is kept by the
same call into C that writes them: no handler runs between the two.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_Entry = tuple[memoryview, list[int]]


class Outbox:
    """Bytes that wait for a pipe, in order, and how many of the first of them have left. Not thread-safe.

    Attributes:
        took: the last data of which a byte has left or waits to leave.
    """

    __slots__ = ("_entries", "took")

    def __init__(self) -> None:
        self.took: bytes | None = None
        self._entries: deque[_Entry] = deque()

    def __bool__(self) -> bool:
        return bool(self._entries)

    def send(self, data: bytes, descriptor: int) -> None:
        """Write data behind what waits, if nothing does as far as the pipe takes it at once; the rest waits.

        An interrupt comes out of it; then ``took`` tells whether the data leaves all the same.

        Raises:
            OSError: the pipe is broken, and nothing of the data has left.
        """
        entries = self._entries
        written: list[int] = []
        entry: _Entry = (memoryview(data), written)
        try:
            entries.append(entry)
            if entries[0] is entry:
                written.extend(map(os.write, (descriptor,), (data,)))
                if written[0] == len(data):
                    entries.popleft()
            self.took = data
        except BlockingIOError:
            self.took = data
        except BaseException:  # raised again
            if written:
                self.took = data
            elif entries and entries[-1] is entry:
                entries.pop()
            raise

    def flush(self, descriptor: int) -> None:
        """Write what waits, as far as the pipe takes it. Raises `OSError`: the pipe is broken."""
        entries = self._entries
        while entries:
            view, written = entries[0]
            gone = sum(written) if written else 0
            if gone < len(view):
                try:
                    written.extend(map(os.write, (descriptor,), (view[gone:] if gone else view,)))
                except BlockingIOError:
                    return
            if sum(written) == len(view):
                entries.popleft()

    def give_up(self) -> Iterator[memoryview]:
        """What has not left of each that waits; nothing waits any more."""
        entries, self._entries = self._entries, deque()
        return (view[sum(written) :] for view, written in entries)
