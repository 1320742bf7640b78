"""Whatever a server sends, an assembler answers with calls and `StreamError`, and with nothing else."""

from __future__ import annotations

import copy
import json
from contextlib import suppress

import pytest
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.format_ids import belongs_to, canonical_format
from callboard.interop.streams.calls import ASSEMBLERS, assembler
from hypothesis import given
from hypothesis import strategies as st
from interop_json import containers, values
from interop_streams import (
    Streamed,
    ag_ui_events,
    ai_sdk_events,
    anthropic_events,
    asked,
    bedrock_events,
    chat_events,
    cohere_events,
    gemini_call,
    ollama_events,
    responses_events,
)

TWO = Streamed(
    [asked("call_0", path="a"), asked("call_1", "cat", path="b")],
    [(0, '{"path":'), (1, '{"path":'), (0, ' "a"}'), (1, ' "b"}')],
)
STREAMS = {
    "openai.chat_completions": chat_events(TWO),
    "openai.responses": responses_events(TWO),
    "anthropic.messages": anthropic_events(TWO),
    "bedrock.converse": bedrock_events(TWO),
    "ollama.chat": ollama_events(TWO),
    "cohere.chat": cohere_events(TWO),
    "ag_ui": ag_ui_events(TWO),
    "ai_sdk.ui": ai_sdk_events(TWO),
    "gemini.generate_content": [
        gemini_call(TWO.calls[0]),
        {"functionCall": {"name": "cat", "willContinue": True}},
        {
            "functionCall": {
                "partialArgs": [
                    {"jsonPath": "$.path", "stringValue": "b", "willContinue": True},
                    {"jsonPath": "$.path", "stringValue": ""},
                    {"jsonPath": "$.lines[0]", "numberValue": 1},
                ],
                "willContinue": True,
            }
        },
        {"functionCall": {}},
        {"candidates": [{"content": {"parts": [{"text": "x"}]}, "finishReason": "STOP"}]},
    ],
}
WORDS = sorted(
    set(json.dumps(STREAMS).replace('"', " ").replace("\\", " ").replace(":", " ").replace(",", " ").split())
)
"""Every word that occurs in a stream of any provider, and some that are none."""

wild = st.recursive(
    values | st.sampled_from(WORDS) | st.just(float("nan")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=1)
    ),
    max_leaves=12,
)


def places(value, way=()):
    """The way to every value in a value."""
    found = [way]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += places(item, (*way, key))
    return found


@st.composite
def damaged(draw, events):
    """Draw a stream that was damaged: events lost, said twice, out of order, or with anything anywhere in them."""
    events = copy.deepcopy(events)
    for _ in range(draw(st.integers(1, 4))):
        if not events:
            break
        at = draw(st.integers(0, len(events) - 1))
        match draw(st.sampled_from(["lose", "repeat", "move", "spoil", "spoil"])):
            case "lose":
                del events[at]
            case "repeat":
                events.insert(draw(st.integers(0, len(events))), copy.deepcopy(events[at]))
            case "move":
                events.insert(draw(st.integers(0, len(events) - 1)), events.pop(at))
            case _:
                *way, last = draw(st.sampled_from(places(events[at], (at,))))
                node = events
                for key in way:
                    node = node[key]
                node[last] = draw(wild)
    return events


def run(format_id, events):
    calls, came = assembler(format_id), []
    for event in events:
        with suppress(StreamError):
            came += calls.feed(event)
    came += calls.finish()
    assert calls.finish() == ()
    return came


@pytest.mark.parametrize("format_id", ASSEMBLERS)
@given(data=st.data())
def test_a_damaged_stream_gives_calls_that_can_be_read_and_nothing_worse(format_id, data):
    events = data.draw(damaged(STREAMS[format_id]))

    came = run(format_id, events)

    for call in came:
        assert belongs_to(REGISTRY.inspect_call(call, format_id).format, canonical_format("call", format_id))
        assert not containers(call) & containers(events)


@pytest.mark.parametrize("format_id", ASSEMBLERS)
@given(st.lists(wild, max_size=5))
def test_anything_at_all_is_taken_or_refused(format_id, events):
    for call in run(format_id, events):
        assert belongs_to(REGISTRY.inspect_call(call, format_id).format, canonical_format("call", format_id))


@pytest.mark.parametrize("format_id", ["openai.responses", "anthropic.messages"])
@given(data=st.data())
def test_a_call_never_comes_out_twice_from_events_that_are_only_lost_repeated_or_moved(format_id, data):
    events = list(STREAMS[format_id])
    for _ in range(data.draw(st.integers(0, 3))):
        at, to = data.draw(st.integers(0, len(events) - 1)), data.draw(st.integers(0, len(events) - 1))
        events.insert(to, events.pop(at))
    kept = data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))

    came = run(format_id, [event for event, keep in zip(events, kept, strict=True) if keep])

    ids = [REGISTRY.inspect_call(call).call_id for call in came]
    assert len(ids) == len(set(ids))
