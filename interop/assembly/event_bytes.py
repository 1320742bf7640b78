"""The events of a stream out of its bytes, however they are cut: server-sent events, or JSON lines.

One reader for both: a line that begins as a JSON object is an event, and the lines ``data: …`` up to
a blank one are an event. The other fields of server-sent events (``event:``, ``id:``, ``retry:``, comments)
say nothing that the events do not say themselves. ``[DONE]`` is none, and nothing behind it is read. Bedrock's streams are binary,
and read by its SDK.
"""

from __future__ import annotations

import re
from typing import Any

from ..calls.arguments import parse_arguments
from ..limits import MAX_EVENT_BYTES
from .stream_errors import StreamError

_LINE_END = re.compile(rb"\r\n|\n|\r")
_FIELD = re.compile(rb"[A-Za-z][A-Za-z_-]*(?::|$)|:|$")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DONE = b"[DONE]"


class EventStreamError(StreamError):
    """The bytes are no events: no JSON object, no UTF-8, or an event beyond all bounds.

    Nothing that follows is read: what is lost may have been a piece of any call. Calls that are under way
    were cut off.
    """

    def __init__(self, problem: str) -> None:
        super().__init__("server-sent events or JSON lines", problem)


class EventReader:
    """Bytes in, events out, without I/O. Not thread-safe.

    Args:
        max_event: the longest event, in bytes.
    """

    def __init__(self, max_event: int = MAX_EVENT_BYTES) -> None:
        self._max_event = max_event
        self._line: list[bytes] = []  # what came of the line that is not complete
        self._data: list[bytes] = []  # the data of the event that is not complete
        self._size = 0  # of both
        self._events: list[dict[str, Any]] = []
        self._begun = False
        self._after_return = False
        self._problem: str | None = None
        self._done = False

    def feed(self, data: bytes) -> tuple[dict[str, Any], ...]:
        """Take the next bytes; return the events that are complete now.

        Raises:
            EventStreamError: the bytes are no events; those before it have been returned.
        """
        if data:
            # CR LF is one end of line (WHATWG HTML, 9.2.5), also where the bytes were cut between the two.
            if self._after_return and data.startswith(b"\n"):
                data = data[1:]
            self._after_return = data.endswith(b"\r")
        *complete, rest = _LINE_END.split(data)
        for piece in complete:
            self._take_piece(piece)
            self._end_line()
        self._take_piece(rest)
        return self._handed_over()

    def finish(self) -> tuple[dict[str, Any], ...]:
        """End the stream; return the last event if nothing is missing of it but its end of line.

        An event that was cut off is none.

        Raises:
            EventStreamError: as `feed`.
        """
        broken = self._problem
        if broken is None:
            self._end_line()
            self._end_event()
        self._problem = broken
        return self._handed_over()

    def _take_piece(self, piece: bytes) -> None:
        if self._problem is not None or self._done or not piece:
            return
        self._line.append(piece)
        self._size += len(piece)
        if self._size > self._max_event:
            self._problem = f"an event is longer than {self._max_event} bytes"

    def _end_line(self) -> None:
        if self._problem is not None or self._done:
            return
        line = b"".join(self._line)
        self._line.clear()
        if not self._begun:  # a byte order mark counts at the beginning of the stream alone (same section)
            line = line.removeprefix(_BYTE_ORDER_MARK)
            self._begun = True
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            return
        self._size -= len(line)
        if not line:
            self._end_event()
        elif line.startswith(b"{"):
            self._read(line)
        elif not _FIELD.match(line):
            self._problem = f"{line[:60]!r} is no line of server-sent events, and no JSON object"

    def _end_event(self) -> None:
        data = b"\n".join(self._data)
        self._data.clear()
        self._size = 0
        if data == _DONE:
            self._done = True
        elif data:
            self._read(data)

    def _read(self, data: bytes) -> None:
        try:
            event = parse_arguments(data.decode(), what="it is")
        except UnicodeDecodeError as error:
            self._problem = f"an event is not UTF-8: {error}"
            return
        if event.kind == "object":
            self._events.append(event.payload)
        else:
            fault = event.fault or {"message": "it is JSON, but no object"}
            self._problem = f"an event cannot be read: {fault['message']}"

    def _handed_over(self) -> tuple[dict[str, Any], ...]:
        events, self._events = tuple(self._events), []
        if self._problem is not None and not events:
            raise EventStreamError(self._problem)
        return events
