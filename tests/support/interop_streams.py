"""Streams of calls as the providers send them, made from whole calls: cut anywhere, and interleaved."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, NamedTuple

from callboard.interop.streams.calls import assembler
from hypothesis import strategies as st
from interop_json import names

text = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
"""Text as a model writes it: cut into UTF-16 units it may fall apart, but it is whole."""

_scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9) | text
values = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(text, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)
arguments = st.dictionaries(text, values, max_size=3)
"""Arguments without empty containers inside, which Gemini's patches cannot say."""


class Asked(NamedTuple):
    """A call as it is meant."""

    call_id: str
    name: str
    arguments: dict[str, Any]
    text: str


class Streamed(NamedTuple):
    """Calls, and the pieces of each call's text in the order in which they come."""

    calls: list[Asked]
    pieces: list[tuple[int, str]]


def asked(call_id: str, name: str = "ls", **arguments: Any) -> Asked:
    """Return a call with its arguments as a model would spell them."""
    return Asked(call_id, name, arguments, json.dumps(arguments))


@st.composite
def calls(draw: st.DrawFn, most: int = 3) -> list[Asked]:
    """Draw calls with different ids; names may be alike."""
    made = []
    for number in range(draw(st.integers(1, most))):
        said = draw(arguments)
        spelt = json.dumps(said, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
        made.append(Asked(f"call_{number}", draw(names), said, spelt))
    return made


@st.composite
def streamed(draw: st.DrawFn, most: int = 3) -> Streamed:
    """Draw calls, the cuts in their texts, and an order of the pieces."""
    made = draw(calls(most))
    queues = [cut(call.text, draw) for call in made]
    turns = draw(st.permutations([number for number, queue in enumerate(queues) for _ in queue]))
    return Streamed(made, [(number, queues[number].pop(0)) for number in turns])


def cut(whole: str, draw: st.DrawFn) -> list[str]:
    """Cut a text between any of its UTF-16 units: a character beyond the first 65536 may be halved."""
    units = whole.encode("utf-16-le", "surrogatepass")
    places = sorted(draw(st.lists(st.integers(0, len(units) // 2), max_size=6)))
    edges = [0, *(2 * place for place in places), len(units)]
    return [units[start:end].decode("utf-16-le", "surrogatepass") for start, end in pairwise(edges)]


def assembled(format_id: str, events: list[Any]) -> list[dict[str, Any]]:
    """Return all calls of a stream, in the order in which they come out."""
    reader = assembler(format_id)
    return [call for event in events for call in reader.feed(event)] + list(reader.finish())


def chat_events(stream: Streamed, *, index: str = "right", ids: str = "first") -> list[Any]:
    """Return chunks of Chat Completions.

    Args:
        stream: what to send.
        index: ``right``, ``null``, ``zero`` or ``missing``.
        ids: in the ``first`` delta of a call, or in ``every`` one.
    """
    begun: set[int] = set()
    chunks = []
    for number, piece in stream.pieces:
        call = stream.calls[number]
        delta: dict[str, Any] = {"function": {"arguments": piece}}
        if index != "missing":
            delta["index"] = {"right": number, "null": None, "zero": 0}[index]
        if number not in begun:
            delta |= {"id": call.call_id, "type": "function"}
            delta["function"]["name"] = call.name
        elif ids == "every":
            delta["id"] = call.call_id
            delta["function"]["name"] = ""
        begun.add(number)
        chunks.append({"choices": [{"index": 0, "delta": {"tool_calls": [delta]}, "finish_reason": None}]})
    return [*chunks, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]


def chat_call(call: Asked) -> dict[str, Any]:
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.text}}


def responses_events(stream: Streamed) -> list[Any]:
    """Return events of Responses; each item is done after its last piece."""
    events: list[Any] = []
    left = [sum(number == of for of, _ in stream.pieces) for number in range(len(stream.calls))]
    begun: set[int] = set()
    for number, piece in stream.pieces:
        place = {"item_id": f"fc_{number}", "output_index": number}
        item = responses_call(stream.calls[number], number)
        if number not in begun:
            begun.add(number)
            opening = {**item, "arguments": "", "status": "in_progress"}
            events.append({"type": "response.output_item.added", "output_index": number, "item": opening})
        events.append({"type": "response.function_call_arguments.delta", **place, "delta": piece})
        left[number] -= 1
        if not left[number]:
            whole = {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]}
            done = {"type": "response.output_item.done", "output_index": number, "item": item}
            events += [whole, done]
    return events


def responses_call(call: Asked, number: int) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": call.call_id,
        "name": call.name,
        "arguments": call.text,
        "status": "completed",
    }


def block_events(stream: Streamed, start: Any, piece: Any, stop: Any) -> list[Any]:
    """Return the events of content blocks; each is stopped after its last piece."""
    events: list[Any] = []
    left = [sum(number == of for of, _ in stream.pieces) for number in range(len(stream.calls))]
    begun: set[int] = set()
    for number, said in stream.pieces:
        if number not in begun:
            begun.add(number)
            events.append(start(number, stream.calls[number]))
        events.append(piece(number, said))
        left[number] -= 1
        if not left[number]:
            events.append(stop(number))
    return events


def anthropic_events(stream: Streamed) -> list[Any]:
    return [
        *block_events(
            stream,
            lambda number, call: {
                "type": "content_block_start",
                "index": number,
                "content_block": {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}},
            },
            lambda number, said: {
                "type": "content_block_delta",
                "index": number,
                "delta": {"type": "input_json_delta", "partial_json": said},
            },
            lambda number: {"type": "content_block_stop", "index": number},
        ),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]


def anthropic_call(call: Asked) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.call_id, "name": call.name, "input": call.arguments}


def bedrock_events(stream: Streamed) -> list[Any]:
    return [
        *block_events(
            stream,
            lambda number, call: {
                "contentBlockStart": {
                    "contentBlockIndex": number,
                    "start": {"toolUse": {"toolUseId": call.call_id, "name": call.name}},
                }
            },
            lambda number, said: {
                "contentBlockDelta": {"contentBlockIndex": number, "delta": {"toolUse": {"input": said}}}
            },
            lambda number: {"contentBlockStop": {"contentBlockIndex": number}},
        ),
        {"messageStop": {"stopReason": "tool_use"}},
    ]


def bedrock_call(call: Asked) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call.call_id, "name": call.name, "input": call.arguments}}


@st.composite
def gemini_streamed(draw: st.DrawFn) -> tuple[list[Asked], list[Any]]:
    """Draw calls and the parts that say them, patch by patch, those of several calls mixed."""
    made = draw(calls())
    queues = []
    for call in made:
        patches = [patch for path, leaf in leaves(call.arguments, "$") for patch in patched(path, leaf, draw)]
        first: dict[str, Any] = {"id": call.call_id, "name": call.name, "willContinue": True}
        rest = [{"id": call.call_id, "partialArgs": [patch], "willContinue": True} for patch in patches]
        queues.append([first, *rest, {"id": call.call_id}])
    turns = draw(st.permutations([number for number, queue in enumerate(queues) for _ in queue]))
    return made, [{"functionCall": queues[number].pop(0)} for number in turns]


def leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    """Return the values in a value, each with its path."""
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in leaves(item, f"{path}[{json.dumps(key)}]")]
    if isinstance(value, list):
        return [leaf for place, item in enumerate(value) for leaf in leaves(item, f"{path}[{place}]")]
    return [(path, value)]


def patched(path: str, leaf: Any, draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return the patches that say one value; a text may take several."""
    if isinstance(leaf, str):
        *others, last = cut(leaf, draw)
        grown = [{"jsonPath": path, "stringValue": piece, "willContinue": True} for piece in others]
        return [*grown, {"jsonPath": path, "stringValue": last}]
    kind = {bool: "boolValue", int: "numberValue", float: "numberValue", type(None): "nullValue"}[type(leaf)]
    return [{"jsonPath": path, kind: leaf}]


def gemini_call(call: Asked) -> dict[str, Any]:
    return {"functionCall": {"id": call.call_id, "name": call.name, "args": call.arguments}}


def ollama_events(stream: Streamed) -> list[Any]:
    """Return the objects of Ollama's API: each call is whole."""
    calls = [
        {"message": {"role": "assistant", "content": "", "tool_calls": [ollama_call(call)]}, "done": False}
        for call in stream.calls
    ]
    return [*calls, {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}]


def ollama_call(call: Asked) -> dict[str, Any]:
    return {"id": call.call_id, "function": {"name": call.name, "arguments": call.arguments}}


def cohere_events(stream: Streamed) -> list[Any]:
    """Return events of Cohere's API."""

    def told(kind: str, index: int, call: dict[str, Any]) -> dict[str, Any]:
        return {"type": kind, "index": index, "delta": {"message": {"tool_calls": call}}}

    return [
        {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant", "tool_calls": []}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I will look."}}},
        *block_events(
            stream,
            lambda number, call: told(
                "tool-call-start",
                number,
                {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": ""}},
            ),
            lambda number, said: told("tool-call-delta", number, {"function": {"arguments": said}}),
            lambda number: {"type": "tool-call-end", "index": number},
        ),
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]


def ag_ui_events(stream: Streamed, *, chunks: bool = False) -> list[Any]:
    """Return events of AG-UI; ``chunks``: each call in chunks, one call after the other."""
    ended = [{"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}]
    begun = [{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}]
    if chunks:
        told: list[Any] = []
        for number, call in enumerate(stream.calls):
            told.append({"type": "TOOL_CALL_CHUNK", "toolCallId": call.call_id, "toolCallName": call.name})
            told += [{"type": "TOOL_CALL_CHUNK", "delta": said} for at, said in stream.pieces if at == number]
        return [*begun, *told, *ended]
    its = [call.call_id for call in stream.calls]
    return [
        *begun,
        *block_events(
            stream,
            lambda _, call: {
                "type": "TOOL_CALL_START",
                "toolCallId": call.call_id,
                "toolCallName": call.name,
            },
            lambda number, said: {"type": "TOOL_CALL_ARGS", "toolCallId": its[number], "delta": said},
            lambda number: {"type": "TOOL_CALL_END", "toolCallId": its[number]},
        ),
        *ended,
    ]


def ai_sdk_events(stream: Streamed) -> list[Any]:
    """Return chunks of the AI SDK's message streams."""
    calls = stream.calls
    return [
        {"type": "start", "messageId": "m"},
        {"type": "start-step"},
        *block_events(
            stream,
            lambda _, call: {"type": "tool-input-start", "toolCallId": call.call_id, "toolName": call.name},
            lambda number, said: {
                "type": "tool-input-delta",
                "toolCallId": calls[number].call_id,
                "inputTextDelta": said,
            },
            lambda number: ai_sdk_call(calls[number]),
        ),
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "tool-calls"},
    ]


def ai_sdk_call(call: Asked) -> dict[str, Any]:
    return {
        "type": "tool-input-available",
        "toolCallId": call.call_id,
        "toolName": call.name,
        "input": call.arguments,
    }
