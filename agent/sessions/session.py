"""A conversation as a value: core messages, and the one law that keeps them fit for every provider. Pure.

The law: every call of an assistant's message has exactly one tool message, directly behind it, in the order
of the calls. A history that breaks it is refused whole by every provider, so nothing here can break it:
a caller that goes on after a message whose calls were never answered has them answered first, by tool messages that
say that no result is known.

A session holds core messages and nothing else. What a provider needs is made from them for each request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.json import copy_json
from ...base.validation import require, require_mapping, require_text
from ...interop.calls.marks import with_mark
from ...interop.transcripts.repair_report import NO_RESULT
from ...plugins.adapter.formatting import default_text
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ..attachments import as_json
from .tool_messages import tool_message

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = dict[str, Any]
Message = dict[str, Any]

BROKEN_CALLS = "broken_calls"
"""The key of a message's metadata for calls that could not be read: ``code`` and ``message`` of each, by its id."""


@frozen
class Session:
    """One conversation. Adding to it makes another session; the messages are shared and never changed.

    Attributes:
        id: names it, in this process and in its file.
        messages: core messages, in order.
        metadata: what its owner wants to know of it; JSON.
    """

    id: str
    messages: tuple[Message, ...] = ()
    metadata: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_text("the id of a session", self.id)
        require(
            isinstance(self.messages, tuple | list),
            "the messages of a session",
            self.messages,
            "a tuple of messages",
        )
        require_mapping("the metadata of a session", self.metadata)

    def __repr__(self) -> str:
        return f"<Session {self.id}: {len(self.messages)} messages>"

    def with_message(self, message: Message) -> Session:
        """Return the session with one more message. Calls that are open are answered before anything else.

        Raises:
            TypeError: it is no mapping.
            ValueError: a tool message does not answer the next open call.
        """
        require(isinstance(message, Mapping), "a message", message, "a mapping with role and content")
        waiting = open_calls(self.messages)
        if message.get("role") == "tool":
            answered = tool_call_id(message)
            if not waiting or call_id(waiting[0]) != answered:
                wanted = f"the next call is {call_id(waiting[0])!r}" if waiting else "no call is open"
                raise ValueError(f"session {self.id}: a tool message answers {answered!r}, but {wanted}")
            return replace(self, messages=(*self.messages, message))
        return replace(self, messages=(*self.messages, *map(no_result, waiting), message))

    def settled(self) -> Session:
        """Return the session with every call answered; itself if all are."""
        waiting = open_calls(self.messages)
        return replace(self, messages=(*self.messages, *map(no_result, waiting))) if waiting else self


def new_message(
    role: str,
    content: Any,
    attachments: Sequence[Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Message:
    """Return a message of one's own; ``attachments`` stand in its metadata, as JSON. What is empty is left out.

    Raises:
        JsonValueError: something in it is not JSON.
        TypeError: the metadata is no dict, or the attachments are one text.
        ValueError: the role is no word, or an attachment is too large.
    """
    if not role or not isinstance(role, str):
        raise ValueError(f"the role of a message is {role!r}; it has to be a word such as 'user'")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"the metadata of a message is {metadata!r:.60}; it has to be a dict")
    if isinstance(attachments, str | bytes | Mapping) or not isinstance(attachments, Iterable | None):
        raise TypeError(f"the attachments of a message are {attachments!r:.60}; they have to be a list")
    facts = dict(metadata or {})
    if attachments:
        facts["attachments"] = [as_json(each) for each in attachments]
    message: Message = {"role": role, "content": content}
    if facts:
        message["metadata"] = facts
    copy: Message = copy_json(message, what="message")
    return copy


def calls_of(message: Message) -> list[Json]:
    """Return the calls of an assistant's message; none of any other."""
    if message.get("role") != "assistant":
        return []
    calls = (message.get("metadata") or {}).get("tool_calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def calls_to_run(message: Message) -> list[Json]:
    """Return the calls of an assistant's message as a board is given them: those that could not be read bear a mark.

    In the message itself such a call looks sound, for it is sent to providers; a board answers a marked one with ``invalid_call``.
    """
    marks = (message.get("metadata") or {}).get(BROKEN_CALLS)
    found = marks if isinstance(marks, dict) else {}
    return [
        with_mark(call, mark) if isinstance(mark := found.get(call_id(call)), dict) else call
        for call in calls_of(message)
    ]


def call_id(call: Json) -> str | None:
    """Return the id by which a core message's call is answered; ``None`` if it has none.

    An item of the Responses API, kept for its raw input, has an ``id`` of its own beside its ``call_id``.
    """
    found = call.get("call_id") or call.get("id")
    return found if isinstance(found, str) and found else None


def called_name(call: Json) -> str | None:
    """Return the name of the tool that a core message's call asks for, if it names one."""
    body = call.get("function") or call.get("custom") or call
    name = body.get("name") if isinstance(body, dict) else None
    return name if isinstance(name, str) and name else None


def tool_call_id(message: Message) -> str | None:
    """Return which call a tool message answers."""
    found = (message.get("metadata") or {}).get("tool_call_id")
    return found if isinstance(found, str) else None


def open_calls(messages: Sequence[Message]) -> list[Json]:
    """Return the calls at the end of a history that have no tool message yet, in their order."""
    answered = set()
    for message in reversed(messages):
        if message.get("role") != "tool":
            return [call for call in calls_of(message) if call_id(call) not in answered]
        answered.add(tool_call_id(message))
    return []


def no_result(call: Json) -> Message:
    """Return the tool message of a call whose result is unknown."""
    return unanswered(call_id(call) or "", called_name(call), NO_RESULT, Outcome.OUTCOME_UNKNOWN)


def unanswered(call: str, tool_name: str | None, why: str, outcome: Outcome) -> Message:
    """Return the tool message of a call that has no result and never will, which is ``cancelled``.

    Args:
        call: its id.
        tool_name: the tool that it asked for, if it named one.
        why: a sentence for the model and for people.
        outcome: whether the tool may have run.
    """
    result = failure(Code.CANCELLED, why, outcome=outcome)
    text = default_text(result)
    return tool_message(
        call_id=call,
        tool_name=tool_name,
        plugin_name=None,
        formatted=text,
        display={"type": "text", "content": text},
        result=result,
    )
