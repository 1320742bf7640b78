"""What one line of input asks for. Pure.

A line is a tool call in any format, or a message that carries such calls, under ``tool_calls`` or
under ``metadata.tool_calls``, where a session keeps them. Whether a value *is* a call is for the
registry to say; here it is only taken out of its message.
"""

from __future__ import annotations

from typing import Any

from ...base.errors import CallboardError, JsonValueError
from ...base.json import load_json


class NoCall(CallboardError):
    """A line, or an item of its list of calls, asks for nothing that could be run."""


def requests_in(text: bytes) -> list[Any]:
    """Return the calls that a line asks for, one or more; none for a blank line.

    Raises:
        NoCall: the line is no JSON object, or is a message without calls.
    """
    if not text.strip():
        return []
    try:
        value = load_json(text)
    except JsonValueError as error:
        raise NoCall(f"the line is {error}") from error
    if not isinstance(value, dict):
        raise NoCall(
            f"the line is {_KINDS[type(value)]}; it has to be an object: a call, or a message with calls"
        )
    for holder in (value, value.get("metadata")):
        if isinstance(holder, dict) and isinstance(holder.get("tool_calls"), list) and holder["tool_calls"]:
            return list(holder["tool_calls"])
    if isinstance(value.get("role"), str):
        raise NoCall(f"the line is a message of role {value['role']!r:.40} without tool calls")
    return [value]


def has_id(value: Any) -> bool:
    """Whether an answer by an id is waited for, though the rest of ``value`` may not be readable."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and bool(value["id"])


def no_call_line(why: str, line: int, index: int | None = None) -> dict[str, Any]:
    """The line of output for what is no call and has no id that a tool message could refer to.

    Args:
        why: a sentence.
        line: the number of the line of input.
        index: the place in the line's list of calls, if it has one.
    """
    place = {"line": line} if index is None else {"line": line, "index": index}
    return {"error": why, "code": "invalid_call", **place}


_KINDS: dict[type, str] = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
