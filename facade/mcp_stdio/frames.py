"""Messages of a client out of its lines, and lines out of what it is told: JSON-RPC 2.0. Pure.

What a client says is exact: each integer as it is written, a text with half of a surrogate pair too. What it is told is UTF-8, with U+FFFD in the place
of such a half.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

import orjson

from ..base.errors import JsonValueError
from ..base.json import load_exact_json, may_be_inexact
from ..base.json_size import UNCOUNTED, excess
from ..hosts.protocol.wire import outer_text
from ..interop.exact_json import as_utf8
from ..mcp_protocol.served_client import INVALID_PARAMS

Json = dict[str, Any]
Id = str | int

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600


class Request(NamedTuple):
    """The client asks something; ``params`` is empty if there are none."""

    id: Id
    method: str
    params: Json


class Notification(NamedTuple):
    """The client tells something."""

    method: str
    params: Json


class Answer(NamedTuple):
    """The client answers a request; ``error`` is ``None`` if that went well."""

    id: Any
    result: Any
    error: Any


class Invalid(NamedTuple):
    """It is no message, and this is what the client is told; ``id`` is ``None`` if it cannot be said whose answer that is."""

    id: Id | None
    code: int
    message: str


class Batch(NamedTuple):
    """Several messages in one line."""

    frames: tuple[Request | Notification | Answer | Invalid, ...]


Frame = Request | Notification | Answer | Invalid

_ID: Final = re.compile(rb'"id"\s*:\s*("[\w.:-]{1,200}"|-?\d{1,18})\s*[,}]')


def read(line: bytes) -> Frame | Batch:
    """Read a line. Raises nothing."""
    if len(line) > UNCOUNTED and excess(line) is not None:
        return Invalid(_id_in(line), INVALID_REQUEST, "Invalid Request: it holds too many values")
    try:
        message = _load(line)
        if may_be_inexact(line, message):
            message = load_exact_json(line)
    except JsonValueError:
        return Invalid(_id_in(line), PARSE_ERROR, "Parse error")
    if type(message) is list:
        return Batch(tuple(_unambiguous(_frame(each), line) for each in message))
    return _unambiguous(_frame(message), line)


def too_long(beginning: bytes, longest: int) -> Invalid:
    """Say what a client is told of a line of which only the beginning was kept."""
    return Invalid(
        _id_in(beginning), INVALID_REQUEST, f"Invalid Request: a line has at most {longest:,} bytes"
    )


def _frame(message: Any) -> Frame:
    if type(message) is not dict:
        return Invalid(None, INVALID_REQUEST, "Invalid Request")
    request_id, method = message.get("id"), message.get("method")
    known = request_id if type(request_id) is str or type(request_id) is int else None
    if message.get("jsonrpc") != "2.0":
        return Invalid(known, INVALID_REQUEST, "Invalid Request: 'jsonrpc' has to be '2.0'")
    if type(method) is str:
        params = message.get("params")
        if type(params) is not dict:
            if params is not None:
                return Invalid(known, INVALID_REQUEST, "Invalid Request: 'params' has to be an object")
            params = {}
        if known is not None:
            return Request(known, method, params)
        if "id" not in message or (request_id is None and method.startswith("notifications/")):
            return Notification(method, params)
        return Invalid(None, INVALID_REQUEST, "Invalid Request: 'id' has to be a text or a whole number")
    if "result" in message or "error" in message:
        return Answer(request_id, message.get("result"), message.get("error"))
    return Invalid(known, INVALID_REQUEST, "Invalid Request: it has no 'method'")


def _unambiguous(frame: Frame, line: bytes) -> Frame:
    """Return the frame, or a refusal of an answer that could be read in two ways: such an answer is no consent."""
    if type(frame) is Request:
        if "inputResponses" not in frame.params:
            return frame
    elif type(frame) is not Answer:
        return frame
    if (why := ambiguity(line)) is None:
        return frame
    if isinstance(frame, Answer):
        return Answer(frame.id, None, {"code": INVALID_REQUEST, "message": why})
    return Invalid(frame.id, INVALID_PARAMS, f"inputResponses: {why}")


class _Twice(ValueError):
    """An object has a key twice."""


def _object_of(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for key, each in pairs:
        if key in found:
            raise _Twice(f"{key!r:.100} stands twice in one object")
        found[key] = each
    return found


def ambiguity(text: bytes) -> str | None:
    """Why a JSON text could be read in two ways; ``None`` if it cannot."""
    try:
        json.loads(text, object_pairs_hook=_object_of)
    except _Twice as twice:
        return str(twice)
    except (ValueError, RecursionError):
        return "it is not known whether a key stands twice in it"
    return None


def _load(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return load_exact_json(line)  # an integer that no float is as large as, or half of a surrogate pair


def _id_in(line: bytes) -> Id | None:
    """The id in a line that cannot be read: who has sent it has nothing else to wait for."""
    found = _ID.search(outer_text(line))
    said: Id | None = None if found is None else orjson.loads(found[1])
    return said


def line_of(message: Json) -> bytes:
    """Write a message as a line."""
    try:
        return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a long integer, or half of a surrogate pair
        return json.dumps(as_utf8(message), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def result_line(request_id: Id, result: Json) -> bytes:
    """Write the answer to a request."""
    return line_of({"jsonrpc": "2.0", "id": request_id, "result": result})


def result_text_line(request_id: Id, result: bytes) -> bytes:
    """As `result_line`, of a result that is JSON already."""
    written = str(request_id).encode() if type(request_id) is int else line_of_value(request_id)
    return b"".join((b'{"jsonrpc":"2.0","id":', written, b',"result":', result, b"}\n"))


def line_of_value(value: Any) -> bytes:
    """Write a value as UTF-8 JSON, without a newline."""
    return orjson.dumps(as_utf8(value))


def error_line(request_id: Id | None, code: int, message: str, data: Any = None) -> bytes:
    """Write the refusal of a request; without an id if that is not known."""
    error: Json = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return line_of({"jsonrpc": "2.0", "id": request_id, "error": error})


def notification_line(method: str, params: Json | None) -> bytes:
    """Write a notification."""
    message: Json = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return line_of(message)


def request_line(request_id: int, method: str, params: Json) -> bytes:
    """Write a request."""
    return line_of({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
