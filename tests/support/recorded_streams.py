"""Recorded streams of calls, each made a whole answer again, as its provider begins and ends one."""

from __future__ import annotations

import pytest
from interop_corpus import RECORDS, Record

_NAMES = {
    "openai.chat_completions.stream": "chat",
    "openai.responses.stream": "responses",
    "anthropic.stream": "anthropic",
}

_CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
_OURS = Record("openai.chat_completions.stream", "call", "written down here", [_CALL])

RECORDED = [
    pytest.param(_NAMES[record.format], record, id=f"{record.format}-{number}")
    for number, record in enumerate([_OURS, *(each for each in RECORDS if each.format in _NAMES)])
]
"""The provider's name and the record."""


def whole_stream(name, events):
    """Return the events of an answer in which the recorded ones stand, numbered as if nothing had been before."""
    events = _renumbered(events)
    if name == "chat":
        about = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        deltas = [{"role": "assistant", "content": ""}, *({"tool_calls": [delta]} for delta in events)]
        chunks = [
            {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        return [*chunks, {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]
    if name == "responses":
        done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
        response = {
            "id": "r",
            "object": "response",
            "created_at": 1,
            "model": "m",
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
        created = {
            "type": "response.created",
            "response": {**response, "status": "in_progress", "output": []},
        }
        completed = {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": done},
        }
        return [created, *events, completed]
    message = {
        "id": "msg",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        *events,
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


def _renumbered(events):
    numbers = {}
    return [
        {
            key: numbers.setdefault(value, len(numbers)) if _is_place(key, value) else value
            for key, value in event.items()
        }
        for event in events
    ]


def _is_place(key, value):
    return key in {"index", "output_index"} and isinstance(value, int)
