"""The kit against a library that is broken on purpose: one bug of each of the README's promises, and the table of all of them.

`make planted` holds the whole table to what the commands say.
"""

from __future__ import annotations

import json

import pytest
from planted import COMMANDS, TABLE, TOOLS, Row, Verdict, table, verdict
from planted_bugs import BUGS

CHAOS = f"chaos {TOOLS}/agent.json --calls 60 --kills 4 --seed 1 --deadline 3"
PROMISES = range(1, 11)
DUE = json.loads(TABLE.read_text(encoding="utf-8"))

SEEN_BY_ONE = {
    "interrupt_keeps_place": "only the soak interrupts callers: it makes its calls in the main thread"
}


@pytest.mark.parametrize(
    ("bug", "words", "rule"),
    [
        ("answered_twice", "simulate --seeds 1", "each call ends once"),
        ("parts_out_of_order", "simulate --seeds 2", "parts in order"),
        ("calls_out_of_order", "simulate --from 8 --seeds 1", "calls begin in order"),
        ("state_lost", "simulate --seeds 2", "counts without a gap"),
        ("not_sent_lie", "simulate --from 2 --seeds 2", "runs as often as it may"),
        ("deadline_late", "simulate --seeds 2", "each call ends in time"),
        ("generation_skipped", "simulate --from 1 --seeds 2", "generations count up"),
        ("mailbox_unbounded", "simulate --from 30 --seeds 1", "mailboxes are bounded"),
        ("sweep_removed", f"{CHAOS} --faults kill", "nothing left behind"),
        ("print_is_a_breach", f"{CHAOS} --faults garbage", "unknown has a reason"),
    ],
)
def test_a_bug_that_is_planted_is_convicted(bug, words, rule):
    assert verdict(bug, words).rule == rule


def test_a_bug_of_each_promise_is_planted_and_those_of_each_are_convicted_by_chaos_alone():
    by_chaos = {bug.promise for name, bug in BUGS.items() if "chaos" in DUE[name]["convicted_by"]}

    assert by_chaos == set(PROMISES)


@pytest.mark.parametrize("bug", BUGS)
def test_each_planted_bug_is_convicted_by_two_commands_and_it_is_said_why_the_others_cannot(bug):
    convicted = DUE[bug]["convicted_by"]
    reasons = {**DUE[bug]["unseen_by"], **DUE[bug].get("by_chance", {})}

    assert len(convicted) >= 2 - (bug in SEEN_BY_ONE)
    assert sorted([*convicted, *reasons]) == sorted(COMMANDS)
    assert all(reasons.values())


def test_the_table_knows_every_bug_and_nothing_convicts_the_sound_library():
    assert list(DUE) == ["none", *BUGS]
    assert DUE["none"]["convicted_by"] == []


@pytest.mark.parametrize(
    ("rules", "mark", "is_as_due"),
    [(["", ""], "·", True), (["", "parts in order"], "✗ 1/2", False), (["parts in order"], "✗", False)],
)
def test_the_table_that_is_printed_shows_where_a_verdict_differs(rules, mark, is_as_due):
    rows = [Row("none", "chaos", seed, Verdict(rule)) for seed, rule in enumerate(rules)]

    (_, line), as_due = table(rows, DUE)

    assert mark in line
    assert as_due is is_as_due
