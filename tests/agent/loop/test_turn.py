"""The tool loop as a machine: what it does next, and the law that its history keeps whatever happens."""

from __future__ import annotations

import pytest
from callboard.agent.loop.answer_steps import Step
from callboard.agent.loop.turn import Phase, Turn
from callboard.agent.loop.turn_effects import Append, Ask, Cancel, Finish, Preview, Reason, StopAsking, Submit
from conversations import answers, breaches, says, step
from hypothesis import given, settings
from hypothesis import strategies as st
from thorough import times

DONE = Step(says("done"))


def begun(max_rounds=9, *first):
    turn = Turn(max_rounds)
    turn.begin()
    if first:
        turn.answered(first)
    return turn


def submitted(turn, *calls):
    return [do for call in calls for do in turn.previewed(call)]


def kinds(done):
    return [type(do).__name__ for do in done]


def test_an_answer_without_calls_ends_the_turn():
    turn = Turn(1)

    assert turn.begin() == [Ask(1)]
    assert turn.answered([DONE]) == [Append(DONE.message), Finish(Reason.ANSWERED)]
    assert turn.phase is Phase.ENDED


@pytest.mark.parametrize("nothing", [[], [Step(says(""))], [Step(says(" \n"))]])
def test_an_answer_of_nothing_is_no_answer(nothing):
    *_, finish = begun().answered(nothing)

    assert finish == Finish(Reason.EMPTY)


def test_a_refused_answer_ends_the_turn_and_its_calls_are_answered_but_not_run():
    asking = step("a")

    kept, answered, finish = begun().answered([asking], "refused")

    assert kept == Append(asking.message)
    assert answered.message["metadata"]["failure"] == {"code": "cancelled", "outcome": "not_sent"}
    assert finish == Finish(Reason.REFUSED)


def test_calls_are_previewed_then_run_and_their_results_go_to_the_model():
    turn, asking = begun(), step("a", "b")
    a, b = asking.calls

    assert turn.answered([asking]) == [Append(asking.message), Preview(a), Preview(b)]
    assert turn.previewed(a) == [Submit(a)]
    assert turn.previewed(b) == [Submit(b)]
    assert turn.ended(a, answers("a")) == [Append(answers("a"))]
    assert turn.ended(b, answers("b")) == [Append(answers("b")), Ask(2)]


def test_calls_of_one_lane_are_submitted_in_order_and_others_do_not_wait():
    turn, asking = begun(), step("a", "b", "c", lanes="xxy")
    a, b, c = asking.calls
    turn.answered([asking])

    assert turn.previewed(b) == []
    assert turn.previewed(c) == [Submit(c)]
    assert turn.previewed(a) == [Submit(a), Submit(b)]


def test_what_ends_early_is_kept_in_the_order_of_the_calls():
    asking = step("a", "b", "c")
    turn = begun(9, asking)
    a, b, c = asking.calls
    submitted(turn, a, b, c)

    assert turn.ended(c, answers("c")) == []
    assert turn.ended(a, answers("a")) == [Append(answers("a"))]
    assert turn.ended(b, answers("b")) == [Append(answers("b")), Append(answers("c")), Ask(2)]


def test_a_second_end_counts_for_nothing_nor_does_one_of_an_earlier_answer():
    asking, again = step("a", "b"), step("a")
    turn = begun(9, asking)
    a, b = asking.calls
    submitted(turn, a, b)
    turn.ended(a, answers("a"))

    assert turn.ended(a, answers("a")) == []
    turn.ended(b, answers("b"))
    turn.answered([again])
    assert turn.ended(a, answers("a")) == []
    assert turn.previewed(a) == []


def test_the_calls_of_the_last_answer_that_may_be_asked_for_are_not_run():
    turn, asking = begun(1), step("a", "b")

    kept, *refused, finish = turn.answered([asking])

    assert kept == Append(asking.message)
    assert [do.message["metadata"]["failure"] for do in refused] == [
        {"code": "cancelled", "outcome": "not_sent"}
    ] * 2
    assert "as often as it may be" in refused[0].message["content"]
    assert finish == Finish(Reason.MAX_ROUNDS)


def test_a_model_that_breaks_off_after_calls_has_them_answered_but_not_run():
    turn, asking = begun(), step("a")

    done = turn.broke([asking])

    assert kinds(done) == ["Append", "Append", "Finish"]
    assert "broke off" in done[1].message["content"]
    assert done[2] == Finish(Reason.ERROR)


@pytest.mark.parametrize("end", [Turn.broke, Turn.stop])
def test_what_was_heard_of_an_answer_that_is_cut_short_is_kept_and_says_so(end):
    turn = begun()
    turn.heard("half a ")
    turn.heard("sentence")

    done = end(turn)

    (kept,) = [do.message for do in done if isinstance(do, Append)]
    assert kept["content"] == "half a sentence"
    assert kept["metadata"]["incomplete"]["code"] in {"cancelled", "error"}


def test_a_cancel_while_the_model_speaks_ends_the_turn_at_once_and_nothing_later_counts():
    turn = begun()

    assert turn.stop() == [StopAsking(), Finish(Reason.CANCELLED)]
    assert turn.answered([DONE]) == turn.broke() == turn.stop() == turn.begin() == []


def test_a_cancel_ends_the_calls_under_way_and_answers_those_that_are_not():
    asking = step("a", "b", "c", lanes="xyy")
    turn = begun(9, asking)
    a, b, c = asking.calls
    submitted(turn, a, b)

    assert turn.stop(Reason.DEADLINE) == [Cancel(a), Cancel(b)]
    assert turn.previewed(c) == []
    assert turn.ended(b, answers("b")) == []
    *kept, finish = turn.ended(a, answers("a"))
    assert [do.message["metadata"]["tool_call_id"] for do in kept] == ["a", "b", "c"]
    assert "time was over" in kept[2].message["content"]
    assert finish == Finish(Reason.DEADLINE)


def test_who_does_not_wait_has_the_calls_under_way_answered_as_unknown():
    asking = step("a", "b")
    turn = begun(9, asking)
    submitted(turn, *asking.calls)

    done = turn.abandon()

    assert kinds(done) == ["Cancel", "Cancel", "Append", "Append", "Finish"]
    assert done[2].message["metadata"]["failure"]["outcome"] == "outcome_unknown"


def test_messages_of_one_answer_are_kept_one_after_the_other_each_with_its_calls():
    first, second = step("a"), step("b")
    turn = begun(9, first, second)
    submitted(turn, *first.calls)

    done = turn.ended(first.calls[0], answers("a"))

    assert done == [Append(answers("a")), Append(second.message), Preview(second.calls[0])]


def test_calls_that_the_provider_ran_itself_are_not_run_again():
    asking = step("a")

    done = begun().answered([asking._replace(answers={"a": answers("a")}), DONE])

    assert done == [
        Append(asking.message), Append(answers("a")), Append(DONE.message), Finish(Reason.ANSWERED),
    ]  # fmt: skip


def test_a_message_made_for_a_call_bears_the_id_of_that_call():
    asking = step("a")
    turn = begun(9, asking)

    done = turn.ended(
        asking.calls[0], {"role": "tool", "content": "", "metadata": {"tool_call_id": "made-up"}}
    )

    assert done[0].message["metadata"]["tool_call_id"] == "a"


def test_the_model_may_be_asked_at_least_once():
    with pytest.raises(ValueError, match="at least once"):
        Turn(0)


class Carrier:
    """Carries a machine by the dice: what comes next of all that can come, is drawn."""

    def __init__(self, max_rounds):
        self.turn = Turn(max_rounds)
        self.history = [{"role": "user", "content": "go"}]
        self.waiting = []  # what the machine waits for
        self.seen = []  # calls that were ever asked for
        self.running = []  # by identity: a later answer may ask for an equal call
        self.asked = 0
        self.finished = []
        self.carry(self.turn.begin())

    def carry(self, done):
        for do in done:
            match do:
                case Append(message):
                    self.history.append(message)
                case Ask():
                    self.asked += 1
                    self.waiting.append(("model", None))
                case StopAsking():
                    self.waiting = [each for each in self.waiting if each[0] != "model"]
                case Preview(call):
                    self.seen.append(call)
                    self.waiting.append(("preview", call))
                case Submit(call):
                    assert not self.runs(call)
                    self.running.append(call)
                    self.waiting.append(("call", call))
                case Cancel(call):
                    assert self.runs(call)
                case Finish():
                    self.finished.append(do)
        assert breaches(self.history, ended=bool(self.finished)) == []

    def runs(self, call):
        return any(each is call for each in self.running)

    def happen(self, what, call, answer, stop):
        match what:
            case "model":
                self.carry(self.turn.answered(answer, stop))
            case "preview":
                self.carry(self.turn.previewed(call))
            case "call":
                self.carry(self.turn.ended(call, answers(call.id)))


STEPS = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=4, unique=True).map(
        lambda ids: step(*ids, lanes="xxyz"[: len(ids)])
    ),
    max_size=2,
)
ANSWERS = st.tuples(STEPS, st.sampled_from([None, None, None, "length", "paused", "refused"]))
TROUBLE = st.sampled_from([None] * 12 + ["stop", "abandon", "broke", "again"])


@settings(max_examples=times(60, 500))
@given(st.data(), st.integers(1, 4))
def test_whatever_happens_every_call_is_answered_once_in_order_and_the_turn_ends(data, max_rounds):
    carrier = Carrier(max_rounds)
    turn = carrier.turn

    while carrier.waiting and not carrier.finished:
        match data.draw(TROUBLE):
            case "stop":
                carrier.carry(turn.stop())
            case "abandon":
                carrier.carry(turn.abandon())
            case "broke":
                carrier.carry(turn.broke(data.draw(STEPS)))
            case "again" if carrier.seen:
                old = data.draw(st.sampled_from(carrier.seen))
                if carrier.runs(old):
                    carrier.carry(turn.ended(old, answers(old.id)))
            case _:
                what = carrier.waiting.pop(data.draw(st.integers(0, len(carrier.waiting) - 1)))
                carrier.happen(*what, *(data.draw(ANSWERS) if what[0] == "model" else (None, None)))

    assert len(carrier.finished) == 1
    assert carrier.asked <= max_rounds
    assert turn.phase is Phase.ENDED
    assert turn.stop() == turn.abandon() == []
