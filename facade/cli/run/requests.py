"""What one line of input asks for. Pure.

A line is a tool call in any format; or a message that carries such calls, or the whole answer of a model with that
message in it. A message has its calls under ``tool_calls``, under ``metadata.tool_calls``, where a session keeps them, or
among its blocks, parts or items. Whether a value *is* a call is for the registry to say. Calls that the provider runs itself,
and those that have their result beside them, are none that wait for an answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...base.errors import CallboardError, JsonValueError
from ...base.json import load_json
from ...interop.errors import InteropError

if TYPE_CHECKING:
    from ...interop.registry.tool_registry import ToolInteropRegistry

Json = dict[str, Any]


class NoCall(CallboardError):
    """A line, or an item of its list of calls, asks for nothing that could be run."""


def requests_in(text: bytes, registry: ToolInteropRegistry) -> list[Any]:
    """Return the calls that a line asks for, one or more; none for a blank line.

    Raises:
        NoCall: the line is no JSON object, or is a message or an answer without calls.
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
    if value.keys() <= _OF_AN_EVENT and _waits(value.get("tool_call"), registry):
        return [value["tool_call"]]
    message = _message_in(value)
    carrier = value if message is None else message
    for holder in (carrier, carrier.get("metadata")):
        listed = holder.get("tool_calls") if isinstance(holder, dict) else None
        if isinstance(listed, list) and listed:
            return listed
    calls = [each for each in _pieces(carrier) if _waits(each, registry)]
    if calls:
        return calls
    _refuse_without_calls(value, carrier)
    return [value]


_OF_AN_EVENT: Final = {"type", "tool_call"}
"""Keys of the event by which a turn tells a call."""


def _message_in(value: Json) -> Json | None:
    """Return the message of a whole answer: of Chat, Gemini, Bedrock or Ollama; ``None`` if the value is none."""
    match value:
        case (
            {"choices": [{"message": dict(message)}, *_]}
            | {"candidates": [{"content": dict(message)}, *_]}
            | {"output": {"message": dict(message)}}
            | {"message": {"role": str()} as message}
        ):
            return message
    return None


def _pieces(carrier: Json) -> list[Any]:
    """Return the blocks or parts of a message, or the items of an answer of Responses."""
    keys = ("content", "parts") if isinstance(carrier.get("role"), str) else ()
    items = carrier.get("output") if "type" not in carrier else None
    lists = [carrier.get(key) for key in keys] + [items]
    return [piece for each in lists if isinstance(each, list) for piece in each]


def _waits(value: Any, registry: ToolInteropRegistry) -> bool:
    """Say whether a value is a call that the client has to answer."""
    try:
        call = registry.inspect_call(value)
    except InteropError:
        return False
    if call.payload_metadata.get("error", {}).get("code") == "hosted":
        return False
    try:
        registry.inspect_result(value)
    except InteropError:
        return True
    return False


def _refuse_without_calls(value: Json, carrier: Json) -> None:
    """Raise `NoCall` for a message, or an answer, in which no calls were found."""
    listed = carrier.get("tool_calls")
    if listed is not None and not isinstance(listed, list):
        raise NoCall(f"'tool_calls' is {_KINDS[type(listed)]}; it has to be a list of calls")
    match value:
        case {"choices": [{"delta": _}, *_]}:
            raise NoCall("the line is a piece of a stream; give the call, or the message, once it is whole")
    if isinstance(carrier.get("role"), str):
        raise NoCall(f"the line is a message of role {carrier['role']!r:.40} without tool calls")
    answers = isinstance(value.get("output"), list) and "type" not in value
    if answers or carrier is not value or value.keys() & {"choices", "candidates"}:
        raise NoCall("the line is an answer of a model without tool calls")


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
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
