"""Streams that say a call under a strange key, twice under one id, or in an alternative answer."""

from __future__ import annotations

import pytest
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.streams.calls import assembler

ITEM = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}


def told_of(format_id, events):
    """Return what the calls of a stream mean, and what is told of the events that were refused."""
    calls, came, errors = assembler(format_id), [], []
    for event in events:
        try:
            came += calls.feed(event)
        except StreamError as error:
            errors.append(str(error))
    return [REGISTRY.inspect_call(call) for call in (*came, *calls.finish())], errors


def test_an_item_that_is_done_without_a_status_is_whole():
    begun = {**ITEM, "arguments": "", "status": "in_progress"}
    added = {"type": "response.output_item.added", "output_index": 0, "item": begun}

    (call,), _errors = told_of(
        "openai.responses",
        [added, {"type": "response.output_item.done", "output_index": 0, "item": ITEM}],
    )

    assert (call.payload, call.payload_metadata["status"]) == ({"a": 1}, "completed")


FULL = {"a": 1}


def chat(function, *, choice=0, index=0, call_id="c", finish=None, **around):
    call = {"index": index, "id": call_id, "type": "function", "function": function, **around}
    return {"choices": [{"index": choice, "delta": {"tool_calls": [call]}, "finish_reason": finish}]}


def chat_end(choice=0):
    return {"choices": [{"index": choice, "delta": {}, "finish_reason": "tool_calls"}]}


def anthropic(piece, *, index=0, call_id="c", begun=None):
    block = {"type": "tool_use", "id": call_id, "name": "f", "input": {}, **(begun or {})}
    delta = {"type": "input_json_delta", **piece}
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *([{"type": "content_block_delta", "index": index, "delta": delta}] if piece else []),
        {"type": "content_block_stop", "index": index},
    ]


ANTHROPIC_END = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]


def bedrock(piece, *, index=0, call_id="c"):
    use = {"toolUseId": call_id, "name": "f"}
    return [
        {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": use}}},
        {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": piece}}},
        {"contentBlockStop": {"contentBlockIndex": index}},
    ]


BEDROCK_END = [{"messageStop": {"stopReason": "tool_use"}}]


def gemini(call, *, finish=None, **candidate):
    content = {"parts": [{"functionCall": call}]}
    return {"candidates": [{"content": content, "finishReason": finish, **candidate}]}


def cohere(piece):
    begun = {"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    return [
        {"type": "message-start"},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": begun}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": piece}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]


def responses(delta):
    begun = {**ITEM, "arguments": ""}
    done = {key: item for key, item in ITEM.items() if key != "arguments"}
    return [
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        {"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": 0, **delta},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
    ]


def ag_ui(args):
    return [
        {"type": "RUN_STARTED"},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", **args},
        {"type": "TOOL_CALL_END", "toolCallId": "c"},
        {"type": "RUN_FINISHED"},
    ]


CHAT, ANTHROPIC, BEDROCK = "openai.chat_completions", "anthropic.messages", "bedrock.converse"
GEMINI, OLLAMA = "gemini.generate_content", "ollama.chat"
ELSEWHERE = {
    "chat, an object": (CHAT, [chat({"name": "f", "args": FULL}), chat_end()]),
    "chat, a text": (CHAT, [chat({"name": "f", "input": '{"a": 1}'}), chat_end()]),
    "chat, in a later delta": (CHAT, [chat({"name": "f"}), chat({"args": '{"a": 1}'}), chat_end()]),
    "chat, around": (CHAT, [chat({"name": "f"}, arguments='{"a": 1}'), chat_end()]),
    "responses": ("openai.responses", responses({"arguments": '{"a": 1}'})),
    "anthropic": (ANTHROPIC, [*anthropic({"input": '{"a": 1}'}), *ANTHROPIC_END]),
    "anthropic, at its start": (
        ANTHROPIC,
        [*anthropic({}, begun={"partial_json": '{"a": 1}'}), *ANTHROPIC_END],
    ),
    "bedrock": (BEDROCK, [*bedrock({"arguments": '{"a": 1}'}), *BEDROCK_END]),
    "cohere": ("cohere.chat", cohere({"args": '{"a": 1}'})),
    "gemini": (GEMINI, [gemini({"name": "f", "arguments": FULL}, finish="STOP")]),
    "ag-ui": ("ag_ui", ag_ui({"args": '{"a": 1}'})),
}


@pytest.mark.parametrize(("format_id", "events"), ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_call_whose_pieces_stand_under_a_strange_key_does_not_run_without_arguments(format_id, events):
    calls, _errors = told_of(format_id, events)

    assert [call.payload_kind for call in calls] in ([], ["malformed"])


def ollama(name, call_id="c", **event):
    call = {"id": call_id, "function": {"name": name, "arguments": FULL}}
    return {"message": {"tool_calls": [call]}, "done": False, **event}


TWICE = {
    "chat, at two places": (
        CHAT,
        [chat({"name": "f", "arguments": '{"a": 1}'}, index=n) for n in (0, 1)],
        [chat_end()],
    ),
    "anthropic": (
        ANTHROPIC,
        [*anthropic({"partial_json": '{"a": 1}'}), *anthropic({"partial_json": '{"a": 1}'}, index=1)],
        ANTHROPIC_END,
    ),
    "bedrock": (
        BEDROCK,
        [*bedrock({"input": '{"a": 1}'}), *bedrock({"input": '{"a": 1}'}, index=1)],
        BEDROCK_END,
    ),
    "gemini": (GEMINI, [gemini({"id": "c", "name": "f", "args": FULL})] * 2, [gemini({}, finish="STOP")]),
    "ollama": (OLLAMA, [ollama("f"), ollama("f")], [{"done": True}]),
}


@pytest.mark.parametrize(("format_id", "events", "end"), TWICE.values(), ids=TWICE)
def test_the_same_call_twice_in_a_stream_is_one_call(format_id, events, end):
    calls, errors = told_of(format_id, [*events, *end])

    assert [call.payload for call in calls if call.payload_kind == "object"] == [FULL]
    assert len(errors) == 1
    assert "second time" in errors[0]


@pytest.mark.parametrize(
    ("format_id", "events"),
    [
        (CHAT, [chat({"name": "f", "arguments": '{"a": 1}'}, index=n, call_id=f"c{n}") for n in (0, 1)]),
        (GEMINI, [gemini({"name": "f", "args": FULL})] * 2),
        (OLLAMA, [ollama("f", None), ollama("f", None)]),
    ],
    ids=["chat", "gemini without ids", "ollama without ids"],
)
def test_calls_without_an_id_in_common_are_as_many(format_id, events):
    calls, errors = told_of(format_id, events)

    assert ([call.payload for call in calls], errors) == ([FULL, FULL], [])


def test_the_calls_of_an_alternative_answer_are_no_calls_of_this_turn():
    whole = {"name": "f", "arguments": '{"a": 1}'}
    other = {"name": "f", "arguments": '{"a": 2}'}
    of_chat = [chat(whole), chat(other, choice=1, call_id="d"), chat_end(1), chat_end()]
    parts = [
        {"index": n, "content": {"parts": [{"functionCall": {"name": "f", "args": {"a": n + 1}}}]}}
        for n in (0, 1)
    ]

    for format_id, events in ((CHAT, of_chat), (GEMINI, [{"candidates": parts}])):
        calls, _errors = told_of(format_id, events)
        assert [call.payload for call in calls] == [FULL]
