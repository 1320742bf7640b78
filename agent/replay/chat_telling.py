"""A step as Chat Completions tells it: as chunks, or as one completion. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .telling import CREATED, fragments, tokens, told_calls, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .script import Heard, Step
    from .telling import ToldCall

Json = dict[str, Any]


def tell_chat(step: Step, heard: Heard) -> Iterator[Json]:
    """Yield the chunks."""
    yield _chunk(heard, {"role": "assistant", "content": ""})
    for piece in words(step.reasoning):
        yield _chunk(heard, {"reasoning_content": piece})
    for piece in words(step.text):
        yield _chunk(heard, {"content": piece})
    calls = told_calls(step, heard)
    for index, call in enumerate(calls):
        key, nest = _nest(call)
        begin = {
            "index": index,
            "id": f"call_{call.number}",
            "type": nest,
            nest: {"name": call.name, key: ""},
        }
        yield _chunk(heard, {"tool_calls": [begin]})
        for piece in fragments(call.text):
            yield _chunk(heard, {"tool_calls": [{"index": index, nest: {key: piece}}]})
    yield _chunk(heard, {}, "tool_calls" if calls else "stop")
    yield {**_chunk(heard, {}), "choices": [], "usage": _usage(step)}


def whole_chat(step: Step, heard: Heard) -> Json:
    """Return the completion."""
    calls = []
    for call in told_calls(step, heard):
        key, nest = _nest(call)
        calls.append({"id": f"call_{call.number}", "type": nest, nest: {"name": call.name, key: call.text}})
    message: Json = {"role": "assistant", "content": step.text or None, "refusal": None}
    if calls:
        message["tool_calls"] = calls
    reason = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {**_head(heard), "object": "chat.completion", "choices": [choice], "usage": _usage(step)}


def _nest(call: ToldCall) -> tuple[str, str]:
    return ("input", "custom") if call.raw else ("arguments", "function")


def _head(heard: Heard) -> Json:
    return {"id": f"chatcmpl-replay-{heard.turn}", "created": CREATED, "model": heard.model}


def _chunk(heard: Heard, delta: Json, reason: str | None = None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    return {**_head(heard), "object": "chat.completion.chunk", "choices": [choice]}


def _usage(step: Step) -> Json:
    said = tokens(step)
    return {"prompt_tokens": 10, "completion_tokens": said, "total_tokens": 10 + said}
