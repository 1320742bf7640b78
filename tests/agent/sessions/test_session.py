"""Sessions: a value, and a history in which every call is answered."""

from __future__ import annotations

import pytest
from callboard.agent.sessions.repair import repair_session
from callboard.agent.sessions.session import Session, new_message, open_calls
from callboard.base.errors import JsonValueError
from conversations import answers, breaches, chat_call, says
from hypothesis import given
from hypothesis import strategies as st

RAW = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "b", "name": "patch", "input": "***"}


def session_of(*messages):
    return Session("s", tuple(messages))


def test_adding_a_message_makes_another_session_and_leaves_the_first():
    first = session_of()

    second = first.with_message(new_message("user", "hello"))

    assert first.messages == ()
    assert second.messages == ({"role": "user", "content": "hello"},)
    assert second.id == first.id


def test_a_message_holds_what_it_was_given_and_nothing_empty():
    whole = new_message("user", "look", [{"ref": "a.png"}], {"by": "me"})

    assert whole == {
        "role": "user",
        "content": "look",
        "metadata": {"by": "me", "attachments": [{"ref": "a.png"}]},
    }
    assert new_message("user", "look", None, {}) == {"role": "user", "content": "look"}


@pytest.mark.parametrize(("role", "content", "error"), [("", "x", ValueError), ("user", {1}, JsonValueError)])
def test_a_message_that_could_not_be_kept_is_refused(role, content, error):
    with pytest.raises(error):
        new_message(role, content)


def test_calls_are_open_until_they_are_answered_whatever_their_format():
    asking = says("", chat_call("add", "a"), RAW)

    assert open_calls([asking]) == [chat_call("add", "a"), RAW]
    assert open_calls([asking, answers("a")]) == [RAW]
    assert open_calls([asking, answers("a"), answers("b")]) == []


def test_whoever_goes_on_has_the_open_calls_answered_first():
    session = session_of(says("", chat_call("add", "a"), RAW), answers("a"))

    after = session.with_message(new_message("user", "never mind"))

    roles = [message["role"] for message in after.messages]
    assert roles == ["assistant", "tool", "tool", "user"]
    assert after.messages[2]["metadata"]["tool_name"] == "patch"
    assert after.messages[2]["metadata"]["failure"] == {"code": "cancelled", "outcome": "outcome_unknown"}
    assert breaches(after.messages) == []
    assert after.settled() is after


@pytest.mark.parametrize("history", [(), (says("", chat_call("add", "a"), RAW),)])
def test_a_tool_message_that_answers_nothing_is_refused(history):
    with pytest.raises(ValueError, match="answers 'b'"):
        session_of(*history).with_message(answers("b"))


def test_a_history_from_anywhere_is_made_lawful_and_told():
    asking = says("", chat_call("add", "a"), RAW)
    wild = session_of(answers("x"), asking, {"role": "user", "content": "?"}, answers("b"), says("end"))

    repaired, repairs = repair_session(wild)

    assert breaches(repaired.messages) == []
    assert {str(each.code) for each in repairs} == {"orphan_result", "missing_result", "moved_result"}
    assert repair_session(repaired) == (repaired, ())


IDS = st.sampled_from(["a", "b", "c"])
MESSAGES = st.one_of(
    st.builds(answers, IDS),
    st.lists(IDS, max_size=3).map(lambda ids: says("", *(chat_call("t", each) for each in ids))),
    st.just({"role": "user", "content": "hm"}),
)


@given(st.lists(MESSAGES, max_size=10))
def test_any_history_can_be_repaired_and_is_then_left_alone(messages):
    repaired, _ = repair_session(session_of(*messages))

    again, repairs = repair_session(repaired)
    open_or_not_unique = [each for each in breaches(repaired.messages) if "is next" not in each]
    assert open_or_not_unique == []
    assert (again, repairs) == (repaired, ())
