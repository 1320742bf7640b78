"""What came of an answer, made into the assistant's message: nothing is lost, and nothing broken can run. Pure.

Calls are sanitized before they are kept, for a provider refuses a history with half a call in it. A
sanitized call looks sound, and a tool run on it would run without its arguments. So the calls are read
before anybody sanitizes them, and those that could not be read bear a mark in the message for good: the
registry reads a marked call as ``malformed``, and a board answers it with ``invalid_call``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...interop.calls.marks import mark_of, unmarked, with_mark
from ...interop.default_registry import ToolInteropRegistry, ToolInteropTarget
from ...interop.errors import InteropError
from ...interop.format_ids import CHAT_CUSTOM, CHAT_FUNCTION, OPENAI_CHAT, RESPONSES_ACTION
from ..sessions.session import call_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json = dict[str, Any]

CORE_CALLS = ToolInteropTarget(OPENAI_CHAT)
"""How core messages spell calls."""


class Broken(NamedTuple):
    """A call that cannot be read.

    Attributes:
        position: its place among the calls of the answer.
        call_id: its id, if it has one and no other call of the answer has the same.
        mark: what is wrong, as a call bears it.
    """

    position: int
    call_id: str | None
    mark: Json


def gather(partial: Json, event: Json) -> None:
    """Add what an event tells to an answer; for providers that gather nothing themselves."""
    match event:
        case {"type": "text", "text": str(text)}:
            partial["content"] = partial.get("content", "") + text
        case {"type": "tool_call", "tool_call": dict(call)}:
            partial.setdefault("tool_calls", []).append(call)
        case {"type": "usage", "stop_reason": str(reason)}:
            partial["stop_reason"] = reason


def broken_calls(calls: Iterable[Any], registry: ToolInteropRegistry) -> list[Broken]:
    """Return the calls that must not run. To be asked before they are sanitized.

    What is no call in any known format is not among them, nor does it have a place: it is not kept.
    """
    read = []
    for call in calls:
        try:
            read.append((call, registry.inspect_call(call)))
        except InteropError:
            continue
    ids = Counter(inspected.call_id for _, inspected in read)
    found = []
    for position, (call, inspected) in enumerate(read):
        if inspected.payload_kind not in {"malformed", "json"}:
            continue
        fault = inspected.payload_metadata.get("error")
        said = fault["message"] if fault else "the arguments are JSON, but no object"
        mark = mark_of(call) or {"code": "sanitized", "message": said}
        its_own = inspected.call_id if ids[inspected.call_id] == 1 else None  # it will be given another
        found.append(Broken(position, its_own, mark))
    return found


def message_of(partial: Any, registry: ToolInteropRegistry, *, turn: int) -> Json | None:
    """Return the assistant's message of what was gathered; ``None`` if that is nothing.

    Calls come out sanitized, in the core's spelling, each with an id. What is no call in any known format
    is left out, for no result could ever answer it.

    Args:
        partial: ``content`` and ``tool_calls``, each if there is any.
        registry: the registry of the request.
        turn: number of the message in the history, from which ids are made up.
    """
    if not isinstance(partial, dict):
        return None
    content, calls = partial.get("content") or "", partial.get("tool_calls") or []
    if not content and not calls:
        return None
    return assistant_message(str(content), core_calls(calls, registry, turn=turn))


def assistant_message(content: str, tool_calls: Sequence[Json] = ()) -> Json:
    """Return a core message of the assistant."""
    message: Json = {"role": "assistant", "content": content}
    if tool_calls:
        message["metadata"] = {"tool_calls": list(tool_calls)}
    return message


def core_calls(calls: Iterable[Any], registry: ToolInteropRegistry, *, turn: int) -> list[Json]:
    """Return calls as core messages spell them: sanitized, and with ids of which no two are the same.

    One with raw input comes out as a custom call, also where it came wrapped in a function call. One to a tool of the
    provider's own that has to be acted on here stays as it is, for nothing else could be answered in its form.
    """
    taken: set[str] = set()
    spelt = []
    for index, call in enumerate(calls):
        try:
            clean = registry.sanitize_tool_call(call)
            inspected = registry.inspect_call(clean)
            if inspected.format == RESPONSES_ACTION:
                spelt.append(clean)
                taken.add(call_id(clean) or "")
                continue
            formats = [CHAT_CUSTOM] if inspected.payload_kind == "text" else [CHAT_FUNCTION]
            written = registry.convert_tool_call(clean, CORE_CALLS, formats, turn=turn, index=index).value
        except InteropError:  # `broken_calls` has told of it
            continue
        spelt.append(apart(written, taken))
    return spelt


def with_marks(message: Json, broken: Sequence[Broken]) -> Json:
    """Return a message whose broken calls bear their marks; the same if it has none."""
    calls = (message.get("metadata") or {}).get("tool_calls")
    if not broken or not isinstance(calls, list):
        return message
    by_id = {each.call_id: each for each in broken if each.call_id is not None}
    by_place = {each.position: each for each in broken if each.call_id is None}
    marked = []
    for position, call in enumerate(calls):
        found = by_id.get(call_id(call) or "") or by_place.get(position)
        marked.append(call if found is None else with_mark(unmarked(call), found.mark))
    return {**message, "metadata": {**message["metadata"], "tool_calls": marked}}


def as_incomplete(message: Json, error: str, code: str) -> Json:
    """Return the message of an answer that broke off, which says so."""
    incomplete = {"code": code, "error": error}
    return {**message, "metadata": {**(message.get("metadata") or {}), "incomplete": incomplete}}


def apart(call: Json, taken: set[str]) -> Json:
    """Return a call whose id is not taken, and take it: itself, or a copy with another id."""
    its = str(call.get("id") or "call")
    fresh, number = its, 2
    while fresh in taken:
        fresh, number = f"{its}_{number}", number + 1
    taken.add(fresh)
    return call if call.get("id") == fresh else {**call, "id": fresh}
