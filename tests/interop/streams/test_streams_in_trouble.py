"""A call that was cut off, or of which two things were said, is malformed and says so: it never runs."""

from __future__ import annotations

import pytest
from callboard.interop.assembly.assembler import StreamLimits
from callboard.interop.assembly.stream_errors import StreamError
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.streams.calls import ASSEMBLERS, assembler

CHAT, RESPONSES, ANTHROPIC = "openai.chat_completions", "openai.responses", "anthropic.messages"
BEDROCK, GEMINI = "bedrock.converse", "gemini.generate_content"


def chat(arguments, call_id="call_1", **keys):
    return {"index": 0, "id": call_id, "function": {"name": "ls", "arguments": arguments}, **keys}


def ended(reason):
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def item(kind="response.output_item.added", **keys):
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "ls", "arguments": "", **keys}
    return {"type": kind, "output_index": 0, "item": call}


def custom(kind="response.output_item.added", **keys):
    call = {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "call_1",
        "name": "exec",
        "input": "",
        **keys,
    }
    return {"type": kind, "output_index": 0, "item": call}


def piece(said, of="function_call_arguments", item_id="fc_1"):
    return {"type": f"response.{of}.delta", "item_id": item_id, "delta": said}


START = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "tool_use", "id": "call_1", "name": "ls", "input": {}},
}
STOP = {"type": "content_block_stop", "index": 0}


def typed(said):
    return {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": said},
    }


USE = {
    "contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "call_1", "name": "ls"}}}
}


def used(said):
    return {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": said}}}}


def gemini(*patches, more=True, **keys):
    return {"functionCall": {**keys, "partialArgs": list(patches), "willContinue": more}}


def run(format_id, events):
    """Return all calls of a stream, and what was wrong with it."""
    calls, came, problems = assembler(format_id), [], []
    for event in events:
        try:
            came += calls.feed(event)
        except StreamError as error:
            problems.append(error)
    return [*came, *calls.finish()], problems


def fault(format_id, call):
    inspected = REGISTRY.inspect_call(call)
    assert (inspected.payload_kind, inspected.payload) == ("malformed", None)
    return inspected.payload_metadata["error"]["code"], inspected.raw


CUT_OFF = {
    "Chat, before the arguments": (CHAT, [chat("")], ""),
    "Chat, in the arguments": (CHAT, [chat('{"a":')], '{"a":'),
    "Chat, at the limit of tokens": (CHAT, [chat(""), ended("length")], ""),
    "Chat, by a filter": (CHAT, [chat('{"a":'), ended("content_filter")], '{"a":'),
    "Chat, after what is JSON but no object": (CHAT, [chat("12")], "12"),
    "Responses, before the arguments": (RESPONSES, [item()], ""),
    "Responses, in the arguments": (RESPONSES, [item(), piece('{"a":')], '{"a":'),
    "Responses, as the server says": (
        RESPONSES,
        [item(), item("response.output_item.done", status="incomplete")],
        "",
    ),
    "Responses, in raw input": (
        RESPONSES,
        [custom(), piece("{}", "custom_tool_call_input", "ctc_1")],
        "{}",
    ),
    "Responses, in raw input, as the server says": (
        RESPONSES,
        [custom(), custom("response.output_item.done", input="rm -r /tm", status="incomplete")],
        "rm -r /tm",
    ),
    "Anthropic, before the arguments": (ANTHROPIC, [START], ""),
    "Anthropic, in the arguments": (ANTHROPIC, [START, typed('{"a":')], '{"a":'),
    "Anthropic, at the limit of tokens": (
        ANTHROPIC,
        [START, typed(""), STOP, {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}],
        "",
    ),
    "Anthropic, at the limit of tokens, in the arguments": (
        ANTHROPIC,
        [START, typed('{"a":'), STOP, {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}],
        '{"a":',
    ),
    "Bedrock, before the arguments": (BEDROCK, [USE], ""),
    "Bedrock, at the limit of tokens": (
        BEDROCK,
        [USE, {"contentBlockStop": {"contentBlockIndex": 0}}, {"messageStop": {"stopReason": "max_tokens"}}],
        "",
    ),
}


@pytest.mark.parametrize(("format_id", "events", "raw"), CUT_OFF.values(), ids=CUT_OFF)
def test_a_call_that_was_cut_off_is_malformed_and_says_so(format_id, events, raw):
    (call,), problems = run(format_id, events)

    assert fault(format_id, call) == ("cut_off", raw)
    assert problems == []


@pytest.mark.parametrize("format_id", [CHAT, RESPONSES, ANTHROPIC, BEDROCK])
def test_a_call_whose_arguments_are_whole_is_not_cut_off_by_an_end_without_ceremony(format_id):
    events = {
        CHAT: [chat('{"a":1}')],
        RESPONSES: [item(), piece('{"a":1}')],
        ANTHROPIC: [START, typed('{"a":1}')],
        BEDROCK: [USE, used('{"a":1}')],
    }

    (call,), _ = run(format_id, events[format_id])

    assert REGISTRY.inspect_call(call).payload == {"a": 1}


def test_a_cut_off_call_keeps_its_reason_in_another_format():
    (call,), _ = run(ANTHROPIC, [START])

    (converted,) = REGISTRY.convert_tool_calls([call], ToolInteropTarget(CHAT))

    assert fault(CHAT, converted) == ("cut_off", "")


@pytest.mark.parametrize(("format_id", "events", "raw"), CUT_OFF.values(), ids=CUT_OFF)
def test_a_cut_off_call_is_fit_for_the_history_once_it_is_sanitized(format_id, events, raw):
    (call,), _ = run(format_id, events)

    clean = REGISTRY.sanitize_tool_call(call)

    inspected = REGISTRY.inspect_call(clean)
    assert "_metadata" not in clean
    assert (inspected.payload_kind, inspected.payload) in [("object", {}), ("text", raw)]


CONTRADICTIONS = {
    "Chat: a call of two kinds": (
        CHAT,
        [chat("{}"), {"index": 0, "custom": {"input": "x"}}],
        "now is a custom",
    ),
    "Chat: a piece that is no text": (CHAT, [chat("{}"), chat(["x"])], "a value of type list"),
    "Responses: begun twice": (RESPONSES, [item(), item()], "a second time"),
    "Responses: told otherwise": (
        RESPONSES,
        [
            item(),
            piece('{"a":1}'),
            {"type": "response.function_call_arguments.done", "item_id": "fc_1", "arguments": '{"a":2}'},
        ],
        "not what its pieces said",
    ),
    "Responses: done otherwise": (
        RESPONSES,
        [item(), piece('{"a":1}'), item("response.output_item.done", arguments='{"a":2}')],
        "not what its pieces said",
    ),
    "Responses: done as another": (
        RESPONSES,
        [item(), item("response.output_item.done", name="rm", arguments="{}")],
        "its name was 'ls', and now is 'rm'",
    ),
    "Responses: raw input for a function": (
        RESPONSES,
        [item(), piece("x", "custom_tool_call_input")],
        "a piece of a custom_tool_call",
    ),
    "Responses: at another place": (
        RESPONSES,
        [item(), {**piece("{}"), "output_index": 5}],
        "stood at 0, and now stands at 5",
    ),
    "Anthropic: begun again": (ANTHROPIC, [START, START], "began again"),
    "Anthropic: pieces that say otherwise": (
        ANTHROPIC,
        [
            {**START, "content_block": {**START["content_block"], "input": {"a": 1}}},
            typed('{"a":2}'),
            STOP,
        ],
        "not the input that it began with",
    ),
    "Anthropic: a piece that is no text": (ANTHROPIC, [START, typed(5)], "a value of type int"),
    "Bedrock: begun again": (BEDROCK, [USE, USE], "began again"),
}


@pytest.mark.parametrize(("format_id", "events", "problem"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_is_an_error_and_its_call_is_malformed(format_id, events, problem):
    came, (error,) = run(format_id, events)

    assert problem in str(error)
    assert (error.format, error.call_id) == (format_id, "call_1")
    assert fault(format_id, came[0])[0] == "contradicted"


@pytest.mark.parametrize(
    ("format_id", "event"),
    [
        (RESPONSES, piece("x")),
        (ANTHROPIC, typed("x")),
        (BEDROCK, used("x")),
        (GEMINI, gemini({"jsonPath": "$.a", "stringValue": "x"})),
    ],
)
def test_a_piece_of_a_call_that_never_began_is_an_error_and_no_call(format_id, event):
    came, (error,) = run(format_id, [event])

    assert came == []
    assert error.call_id is None


@pytest.mark.parametrize(
    ("format_id", "events"),
    [
        (CHAT, [chat('{"a":"x'), {"index": 0, "id": 5, "function": {"arguments": "y"}}, chat('"}')]),
        (CHAT, [chat('{"a":"x'), {"index": "0", "function": {"arguments": "y"}}, chat('"}')]),
        (CHAT, [chat('{"a":"x'), {"choices": [{"delta": {"tool_calls": ["y"]}}]}, chat('"}')]),
        (CHAT, [chat('{"a":"x'), {"choices": [{"index": "0", "delta": {"content": "y"}}]}, chat('"}')]),
        (CHAT, [chat('{"a":"x'), {"index": 0, "function": {}, "custom": {}}, chat('"}')]),
        (RESPONSES, [item(), piece('{"a":"x'), piece("y", item_id="fc_9"), piece('"}')]),
        (ANTHROPIC, [START, typed('{"a":"x'), {**typed("y"), "index": "0"}, typed('"}'), STOP]),
        (
            GEMINI,
            [
                gemini(name="ls"),
                {"candidates": [{"index": "0", "content": {"parts": []}}]},
                gemini({"jsonPath": "$.a", "stringValue": "x"}, more=False),
            ],
        ),
    ],
)
def test_a_piece_that_may_have_been_anybodys_spoils_every_call_under_way(format_id, events):
    (call,), (error,) = run(format_id, events)

    assert error.call_id is None
    assert fault(format_id, call)[0] == "contradicted"


@pytest.mark.parametrize(
    ("format_id", "events"),
    [
        (CHAT, [chat("{}"), ended("tool_calls"), chat("{}")]),
        (RESPONSES, [item(), item("response.output_item.done", arguments="{}"), piece("x")]),
        (RESPONSES, [*[item("response.output_item.done", arguments="{}")] * 2]),
        (ANTHROPIC, [START, typed("{}"), STOP, typed("x")]),
    ],
)
def test_what_comes_after_the_end_of_a_call_is_an_error_and_changes_nothing(format_id, events):
    came, problems = run(format_id, events)

    assert len(problems) == 1
    assert [REGISTRY.inspect_call(call).payload for call in came] == [{}]


def test_one_call_in_trouble_does_not_touch_the_others():
    calls = [
        {"index": 0, "id": "a", "function": {"name": "ls", "arguments": ["x"]}},
        {"index": 1, "id": "b", "function": {"name": "ls", "arguments": "{}"}},
    ]

    came, (error,) = run(CHAT, [{"choices": [{"delta": {"tool_calls": calls}, "finish_reason": "stop"}]}])

    assert error.call_id == "a"
    assert [REGISTRY.inspect_call(call).payload_kind for call in came] == ["malformed", "object"]


@pytest.mark.parametrize("format_id", ASSEMBLERS)
@pytest.mark.parametrize("event", [None, "x", 5, []])
def test_an_event_that_is_no_object_is_refused(format_id, event):
    with pytest.raises(StreamError, match="an event is a JSON object"):
        assembler(format_id).feed(event)


@pytest.mark.parametrize("format_id", ASSEMBLERS)
def test_nothing_is_taken_in_after_the_end(format_id):
    calls = assembler(format_id)
    calls.finish()

    with pytest.raises(StreamError, match="after the end of the stream"):
        calls.feed({})

    assert calls.finish() == ()


def test_a_call_that_grows_beyond_the_limit_is_cut_off_there():
    calls = assembler(CHAT, StreamLimits(chars=10))
    calls.feed(chat('{"a":"'))

    with pytest.raises(StreamError, match="longer than 10 characters"):
        calls.feed(chat("xxxxxxxx"))
    came = calls.feed(chat('"}')) + calls.finish()

    assert [fault(CHAT, call) for call in came] == [("cut_off", '{"a":"')]


def test_what_has_come_out_counts_no_more():
    calls = assembler(ANTHROPIC, StreamLimits(chars=100))

    for number in range(50):
        block = {**START["content_block"], "id": f"call_{number}"}
        calls.feed({**START, "content_block": block})
        calls.feed(typed('{"a":1}'))
        assert len(calls.feed(STOP)) == 1


@pytest.mark.parametrize("format_id", [CHAT, RESPONSES, ANTHROPIC, BEDROCK, GEMINI])
def test_there_are_only_so_many_calls_in_one_stream(format_id):
    events = {
        CHAT: [chat("{}", "a"), chat("{}", "b")],
        RESPONSES: [item(arguments="{}"), item(id="fc_2", arguments="{}")],
        ANTHROPIC: [START, typed("{}"), STOP, START],
        BEDROCK: [USE, used("{}"), {"contentBlockStop": {"contentBlockIndex": 0}}, USE],
        GEMINI: [{"functionCall": {"name": "ls"}}] * 2,
    }
    calls = assembler(format_id, StreamLimits(calls=1))
    *others, last = events[format_id]
    came = [call for event in others for call in calls.feed(event)]

    with pytest.raises(StreamError, match="more than 1 calls"):
        calls.feed(last)

    assert len([*came, *calls.finish()]) == 1
