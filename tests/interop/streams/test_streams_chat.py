"""Chat Completions streams from servers that disagree about indexes, ids, names and arguments."""

from __future__ import annotations

import pytest
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from interop_streams import asked, assembled, chat_call

CHAT = "openai.chat_completions"


def delta(arguments="", **keys):
    name = keys.pop("name", None)
    return {"function": {"arguments": arguments} | ({} if name is None else {"name": name}), **keys}


def ended(reason):
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def spoken(*calls):
    """The name and the arguments of Chat calls."""
    return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]


def test_an_id_that_is_new_at_its_index_begins_a_call():
    came = assembled(
        CHAT,
        [
            delta("{}", index=0, id="call_1", name="ls"),
            delta('{"a":', index=0, id="call_2", name="ls"),
            delta("1}", index=0),
        ],
    )

    assert [call["id"] for call in came] == ["call_1", "call_2"]
    assert spoken(*came) == [("ls", "{}"), ("ls", '{"a":1}')]


@pytest.mark.parametrize("second", ["cat", "ls"])
def test_without_ids_another_name_begins_a_call_and_so_does_any_name_after_whole_arguments(second):
    came = assembled(CHAT, [delta('{"a":1}', index=0, name="ls"), delta('{"a":2}', index=0, name=second)])

    assert spoken(*came) == [("ls", '{"a":1}'), (second, '{"a":2}')]


def test_a_name_that_is_said_again_with_every_delta_begins_nothing():
    came = assembled(CHAT, [delta('{"a":', index=0, name="ls"), delta("1}", index=0, name="ls")])

    assert spoken(*came) == [("ls", '{"a":1}')]


def test_an_id_and_a_name_may_come_late():
    came = assembled(
        CHAT, [delta("", index=0), delta('{"a"', index=0, id="call_1"), delta(":1}", index=0, name="ls")]
    )

    assert came == [chat_call(asked("call_1", a=1)._replace(text='{"a":1}'))]


def test_the_same_id_at_two_indexes_is_two_calls():
    came = assembled(
        CHAT,
        [
            delta('{"a"', index=0, id="call_0", name="ls"),
            delta('{"b"', index=1, id="call_0", name="cat"),
            delta(":1}", index=0),
            delta(":2}", index=1),
        ],
    )

    assert spoken(*came) == [("ls", '{"a":1}'), ("cat", '{"b":2}')]


def test_arguments_that_are_said_twice_are_not_taken_for_one():
    (call,) = assembled(
        CHAT, [delta('{"a":1}', index=0, id="call_1", name="ls"), delta('{"a":1}', index=0), ended("stop")]
    )

    inspected = REGISTRY.inspect_call(call)

    assert (inspected.payload_kind, inspected.payload_metadata["error"]["code"]) == (
        "malformed",
        "concatenated",
    )


def test_arguments_that_come_as_an_object_become_text():
    (call,) = assembled(CHAT, [delta({"a": 1}, index=0, id="call_1", name="ls")])

    assert call["function"]["arguments"] == '{"a":1}'


def test_what_a_server_says_beside_a_call_stays_with_it():
    signature = {"google": {"thought_signature": "AA=="}}

    (call,) = assembled(
        CHAT, [delta("{}", index=0, id="call_1", name="ls", extra_content=signature), delta("", index=0)]
    )

    assert call["extra_content"] == signature
    assert "index" not in call


def test_pieces_of_another_choice_are_not_mixed_in():
    chunks = [
        {"choices": [{"index": choice, "delta": {"tool_calls": [delta(piece, index=0, name="ls")]}}]}
        for piece in ('{"a":', "1}")
        for choice in (0, 1)
    ]

    assert spoken(*assembled(CHAT, chunks)) == [("ls", '{"a":1}')]


def test_a_custom_call_is_raw_text():
    pieces = [
        {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "exec", "input": "echo "}},
        {"index": 0, "custom": {"input": "{"}},
    ]

    came = assembled(CHAT, [*pieces, ended("tool_calls")])

    assert came == [{"id": "call_1", "type": "custom", "custom": {"name": "exec", "input": "echo {"}}]


def test_the_older_way_of_one_call_is_read_too():
    came = assembled(
        CHAT, [{"function_call": {"name": "ls", "arguments": "{"}}, {"function_call": {"arguments": "}"}}]
    )

    assert spoken(*came) == [("ls", "{}")]


@pytest.mark.parametrize("reason", ["tool_calls", "stop", "function_call"])
def test_no_arguments_at_a_proper_end_are_no_arguments(reason):
    (call,) = assembled(CHAT, [delta("", index=0, id="call_1", name="ls"), ended(reason)])

    assert REGISTRY.inspect_call(call).payload == {}


@pytest.mark.parametrize("empty", [{"index": 0}, {"index": 0, "function": None}, delta("", index=0, name="")])
def test_a_delta_that_says_nothing_begins_nothing(empty):
    assert assembled(CHAT, [{"tool_calls": [empty]}, ended("stop")]) == []


def test_a_servers_own_type_of_function_is_a_function():
    (call,) = assembled(CHAT, [delta("{}", index=0, id="call_1", name="search", type="builtin_function")])

    assert call["type"] == "function"
