"""Core messages as each provider writes them: what stands where, what is repaired, what comes back as it was."""

from __future__ import annotations

import json

import pytest
from callboard.agent.requests.injections import with_injections
from callboard.agent.wires.anthropic_wire import ANTHROPIC
from callboard.agent.wires.core_history import as_sent, read_history
from callboard.agent.wires.openai_chat_wire import CHAT
from callboard.agent.wires.openai_responses_wire import RESPONSES
from callboard.agent.wires.options import read_options
from callboard.agent.wires.skeleton import PLACE, call_place, filled, text_place, worth_keeping
from callboard.interop.errors import InvalidShapeError
from callboard.interop.format_ids import HOSTED
from callboard.interop.transcripts.repair import repair_transcript
from callboard.interop.transcripts.repair_report import NO_RESULT
from callboard.tool_result_payloads import make_provider_native_tool_result
from interop_corpus import records
from providers import Asked, calls_of, result_of, user

WIRES = {"chat": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC}
PIXEL = "data:image/png;base64,AAAA"
IMAGE = {"type": "image_url", "image_url": {"url": PIXEL}}


def call(name="now", call_id="c1", arguments="{}"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(*calls, content="", **metadata):
    return {"role": "assistant", "content": content, "metadata": {"tool_calls": list(calls), **metadata}}


def written(name, *messages, **config):
    wire = WIRES[name]
    options = read_options({"model": "m", **config}, provider="p", home="https://x.example", api_key_env="K")
    before = json.dumps(messages)
    native = wire.write_history(read_history(messages, wire, options, {}, None))
    assert json.dumps(messages) == before
    return native


@pytest.mark.parametrize("name", WIRES)
def test_what_hooks_say_stands_behind_the_result_in_every_providers_words(name):
    notes = [{"context_injection": "from a hook", "context_injection_role": "user"}]
    history = [user("go"), assistant(call()), result_of(call(), hooks=notes)]

    *before, last = written(name, *with_injections(history))

    if name == "anthropic":  # which has results and words of the user in one message
        assert [block["type"] for block in last["content"]] == ["tool_result", "text"]
    else:
        assert before[-1].get("type", before[-1].get("role")) in {"tool", "function_call_output"}
    assert last["role"] == "user"
    assert "from a hook" in str(last["content"])


def test_a_turn_with_a_call_and_its_result_as_the_specification_shows_it():
    message = {
        "role": "tool",
        "content": '{"path":"README.md"}',
        "toolResult": {"type": "tool_result", "text": '{"path":"README.md"}'},
        "metadata": {"tool_call_id": "call_123", "tool_name": "read_file"},
    }
    turn = assistant(call("read_file", "call_123", '{"path":"README.md"}'))

    assert written("chat", turn, message) == [
        {"role": "assistant", "content": None, "tool_calls": calls_of(turn)},
        {
            "role": "tool",
            "content": '{"path":"README.md"}',
            "tool_call_id": "call_123",
        },
    ]
    assert written("responses", turn, message) == [
        {
            "type": "function_call",
            "call_id": "call_123",
            "name": "read_file",
            "arguments": '{"path":"README.md"}',
        },
        {"type": "function_call_output", "call_id": "call_123", "output": '{"path":"README.md"}'},
    ]
    assert written("anthropic", turn, message) == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "call_123", "name": "read_file", "input": {"path": "README.md"}}
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_123", "content": '{"path":"README.md"}'}
            ],
        },
    ]


def test_notes_for_ourselves_are_kept_in_native_history_and_not_sent():
    native = written("chat", assistant(call()), result_of(call()))

    assert "_metadata" not in native[1]
    assert as_sent([{**native[1], "_metadata": {"tool_name": "x"}}]) == [native[1]]
    assert as_sent([{"content": [{"a": 1, "_metadata": 2}], "n": 1}, "x"]) == [
        {"content": [{"a": 1}], "n": 1},
        "x",
    ]


def test_a_result_stands_behind_its_call_wherever_the_core_has_it_and_one_without_a_call_is_left_out():
    messages = [
        result_of(call(call_id="never")),
        assistant(call(call_id="c1"), call(call_id="c2")),
        user("Meanwhile"),
        result_of(call(call_id="c2"), "two"),
        result_of(call(call_id="c1"), "one"),
        result_of(call(call_id="c1"), "once more"),
    ]

    native = written("chat", *messages)

    assert [(message["role"], message["content"]) for message in native] == [
        ("assistant", None),
        ("tool", "one"),
        ("tool", "two"),
        ("user", "Meanwhile"),
    ]


def test_an_id_that_comes_again_in_a_later_turn_is_answered_there():
    turns = [assistant(call()), result_of(call(), "first"), assistant(call()), result_of(call(), "second")]

    native = written("chat", *turns)

    assert [message["content"] for message in native] == [None, "first", None, "second"]


@pytest.mark.parametrize("name", WIRES)
def test_a_call_without_a_result_is_answered_in_what_is_sent_and_a_broken_one_is_sent_empty(name):
    asked = Asked(name, "http://127.0.0.1:1/v1")
    broken = call(arguments='{"a":') | {"_metadata": {"error": {"code": "cut_off", "message": "x"}}}
    state, context = asked.state_and_context()

    native = asked.stack.to_native_messages([user("x"), assistant(broken), user("y")], state, context)
    _, state = asked.stack.initialize_request(native, state, context)

    sent = json.dumps(state["request"]["payload"])
    assert NO_RESULT in sent
    assert "_metadata" not in sent
    assert '{\\"a\\":' not in sent


@pytest.mark.parametrize("name", WIRES)
def test_raw_input_is_sent_raw_where_the_provider_takes_it_and_wrapped_where_it_does_not(name):
    raw = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "x y"}}

    wrapped = json.dumps(written(name, assistant(raw), result_of(raw)))
    taken = json.dumps(written(name, assistant(raw), result_of(raw), custom_tools=True))

    assert ("custom" in wrapped) is (name == "responses")
    assert ("custom" in taken) is (name in {"responses", "chat"})
    assert "x y" in wrapped


def test_images_of_a_result_stand_where_the_provider_takes_them():
    parts = [{"type": "text", "text": "seen"}, IMAGE]
    envelope = make_provider_native_tool_result(format="openai.chat_completions", content=parts)
    shown = result_of(call(), "seen") | {"toolResult": envelope}
    bare = result_of(call(call_id="c2"), "") | {
        "toolResult": make_provider_native_tool_result(format="openai.chat_completions", content=[IMAGE])
    }
    turn = [assistant(call(), call(call_id="c2")), shown, bare]

    beside, within = written("chat", *turn), written("chat", *turn, result_images="within")

    assert [message["content"] for message in beside[1:]] == [
        "seen",
        "The result is shown in the next message.",
        [
            {"type": "text", "text": "Shown by the call c1:"},
            IMAGE,
            {"type": "text", "text": "Shown by the call c2:"},
            IMAGE,
        ],
    ]
    assert [message["content"] for message in within[1:]] == [parts, [IMAGE]]
    assert written("responses", *turn)[2]["output"] == [
        {"type": "input_text", "text": "seen"},
        {"type": "input_image", "image_url": PIXEL},
    ]
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert written("anthropic", *turn)[1]["content"][0]["content"] == [
        {"type": "text", "text": "seen"},
        {"type": "image", "source": source},
    ]


def test_an_envelope_of_anthropics_is_handed_on_to_it_untouched_and_a_broken_one_says_its_text():
    content = [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]
    native = make_provider_native_tool_result(format="anthropic.messages", content=content)
    results = [
        result_of(call(), "x") | {"toolResult": native},
        result_of(call(call_id="c2"), "y") | {"toolResult": 3},
    ]

    blocks = written("anthropic", assistant(call(), call(call_id="c2")), *results)[1]["content"]

    assert [block["content"] for block in blocks] == [content, "y"]


def test_a_failure_is_flagged_where_there_is_a_flag():
    failed = result_of(call(), "Error: no", failure={"code": "tool_raised"})

    block = written("anthropic", assistant(call()), failed)[1]["content"][0]

    assert block == {"type": "tool_result", "tool_use_id": "c1", "content": "Error: no", "is_error": True}


def test_roles_take_turns_with_anthropic_and_what_the_system_says_goes_out_of_the_way():
    messages = [
        {"role": "system", "content": "one"},
        user("a"),
        {"role": "system", "content": "two"},
        user(" "),
        user("b"),
        {"role": "assistant", "content": "c"},
        {"role": "assistant", "content": "d"},
        {"role": "assistant", "content": ""},
    ]

    native = written("anthropic", *messages)

    assert native == [
        {"role": "system", "content": "one\n\ntwo"},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]},
    ]
    assert [message["role"] for message in written("chat", *messages)][-1] == "assistant"
    assert len(written("chat", *messages)) == len(written("responses", *messages)) == 7


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("chat", [{"type": "text", "text": "look"}, IMAGE, {"type": "file", "file": {"file_id": "f1"}}]),
        (
            "responses",
            [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": PIXEL, "detail": "auto"},
                {"type": "input_file", "file_id": "f1"},
            ],
        ),
    ],
)
def test_what_the_user_shows_is_sent_to_whoever_takes_it(name, parts):
    shown = {
        "role": "user",
        "content": [{"type": "text", "text": "look"}, IMAGE],
        "metadata": {"attachments": [{"type": "input_file", "file_id": "f1"}]},
    }

    assert written(name, shown) == [{"role": "user", "content": parts}]


@pytest.mark.parametrize("name", WIRES)
def test_of_two_answers_with_one_id_the_later_has_the_result_though_nothing_stands_between(name):
    history = [assistant(call(tool)) for tool in ("first", "second")]

    native = written(name, *history, result_of(call(), "of the second"))

    said = list(dicts_in(repair_transcript(native, WIRES[name].family).transcript))
    ids = ("call_id", "tool_use_id", "tool_call_id", "id")
    of_second = [
        each for each in said if "second" in (each.get("name"), (each.get("function") or {}).get("name"))
    ]
    answers = [each for each in said if "of the second" in (each.get("output"), each.get("content"))]
    (its, answered) = (
        [each[key] for each in found for key in ids if key in each] for found in (of_second, answers)
    )
    assert answered == its
    assert len(its) == 1


def dicts_in(value):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from dicts_in(inner)


def test_a_content_that_is_none_is_refused():
    with pytest.raises(InvalidShapeError):
        written("chat", {"role": "user", "content": 3})
    assert written("chat", {"role": "user", "content": None}) == []


def test_text_that_stands_in_parts_is_read_out_of_an_answer():
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thought, {"type": "text", "text": "grö"}, {"type": "text", "text": "ßer"}]

    spoken = CHAT.read_answer([{"role": "assistant", "content": parts}])

    assert spoken.content == "größer"


def test_what_a_provider_wants_back_stands_where_it_stood_and_goes_to_no_other():
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    items = [thought, {PLACE: "text"}, call_place("c2"), call_place("gone"), call_place("c1")]
    turn = assistant(
        call(), call(call_id="c2"), content="So.", native={"format": "anthropic.messages", "items": items}
    )

    content = written("anthropic", turn)[0]["content"]

    assert [block.get("id", block["type"]) for block in content] == ["thinking", "text", "c2", "c1"]
    assert content[0] == thought
    assert "thinking" not in json.dumps([written("chat", turn), written("responses", turn)])


def said(text):
    return [{"t": text}] if text else []


A, B, AGAIN = {"c": "A"}, {"c": "B"}, {"c": "A2"}
SKELETON = [{"r": 1}, call_place("a"), text_place(2), {"r": 2}, call_place("a"), text_place(3)]


def test_a_skeleton_is_filled_by_place():
    full = filled(SKELETON, "onetw", [("a", A), ("b", B), ("a", AGAIN)], said)

    assert full == [{"r": 1}, A, {"t": "on"}, {"r": 2}, AGAIN, {"t": "etw"}, B]
    assert filled([], "text", [("a", A)], said) == [{"t": "text"}, A]


@pytest.mark.parametrize("places", [SKELETON, [{**each, "length": None} for each in SKELETON]])
def test_a_text_that_its_places_do_not_fit_stands_in_the_first_of_them(places):
    full = filled(places, "longer", [("a", A)], said)

    assert [each for each in full if "t" in each] == [{"t": "longer"}]
    assert full[2] == {"t": "longer"}


def test_what_stands_in_a_place_has_the_keys_that_are_kept_for_it():
    kept = [
        text_place(2, {"phase": "p"}),
        call_place("a", {"caller": "x"}),
        call_place("gone", {"caller": "y"}),
    ]

    assert filled(kept, "on", [("a", A)], said) == [{"t": "on", "phase": "p"}, {"c": "A", "caller": "x"}]
    assert filled(kept, "", [], said) == []


def test_places_without_keys_are_not_worth_keeping():
    assert worth_keeping([text_place(1), call_place("a", {})]) == ()
    assert len(worth_keeping([text_place(1), call_place("a", {"caller": "x"})])) == 2


FAMILIES = {
    "chat": ("openai.chat_completions",),
    "responses": ("openai.responses",),
    "anthropic": ("anthropic.",),
}
RECORDED = [
    (name, record.values[0])
    for record in records(kind="call")
    for name, prefixes in FAMILIES.items()
    if record.values[0].format.startswith(prefixes) and record.values[0].format not in HOSTED
]


def test_recorded_calls_of_each_provider_are_read_and_written_again():
    for name, record in RECORDED:
        asked = Asked(name, "http://127.0.0.1:1/v1")
        state, context = asked.state_and_context([])
        registry = context["tool_interop"]["registry"]
        state["partial"] = {"content": "x", "tool_calls": [record.value]}
        native, state = asked.stack.initialize_request([], state, context)

        _, native, state = asked.stack.finalize(native, state, context)
        (message,) = asked.stack.from_native_messages(native, state, context)

        meant, (kept,) = registry.inspect_call(record.value), calls_of(message)
        found = registry.inspect_call(kept)
        assert found.tool_name == meant.tool_name, record
        if meant.payload_kind in {"object", "text"}:
            assert found.payload == meant.payload, record
            assert meant.call_id in {None, found.call_id}
        else:
            assert found.payload in ({}, "")
        assert asked.stack.to_native_messages([message], state, context)
