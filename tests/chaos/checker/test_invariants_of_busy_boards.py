"""The rules of a run where generations overlap, hosts are shared, plugins come and go, and callers are several at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import (
    Answered,
    Asked,
    Broken,
    Happened,
    Malformed,
    Ordered,
    Replied,
    Stalled,
    Submitted,
    Terms,
)
from callboard.chaos.checker.host_stories import stories
from callboard.chaos.checker.invariants import violations
from runs import CAREFUL, GOOD, also, answered, broken_rules, crash, event, said_of

PLAIN = Terms(policy=CAREFUL.policy)


def run_of(*facts, terms=PLAIN, healed=None, **others):
    there = {"book": terms, **others}
    return replace(GOOD, facts=tuple(sorted(facts, key=lambda fact: fact.at)), terms=there, healed=healed)


def asked(at, call, deadline=60.0, plugin="book"):
    return Asked(at, plugin, call, deadline)


def started(at, call, number):
    return Happened(
        at, "book", "call_started", {"call": call, "tool": "t", "attempt": 1, "elapsed": 0.0}, number
    )


def test_a_call_that_ends_after_its_deadline_is_found():
    late = run_of(asked(1.0, "c1", 2.0), answered(3.5, "c1"))

    assert broken_rules(late) == {"each call ends in time"}
    assert "ended after 2.500 s; it had 2 s" in said_of(late, "each call ends in time")[0]


@pytest.mark.parametrize(("deadline", "end"), [(2.0, 3.0), (None, 900.0), (float("inf"), 900.0)])
def test_a_call_that_ends_by_its_deadline_is_in_time(deadline, end):
    assert violations(run_of(asked(1.0, "c1", deadline), answered(end, "c1"))) == ()


def test_a_real_answer_may_be_later_by_as_much_as_a_busy_machine_makes_it():
    late = run_of(asked(1.0, "c1", 2.0), answered(3.3, "c1"))
    later = run_of(asked(1.0, "c1", 2.0), Stalled(3.1, "", 2.0), answered(5.0, "c1"))

    assert violations(replace(late, slack=0.1)) == ()
    assert violations(replace(later, slack=0.1)) == ()


def test_a_real_deadline_that_is_two_seconds_late_is_found_where_the_machine_was_not_stalled():
    late = run_of(asked(1.0, "c1", 2.0), Stalled(2.9, "", 0.5), answered(5.0, "c1"))

    assert broken_rules(replace(late, slack=0.25)) == {"each call ends in time"}


def test_two_callers_may_submit_at_a_time_and_their_calls_begin_in_either_order():
    together = run_of(
        asked(1.0, "c1"), asked(1.1, "c2"), Submitted(1.2, "book", "c1"), Submitted(1.3, "book", "c2"),
        started(1.4, "c2", 1), answered(1.5, "c2"), started(1.6, "c1", 2), answered(1.7, "c1"),
    )  # fmt: skip
    apart = replace(
        together, facts=(together.facts[0], together.facts[2]._replace(at=1.05), *together.facts[1:2], *together.facts[3:])
    )  # fmt: skip

    assert violations(together) == ()
    assert broken_rules(apart) == {"calls begin in order"}


def test_a_call_that_was_silent_for_too_long_has_a_reason():
    silent = run_of(asked(1.0, "c1"), Answered(1.6, "book", "c1", "deadline_exceeded", "outcome_unknown"))

    assert broken_rules(silent) == {"unknown has a reason"}
    assert violations(replace(silent, terms={"book": replace(PLAIN, idle=0.5)})) == ()


def test_a_call_that_was_lost_with_its_shared_host_has_a_reason():
    shared = replace(PLAIN, host="flat")
    facts = (
        event(0.0, "starting", 1, "flat"), event(0.1, "ready", 1, "flat"), asked(1.0, "c1"),
        Answered(1.2, "book", "c1", "host_crashed", "outcome_unknown"), crash(1.2, 1, "flat"),
    )  # fmt: skip

    assert violations(run_of(*facts, terms=shared)) == ()
    assert "unknown has a reason" in broken_rules(run_of(*facts))


def test_a_call_that_was_lost_since_its_host_was_stopped_for_its_group_has_a_reason():
    lost = run_of(
        event(0.0, "starting", 1), event(0.1, "ready", 1), asked(1.0, "c1"),
        Answered(1.2, "book", "c1", "host_crashed", "outcome_unknown"),
        Happened(1.2, "team", "group_restarting", {"members": ["other", "book"], "seconds": 0.0, "why": "another has ended"}),
        event(1.2, "backoff", 1, seconds=0.0, why="another has ended"),
    )  # fmt: skip

    assert violations(lost) == ()


def test_a_call_that_was_lost_in_a_crash_that_was_never_told_is_found():
    lost = run_of(
        event(0.0, "starting", 1), event(0.1, "ready", 1), asked(1.0, "c1"), Broken(1.1, "book", "SIGKILL"),
        Answered(1.2, "book", "c1", "host_crashed", "outcome_unknown"),
        event(1.2, "backoff", 1, seconds=0.0, why="somebody killed it"),
    )  # fmt: skip

    assert "unknown has a reason" in broken_rules(lost)


@pytest.mark.parametrize(("ending", "replied", "found"), [
    ("deadline_exceeded", 1.5, True), ("deadline_exceeded", 2.9, False), ("protocol_error", 2.9, True), ("success", 1.5, False),
])  # fmt: skip
def test_a_call_whose_answer_had_come_in_time_may_not_end_without_it(ending, replied, found):
    outcome = None if ending == "success" else "outcome_unknown"
    run = run_of(
        asked(1.0, "c1", 2.0), Replied(replied, "book", "c1", 1), Answered(3.0, "book", "c1", ending, outcome)
    )

    assert ("unknown has a reason" in broken_rules(replace(run, slack=0.25))) == found


@pytest.mark.parametrize(("overheard", "lines", "found"), [
    ({"book"}, [2.0], False), ({"book"}, [], True), ({"book"}, [0.5, 3.1], True), ({"book"}, [0.9], False), (set(), [], False),
])  # fmt: skip
def test_a_call_ends_for_a_breach_of_the_protocol_only_where_its_host_has_written_a_malformed_line(
    overheard, lines, found
):
    run = run_of(
        asked(1.0, "c1"), *(Malformed(at, "book", 1) for at in lines),
        Answered(3.0, "book", "c1", "protocol_error", "outcome_unknown"),
    )  # fmt: skip
    heard = replace(run, slack=0.25, overheard=frozenset(overheard))

    assert ("unknown has a reason" in broken_rules(heard)) == found


@pytest.mark.parametrize(("stall", "found"), [(0.2, True), (12.0, False)])
def test_an_answer_that_a_stalled_program_could_not_hand_on_before_the_deadline_is_not_lost(stall, found):
    run = run_of(
        asked(1.0, "c1", 2.0), Replied(1.1, "book", "c1", 1), Stalled(13.4, "", stall),
        Answered(13.5, "book", "c1", "deadline_exceeded", "outcome_unknown"),
    )  # fmt: skip

    assert ("unknown has a reason" in broken_rules(replace(run, slack=0.25))) == found


@pytest.mark.parametrize(("waiting", "found"), [(4, False), (5, True)])
def test_more_calls_that_wait_than_a_mailbox_has_places_are_found(waiting, found):
    calls = [f"c{number}" for number in range(waiting)]
    run = run_of(
        *(asked(1.0, call) for call in calls), *(Submitted(1.0, "book", call) for call in calls),
        *(Happened(1.0, "book", "call_submitted", {"call": call, "tool": "t"}) for call in calls),
        terms=replace(PLAIN, mailbox=2),
    )  # fmt: skip

    assert ("mailboxes are bounded" in broken_rules(run)) == found


def test_the_lives_of_a_shared_host_are_one_story_for_all_who_live_there():
    shared = replace(PLAIN, host="flat")
    run = run_of(
        event(0.0, "starting", 1, "flat"), event(0.1, "ready", 1, "flat"), terms=shared, other=shared
    )

    assert [(story.host, len(story.generations)) for story in stories(run)] == [("flat", 1)]


REPLACED = (
    event(0.0, "starting", 1), event(0.1, "ready", 1), event(1.0, "recycling", 1, limit="calls"),
    event(1.0, "replaced", 1, why="its limit"), event(1.0, "starting", 2), asked(1.5, "c1"),
    answered(1.6, "c1", generation=1), event(2.0, "ready", 2),
)  # fmt: skip


def test_a_generation_that_is_replaced_answers_until_its_successor_is_ready():
    late = also(run_of(*REPLACED), asked(3.0, "c2"), answered(3.1, "c2", generation=1))

    assert violations(run_of(*REPLACED)) == ()
    assert broken_rules(late) == {"no reply crosses generations"}


def test_a_host_that_is_just_being_replaced_works():
    healed = run_of(*REPLACED[:-1], healed=0.5)

    assert violations(healed) == ()


def test_a_generation_that_has_been_reloaded_or_comes_to_a_limit_goes_on():
    run = run_of(
        event(0.0, "starting", 1), event(0.1, "ready", 1), event(0.2, "reloaded", 1, took=0.1),
        event(0.3, "recycling", 1, limit="age"), healed=0.0,
    )  # fmt: skip

    assert violations(run) == ()
    assert [generation.ended for story in stories(run) for generation in story.generations] == [None]


def test_a_reload_starts_a_host_at_once_and_so_does_one_that_is_taken_back():
    facts = (
        event(0.0, "starting", 1), event(0.1, "ready", 1), crash(1.0, 1), event(1.0, "parked", 1, seconds=30.0, why="-"),
        event(1.5, "starting", 2), event(1.5, "ready", 2), crash(1.8, 2), event(1.8, "starting", 3),
    )  # fmt: skip
    reloaded = event(1.5, "reloaded", 2, took=0.1)
    taken_back = Happened(1.8, "book", "host_reload_failed", {"why": "-", "rolled_back": True})

    assert violations(run_of(*facts, reloaded, taken_back)) == ()
    assert broken_rules(run_of(*facts)) == {"no start before its time", "restarts within budget"}


def test_a_plugin_that_is_loaded_again_has_a_host_that_counts_anew():
    facts = (
        event(0.0, "starting", 4), event(0.1, "ready", 4), event(1.0, "stopped", 4, why="taken off"),
        event(1.2, "starting", 1), event(1.3, "ready", 1),
    )  # fmt: skip

    assert violations(run_of(*facts, Ordered(1.1, "book", "load"))) == ()
    # Its host was just starting when it was taken off.
    assert violations(run_of(*facts, Ordered(-0.1, "book", "load"))) == ()
    assert broken_rules(run_of(*facts)) == {"generations count up"}


def test_generations_that_were_ended_by_hand_one_after_the_other_were_not_alive_together():
    overlapping = replace(PLAIN, overlap=1)
    facts = [
        event(0.1 * n, kind, generation)
        for n, (kind, generation) in enumerate((kind, n) for n in (1, 2, 3) for kind in ("starting", "ready"))
    ]
    orders = [Ordered(0.15, "book", "restart"), Ordered(0.35, "book", "restart")]

    assert violations(run_of(*facts, *orders, terms=overlapping)) == ()


def test_a_generation_that_was_being_replaced_when_the_recording_began_may_answer():
    run = run_of(
        event(0.0, "starting", 2), asked(0.1, "c1"), answered(0.2, "c1", generation=1), event(0.3, "ready", 2)
    )

    assert violations(run) == ()
    assert broken_rules(also(run, asked(0.4, "c2"), answered(0.5, "c2", generation=3))) == {
        "no reply crosses generations"
    }
