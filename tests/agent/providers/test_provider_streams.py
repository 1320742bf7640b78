"""What a stream says, however its bytes are cut: the providers' own recordings, and whatever else may come."""

from __future__ import annotations

import pytest
from callboard.agent.providers.provider_request import ProviderRequest
from callboard.agent.replay.chat_telling import tell_chat
from callboard.agent.replay.faults import stream_reply
from callboard.agent.replay.messages_telling import tell_messages
from callboard.agent.replay.responses_telling import tell_responses
from callboard.agent.replay.script import Heard, ScriptedCall, Step
from callboard.agent.wires.anthropic_wire import ANTHROPIC
from callboard.agent.wires.attempts import AttemptFailed
from callboard.agent.wires.openai_chat_wire import CHAT
from callboard.agent.wires.openai_responses_wire import RESPONSES
from callboard.agent.wires.options import read_options
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY
from callboard.interop.streams.calls import assembler
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_streams import RECORDED, whole_stream
from thorough import times

RECORDED_UP_TO_THERE = "langchain-ai/langchain issue #31634"
WIRES = {"chat": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC}


def asking(name):
    options = read_options({"model": "m"}, provider="p", home="https://x.example", api_key_env="K")
    made = ProviderRequest(WIRES[name], options, {}, lambda: 0.0)
    made.begin()
    return made


def bytes_of(name, events):
    return b"".join(stream_reply(events, done=name == "chat").pieces)


def read(name, data, cuts=()):
    """Return the events and what was gathered, of bytes that are cut at some places."""
    made, told, start = asking(name), [], 0
    for cut in [*sorted(cuts), len(data)]:
        told += made.feed(data[start:cut])
        start = cut
    told += made.finish()
    return told, made.partial


@pytest.mark.parametrize(("name", "record"), RECORDED)
def test_a_recorded_stream_is_read_as_its_calls_are(name, record):
    events = whole_stream(name, record.value)
    alone = assembler(WIRES[name].family)
    expected = [call for event in events for call in alone.feed(event)] + list(alone.finish())

    _, partial = read(name, bytes_of(name, events))

    assert partial["tool_calls"] == expected != []
    assert partial["stop_reason"] == "tool_calls"
    kinds = {DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(call).payload_kind for call in partial["tool_calls"]}
    assert kinds <= ({"malformed"} if record.source == RECORDED_UP_TO_THERE else {"object", "text"})


THINKING = {
    "chat": [
        {"choices": [{"delta": {"role": "assistant", "reasoning_content": "hm"}}]},
        {"choices": [{"delta": {"content": "grö"}}]},
        {"choices": [{"delta": {"content": "ßer 🔧"}}, {"index": 1, "delta": {"content": "other"}}]},
        {"choices": [{"delta": {}, "finish_reason": "length"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ],
    "responses": [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
        {
            "type": "response.output_item.done",
            "item": {
                "type": "reasoning",
                "id": "rs",
                "summary": [],
                "encrypted_content": "e",
                "status": None,
            },
        },
        {"type": "response.output_item.done", "item": {"type": "reasoning", "id": "rs2", "summary": []}},
        {"type": "response.output_text.delta", "delta": "größer "},
        {"type": "response.output_text.delta", "delta": "🔧"},
        {"type": "response.output_item.done", "item": {"type": "message"}},
        {
            "type": "response.incomplete",
            "response": {
                "incomplete_details": {"reason": "max_output_tokens"},
                "usage": {"input_tokens": 3, "output_tokens": 4},
            },
        },
    ],
    "anthropic": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "e"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": "x"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "größer "}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "🔧"}},
        {"type": "content_block_stop", "index": 2},
        {
            "type": "content_block_start",
            "index": 3,
            "content_block": {"type": "server_tool_use", "id": "s", "name": "search", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 3,
            "delta": {"type": "input_json_delta", "partial_json": '{"q":1}'},
        },
        {"type": "content_block_stop", "index": 3},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ],
}
KEPT = {
    "chat": [{"reasoning_content": "hm"}],
    "responses": [
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"},
        {"callboard_place": "text", "length": 8},
    ],
    "anthropic": [
        {"type": "thinking", "thinking": "hm", "signature": "e"},
        {"callboard_place": "text", "length": 8},
        {"type": "server_tool_use", "id": "s", "name": "search", "input": {"q": 1}},
    ],
}


@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=times(15, 100))
@given(data=st.data())
def test_text_thoughts_and_costs_are_the_same_however_the_bytes_are_cut(name, data):
    sent = bytes_of(name, THINKING[name])
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=12))

    told, partial = read(name, sent, cuts)

    assert "".join(event["text"] for event in told if event["type"] == "text") == "größer 🔧"
    assert [event["text"] for event in told if event["type"] == "reasoning"] == ["hm"]
    usage = told[-1]
    assert (usage["input_tokens"], usage["output_tokens"], usage["stop_reason"]) == (3, 4, "length")
    assert partial["content"] == "größer 🔧"
    assert partial["kept"] == KEPT[name]


def parts(*parts):
    return {"delta": {"content": list(parts)}}


def whole(**message):
    return {"message": {"role": "assistant", **message}}


OF_PARTS = {
    "parts": [parts({"type": "text", "text": "größer "}), parts({"type": "text", "text": "🔧"})],
    "parts and texts": [parts({"type": "text", "text": "größer "}), {"delta": {"content": "🔧"}}],
    "a message in place of a delta": [whole(content="größer 🔧")],
    "a message of parts": [whole(content=[{"type": "text", "text": "größer 🔧"}, {"type": "reference"}])],
    "a message behind a delta that opens": [{"delta": {"role": "assistant"}}, whole(content="größer 🔧")],
    "a message behind all deltas": [{"delta": {"content": "größer 🔧"}}, whole(content="größer 🔧")],
    "a message beside each delta": [
        {"delta": {"content": "größer "}, **whole(content="größer ")},
        {"delta": {"content": "🔧"}, **whole(content="größer 🔧")},
    ],
    "messages that grow": [whole(content="größer "), whole(content="größer 🔧")],
    "messages that are pieces": [whole(content="größer "), whole(content="🔧")],
}


@pytest.mark.parametrize("what", OF_PARTS)
def test_text_is_read_once_in_whatever_shape_a_compatible_server_sends_it(what):
    chunks = [{"choices": [choice]} for choice in OF_PARTS[what]]
    ending = {"choices": [{"delta": {}, "finish_reason": "stop"}]}

    told, partial = read("chat", bytes_of("chat", [*chunks, ending]))

    assert partial["content"] == "größer 🔧"
    assert "".join(event["text"] for event in told if event["type"] == "text") == "größer 🔧"


def test_thoughts_and_refusals_among_the_parts_are_read_as_such():
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "h"}, {"type": "text", "text": "m"}]}
    refusal = {"type": "refusal", "refusal": "No."}
    chunks = [{"choices": [choice]} for choice in (parts(thought), parts(refusal))]
    ending = {"choices": [{"delta": {}, "finish_reason": "stop"}]}

    told, partial = read("chat", bytes_of("chat", [*chunks, ending]))

    assert "".join(event["text"] for event in told if event["type"] == "reasoning") == "hm"
    assert (partial["content"], partial["stop_reason"]) == ("No.", "refused")


def test_calls_of_a_message_in_place_of_a_delta_are_read_once():
    call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}}
    told_twice = [{"choices": [whole(content=None, tool_calls=[call])]}] * 2
    ending = {"choices": [{"finish_reason": "tool_calls"}]}

    _, partial = read("chat", bytes_of("chat", [*told_twice, ending]))

    assert partial["tool_calls"] == [call]


def test_an_answer_whose_end_is_an_empty_word_has_not_ended():
    made = asking("chat")
    list(made.feed(bytes_of("chat", [{"choices": [{"delta": {"content": "So"}, "finish_reason": ""}]}])))

    with pytest.raises(AttemptFailed):
        list(made.finish())


CALLS = (ScriptedCall("add", {"a": 1, "b": {"c": "größer"}}), ScriptedCall("now", {}))
TOLD = {"chat": tell_chat, "responses": tell_responses, "anthropic": tell_messages}


@pytest.mark.parametrize("name", WIRES)
def test_wherever_a_stream_is_cut_a_call_is_whole_or_broken_and_never_something_else(name):
    registry = DEFAULT_TOOL_INTEROP_REGISTRY
    sent = bytes_of(name, TOLD[name](Step("Let me see.", CALLS), Heard()))
    whole = [registry.inspect_call(call).payload for call in read(name, sent)[1]["tool_calls"]]
    seen = set()

    for cut in range(0, len(sent), 5):
        made = asking(name)
        list(made.feed(sent[:cut]))
        for call in made.partial["tool_calls"]:
            inspected = registry.inspect_call(call)
            seen.add(inspected.payload_kind)
            assert inspected.payload_kind == "malformed" or inspected.payload in whole

    assert whole == [{"a": 1, "b": {"c": "größer"}}, {}]
    assert seen == {"malformed", "object"}


TWICE = {
    "the stream": lambda events: events * 2,
    "the beginning": lambda events: [*events[: len(events) // 2], *events],
}


@pytest.mark.parametrize("name", ["responses", "anthropic"])
@pytest.mark.parametrize("twice", TWICE)
def test_an_answer_that_a_gateway_sends_twice_or_begins_anew_is_kept_once(name, twice):
    events = list(TOLD[name](Step("Let me see.", CALLS, "hm"), Heard()))

    _, partial = read(name, bytes_of(name, TWICE[twice](events)))

    assert partial == read(name, bytes_of(name, events))[1]
    assert len(partial["tool_calls"]) == 2


def test_an_error_behind_the_end_of_an_answer_is_not_read():
    events = list(tell_messages(Step("Done."), Heard()))
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}

    _, partial = read("anthropic", bytes_of("anthropic", [*events, error]))

    assert partial["content"] == "Done."


@pytest.mark.parametrize("name", WIRES)
def test_an_answer_that_does_not_say_that_it_is_whole_is_cut_off(name):
    made = asking(name)
    list(made.feed(bytes_of(name, THINKING[name][:-3])))

    with pytest.raises(AttemptFailed) as caught:
        list(made.finish())

    assert caught.value.failure.code == "cut_off"


ODD = [None, 3, -1, "x", [], ["x"], {}, {"x": None}, [{}]]


def spoilt(value):
    """Yield copies of a value, in each of which one thing in it is odd."""
    yield from ODD
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        for odd in spoilt(inner):
            yield {**value, key: odd} if isinstance(value, dict) else [*value[:key], odd, *value[key + 1 :]]


RARE = [
    (
        "chat",
        [
            {
                "choices": [
                    {
                        "delta": {
                            "reasoning_details": [{"type": "reasoning.text", "text": "h", "index": 0}],
                            "refusal": "no",
                            "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "m"}]}],
                        }
                    }
                ]
            }
        ],
    ),
    (
        "chat",
        [
            {
                "choices": [
                    {"message": {"content": [{"type": "text", "text": "x"}], "reasoning_content": "y"}}
                ]
            },
            {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f"}}]}}]},
        ],
    ),
    (
        "responses",
        [
            {"type": "response.refusal.delta", "delta": "no"},
            {"type": "response.output_item.done", "item": {"type": "message", "phase": "commentary"}},
        ],
    ),
    (
        "anthropic",
        [
            {"type": "message_start", "message": {"container": {"id": "c"}}},
            {
                "type": "content_block_start",
                "index": 7,
                "content_block": {
                    "type": "tool_use",
                    "id": "t",
                    "name": "f",
                    "input": {},
                    "caller": {"type": "code", "tool_id": "s"},
                    "toolset_name": "x",
                },
            },
            {"type": "content_block_stop", "index": 7},
            {
                "type": "message_delta",
                "delta": {
                    "stop_reason": "refusal",
                    "stop_details": {"explanation": "x"},
                    "container": {"id": "c"},
                },
            },
        ],
    ),
]
"""What does not come with each answer."""


@pytest.mark.parametrize(("name", "events"), [*THINKING.items(), *RARE])
def test_whatever_is_odd_in_an_event_is_passed_over_or_is_the_provider_failing(name, events):
    wire = WIRES[name]
    for place, event in enumerate(events):
        for odd in filter(lambda each: isinstance(each, dict), spoilt(event)):
            reader, told = wire.read(), []
            try:
                for each in (*events[:place], odd, *events[place + 1 :]):
                    told += reader.feed(each)
                told += reader.finish()
            except AttemptFailed:
                reader.close()
            partial = reader.partial.as_json()
            assert all(isinstance(each.get("text", ""), str) for each in told)
            assert isinstance(partial["content"], str)
            assert wire.read_answer(wire.write_answer(partial)).content in {partial["content"], ""}
