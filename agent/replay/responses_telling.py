"""A step as Responses tells it: as events, or as one response. Pure."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from .telling import CREATED, fragments, tokens, told_calls, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .script import Heard, Step
    from .telling import ToldCall

Json = dict[str, Any]


def tell_responses(step: Step, heard: Heard) -> Iterator[Json]:
    """Yield the events, numbered."""
    numbers = count()
    for event in _events(step, heard):
        yield {**event, "sequence_number": next(numbers)}


def whole_response(step: Step, heard: Heard) -> Json:
    """Return the response."""
    return {**_response(heard, "completed", _items(step, heard)), "usage": _usage(step)}


def _events(step: Step, heard: Heard) -> Iterator[Json]:
    yield {"type": "response.created", "response": _response(heard, "in_progress", [])}
    for index, item in enumerate(_items(step, heard)):
        place = {"item_id": item["id"], "output_index": index}
        added, done = (
            {"type": f"response.output_item.{what}", "output_index": index} for what in ("added", "done")
        )
        match item["type"]:
            case "reasoning":
                yield {**added, "item": {**item, "summary": []}}
                inner = {**place, "summary_index": 0}
                part = item["summary"][0]
                yield {"type": "response.reasoning_summary_part.added", **inner, "part": {**part, "text": ""}}
                for piece in words(part["text"]):
                    yield {"type": "response.reasoning_summary_text.delta", **inner, "delta": piece}
                yield {"type": "response.reasoning_summary_text.done", **inner, "text": part["text"]}
                yield {"type": "response.reasoning_summary_part.done", **inner, "part": part}
            case "message":
                yield {**added, "item": {**item, "status": "in_progress", "content": []}}
                inner, part = {**place, "content_index": 0}, item["content"][0]
                yield {"type": "response.content_part.added", **inner, "part": {**part, "text": ""}}
                for piece in words(part["text"]):
                    yield {"type": "response.output_text.delta", **inner, "delta": piece, "logprobs": []}
                yield {"type": "response.output_text.done", **inner, "text": part["text"], "logprobs": []}
                yield {"type": "response.content_part.done", **inner, "part": part}
            case kind:
                key = "input" if kind == "custom_tool_call" else "arguments"
                name = "custom_tool_call_input" if key == "input" else "function_call_arguments"
                yield {**added, "item": {**item, key: "", "status": "in_progress"}}
                for piece in fragments(item[key]):
                    yield {"type": f"response.{name}.delta", **place, "delta": piece}
                named = {} if key == "input" else {"name": item["name"]}
                yield {"type": f"response.{name}.done", **place, key: item[key], **named}
        yield {**done, "item": item}
    yield {"type": "response.completed", "response": whole_response(step, heard)}


def _items(step: Step, heard: Heard) -> list[Json]:
    items: list[Json] = []
    if step.reasoning:
        summary = [{"type": "summary_text", "text": step.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{heard.turn}", "summary": summary})
    if step.text:
        part = {"type": "output_text", "text": step.text, "annotations": [], "logprobs": []}
        message = {"type": "message", "id": f"msg_{heard.turn}", "role": "assistant", "status": "completed"}
        items.append({**message, "content": [part]})
    return [*items, *map(_call, told_calls(step, heard))]


def _call(call: ToldCall) -> Json:
    about = {"call_id": f"call_{call.number}", "name": call.name, "status": "completed"}
    if call.raw:
        return {"type": "custom_tool_call", "id": f"ctc_{call.number}", "input": call.text, **about}
    return {"type": "function_call", "id": f"fc_{call.number}", "arguments": call.text, **about}


def _response(heard: Heard, status: str, output: list[Json]) -> Json:
    return {
        "id": f"resp_{heard.turn}",
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": heard.model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    }


def _usage(step: Step) -> Json:
    said = tokens(step)
    return {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 10 + said,
    }
