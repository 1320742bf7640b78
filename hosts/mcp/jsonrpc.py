"""JSON-RPC 2.0, as MCP uses it: one object a line. Pure; see https://www.jsonrpc.org/specification."""

from __future__ import annotations

import math
import re
from typing import Any, Final, NamedTuple

from ...base.errors import JsonValueError
from ...base.json import (
    MAX_DEPTH,
    dump_line,
    load_exact_json,
    load_json,
    may_be_deep,
    may_be_inexact,
    require_inner,
)
from ...base.json_size import UNCOUNTED, excess
from ..protocol.wire import ID, outer_text

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602


class Request(NamedTuple):
    """The server asks something."""

    id: str | int | float
    method: str
    params: dict[str, Any]


class Notification(NamedTuple):
    """The server tells something."""

    method: str
    params: dict[str, Any]


class Answer(NamedTuple):
    """The server answers a request of ours; ``error`` is ``None`` if that went well, and ``result`` `ABSENT` if there is neither.

    Attributes:
        text: the part of the line from which the result was read, and nothing else; ``None`` if there is no such part.
    """

    id: Any
    result: Any
    error: dict[str, Any] | None
    text: memoryview | None = None


class Unreadable(NamedTuple):
    """A line that is no message: ``excess`` says of how many values, if it holds too many."""

    excess: int | None = None


ABSENT: Final = object()
"""The result of an answer that has an id and is no answer of JSON-RPC 2.0, or cannot be read."""

Received = Request | Notification | Answer | Unreadable


def request(request_id: str, method: str, params: dict[str, Any] | None = None) -> bytes:
    """Write a request as a line. Raises `JsonValueError`."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if params is not None:
        message["params"] = params
    return dump_line(message)


def notification(method: str, params: dict[str, Any] | None = None) -> bytes:
    """Write a notification as a line. Raises `JsonValueError`."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    return dump_line(message)


def result(request_id: str | float, value: dict[str, Any]) -> bytes:
    """Write the answer to a request of the server's. Raises `JsonValueError`."""
    return dump_line({"jsonrpc": "2.0", "id": request_id, "result": value})


def error(request_id: str | float, code: int, message: str) -> bytes:
    """Write the refusal of a request of the server's."""
    return dump_line({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})


def read(line: bytes) -> Received:
    """Read a line. What is nested too deep to be passed on is not read; an answer of that kind is `ABSENT`. Raises nothing."""
    if line[:1] != b"{" and not line.lstrip().startswith(b"{"):
        return Unreadable()
    if len(line) > UNCOUNTED and (values := excess(line)) is not None:
        return Unreadable(values)
    try:
        if (answer := _plain_result(line)) is not None:
            return answer
        message = _loaded(line)
    except JsonValueError:
        return _spoilt(line)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _no_answer(message)
    method, request_id = message.get("method"), message.get("id")
    if isinstance(method, str):
        params = exactly(line, message).get("params")
        params = params if isinstance(params, dict) else {}
        if isinstance(request_id, str | int | float) and not isinstance(request_id, bool):
            return Request(request_id, method, params)
        return Notification(method, params)
    if "result" in message:
        return Answer(request_id, message["result"], None)
    if isinstance(message.get("error"), dict):
        return Answer(request_id, None, message["error"])
    return _no_answer(message)


_GAP: Final = r"[ \t\r\n]*"
_MEMBER: Final = rf'"jsonrpc"{_GAP}:{_GAP}"(?P<version>2\.0)"|"id"{_GAP}:{_GAP}"(?P<id>[ !#-\[\]-~]*)"'
_BEFORE: Final = re.compile(
    rf'{_GAP}\{{{_GAP}(?:(?:{_MEMBER}){_GAP},{_GAP}){{0,2}}"result"{_GAP}:{_GAP}'.encode()
)
_AFTER: Final = re.compile(rf"{_GAP}(?:,{_GAP}(?:{_MEMBER}){_GAP}){{0,2}}\}}{_GAP}\Z".encode())
"""What stands around the result in an answer, as servers write it; of a member that stands there twice the last counts."""


def _plain_result(line: bytes) -> Answer | None:
    """Read an answer with a result of which the text stands alone, as nearly all do; ``None`` of any other line.

    The result is read apart: what is no value by itself has other members of the answer in it.

    Raises:
        JsonValueError: the result is nested too deep.
    """
    before = _BEFORE.match(line)
    if before is None:
        return None
    end = line.rfind(b"}", 0, line.rfind(b"}")) + 1  # where the result ends: no other object follows it
    after = _AFTER.match(line, end)
    if after is None or before.end() >= end or not (before["version"] or after["version"]):
        return None
    request_id = before["id"] if after["id"] is None else after["id"]
    if request_id is None:
        return None
    text = memoryview(line)[before.end() : end]
    try:
        value = load_value(text)
    except JsonValueError:
        return None
    if may_be_deep(line):
        require_inner({"result": value}, what="$")
    kept = _without_forged(line, value)
    return Answer(request_id.decode("ascii"), kept, None, text if kept is value else None)


def exactly(line: bytes, message: dict[str, Any]) -> dict[str, Any]:
    """Return the message of a line that `read` has read, with every integer exact."""
    if not may_be_inexact(line, message):
        return message
    try:
        exact: dict[str, Any] = read_exactly(line)
    except JsonValueError:  # an integer of more digits stays a float
        return message
    return exact


def read_exactly(line: bytes) -> Any:
    """Read a line that `read` has read, with every integer exact, and without the keys that Callboard alone may say.

    A number beyond the range of a double becomes its text.

    Raises:
        JsonValueError: it holds an integer of more than 4,200 digits.
    """
    return _without_forged(line, _load_exactly(line))


def load_value(text: bytes | memoryview) -> Any:
    """Read one value of a server's. A number beyond the range of a double becomes its text.

    Raises:
        JsonValueError: it is not JSON.
    """
    try:
        return load_json(text)
    except JsonValueError:  # an integer that no float is as large as is JSON all the same
        return _load_exactly(bytes(text))


def _load_exactly(text: bytes) -> Any:
    try:
        return load_exact_json(text)
    except JsonValueError:
        return load_exact_json(text, _or_its_text)


def _or_its_text(number: str) -> float | str:
    value = float(number)
    return value if math.isfinite(value) else number


class TooDeep(NamedTuple):
    """Stands for an item of a list that is nested too deep to be read."""

    name: Any


def tools_of(line: bytes) -> Any:
    """Read the result of a ``tools/list`` that is nested too deep, with `TooDeep` in the place of each tool that is.

    Returns:
        `ABSENT` if it cannot be read for another reason.
    """
    try:
        message = _loaded(_flattened(line))
    except JsonValueError:
        return ABSENT
    result = message.get("result") if isinstance(message, dict) else None
    if not isinstance(result, dict) or not isinstance(items := result.get("tools"), list):
        return ABSENT
    found = [
        TooDeep(each.get("name")) if isinstance(each, dict) and _is_cut(each) else each for each in items
    ]
    return {**result, "tools": found}


_CUT: Final = "callboard: nested too deep"
"""A server that writes this text itself loses the tool that has it, and only beside one that is nested too deep."""

_DEEPEST: Final = MAX_DEPTH - 4
"""Levels of a message that are kept; what is deeper could not be passed on."""

_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def _flattened(line: bytes) -> bytes:
    """Return the line with `_CUT` in the place of all that is nested deeper than `_DEEPEST`."""
    kept: list[bytes] = []
    depth = start = end = 0
    for found in _STRUCTURE.finditer(line):
        sign = found[0]
        if sign in {b"{", b"["}:
            depth += 1
            start = found.start() if depth == _DEEPEST + 1 else start
        elif sign in {b"}", b"]"}:
            if depth == _DEEPEST + 1:
                kept += line[end:start], b'"' + _CUT.encode() + b'"'
                end = found.end()
            depth -= 1
    return b"".join((*kept, line[end:]))


def _is_cut(value: Any) -> bool:
    left = [value]
    while left:
        inner = left.pop()
        if inner == _CUT:
            return True
        if isinstance(inner, list | dict):
            left += inner if isinstance(inner, list) else inner.values()
    return False


def _spoilt(line: bytes) -> Answer | Unreadable:
    """Say whose answer a line is that cannot be read: its caller has nothing else to wait for."""
    outer = outer_text(line)
    named = ID.search(outer)
    if named is None or b'"jsonrpc"' not in outer or b'"method"' in outer:
        return Unreadable()
    return Answer(named[1].decode("ascii"), ABSENT, None)


def _loaded(line: bytes) -> Any:
    """Read a message, without the keys that Callboard alone may say. Raises `JsonValueError`."""
    message = load_value(line)
    if may_be_deep(line):
        require_inner(message, what="$")
    return _without_forged(line, message)


def _without_forged(line: bytes, message: Any) -> Any:
    if len(line) > _LONG and is_forged(message, _FEW) is False:
        return message
    may_forge = b"callboard" in line or (b"\\u00" in line and _ESCAPED.search(line) is not None)
    return without_forged_meta(message) if may_forge and is_forged(message) else message


_LONG: Final = 4096
_FEW: Final = 256
"""Values that are looked at in less time than it takes to search a text of `_LONG` bytes."""

_OURS: Final = "callboard/"
_ESCAPED: Final = re.compile(rb"\\u00[2-7]")
"""A character of ASCII that is written as an escape, as a forged key may be; writers of other languages' texts escape none of these."""
_DATA: Final = frozenset(
    {
        "structuredContent",
        "inputSchema",
        "outputSchema",
        "requestedSchema",
        "arguments",
        "input",
        "data",
        "_meta",
    }
)
"""Keys whose values are the data of tools, and not of MCP."""


def without_forged_meta(value: Any) -> Any:
    """Return a value of MCP without the keys ``callboard/…`` in each ``_meta`` of the protocol; the data of tools stays as it is."""
    if isinstance(value, list):
        return [without_forged_meta(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: each if key in _DATA or not isinstance(each, dict | list) else without_forged_meta(each)
        for key, each in value.items()
    }
    if isinstance(meta := value.get("_meta"), dict):
        kept["_meta"] = {key: each for key, each in meta.items() if not key.startswith(_OURS)}
    return kept


def is_forged(value: Any, most: int | None = None) -> bool | None:
    """Return whether `without_forged_meta` would leave something out; ``None`` if there are more values to look at than ``most``."""
    left = [value]
    seen = 0
    while left:
        inner = left.pop()
        seen += len(inner) if isinstance(inner, list | dict) else 0
        if most is not None and seen > most:
            return None
        if isinstance(inner, list):
            left += inner
        elif isinstance(inner, dict):
            meta = inner.get("_meta")
            if isinstance(meta, dict) and any(key.startswith(_OURS) for key in meta):
                return True
            left += [each for key, each in inner.items() if key not in _DATA]
    return False


_OF_ANSWERS = frozenset({"jsonrpc", "id", "result", "error"})


def _no_answer(message: Any) -> Answer | Unreadable:
    # A print in JSON may name a request too, beside keys of its own.
    if isinstance(message, dict) and isinstance(message.get("id"), str) and message.keys() <= _OF_ANSWERS:
        return Answer(message["id"], ABSENT, None)
    return Unreadable()
