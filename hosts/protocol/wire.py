"""The tool host protocol v1 on the wire: lines out of bytes, messages out of lines, and back.

No file descriptor in sight. `LineSplitter` cuts a byte stream into lines however the pipe
chunked it; `encode_request` and `decode_line` are plain functions between one line and one
message. Which call a message belongs to is `Peer`'s question, not this file's.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import orjson

from ...base.errors import JsonValueError
from ...base.json import (
    AS_LINE,
    MAX_DEPTH,
    dump_line,
    may_be_deep,
    require_inner,
    require_kept,
    require_shallow,
)
from ...base.json_size import MAX_VALUES, UNCOUNTED, excess
from ...plugins.results.chunks import unshowable

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOL_VERSION: Final = 1

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Default limit of one line, newline included, in either direction."""


class RawAnswer(NamedTuple):
    """A line in another protocol than ours that an answer was translated from, and says all of it.

    Attributes:
        line: without its newline.
        text: the part of the line from which the result was read, and nothing else; ``None`` if there is no such part.
        value: what was read of the text, with nothing left out; not to be changed.
    """

    line: bytes
    text: memoryview | None = None
    value: Any = None


class Response(NamedTuple):
    """The one answer to a request.

    Attributes:
        state: ``None`` when the host sent none.
        raw: what it was translated from; ``None`` of an answer in our protocol, and if a part of that was left out.
    """

    id: str
    value: Any
    state: dict[str, Any] | None
    raw: RawAnswer | None = None


class ErrorResponse(NamedTuple):
    """The one answer to a request that failed over there: ``type``, ``detail``, ``stack``; ``raw`` as of a `Response`."""

    id: str
    error: dict[str, Any]
    raw: RawAnswer | None = None


class PartEvent(NamedTuple):
    """A partial result, before the answer."""

    id: str
    payload: Any


class BegunEvent(NamedTuple):
    """The tool begins with this request; only of one that was to be acknowledged."""

    id: str


class OtherEvent(NamedTuple):
    """An event whose type this version does not know; it may be ignored."""

    id: str
    type: str


class StrayLine(NamedTuple):
    """A line that is no protocol message: something printed to stdout. Harmless, but counted."""

    text: bytes


class Unversioned(NamedTuple):
    """A line of a message's keys that says no ``v``: the answer to a request if one of that id is awaited, else a print."""

    id: str
    text: bytes


class Malformed(NamedTuple):
    """A line that is a protocol message and breaks the protocol: the host's fault.

    Attributes:
        reason: ``wrong_version``, ``wrong_shape`` or ``too_many_values``.
        detail: a sentence for people.
        id: of the request it seems to belong to, or ``None``.
        facts: the numbers in it, if there are any.
    """

    reason: str
    detail: str
    id: str | None
    facts: dict[str, int] | None = None


Message = Response | ErrorResponse | PartEvent | BegunEvent | OtherEvent | StrayLine | Unversioned | Malformed


def encode_request(request_id: str, method: str, params: dict[str, Any]) -> bytes:
    """Write one request as a line, newline included.

    Raises:
        JsonValueError: ``params`` holds something that is not JSON.
    """
    message = {"v": PROTOCOL_VERSION, "id": request_id, "method": method, "params": params}
    try:
        line = orjson.dumps(message, option=AS_LINE)
    except TypeError:
        return dump_line(message)
    # On the way of every call, and a short line without a ``null`` says what it was made from.
    if len(line) > _SHORT or b"null" in line:
        require_kept(line, message)
    return line


_REQUEST_ID = re.compile(
    rb'^\{"(?:v":1,"id":"([\w.:-]{1,200})"|jsonrpc":"2\.0","id":"([\w.:-]{1,200})","method":)', re.MULTILINE
)


def ids_of_requests(lines: bytes) -> frozenset[str]:
    """The ids of the requests that `encode_request`, or a dialect of JSON-RPC, has written in whole lines, or in the beginnings of lines.

    An answer of JSON-RPC is none: its id is the other side's.
    """
    return frozenset((ours or theirs).decode("ascii") for ours, theirs in _REQUEST_ID.findall(lines))


def decode_line(line: bytes) -> Message:
    """Read one line, without its newline.

    Only a JSON object that has ``v`` and one of ``id``, ``ok``, ``event`` is taken for a protocol
    message; all else is a stray print, other JSON among it: tools that print JSON are common.
    Unknown fields are ignored.

    What is in a message is held to the rule for what is sent: a number beyond all range (``1e999``) is JSON by its
    grammar and cannot be said by any, and what is nested too deep could not be sent back. An answer with such a value is
    taken for one that failed, with the type ``InvalidResult``; a text stands for such a part.

    A line that has the version and an id like a message but is no JSON (a ``NaN`` in it, a print that ran into it) or is
    nested too deep is `Malformed` and not stray: whoever waits for that id has nothing else to wait for. A message that
    holds too much is `Malformed` too, and is not read.
    """
    unread = _unread(line) if len(line) > UNCOUNTED else None
    return decode_short_line(line) if unread is None else unread


def decode_short_line(line: bytes) -> Message:
    """As `decode_line`, of a line that is too short to hold too much."""
    try:
        message = orjson.loads(line)
    except orjson.JSONDecodeError:
        message = None if is_print(line) else _loads_leniently(line)
        if message is None:
            return _spoilt(line)
        held: Callable[..., None] | None = require_inner
    else:  # orjson reads no number that is beyond all range
        held = require_shallow if len(line) > _SHORT and may_be_deep(line) else None
    if not isinstance(message, dict) or "v" not in message or _MARKS.isdisjoint(message):
        return _without_version(line, message)
    request_id = message.get("id")
    if message["v"] != PROTOCOL_VERSION or message["v"] is True:
        return Malformed(
            "wrong_version",
            f"the host speaks protocol version {message['v']!r:.100}; this client speaks {PROTOCOL_VERSION}",
            request_id if isinstance(request_id, str) else None,
        )
    if not isinstance(request_id, str):
        return Malformed("wrong_shape", f"'id' is {request_id!r:.100}, not a string", None)
    if "ok" in message:
        response = _decode_response(request_id, message)
        return _held(response, held) if held is not None and type(response) is Response else response
    if "event" in message:
        event = _decode_event(request_id, message["event"])
        return _shown(event, held) if held is not None and type(event) is PartEvent else event
    return Malformed("wrong_shape", "the message has neither 'ok' nor 'event'", request_id)


def is_print(line: bytes) -> bool:
    """Whether it can be seen without reading it that a line is no message."""
    first = line[:1]
    if first == b"{":
        # A backslash can write a key in another way.
        return b'"v"' not in line and b'"id"' not in line and b"\\" not in line
    return first > b" " or not line.lstrip().startswith(b"{")


_BEGINS_LIKE_A_MESSAGE = re.compile(rb'\s*\{\s*"v"\s*:\s*1\s*,\s*"id"\s*:\s*"([\w.:-]{1,200})"')
_BEGINS_LIKE_AN_ANSWER = re.compile(_BEGINS_LIKE_A_MESSAGE.pattern + rb'\s*,\s*"ok"\s*:')
_BEGINS_LIKE_A_PART = re.compile(
    _BEGINS_LIKE_A_MESSAGE.pattern + rb'\s*,\s*"event"\s*:\s*\{\s*"type"\s*:\s*"part"'
)


def seems_to_answer(line: bytes) -> str | None:
    """Whose answer a line is, by its beginning and as most hosts write it; ``None`` if that does not tell."""
    begin = _BEGINS_LIKE_AN_ANSWER.match(line)
    return None if begin is None else begin[1].decode("ascii")


def seems_a_part_of(line: bytes) -> str | None:
    """Whose part a line is; as `seems_to_answer`."""
    begin = _BEGINS_LIKE_A_PART.match(line)
    return None if begin is None else begin[1].decode("ascii")


def _unread(line: bytes) -> Message | None:
    """What a large line is that is better not read: a print, or a message that holds too much; else ``None``."""
    if is_print(line):
        return StrayLine(line)
    values = excess(line)
    if values is None:
        return None
    begin = _BEGINS_LIKE_A_MESSAGE.match(line)
    return Malformed(
        "too_many_values",
        f"the host sent a message of {len(line):,} bytes with more than {MAX_VALUES:,} values in it; "
        "send less at a time, as parts or as text",
        None if begin is None else begin[1].decode("ascii"),
        {"bytes": len(line), "values": values, "limit": MAX_VALUES},
    )


def outer_text(line: bytes) -> bytes:
    """What stands in a line before the first value that is nested and after the last one: the keys of a message that cannot be read."""
    head, tail = line[:_OUTER], line[-_OUTER:]
    first = _NESTED.search(head, head.find(b"{") + 1)
    return head if first is None else head[: first.start()] + b" " + _AFTER_NESTED.sub(b"", tail)


ID = re.compile(rb'"id"\s*:\s*"([\w.:-]{1,200})"')
"""The id of a message, in its `outer_text`."""

_OUTER: Final = 500
_NESTED: Final = re.compile(rb"[{\[]")
_AFTER_NESTED: Final = re.compile(rb"(?s)^.*[}\]](?=.*\})")


def _spoilt(line: bytes) -> Message:
    if is_print(line):
        return StrayLine(line)
    outer = outer_text(line)
    named = ID.search(outer)
    if named is None or _OUR_VERSION.search(outer) is None:
        return StrayLine(line)
    deep = line.count(b"[") + line.count(b"{") > MAX_DEPTH
    detail = "the message is not JSON" + (", or nested too deep" if deep else "")
    return Malformed("wrong_shape", detail, named[1].decode("ascii"))


_OUR_VERSION: Final = re.compile(rb'"v"\s*:\s*1\b')


def _loads_leniently(line: bytes) -> Any:
    """Read what orjson refuses although it is JSON: half a surrogate pair, nesting beyond its limit.

    ``None`` if it is no JSON at all; a line that says ``null`` never comes here.
    """
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_SHORT = 500
"""Bytes of a line that cannot be nested too deep; asked here, it costs a small call nothing."""

_MARKS = frozenset({"id", "ok", "event"})
_MEANT_AS_ANSWERS = _MARKS | {"v", "result", "value", "state", "error", "jsonrpc"}


def _without_version(line: bytes, message: Any) -> StrayLine | Unversioned:
    # A log of requests in JSON names their ids too, beside keys of its own.
    if isinstance(message, dict) and isinstance(request_id := message.get("id"), str):
        return Unversioned(request_id, line) if message.keys() <= _MEANT_AS_ANSWERS else StrayLine(line)
    return StrayLine(line)


def _decode_response(request_id: str, message: dict[str, Any]) -> Message:
    if message["ok"] is True:
        result = message.get("result")
        if not isinstance(result, dict):
            return Malformed("wrong_shape", "'result' of an answer is not an object", request_id)
        state = result.get("state")
        if state is not None and not isinstance(state, dict):
            return Malformed("wrong_shape", "'result.state' is not an object", request_id)
        return Response(request_id, result.get("value"), state)
    if message["ok"] is False:
        error = message.get("error")
        if not isinstance(error, dict):
            return Malformed("wrong_shape", "'error' of a failed answer is not an object", request_id)
        return ErrorResponse(request_id, error)
    return Malformed("wrong_shape", f"'ok' is {message['ok']!r}, neither true nor false", request_id)


def _decode_event(request_id: str, event: Any) -> Message:
    kind = event.get("type") if isinstance(event, dict) else None
    if kind == "part":
        return PartEvent(request_id, event.get("payload"))
    if kind == "ack":
        return BegunEvent(request_id)
    if not isinstance(kind, str):
        return Malformed("wrong_shape", "'event' is not an object with a 'type'", request_id)
    return OtherEvent(request_id, kind)


def _held(response: Response, held: Callable[..., None]) -> Message:
    try:
        held(response.value, what="$")  # a state is, where it is committed
    except JsonValueError as error:
        detail = f"the tool's answer cannot be passed on: {error}"
        failed = {"type": "InvalidResult", "detail": detail, "stack": "", "path": error.path}
        return ErrorResponse(response.id, failed)
    return response


def _shown(part: PartEvent, held: Callable[..., None]) -> PartEvent:
    try:
        held(part.payload, what="$")
    except JsonValueError as error:
        return PartEvent(part.id, unshowable(error)["part"])
    return part


class LineSplitter:
    """Cuts a byte stream into lines, in any chunking, holding at most one unfinished line.

    Attributes:
        max_line: the largest line, in bytes, newline included; a longer one ends the stream.
        overflowed: such a line has come. Where the next line begins is unknown then, so all
            that follows is dropped; lines that ended before it were handed out.
    """

    def __init__(self, max_line: int = MAX_LINE_BYTES) -> None:
        self.max_line = max_line
        self.overflowed: bool = False
        self._chunks: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes and return the lines they complete, without newlines; blank ones are left out."""
        if self.overflowed:
            return []
        lines = data.split(b"\n") if len(data) < _LARGE else _split_sparse(data)
        rest = lines.pop()
        if lines and self._chunks:
            self._chunks.append(lines[0])
            lines[0] = b"".join(self._chunks)
            self._chunks.clear()
            self._held = 0
        if rest:
            self._chunks.append(rest)
            self._held += len(rest)
        for index, line in enumerate(lines):
            if len(line) >= self.max_line:
                self._overflow(line)
                return _told(lines[:index])
        if self._held >= self.max_line:
            self._overflow(self._chunks[0])
        return lines if len(lines) == 1 and lines[0].startswith(b"{") else _told(lines)

    @property
    def unfinished(self) -> bytes:
        """What has come of a line that has not ended; of one that was too long, its beginning."""
        return b"".join(self._chunks)

    def _overflow(self, line: bytes) -> None:
        self.overflowed = True
        self._chunks = [line[:_KEPT_OF_OVERLONG]]


_KEPT_OF_OVERLONG = 1024
_LARGE = 16 * 1024


def _split_sparse(data: bytes) -> list[bytes]:
    """As ``data.split``, where lines are long: that looks at each byte, and a search is twenty times as quick."""
    lines, start = [], 0
    while (end := data.find(b"\n", start)) >= 0:
        lines.append(data[start:end])
        start = end + 1
    lines.append(data[start:])
    return lines


def _told(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if line and not line.isspace()]
