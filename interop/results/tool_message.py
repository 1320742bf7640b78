"""The core's own tool message: the envelope a result lies in, opened before the result is read.

It is no wire format. Its ``toolResult`` is a result in some format, built in or contributed; its
``metadata`` says which call it answers and whether the call failed, which the result itself may not. A message
of the Chat API looks much the same (``role: "tool"``), but bears the id on top.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class OpenedMessage(NamedTuple):
    """What a core tool message holds.

    Attributes:
        result: what stands in the envelope, in any format.
        call_id: the call that it answers; ``None`` if the metadata do not say.
        tool_name: the tool that ran; likewise.
        failed: the metadata report a failure, whatever the result says.
    """

    result: Any
    call_id: str | None
    tool_name: str | None
    failed: bool


def open_tool_message(value: Any) -> OpenedMessage | None:
    """Return what is in a core tool message; ``None`` if the value is none.

    Without a ``toolResult`` the ``content`` is the result: text, or an explicit envelope.
    """
    if not isinstance(value, dict) or value.get("role") != "tool":
        return None
    metadata = value.get("metadata")
    if "toolResult" not in value and ("tool_call_id" in value or not isinstance(metadata, dict)):
        return None
    facts = metadata if isinstance(metadata, dict) else {}
    result = value.get("toolResult")
    if result is None:
        content = value.get("content")
        result = {"type": "tool_result", "text": content} if isinstance(content, str) else content
    failed = isinstance(facts.get("failure"), dict)
    return OpenedMessage(result, _text(facts.get("tool_call_id")), _text(facts.get("tool_name")), failed)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
