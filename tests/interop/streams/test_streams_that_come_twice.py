"""A stream that comes twice, or begins again, runs each call once: what follows its end is not read."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from callboard.interop.assembly.event_bytes import EventReader
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.streams.calls import assembler
from hypothesis import given
from hypothesis import strategies as st
from interop_json import canonical
from interop_streams import (
    Streamed,
    anthropic_events,
    asked,
    bedrock_events,
    chat_events,
    gemini_call,
    responses_events,
    streamed,
)

CHAT, RESPONSES, ANTHROPIC = "openai.chat_completions", "openai.responses", "anthropic.messages"
BEDROCK, GEMINI = "bedrock.converse", "gemini.generate_content"


def run(format_id, events):
    """Return all calls of a stream; events that contradict an earlier one are passed over, as in a turn."""
    calls, came = assembler(format_id), []
    for event in events:
        with suppress(StreamError):
            came += calls.feed(event)
    return [*came, *calls.finish()]


def chat(stream, answer="chatcmpl-1"):
    return [{"id": answer, **chunk} for chunk in chat_events(stream)]


def responses(stream, answer="resp_1"):
    told = {"response": {"id": answer}}
    return [
        {"type": "response.created", **told},
        *responses_events(stream),
        {"type": "response.completed", **told},
    ]


def anthropic(stream, answer="msg_1"):
    return [{"type": "message_start", "message": {"id": answer}}, *anthropic_events(stream)]


def bedrock(stream, answer=None):
    return [{"messageStart": {"role": "assistant"}}, *bedrock_events(stream), {"metadata": {"usage": {}}}]


def gemini(stream, answer="resp"):
    contents = [{"content": {"parts": [gemini_call(call)]}} for call in stream.calls]
    return [{"responseId": answer, "candidates": [each]} for each in [*contents, {"finishReason": "STOP"}]]


WHOLE = {CHAT: chat, RESPONSES: responses, ANTHROPIC: anthropic, BEDROCK: bedrock, GEMINI: gemini}


def one_call(call_id):
    call = asked(call_id, a=1)
    return Streamed([call], [(0, call.text)])


def by_id(values):
    return sorted(canonical(value) for value in values)


@pytest.mark.parametrize("format_id", WHOLE)
@given(stream=streamed())
def test_a_stream_that_comes_twice_gives_each_call_once(format_id, stream):
    events = WHOLE[format_id](stream)

    assert run(format_id, events * 2) == run(format_id, events)


@pytest.mark.parametrize("format_id", WHOLE)
@given(stream=streamed(), other=streamed())
def test_another_answer_behind_the_end_of_the_first_is_not_read(format_id, stream, other):
    events = WHOLE[format_id](stream)

    came = run(format_id, [*events, *WHOLE[format_id](other, "another")])

    assert came == run(format_id, events)


BEGINS_ANEW = [RESPONSES, ANTHROPIC, BEDROCK]
"""APIs of which an answer has a first event, so that one which begins anew is known."""


@pytest.mark.parametrize("format_id", BEGINS_ANEW)
@given(data=st.data())
def test_an_answer_that_begins_anew_wherever_it_was_gives_each_of_its_calls_once(format_id, data):
    events = WHOLE[format_id](data.draw(streamed()))
    cut = data.draw(st.integers(1, len(events) - 3))

    came = run(format_id, [*events[:cut], *events])

    assert by_id(came) == by_id(run(format_id, events))


@pytest.mark.parametrize("format_id", BEGINS_ANEW)
def test_a_call_that_is_open_when_the_answer_begins_anew_is_dropped(format_id):
    first, anew = (WHOLE[format_id](one_call(each)) for each in ("call_1", "call_2"))

    came = run(format_id, [*first[:3], *anew])

    assert came == run(format_id, anew) != []


def test_an_answer_that_begins_again_once_it_gave_its_reason_to_stop_is_over():
    *events, stop = anthropic(one_call("call_1"))

    came = run(ANTHROPIC, [*events, *anthropic(one_call("call_2"))])

    assert stop == {"type": "message_stop"}
    assert [call["id"] for call in came] == ["call_1"]


def test_calls_behind_one_of_several_reasons_to_stop_are_read():
    one, two = (
        {"index": 0, "id": f"call_{n}", "function": {"name": "ls", "arguments": "{}"}} for n in (1, 2)
    )
    chunks = [
        {"id": "c", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
        for call in (one, two)
    ]

    assert [call["id"] for call in run(CHAT, chunks)] == ["call_1", "call_2"]


PART = {"functionCall": {"name": "ls", "args": {}}}
DELTA = {"function": {"name": "ls", "arguments": "{}"}}
ALIKE = {
    GEMINI: {"candidates": [{"content": {"parts": [PART, PART]}, "finishReason": "STOP"}]},
    CHAT: {"choices": [{"delta": {"tool_calls": [DELTA, DELTA]}, "finish_reason": "tool_calls"}]},
}


@pytest.mark.parametrize("format_id", ALIKE)
def test_calls_without_ids_that_are_alike_are_two_before_the_end_and_none_behind_it(format_id):
    assert len(run(format_id, [ALIKE[format_id]] * 2)) == 2


def test_an_answer_of_gemini_is_known_by_its_id_in_either_spelling():
    first, other = (
        {"response_id": n, "candidates": [{"content": {"parts": [PART]}, "finish_reason": "STOP"}]}
        for n in ("1", "2")
    )
    other["candidates"][0]["content"]["parts"] = [{"function_call": {"name": "rm", "args": {}}}]

    assert run(GEMINI, [first, other]) == [PART]


def test_what_follows_done_is_not_read():
    chunks = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chat(one_call("call_1")))
    sent = f"{chunks}data: [DONE]\n\n"
    reader, calls = EventReader(), assembler(CHAT)

    events = reader.feed((sent * 2 + "no event at all").encode()) + reader.finish()

    assert len(events) == chunks.count("data:")
    assert sum(len(calls.feed(event)) for event in events) == 1
