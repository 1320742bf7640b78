"""Streams that say a call under a strange key, twice under one id, or in an alternative answer."""

from __future__ import annotations

from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.streams.calls import assembler

ITEM = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}


def came_of(format_id, events):
    calls = assembler(format_id)
    out = [call for event in events for call in calls.feed(event)]
    return [REGISTRY.inspect_call(call) for call in (*out, *calls.finish())]


def test_an_item_that_is_done_without_a_status_is_whole():
    begun = {**ITEM, "arguments": "", "status": "in_progress"}
    added = {"type": "response.output_item.added", "output_index": 0, "item": begun}

    (call,) = came_of(
        "openai.responses",
        [added, {"type": "response.output_item.done", "output_index": 0, "item": ITEM}],
    )

    assert (call.payload, call.payload_metadata["status"]) == ({"a": 1}, "completed")
