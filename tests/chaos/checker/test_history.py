"""The history of calls: what is known of each, and what a ledger proves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Answered, Broken, Happened, Ran
from callboard.chaos.checker.history import Verdict, call_stories
from runs import CAREFUL, GOOD, REPEATING, also, answered, broken_rules, instead, lost, said_of, without

LEDGER = "runs as often as it may"
REASON = "unknown has a reason"
COUNTS = "counts without a gap"


@pytest.mark.parametrize(
    ("ending", "outcome", "verdict"),
    [
        ("success", None, Verdict.OK),
        ("failure", None, Verdict.OK),
        ("tool_raised", "outcome_unknown", Verdict.OK),
        ("host_unavailable", "not_sent", Verdict.FAIL),
        ("deadline_exceeded", "not_sent", Verdict.FAIL),
        ("deadline_exceeded", "outcome_unknown", Verdict.UNKNOWN),
        ("host_crashed", "outcome_unknown", Verdict.UNKNOWN),
    ],
)
def test_an_ending_says_what_is_known_of_a_call(ending, outcome, verdict):
    run = replace(GOOD, facts=(Answered(1.0, "book", "c1", ending, outcome),))

    assert call_stories(run)["c1"].verdict is verdict


def test_of_a_call_without_an_end_nothing_is_known():
    run = without(GOOD, lambda fact: isinstance(fact, Answered))

    assert {story.verdict for story in call_stories(run).values()} == {None}


def test_a_call_that_may_run_once_and_ran_twice_is_found():
    run = also(GOOD, Ran(2.45, "book", "c2", 2))

    assert LEDGER in broken_rules(run)
    assert said_of(run, LEDGER) == ["call c2 of 'book' ran 2 times; it may run once"]


def test_a_call_that_may_be_repeated_once_may_run_twice_and_not_three_times():
    run = replace(GOOD, terms={"book": REPEATING})
    twice = also(run, Ran(2.45, "book", "c2", 2))
    thrice = also(twice, Ran(4.2, "book", "c2", 3))

    assert said_of(twice, LEDGER) == []
    assert said_of(thrice, LEDGER) == ["call c2 of 'book' ran 3 times; it may run 2 times"]


def test_a_call_that_was_told_not_sent_and_ran_is_found():
    not_sent = Answered(2.3, "book", "c2", "host_unavailable", "not_sent")

    run = instead(GOOD, lost(2.3, "c2"), not_sent)

    assert said_of(run, LEDGER) == ["call c2 of 'book' was told not_sent, and has run"]


def test_a_call_that_was_answered_and_never_ran_is_found():
    run = without(GOOD, lambda fact: isinstance(fact, Ran) and fact.call == "c4")

    assert said_of(run, LEDGER) == ["call c4 of 'book' was answered, and has never run"]


def test_a_run_that_nobody_asked_for_is_found():
    run = also(GOOD, Ran(2.45, "book", "c9", 2))

    assert said_of(run, LEDGER) == ["call c9 of 'book' ran, and nobody had submitted it"]


def test_without_a_ledger_nothing_is_said_of_what_ran():
    run = replace(GOOD, terms={"book": replace(CAREFUL, ledger=False)})

    assert said_of(without(run, lambda fact: isinstance(fact, Ran)), LEDGER) == []


def test_a_lost_call_that_no_crash_has_met_is_found():
    run = without(
        GOOD, lambda fact: isinstance(fact, Broken) or (isinstance(fact, Happened) and fact.at == 2.3)
    )

    assert REASON in broken_rules(run)
    assert "neither a crash nor a deadline was near" in said_of(run, REASON)[0]


@pytest.mark.parametrize(("at", "found"), [(5.5, True), (65.0, False)])
def test_a_deadline_is_a_reason_when_it_has_passed(at, found):
    run = without(GOOD, lambda fact: isinstance(fact, Answered) and fact.call == "c4")

    run = also(run, Answered(at, "book", "c4", "deadline_exceeded", "outcome_unknown"))

    assert bool(said_of(run, REASON)) is found


@pytest.mark.parametrize("ending", ["cancelled", "invalid_result", "protocol_error"])
def test_what_the_caller_the_tool_and_the_host_do_themselves_are_reasons(ending):
    run = instead(
        GOOD, answered(5.2, "c4", 3, generation=3), Answered(5.2, "book", "c4", ending, "outcome_unknown")
    )

    assert said_of(run, REASON) == []


def test_a_count_with_a_gap_is_found():
    run = instead(GOOD, answered(5.2, "c4", 3, generation=3), answered(5.2, "c4", 4, generation=3))

    assert broken_rules(run) == {COUNTS}
    assert said_of(run, COUNTS) == ["call c4 of 'book' counted 4; 3 was due"]


def test_an_answer_whose_count_is_no_number_is_judged_as_any_other():
    run = instead(GOOD, answered(5.2, "c4", 3, generation=3), answered(5.2, "c4", {"a": 1}, generation=3))

    assert broken_rules(run) == {COUNTS}


def test_a_counter_grows_by_what_was_asked():
    facts = tuple(
        fact._replace(added=5, counted=fact.counted and 5 * fact.counted)
        if isinstance(fact, Answered)
        else fact
        for fact in GOOD.facts
    )
    run = replace(GOOD, facts=facts)

    last = facts[-1]

    assert said_of(run, COUNTS) == []
    assert said_of(instead(run, last, last._replace(counted=16)), COUNTS) != []


def test_a_count_that_went_back_is_found():
    run = instead(GOOD, answered(2.6, "c3", 2, generation=2), answered(2.6, "c3", 1, generation=2))

    assert COUNTS in broken_rules(run)


def given_up(at):
    return Happened(at, "book", "state_reset", {"version": 1, "why": "too often"})


@pytest.mark.parametrize(
    ("resets", "counts", "found"),
    [(1, (1, 2), False), (0, (1, 2), True), (1, (1, 1), True), (2, (1, 1), False), (1, (2, 3), False)],
)
def test_a_count_begins_anew_as_often_as_the_state_was_given_up(resets, counts, found):
    c3, c4 = answered(2.6, "c3", 2, generation=2), answered(5.2, "c4", 3, generation=3)
    run = instead(GOOD, c3, c3._replace(counted=counts[0]))
    run = instead(run, c4, c4._replace(counted=counts[1]))

    run = also(run, *(given_up(2.45) for _ in range(resets)))

    assert bool(said_of(run, COUNTS)) is found


def test_a_state_that_is_given_up_after_an_answer_excuses_no_count_before_it():
    run = instead(GOOD, answered(2.6, "c3", 2, generation=2), answered(2.6, "c3", 1, generation=2))

    assert COUNTS in broken_rules(also(run, given_up(5.1)))
