"""Server-sent events out of bytes, however the connection chunked them. Pure; see the HTML standard, 9.2.6."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_RETRY = 60.0
"""Seconds; a server that asks for a longer pause before the next try is asked again after these."""

_DIGITS = 9
"""Of a pause in milliseconds; a longer number is none."""

_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class EventTooLong(ValueError):
    """An event has more bytes than are taken.

    Attributes:
        limit: how many are.
    """

    def __init__(self, limit: int) -> None:
        super().__init__(f"an event of the server has more than {limit:,} bytes")
        self.limit = limit


class ServerEvent(NamedTuple):
    """An event; ``kind`` is its name, which streamable HTTP has no use for."""

    data: bytes
    kind: bytes = b"message"


class EventParser:
    """See the module.

    Args:
        limit: the most bytes of one event, with its field names.

    Attributes:
        last_id: of the last event that had one; what a stream is resumed by.
        retry: seconds that the server wants to be left alone before the stream is asked for again.
    """

    def __init__(self, limit: int) -> None:
        self.last_id: str | None = None
        self.retry: float | None = None
        self._limit = limit
        self._begun: list[bytes] = []
        self._held = 0
        self._size = 0
        self._data: list[bytes] = []
        self._kind = b""
        self._id: str | None = None
        self._first = True
        self._after_cr = False

    def again(self) -> EventParser:
        """For the stream that takes the place of this one."""
        parser = EventParser(self._limit)
        parser.last_id, parser.retry = self.last_id, self.retry
        return parser

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that a further piece of the stream completes. Raises `EventTooLong`."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r") if chunk else self._after_cr
        events = []
        start = 0
        for end in _END.finditer(chunk):
            line = b"".join((*self._begun, chunk[start : end.start()]))
            self._begun.clear()
            self._held = 0
            start = end.end()
            if (event := self._take(line)) is not None:
                events.append(event)
        if rest := chunk[start:]:
            self._begun.append(rest)
            self._held += len(rest)
            if self._size + self._held > self._limit:
                raise EventTooLong(self._limit)
        return events

    def _take(self, line: bytes) -> ServerEvent | None:
        if self._first:
            self._first, line = False, line.removeprefix(_BOM)
        if not line:
            return self._complete()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match name:
            case b"data":
                self._size += len(line)
                if self._size > self._limit:
                    raise EventTooLong(self._limit)
                self._data.append(value)
            case b"event":
                self._kind = value
            case b"id" if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
            case b"retry" if value.isdigit() and len(value) <= _DIGITS:
                self.retry = min(int(value) / 1000, MAX_RETRY)
        return None

    def _complete(self) -> ServerEvent | None:
        if self._id is not None:
            self.last_id, self._id = self._id or None, None
        data, self._data, self._size = b"\n".join(self._data), [], 0
        kind, self._kind = self._kind or b"message", b""
        return ServerEvent(data, kind) if data else None
