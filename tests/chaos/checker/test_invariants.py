"""The rules of a run: a good one breaks none, and each lie is found by the rule that it is about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Happened, Ordered, PartsRead, Ran, Seen, Stalled
from callboard.chaos.checker.invariants import RULES, check, standing, violations
from callboard.chaos.checker.standings import Standing
from runs import (
    CAREFUL,
    GOOD,
    REPEATING,
    WHOLE,
    also,
    answered,
    broken_rules,
    crash,
    event,
    instead,
    leaving,
    lost,
    said_of,
    without,
)


def test_a_good_run_breaks_no_rule_and_every_rule_says_what_it_looked_at():
    run = also(WHOLE, PartsRead(1.0, "book", "c1", (1, 2)))
    checks = check(replace(run, terms={"book": replace(run.terms["book"], mailbox=9)}))

    assert violations(WHOLE) == ()
    assert [one.rule for one in checks] == list(RULES)
    assert all(one.ok and one.said and one.looked_at for one in checks)
    assert standing(checks) is Standing.HELD


def test_a_call_that_never_ended_is_found():
    run = without(GOOD, lambda fact: isinstance(fact, Answered) and fact.call == "c4")

    assert broken_rules(run) == {"each call ends once"}
    assert said_of(run, "each call ends once") == ["call c4 of 'book' was never answered"]


def test_a_call_that_ended_twice_is_found_with_both_ends():
    run = also(GOOD, answered(5.3, "c4", 3, generation=3))

    assert broken_rules(run) == {"each call ends once"}
    assert len([f for f in violations(run)[0].facts if isinstance(f, Answered)]) == 2


def test_an_answer_that_nobody_asked_for_is_found():
    run = also(GOOD, Answered(5.3, "book", "c9", "host_unavailable", "not_sent"))

    assert broken_rules(run) == {"each call ends once"}


def test_an_answer_of_a_generation_that_did_not_run_the_call_is_found():
    run = instead(GOOD, answered(2.6, "c3", 2, generation=2), answered(2.6, "c3", 2, generation=1))

    assert broken_rules(run) == {"no reply crosses generations"}
    assert "generation 2 ran it last" in said_of(run, "no reply crosses generations")[0]


def test_an_answer_of_a_generation_that_was_over_before_the_call_is_found_without_a_ledger():
    run = without(GOOD, lambda fact: isinstance(fact, Ran))
    run = replace(run, terms={"book": replace(CAREFUL, ledger=False)})
    run = instead(run, answered(5.2, "c4", 3, generation=3), answered(5.2, "c4", 3, generation=1))

    assert broken_rules(run) == {"no reply crosses generations"}
    assert "over when the call was submitted" in said_of(run, "no reply crosses generations")[0]


def test_calls_that_begin_out_of_order_are_found():
    run = also(GOOD, Asked(2.0, "book", "c2b", 60.0), Ran(2.55, "book", "c2b", 2), lost(2.65, "c2b"))
    run = instead(run, Ran(2.1, "book", "c2", 1), Ran(2.1, "book", "c3", 1))
    run = instead(run, Ran(2.5, "book", "c3", 2), Ran(2.5, "book", "c2", 2))

    assert "calls begin in order" in broken_rules(run)


def test_a_call_that_is_sent_again_keeps_its_place():
    again = Ran(2.45, "book", "c2", 2)
    run = instead(GOOD, lost(2.3, "c2"), answered(2.47, "c2", generation=2))
    run = replace(also(run, again), terms={"book": REPEATING})
    run = replace(run, facts=tuple(sorted(run.facts, key=lambda fact: fact.at)))

    assert violations(run) == ()


def test_a_tool_that_does_one_at_a_time_and_does_two_is_found():
    run = instead(GOOD, Asked(5.0, "book", "c4", 60.0), Asked(2.0, "book", "c4", 60.0))
    run = instead(run, Ran(5.1, "book", "c4", 3), Ran(2.55, "book", "c4", 2))
    run = instead(run, answered(5.2, "c4", 3, generation=3), answered(2.7, "c4", 3, generation=2))
    run = replace(run, facts=tuple(sorted(run.facts, key=lambda fact: fact.at)))

    assert broken_rules(run) == {"one call at a time"}


@pytest.mark.parametrize(("stall", "found"), [(0.3, False), (0.05, False), (0.02, True)])
def test_an_end_that_a_stalled_program_notes_late_is_no_call_beside_the_next(stall, found):
    run = instead(GOOD, Asked(5.0, "book", "c4", 60.0), Asked(2.0, "book", "c4", 60.0))
    run = instead(run, Ran(5.1, "book", "c4", 3), Ran(2.55, "book", "c4", 2))
    run = instead(run, answered(5.2, "c4", 3, generation=3), answered(2.7, "c4", 3, generation=2))
    run = also(run, Stalled(2.65, "", stall))
    run = replace(run, facts=tuple(sorted(run.facts, key=lambda fact: fact.at)))

    assert ("one call at a time" in broken_rules(run)) == found


def test_a_tool_that_may_do_several_may_begin_them_in_any_order():
    run = instead(GOOD, Ran(2.1, "book", "c2", 1), Ran(2.1, "book", "c3", 1))
    run = replace(run, terms={"book": replace(CAREFUL, ordered=False, ledger=False)})

    assert "calls begin in order" not in broken_rules(run)


def test_two_processes_of_one_host_at_once_are_found():
    run = also(GOOD, Seen(4.1, "book", (7002, 7003)))

    assert broken_rules(run) == {"one generation at a time"}
    assert "7002, 7003" in said_of(run, "one generation at a time")[0]


def test_a_standby_that_was_agreed_on_is_no_second_generation():
    run = also(GOOD, Seen(4.1, "book", (7002, 7003)))

    assert violations(replace(run, terms={"book": replace(CAREFUL, overlap=1)})) == ()


def test_a_start_before_its_time_is_found():
    run = without(GOOD, lambda fact: isinstance(fact, Happened) and fact.facts["generation"] == 3)
    run = also(run, event(3.9, "starting", 3), event(4.1, "ready", 3))

    assert broken_rules(run) == {"no start before its time"}
    assert "0.900 s after its end; at least 1.000 s" in said_of(run, "no start before its time")[0]


def test_a_wait_that_was_left_out_is_found_though_nobody_spoke_of_one():
    run = without(
        GOOD, lambda fact: isinstance(fact, Happened) and fact.kind in {"host_backoff", "host_starting"}
    )
    run = also(run, event(0.0, "starting", 1), event(2.3, "starting", 2), event(3.0, "starting", 3))

    assert "no start before its time" in broken_rules(run)


def test_a_start_by_hand_has_no_time():
    run = without(GOOD, lambda fact: isinstance(fact, Happened) and fact.facts["generation"] == 3)
    run = also(run, Ordered(3.5, "book", "revive"), event(3.5, "starting", 3), event(3.6, "ready", 3))

    assert violations(run) == ()


def test_a_time_that_is_off_by_less_than_the_slack_is_borne():
    run = without(GOOD, lambda fact: isinstance(fact, Happened) and fact.facts["generation"] == 3)
    run = also(run, event(3.9, "starting", 3), event(4.1, "ready", 3))

    assert violations(replace(run, slack=0.2)) == ()


def more_generations(run, *times):
    """Crashes at these times, each followed by the next generation after the wait that is due, or at once."""
    facts = []
    for generation, (ended, began) in enumerate(times, 3):
        facts += [
            crash(ended, generation),
            event(ended, "backoff", generation, seconds=began - ended, why=""),
        ]
        facts += [event(began, "starting", generation + 1), event(began + 0.1, "ready", generation + 1)]
    return also(run, *facts)


def test_one_restart_more_than_the_budget_is_found():
    run = more_generations(GOOD, (5.5, 7.5))

    assert broken_rules(run) == {"restarts within budget"}
    assert "3 times within 60 s; 2 are allowed" in said_of(run, "restarts within budget")[0]


@pytest.mark.parametrize(("at", "broken"), [(6.0, False), (5.2, True)], ids=["while it is down", "before"])
def test_a_reload_of_a_host_whose_group_is_down_gives_the_others_a_fresh_budget_too(at, broken):
    run = more_generations(GOOD, (5.5, 7.5))
    run = replace(run, terms={**run.terms, "other": run.terms["book"]})
    grouped = Happened(
        5.0, "team", "group_restarting", {"members": ["book", "other"], "seconds": 0.0, "why": ""}
    )
    reloaded = event(at, "reloaded", 2, "other", took=0.1, added=[], removed=[], changed=[])

    found = broken_rules(also(run, grouped, reloaded))

    assert ("restarts within budget" in found) == broken


def test_restarts_that_are_a_period_apart_are_within_the_budget():
    run = more_generations(replace(GOOD, healed=None), (64.0, 64.0))

    assert violations(run) == ()


def test_a_stable_generation_gives_the_budget_back():
    run = more_generations(replace(GOOD, healed=None), (14.2, 14.2))

    assert violations(run) == ()


def test_a_restart_after_a_probe_that_failed_is_found():
    parked = event(5.5, "parked", 3, seconds=30.0, why="used up")
    probe = (event(35.5, "starting", 4), event(35.6, "ready", 4), crash(36.0, 4))
    run = also(replace(GOOD, healed=None), crash(5.5, 3), parked, *probe, event(200.0, "starting", 5))

    assert broken_rules(run) == {"restarts within budget"}


def test_a_generation_that_is_left_out_is_found():
    run = replace(
        GOOD,
        healed=None,
        facts=tuple(
            fact._replace(facts={**fact.facts, "generation": 4})
            if isinstance(fact, Happened) and fact.facts["generation"] == 3
            else fact
            for fact in GOOD.facts
            if not isinstance(fact, Answered) or fact.call != "c4"
        ),
    )

    assert "generations count up" in broken_rules(run)


def test_events_out_of_order_are_found():
    numbered = [
        fact._replace(sequence=place) if isinstance(fact, Happened) else fact
        for place, fact in enumerate(GOOD.facts, 1)
        if isinstance(fact, Happened)
    ]
    numbered[1], numbered[2] = (
        numbered[1]._replace(sequence=numbered[2].sequence),
        numbered[2]._replace(sequence=numbered[1].sequence),
    )
    events = [fact._replace(sequence=place) for place, fact in enumerate(numbered, 1)]
    good = replace(GOOD, facts=tuple(events))
    bad = replace(GOOD, facts=(events[1]._replace(sequence=1), events[0]._replace(sequence=2)))

    assert "events keep their order" not in broken_rules(good)
    assert "events keep their order" in broken_rules(bad)


def test_a_host_that_does_not_come_back_is_found():
    run = also(GOOD, crash(5.5, 3))

    assert broken_rules(run) == {"works after the faults"}


def test_a_host_that_comes_back_too_late_is_found():
    run = instead(GOOD, event(4.1, "ready", 3), event(20.0, "ready", 3))

    assert "works after the faults" in broken_rules(run)


def test_a_host_that_waits_for_a_person_is_not_expected_back():
    parked = event(5.5, "parked", 3, seconds=None, why="wrong version")
    run = also(GOOD, crash(5.5, 3), parked)

    assert violations(run) == ()
    assert broken_rules(also(run, Ordered(5.6, "book", "revive"))) == {"works after the faults"}


@pytest.mark.parametrize("ending", ["host_unavailable", "deadline_exceeded"])
def test_a_call_that_is_refused_after_the_faults_is_found(ending):
    run = without(GOOD, lambda fact: isinstance(fact, Ran) and fact.call == "c4")
    run = instead(run, answered(5.2, "c4", 3, generation=3), Answered(5.2, "book", "c4", ending, "not_sent"))

    assert broken_rules(run) == {"works after the faults"}


@pytest.mark.parametrize("what", ["processes", "threads", "descriptors"])
def test_what_is_left_behind_is_found(what):
    run = leaving(GOOD, **{what: ("4711: node",)})

    assert broken_rules(run) == {"nothing left behind"}
    assert said_of(run, "nothing left behind") == [f"1 {what} were left: 4711: node"]


def test_a_violation_can_be_written_down():
    run = also(GOOD, Seen(4.1, "book", (7002, 7003)))

    (violation,) = violations(run)

    fact = {"fact": "seen", "at": 4.1, "plugin": "book", "pids": [7002, 7003]}
    assert violation.as_dict()["facts"] == [fact]


def test_an_answer_to_another_call_is_found():
    run = instead(
        GOOD,
        answered(5.2, "c4", 3, generation=3),
        answered(5.2, "c4", 3, generation=3)._replace(wrong="it is 7"),
    )

    assert broken_rules(run) == {"each answer is its call's"}
