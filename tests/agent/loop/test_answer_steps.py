"""What an answer asks for: every call that is kept can be answered by its id, and no other is kept."""

from __future__ import annotations

import pytest
from callboard.agent.loop.answer_steps import read_answer
from callboard.tool_interop import DEFAULT_TOOL_INTEROP_REGISTRY
from conversations import answers, breaches, chat_call, says
from hypothesis import given
from hypothesis import strategies as st

inspect = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call
RAW = {"type": "custom_tool_call", "call_id": "b", "name": "patch", "input": "***"}


def test_a_sound_answer_is_kept_as_it_is():
    message = says("two things", chat_call("add", "a", '{"x":1}'), RAW)

    (step,), left_out = read_answer([message], inspect, turn=1, lane=str.upper)

    assert step.message is message
    assert [(call.id, call.tool_name, call.lane) for call in step.calls] == [
        ("a", "add", "ADD"),
        ("b", "patch", "PATCH"),
    ]
    assert left_out == []


def test_a_call_without_an_id_and_one_whose_id_is_taken_are_given_one():
    message = says(
        "", chat_call("add", "a"), chat_call("add", "a"), chat_call("add", None), {**RAW, "call_id": "a"}
    )

    (step,), _ = read_answer([message], inspect, turn=1)
    (again,), _ = read_answer([message], inspect, turn=1)

    ids = [call.id for call in step.calls]
    assert len(set(ids)) == 4
    assert ids[0] == "a"
    assert [inspect(call).call_id for call in step.message["metadata"]["tool_calls"]] == ids
    assert again == step


@pytest.mark.parametrize("rubbish", [None, "add", 7, {"what": "ever"}])
def test_what_is_no_call_is_left_out_and_told(rubbish):
    message = says("so", rubbish, chat_call("add", "a"))

    (step,), (left_out,) = read_answer([message], inspect, turn=1)

    assert [call.id for call in step.calls] == ["a"]
    assert step.message == says("so", chat_call("add", "a"))
    assert left_out.value == rubbish


def test_a_message_of_which_no_call_is_left_has_none():
    (step,), _ = read_answer([says("so", {"what": "ever"})], inspect, turn=1)

    assert step == ({"role": "assistant", "content": "so"}, (), {})


def test_a_result_of_the_providers_own_answers_its_call_and_one_of_nothing_is_left_out():
    messages = [says("", chat_call("search", "a")), answers("a"), answers("a"), says("found")]

    (searching, found), (left_out,) = read_answer(messages, inspect, turn=1)

    assert searching.answers == {"a": answers("a")}
    assert found.message == says("found")
    assert left_out.value == answers("a")


CALLS = st.one_of(
    st.builds(
        chat_call, st.sampled_from(["t", "u"]), st.sampled_from([None, "a", "b", ""]), st.text(max_size=8)
    ),
    st.just(RAW),
    st.sampled_from(
        [None, 1, "x", {}, {"id": "a"}, {"type": "tool_use", "id": "a", "name": "t", "input": {}}]
    ),
)


@given(st.lists(CALLS, max_size=6))
def test_whatever_a_model_asks_for_each_kept_call_has_an_id_of_its_own(calls):
    (step, *_), _ = read_answer([says("x", *calls)], inspect, turn=0)

    history = [step.message, *(answers(call.id) for call in step.calls)]
    assert breaches(history) == []
