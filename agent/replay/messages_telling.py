"""A step as Anthropic Messages tells it: as events, or as one message. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...interop.exact_json import json_text
from .telling import fragments, tokens, told_calls, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .script import Heard, Step

Json = dict[str, Any]


def tell_messages(step: Step, heard: Heard) -> Iterator[Json]:
    """Yield the events."""
    message = whole_message(step, heard)
    usage = {**message["usage"], "output_tokens": 1}
    begun = {**message, "content": [], "stop_reason": None, "usage": usage}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens(step)}}
    yield {"type": "message_stop"}


def whole_message(step: Step, heard: Heard) -> Json:
    """Return the message."""
    content: list[Json] = []
    if step.reasoning:
        content.append({"type": "thinking", "thinking": step.reasoning, "signature": f"signed{heard.turn}"})
    if step.text:
        content.append({"type": "text", "text": step.text})
    calls = told_calls(step, heard)
    content += (
        {"type": "tool_use", "id": f"toolu_{call.number}", "name": call.name, "input": call.arguments}
        for call in calls
    )
    return {
        "id": f"msg_{heard.turn}",
        "type": "message",
        "role": "assistant",
        "model": heard.model,
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": tokens(step)},
    }


def _block(index: int, block: Json) -> Iterator[Json]:
    at = {"index": index}
    begun: Json
    match block:
        case {"type": "thinking"}:
            begun = {"type": "thinking", "thinking": "", "signature": ""}
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in words(block["thinking"])]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case {"type": "text"}:
            begun = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in words(block["text"])]
        case _:
            begun = {**block, "input": {}}
            pieces = ["", *fragments(json_text(block["input"]))] if block["input"] else [""]
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    yield {"type": "content_block_start", **at, "content_block": begun}
    for delta in deltas:
        yield {"type": "content_block_delta", **at, "delta": delta}
    yield {"type": "content_block_stop", **at}
