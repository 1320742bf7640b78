"""However a stream of calls is cut and mixed, the calls that come out are those that went in."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from callboard.interop.assembly.event_bytes import EventReader
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY
from callboard.interop.streams.calls import assembler
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import RECORDS
from interop_json import canonical
from interop_streams import (
    Asked,
    Streamed,
    anthropic_call,
    anthropic_events,
    assembled,
    bedrock_call,
    bedrock_events,
    calls,
    chat_call,
    chat_events,
    cut,
    gemini_call,
    gemini_streamed,
    responses_call,
    responses_events,
    streamed,
    text,
)


def by_id(values):
    return sorted(canonical(value) for value in values)


@given(streamed())
def test_chat_calls_come_out_as_they_went_in(stream):
    came = assembled("openai.chat_completions", chat_events(stream))

    assert by_id(came) == by_id(chat_call(call) for call in stream.calls)


@pytest.mark.parametrize("index", ["null", "zero", "missing"])
@given(stream=streamed())
def test_a_useless_index_never_merges_calls_whose_deltas_bear_their_ids(index, stream):
    came = assembled("openai.chat_completions", chat_events(stream, index=index, ids="every"))

    assert by_id(came) == by_id(chat_call(call) for call in stream.calls)


@pytest.mark.parametrize("index", ["null", "zero", "missing"])
@given(data=st.data())
def test_a_useless_index_never_merges_calls_that_follow_each_other(index, data):
    stream = data.draw(streamed())
    in_turn = stream._replace(pieces=sorted(stream.pieces, key=lambda pair: pair[0]))

    came = assembled("openai.chat_completions", chat_events(in_turn, index=index))

    assert by_id(came) == by_id(chat_call(call) for call in stream.calls)


@given(streamed())
def test_responses_calls_come_out_as_they_went_in(stream):
    came = assembled("openai.responses", responses_events(stream))

    assert by_id(came) == by_id(responses_call(call, n) for n, call in enumerate(stream.calls))


@given(st.data())
def test_raw_input_comes_out_to_the_letter(data):
    whole = data.draw(text)
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "exec", "input": ""}
    pieces = [
        {"type": "response.custom_tool_call_input.delta", "item_id": "ctc_1", "delta": piece}
        for piece in cut(whole, data.draw)
    ]
    done = {"type": "response.custom_tool_call_input.done", "item_id": "ctc_1", "input": whole}

    came = assembled(
        "openai.responses", [{"type": "response.output_item.added", "item": item}, *pieces, done]
    )

    assert came == [{**item, "input": whole}]


@given(streamed())
def test_anthropic_calls_come_out_as_they_went_in(stream):
    came = assembled("anthropic.messages", anthropic_events(stream))

    assert by_id(came) == by_id(anthropic_call(call) for call in stream.calls)


@given(streamed())
def test_bedrock_calls_come_out_as_they_went_in(stream):
    came = assembled("bedrock.converse", bedrock_events(stream))

    assert by_id(came) == by_id(bedrock_call(call) for call in stream.calls)


@given(gemini_streamed())
def test_gemini_calls_come_out_as_they_went_in(stream):
    made, events = stream

    came = assembled("gemini.generate_content", events)

    assert by_id(came) == by_id(gemini_call(call) for call in made)


@given(calls())
def test_whole_gemini_parts_come_out_as_they_are(made):
    parts = [gemini_call(call) for call in made]

    came = assembled("gemini.generate_content", [{"candidates": [{"content": {"parts": parts}}]}])

    assert came == parts


RECORDED = [
    (record.value["function"]["name"], record.value["function"]["arguments"])
    for record in RECORDS
    if (record.format, record.kind) == ("openai.chat_completions.function", "call")
    if isinstance(record.value["function"].get("arguments"), str) and record.value["function"].get("name")
]


@given(st.lists(st.sampled_from(RECORDED), min_size=1, max_size=3), st.data())
def test_recorded_arguments_come_out_to_the_letter_broken_ones_too(some, data):
    made = [Asked(f"call_{n}", name, {}, arguments) for n, (name, arguments) in enumerate(some)]
    queues = [cut(call.text, data.draw) for call in made]
    turns = data.draw(st.permutations([n for n, queue in enumerate(queues) for _ in queue]))

    came = assembled(
        "openai.chat_completions", chat_events(Streamed(made, [(n, queues[n].pop(0)) for n in turns]))
    )

    assert by_id(came) == by_id(chat_call(call) for call in made)


STREAMS = {
    "openai.chat_completions": chat_events,
    "openai.responses": responses_events,
    "anthropic.messages": anthropic_events,
    "bedrock.converse": bedrock_events,
}


@pytest.mark.parametrize("format_id", STREAMS)
@given(data=st.data())
def test_a_stream_that_breaks_off_gives_whole_calls_and_malformed_ones_and_nothing_between(format_id, data):
    stream = data.draw(streamed())
    events = STREAMS[format_id](stream)
    meant = {call.call_id: call for call in stream.calls}

    came = assembled(format_id, events[: data.draw(st.integers(0, len(events)))])

    for value in came:
        inspected = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(value)
        call = meant.pop(inspected.call_id)
        if inspected.payload_kind == "malformed":
            assert inspected.payload_metadata["error"]["code"] == "cut_off"
            assert call.text.startswith(_paired(inspected.raw))
        else:
            assert canonical(inspected.payload) == canonical(call.arguments)


def _paired(raw):
    """What came of a text; the half of a character at its end is left out."""
    return raw[:-1] if raw and "\ud800" <= raw[-1] <= "\udfff" else raw


@given(
    stream=streamed(),
    data=st.data(),
    ascii_only=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_bytes_may_be_cut_anywhere(stream, data, ascii_only, line_end):
    events = anthropic_events(stream)
    lines = [
        f"event: {event['type']}{line_end}data: {json.dumps(event, ensure_ascii=ascii_only)}{line_end * 2}"
        for event in events
    ]
    sent = "".join(lines).encode("utf-8", "strict" if ascii_only else "replace")
    places = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    edges = [0, *places, len(sent)]
    reader, whole = EventReader(), EventReader()

    came = [event for a, b in pairwise(edges) for event in reader.feed(sent[a:b])]

    assert came == list(whole.feed(sent))
    assert len(came) == len(events)


@given(stream=streamed(), data=st.data())
def test_a_call_cut_between_the_bytes_of_a_character_is_whole_again(stream, data):
    whole_pieces = stream._replace(pieces=[(number, call.text) for number, call in enumerate(stream.calls)])
    sent = "".join(
        f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in chat_events(whole_pieces)
    ).encode()
    places = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=12)))
    edges = [0, *places, len(sent)]
    reader, calls_of = EventReader(), assembler("openai.chat_completions")

    came = [
        call for a, b in pairwise(edges) for event in reader.feed(sent[a:b]) for call in calls_of.feed(event)
    ]

    assert came == [chat_call(call) for call in stream.calls]
