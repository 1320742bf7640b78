"""Tool messages: what a conversation keeps of a call's result. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugins.results.failures import reported

if TYPE_CHECKING:
    from ...plugins.results.call_result import CallResult

Json = dict[str, Any]


def tool_message(
    *,
    call_id: str,
    tool_name: str | None,
    plugin_name: str | None,
    formatted: str | Json,
    display: Json,
    result: CallResult,
    notes: tuple[Json, ...] = (),
) -> Json:
    """The ``role: "tool"`` message of one result.

    ``content`` is text, always: histories and providers rely on it. A provider-native envelope
    stands whole in ``toolResult``, and its text parts in ``content``.

    Args:
        call_id: of the call that is answered.
        tool_name: the tool's name, if the call had one.
        plugin_name: whose tool answered; ``None`` if no tool took the call.
        formatted: what the model is to see: text, or a provider-native envelope.
        display: what people are to see.
        result: the result; what Callboard itself reports of a failure goes into the metadata.
        notes: what hooks said beside their answers, which goes there too.
    """
    if isinstance(formatted, str):
        content, tool_result = formatted, {"type": "tool_result", "text": formatted}
    else:
        content, tool_result = text_of(formatted), formatted
    metadata: Json = {"tool_call_id": call_id, "tool_name": tool_name}
    if plugin_name is not None:
        metadata["tool_plugin"] = plugin_name
    metadata["display"] = display
    if notes:
        metadata["hooks"] = list(notes)
    if reported(result) is not None:
        failed = {key: result[key] for key in ("code", "outcome") if key in result}
        report = result.get("crash_report")
        metadata["failure"] = failed if not isinstance(report, dict) else {**failed, "crash": report["id"]}
    return {"role": "tool", "content": content, "toolResult": tool_result, "metadata": metadata}


def text_of(envelope: Json) -> str:
    """The text parts of a provider-native envelope, one a line."""
    parts = envelope.get("content")
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return ""
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts)
