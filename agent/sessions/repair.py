"""A history from anywhere made lawful: every call of a message is answered once, directly behind it. Pure.

Sessions that were made here are so from the start. One that was mended, merged or written by hand may not
be. What is missing is given a tool message that says that no result is known, what answers nothing is left
out, and both are told. The rules are those of `repair_transcript`, to which core messages are shown as those
of Chat Completions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...interop.format_ids import OPENAI_CHAT
from ...interop.transcripts.repair import repair_transcript
from .session import call_id, called_name, calls_of, no_result, tool_call_id

if TYPE_CHECKING:
    from ...interop.transcripts.repair_report import Repair
    from .session import Message, Session

Json = dict[str, Any]

_OURS = "core"


def repair_session(session: Session) -> tuple[Session, tuple[Repair, ...]]:
    """Return a session that every provider takes, and what was done to it: itself, and nothing, if it is one."""
    shown = [_shown(message) for message in session.messages]
    repaired = repair_transcript(shown, OPENAI_CHAT)
    if not repaired.repairs:
        return session, ()
    messages: list[Message] = []
    for each in repaired.transcript:
        messages.append(_own(each, messages))
    return replace(session, messages=tuple(messages)), repaired.repairs


def _shown(message: Message) -> Json:
    if message.get("role") == "tool":
        return {"role": "tool", "tool_call_id": tool_call_id(message), _OURS: message}
    calls = [
        {"id": call_id(call), "type": "function", "function": {"name": called_name(call)}, _OURS: call}
        for call in calls_of(message)
    ]
    return {"role": message.get("role"), _OURS: message, **({"tool_calls": calls} if calls else {})}


def _own(shown: Json, before: list[Message]) -> Message:
    """Return the core message that is meant by one of Chat Completions."""
    message: Message | None = shown.get(_OURS)
    if message is None:  # a result that was made up
        return _made_up(shown["tool_call_id"], before)
    if shown["role"] == "tool":
        return _with_id(message, shown["tool_call_id"])
    calls = [_called(call) for call in shown.get("tool_calls") or []]
    if calls == calls_of(message):
        return message
    metadata = {**message["metadata"], "tool_calls": calls}
    if not calls:
        del metadata["tool_calls"]
    return {**message, "metadata": metadata}


def _called(shown: Json) -> Json:
    call: Json = shown[_OURS]
    if call_id(call) == shown["id"]:
        return call
    return {**call, "call_id" if "call_id" in call else "id": shown["id"]}


def _with_id(message: Message, answered: str) -> Message:
    if tool_call_id(message) == answered:
        return message
    return {**message, "metadata": {**(message.get("metadata") or {}), "tool_call_id": answered}}


def _made_up(answered: str, before: list[Message]) -> Message:
    calls = next(calls for message in reversed(before) if (calls := calls_of(message)))
    return no_result(next(call for call in calls if call_id(call) == answered))
