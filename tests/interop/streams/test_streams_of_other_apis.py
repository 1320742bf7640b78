"""Calls streamed by Ollama, Cohere, AG-UI and the AI SDK's interfaces come out as they went in, and only those that are ours."""

from __future__ import annotations

import json

import pytest
from callboard.interop.assembly.assembler import StreamLimits
from callboard.interop.assembly.event_bytes import EventReader
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.streams.calls import assembler
from hypothesis import given
from hypothesis import strategies as st
from interop_json import canonical
from interop_streams import (
    Streamed,
    ag_ui_events,
    ai_sdk_call,
    ai_sdk_events,
    asked,
    assembled,
    chat_call,
    cohere_events,
    ollama_call,
    ollama_events,
    streamed,
)

OLLAMA, COHERE, AG_UI, AI_SDK = "ollama.chat", "cohere.chat", "ag_ui", "ai_sdk.ui"
EVENTS = {OLLAMA: ollama_events, COHERE: cohere_events, AG_UI: ag_ui_events, AI_SDK: ai_sdk_events}
CALLS = {OLLAMA: ollama_call, COHERE: chat_call, AG_UI: chat_call, AI_SDK: ai_sdk_call}
TWO = Streamed([asked("call_1", path="a"), asked("call_2", "now")], [(0, '{"path": "a"}'), (1, "{}")])


def by_id(values):
    return sorted(canonical(value) for value in values)


@pytest.mark.parametrize("format_id", EVENTS)
@given(stream=streamed())
def test_calls_come_out_as_they_went_in(format_id, stream):
    came = assembled(format_id, EVENTS[format_id](stream))

    assert by_id(came) == by_id(CALLS[format_id](call) for call in stream.calls)


@given(streamed())
def test_calls_of_ag_ui_in_chunks_come_out_as_they_went_in(stream):
    came = assembled(AG_UI, ag_ui_events(stream, chunks=True))

    assert by_id(came) == by_id(chat_call(call) for call in stream.calls)


@pytest.mark.parametrize("format_id", EVENTS)
@given(stream=streamed())
def test_a_stream_that_comes_twice_gives_each_call_once(format_id, stream):
    events = EVENTS[format_id](stream)

    assert assembled(format_id, events * 2) == assembled(format_id, events)


@pytest.mark.parametrize("format_id", [COHERE, AG_UI, AI_SDK])
@given(data=st.data())
def test_an_answer_that_begins_anew_gives_each_of_its_calls_once(format_id, data):
    events = EVENTS[format_id](data.draw(streamed()))
    cut = data.draw(st.integers(1, len(events) - 2))

    came = assembled(format_id, [*events[:cut], *events])

    assert by_id(came) == by_id(assembled(format_id, events))


LINES = {
    OLLAMA: "".join(f"{json.dumps(event)}\n" for event in ollama_events(TWO)),
    **{
        name: "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS[name](TWO))
        for name in (COHERE, AG_UI, AI_SDK)
    },
}


@pytest.mark.parametrize("format_id", LINES)
def test_the_calls_of_a_stream_of_bytes_are_read(format_id):
    reader, calls = EventReader(), assembler(format_id)

    events = reader.feed(LINES[format_id].encode()) + reader.finish()
    came = [REGISTRY.inspect_call(call) for event in events for call in calls.feed(event)]

    assert [(call.call_id, call.tool_name, call.payload) for call in came] == [
        ("call_1", "ls", {"path": "a"}),
        ("call_2", "now", {}),
    ]


CUT = {
    "Cohere, in the arguments": (
        COHERE,
        cohere_events(Streamed([asked("call_1")], [(0, "{"), (0, "}")]))[:4],
    ),
    "Cohere, at the limit of tokens": (
        COHERE,
        [
            *cohere_events(Streamed([asked("call_1")], [(0, "")]))[:-1],
            {"type": "message-end", "delta": {"finish_reason": "MAX_TOKENS"}},
        ],
    ),
    "AG-UI, before the end of the run": (AG_UI, ag_ui_events(TWO)[:4]),
    "AG-UI, by an error": (AG_UI, [*ag_ui_events(TWO)[:4], {"type": "RUN_ERROR", "message": "no"}]),
    "AG-UI, cancelled": (
        AG_UI,
        [*ag_ui_events(TWO)[:4], {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}],
    ),
    "AI SDK, in the arguments": (AI_SDK, ai_sdk_events(TWO)[:4]),
    "AI SDK, before the end of the message": (AI_SDK, ai_sdk_events(TWO)[:5]),
    "AI SDK, aborted": (AI_SDK, [*ai_sdk_events(TWO)[:5], {"type": "abort"}]),
}


@pytest.mark.parametrize(("format_id", "events"), CUT.values(), ids=CUT)
def test_a_call_that_is_not_known_to_be_left_to_us_is_cut_off(format_id, events):
    (call,) = assembled(format_id, events)[:1]

    inspected = REGISTRY.inspect_call(call)
    assert inspected.payload_kind == "malformed"
    assert inspected.payload_metadata["error"]["code"] == "cut_off"


NOT_OURS = {
    "AG-UI, with a result": (AG_UI, {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "call_1"}),
    "AI SDK, with an output": (
        AI_SDK,
        {"type": "tool-output-available", "toolCallId": "call_1", "output": 1},
    ),
    "AI SDK, with an error": (
        AI_SDK,
        {"type": "tool-output-error", "toolCallId": "call_1", "errorText": "x"},
    ),
    "AI SDK, denied": (AI_SDK, {"type": "tool-output-denied", "toolCallId": "call_1"}),
    "AI SDK, for the user to approve": (
        AI_SDK,
        {"type": "tool-approval-request", "approvalId": "a", "toolCallId": "call_1"},
    ),
}


@pytest.mark.parametrize(("format_id", "event"), NOT_OURS.values(), ids=NOT_OURS)
def test_a_call_that_is_answered_in_the_same_stream_does_not_come_out(format_id, event):
    *events, last = EVENTS[format_id](TWO)

    came = assembled(format_id, [*events, event, last])

    assert [REGISTRY.inspect_call(call).call_id for call in came] == ["call_2"]


def test_what_the_provider_runs_itself_does_not_come_out():
    started, begun, call, *rest = ai_sdk_events(TWO)

    came = assembled(AI_SDK, [started, begun, {**call, "providerExecuted": True}, *rest])

    assert [call["toolCallId"] for call in came] == ["call_2"]


def test_a_preliminary_output_answers_nothing():
    *events, last = ai_sdk_events(TWO)
    on_the_way = {"type": "tool-output-available", "toolCallId": "call_1", "output": 1, "preliminary": True}

    assert len(assembled(AI_SDK, [*events, on_the_way, last])) == 2


def test_a_step_that_is_taken_back_leaves_no_call():
    events = ai_sdk_events(TWO)
    again = [{"type": "reset-step"}, ai_sdk_call(asked("call_3"))]

    came = assembled(AI_SDK, [*events[:-2], *again, *events[-2:]])

    assert [call["toolCallId"] for call in came] == ["call_3"]


def test_what_was_answered_and_taken_back_makes_no_room_for_more():
    long = ai_sdk_call(asked("call_9", text="x" * 300))
    answered = {"type": "tool-output-available", "toolCallId": "call_1", "output": 1}
    calls = assembler(AI_SDK, StreamLimits(chars=320))
    for event in [{"type": "start"}, ai_sdk_call(asked("call_1", text="x" * 100)), answered]:
        calls.feed(event)
    calls.feed({"type": "reset-step"})

    with pytest.raises(StreamError, match="longer than 320"):
        calls.feed(long)


def test_a_piece_for_a_call_that_is_not_open_spoils_no_other():
    *events, last = ag_ui_events(TWO)
    calls = assembler(AG_UI)
    came = [call for event in events for call in calls.feed(event)]

    with pytest.raises(StreamError, match="not open"):
        calls.feed({"type": "TOOL_CALL_ARGS", "toolCallId": "call_9", "delta": "x"})
    came += calls.feed(last)

    assert [REGISTRY.inspect_call(call).payload_kind for call in came] == ["object", "object"]


@pytest.mark.parametrize(
    ("format_id", "event"),
    [
        (OLLAMA, {"message": {"tool_calls": [{"function": {"name": "ls", "arguments": "{}"}}]}}),
        (COHERE, {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": []}}}),
        (
            COHERE,
            {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {}}}}},
        ),
        (AG_UI, {"type": "TOOL_CALL_START", "toolCallName": "ls"}),
        (AG_UI, {"type": "TOOL_CALL_ARGS", "toolCallId": "call_9", "delta": "{}"}),
        (AI_SDK, {"type": "tool-input-available", "toolName": "ls", "input": {}}),
    ],
)
def test_an_event_that_is_about_no_call_that_there_is_is_refused(format_id, event):
    calls = assembler(format_id)

    with pytest.raises(StreamError):
        calls.feed(event)

    assert calls.finish() == ()


@pytest.mark.parametrize("format_id", [AG_UI, AI_SDK])
def test_a_call_that_begins_twice_is_contradicted_and_never_runs(format_id):
    events = EVENTS[format_id](TWO)
    begun = next(place for place, event in enumerate(events) if event.get("toolCallId") == "call_1") + 1
    calls = assembler(format_id)
    came = [call for event in events[:begun] for call in calls.feed(event)]

    with pytest.raises(StreamError, match="a second time"):
        calls.feed(events[begun - 1])
    came += [call for event in events[begun:] for call in calls.feed(event)]

    kinds = {call.call_id: call.payload_kind for call in map(REGISTRY.inspect_call, came)}
    assert kinds == {"call_1": "malformed", "call_2": "object"}
