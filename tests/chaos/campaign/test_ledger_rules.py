"""The rules of a ledger: a good one breaks none, and each lie is found by the rule that it is about."""

from __future__ import annotations

import json

import pytest
from callboard.chaos.campaign.ledger import LedgerDamaged, read_ledger
from callboard.chaos.campaign.ledger_rules import (
    LEDGER_RULES,
    NOT_SENT,
    ORDER,
    OVERLAP,
    REPEATS,
    STATE,
    SUCCESS,
)
from callboard.chaos.checker.facts import Answered, Asked, Ordered, Submitted
from callboard.chaos.checker.standings import Standing
from ledgers import (
    GOOD_FACTS,
    GOOD_LEDGER,
    ONE,
    THREAD,
    TWICE,
    WIDE,
    anew,
    begin,
    broken,
    checks,
    end,
    event,
    instead,
    ran,
    told,
)


def test_a_good_ledger_breaks_no_rule_and_every_rule_has_looked_at_something():
    found = checks(GOOD_FACTS, GOOD_LEDGER)

    assert [one.rule for one in found] == list(LEDGER_RULES)
    assert [(one.rule, one.said) for one in found if not one.ok or not one.looked_at] == []


def test_an_empty_ledger_breaks_no_rule_and_nothing_was_looked_at():
    assert [one.standing for one in checks((), ())] == [Standing.NOT_TESTED] * len(LEDGER_RULES)


UNKNOWN = "outcome_unknown"

CONVICTED = {
    "a call that was not sent has run": (
        NOT_SENT,
        instead(GOOD_FACTS, "c2", *told("c2", "host_unavailable", "not_sent")),
        GOOD_LEDGER,
        ONE,
    ),
    "a cancelled call that was not sent has run": (
        NOT_SENT,
        told("c1", "cancelled", "not_sent"),
        (begin("c1", 0), end("c1", 1, "stopped")),
        ONE,
    ),
    "a success never ran": (SUCCESS, told("c1"), (), ONE),
    "a success is of another run": (SUCCESS, told("c1", run="other"), ran("c1", 0), ONE),
    "a success has not ended": (SUCCESS, told("c1"), (begin("c1", 0),), ONE),
    "a success was a failure": (SUCCESS, told("c1"), ran("c1", 0, "failure"), ONE),
    "a failure was a success": (SUCCESS, told("c1", "failure"), ran("c1", 0), ONE),
    "a success has another result": (SUCCESS, told("c1", counted=7), ran("c1", 0), ONE),
    "a tool that never ran has raised": (SUCCESS, told("c1", "tool_raised", UNKNOWN), (), ONE),
    "a call that may run once ran twice": (
        REPEATS,
        told("c1", run="again"),
        (begin("c1", 0), *ran("c1", 0, run="again", pid=12)),
        ONE,
    ),
    "a call that may run twice ran three times": (
        REPEATS,
        told("c1", run="r3"),
        (begin("c1", 0, run="r1"), begin("c1", 0, run="r2", pid=12), *ran("c1", 0, run="r3", pid=13)),
        TWICE,
    ),
    "what nobody has submitted ran": (REPEATS, (), ran("c1", 0), ONE),
    "a later call began first": (ORDER, (*told("c1"), *told("c2")), (*ran("c2", 0), *ran("c1", 1)), ONE),
    "a call that came back lost its place": (
        ORDER,
        (*told("c1"), *told("c2"), *told("c3", "host_crashed", UNKNOWN)),
        (*ran("c2", 0), begin("c3", 1), *ran("c1", 1, pid=12)),
        TWICE,
    ),
    "two runs at once in one process": (
        OVERLAP,
        (*told("c1"), *told("c2")),
        (begin("c1", 0), begin("c2", 1), end("c1", 1), end("c2", 2)),
        ONE,
    ),
    "two runs at once in two processes": (
        OVERLAP,
        (*told("c1", "host_crashed", UNKNOWN), *told("c2")),
        (begin("c1", 0), *ran("c2", 0, pid=12), end("c1", 1)),
        ONE,
    ),
    "a run that never ends, and another in its process": (
        OVERLAP,
        (*told("c1", "deadline_exceeded", UNKNOWN), *told("c2")),
        (begin("c1", 0), *ran("c2", 0)),
        ONE,
    ),
    "three at once where two may": (
        OVERLAP,
        (*told("c1"), *told("c2"), *told("c3")),
        (begin("c1", 0), begin("c2", 0), *ran("c3", 0), end("c1", 1), end("c2", 1)),
        WIDE,
    ),
    "a thread that nobody has given up": (
        OVERLAP,
        (*told("c1", "cancelled", UNKNOWN), *told("c2")),
        (begin("c1", 0), *ran("c2", 0), end("c1", 1)),
        THREAD,
    ),
    "a state is lost": (STATE, (*told("c1"), *told("c2")), (*ran("c1", 0), *ran("c2", 0)), ONE),
    "the state of a failure is lost": (
        STATE,
        (*told("c1", "failure"), *told("c2")),
        (*ran("c1", 0, "failure"), *ran("c2", 0)),
        ONE,
    ),
    "the state of a call that crashed is kept": (
        STATE,
        (*told("c1", "host_crashed", UNKNOWN), *told("c2")),
        (*ran("c1", 0), *ran("c2", 1, pid=12)),
        ONE,
    ),
    "the state of a late answer is kept": (
        STATE,
        (*told("c1", "deadline_exceeded", UNKNOWN), *told("c2")),
        (*ran("c1", 0), *ran("c2", 1)),
        ONE,
    ),
    "the state of a tool that raised is kept": (
        STATE,
        (*told("c1", "tool_raised", UNKNOWN), *told("c2")),
        (*ran("c1", 0, "raise"), *ran("c2", 1)),
        ONE,
    ),
    "the state of a lost attempt is kept": (
        STATE,
        told("c1", run="again"),
        (*ran("c1", 0, run="first"), *ran("c1", 1, run="again", pid=12)),
        TWICE,
    ),
    "a state that was to be forgotten is there": (
        STATE,
        (*told("c1"), *told("c2")),
        (*ran("c1", 0), anew(keeps=False), *ran("c2", 1)),
        ONE,
    ),
    "a state that was saved is gone": (
        STATE,
        (*told("c1"), *told("c2")),
        (*ran("c1", 0), anew(keeps=True), *ran("c2", 0)),
        ONE,
    ),
    "one state was reset, and two are gone": (
        STATE,
        (*told("c1"), *told("c2"), *told("c3"), *event("state_reset", version=1, why="")),
        (*ran("c1", 0), *ran("c2", 0), *ran("c3", 0)),
        ONE,
    ),
    "of several at once one has a state that nobody has left": (
        STATE,
        (*told("c1"), *told("c2")),
        (*ran("c1", 0), *ran("c2", 5)),
        WIDE,
    ),
}


@pytest.mark.parametrize("lie", CONVICTED)
def test_a_lie_is_convicted_by_its_rule_alone(lie):
    rule, facts, ledger, terms = CONVICTED[lie]

    assert broken(facts, ledger, terms) == [rule]


def test_each_rule_has_a_ledger_that_it_convicts():
    assert {rule for rule, *_ in CONVICTED.values()} == set(LEDGER_RULES)


ACQUITTED = {
    "an attempt that was lost, and the one that came through": (
        told("c1", run="again", counted=1),
        (begin("c1", 0, run="first"), *ran("c1", 0, run="again", pid=12)),
        TWICE,
    ),
    "a call that crashed and kept its place": (
        (*told("c1", "host_crashed", UNKNOWN), *told("c2")),
        (begin("c1", 0, run="r1"), begin("c1", 0, run="r2", pid=12), *ran("c2", 0, pid=13)),
        TWICE,
    ),
    "two submissions that were under way together": (
        (
            Asked(0.0, "book", "c1"),
            Asked(0.0, "book", "c2"),
            Submitted(0.0, "book", "c1"),
            Submitted(0.0, "book", "c2"),
            *told("c1")[2:],
            *told("c2")[2:],
        ),
        (*ran("c2", 0), *ran("c1", 1)),
        ONE,
    ),
    "a thread that was fenced off": (
        (
            *told("c1", "deadline_exceeded", UNKNOWN),
            *event("thread_fenced", call="c1", tool="t", stuck=1),
            *told("c2"),
        ),
        (begin("c1", 0), *ran("c2", 0), end("c1", 1)),
        THREAD,
    ),
    "a thread of a plugin that was taken off": (
        (*told("c1", "cancelled", UNKNOWN), Ordered(1.0, "book", "load"), *told("c2")),
        (anew(keeps=False), begin("c1", 0), *ran("c2", 0), end("c1", 1)),
        THREAD,
    ),
    "a thread of a plugin that was taken off, and a call that was submitted while that was loaded again": (
        (*told("c1", "cancelled", UNKNOWN), told("c2")[0], Ordered(1.0, "book", "load"), *told("c2")[1:]),
        (anew(keeps=False), begin("c1", 0), *ran("c2", 0), end("c1", 1)),
        THREAD,
    ),
    "two at once where two may": (
        (*told("c1"), *told("c2"), *told("c3")),
        (begin("c1", 0), begin("c2", 0), end("c2", 1), end("c1", 1), *ran("c3", 1)),
        WIDE,
    ),
    "a state that was given up": (
        (*told("c1"), *event("state_reset", version=1, why=""), *told("c2")),
        (*ran("c1", 0), *ran("c2", 0)),
        ONE,
    ),
    "a state that was forgotten": (
        (*told("c1"), *told("c2")),
        (*ran("c1", 0), anew(keeps=False), *ran("c2", 0)),
        ONE,
    ),
    "a state that was saved": (
        (*told("c1"), *told("c2")),
        (*ran("c1", 0), anew(keeps=True), *ran("c2", 1)),
        ONE,
    ),
    "a state that could not be saved, and goes on in memory": (
        (*told("c1", saved=False), *told("c2")),
        (*ran("c1", 0), *ran("c2", 1)),
        ONE,
    ),
    "a state that could not be saved, and is gone with its board": (
        (*told("c1"), *told("c2", saved=False), *told("c3")),
        (*ran("c1", 0), *ran("c2", 1), anew(keeps=True), *ran("c3", 1)),
        ONE,
    ),
    "a state that could not be saved, and was later": (
        (*told("c1"), *told("c2", saved=False), *told("c3")),
        (*ran("c1", 0), *ran("c2", 1), anew(keeps=True), *ran("c3", 2)),
        ONE,
    ),
    "an invalid result": (
        (*told("c1", "invalid_result", UNKNOWN), *told("c2")),
        (*ran("c1", 0, "invalid"), *ran("c2", 0)),
        ONE,
    ),
}


def stateless(*lines):
    """The same marks of a server, which has no state."""
    marks = map(json.loads, lines)
    return tuple(json.dumps({key: mark[key] for key in mark if key != "count"}) for mark in marks)


GIVEN_UP = {
    "a server that was stopped runs a call behind one of its successor": stateless(
        *ran("c2", 0, pid=12), *ran("c1", 0)
    ),
    "a server that was stopped runs a call beside one of its successor": stateless(
        begin("c2", 0, pid=12), *ran("c1", 0), end("c2", 1)
    ),
    "a server goes on with a call while it is sent the next one": stateless(
        begin("c1", 0), *ran("c2", 0), end("c1", 1)
    ),
}


@pytest.mark.parametrize("ending", ["cancelled", "deadline_exceeded"])
@pytest.mark.parametrize("story", GIVEN_UP)
def test_a_server_may_run_at_any_time_what_was_given_up(story, ending):
    assert broken((*told("c1", ending, UNKNOWN), *told("c2")), GIVEN_UP[story]) == []


@pytest.mark.parametrize("story", GIVEN_UP)
def test_a_server_may_not_do_so_with_a_call_that_is_waited_for(story):
    assert broken((*told("c1"), *told("c2")), GIVEN_UP[story]) != []


@pytest.mark.parametrize("story", ACQUITTED)
def test_what_may_be_breaks_no_rule(story):
    facts, ledger, terms = ACQUITTED[story]

    assert broken(facts, ledger, terms) == []


def test_a_tool_without_a_state_is_held_to_all_rules_but_that_of_the_state():
    facts = [one._replace(counted=None) if isinstance(one, Answered) else one for one in GOOD_FACTS]

    found = checks(facts, stateless(*GOOD_LEDGER))

    assert [(one.rule, one.said) for one in found if not one.ok] == []


def test_a_ledger_is_read_with_what_each_run_was_given_and_left():
    ledger = read_ledger([*ran("c1", 4, "failure", pid=9), begin("c2", 5), anew(keeps=True)])

    first, second = ledger.runs
    assert (first.call, first.pid, first.count, first.begun, first.ended, first.how, first.made) == (
        "c1", 9, 4, 1, 2, "failure", 5,
    )  # fmt: skip
    assert (second.begun, second.ended, second.how, second.made) == (3, None, "", None)
    assert [(one.plugin, one.line, one.keeps) for one in ledger.anews] == [("book", 4, True)]


@pytest.mark.parametrize(
    "line",
    [
        '{"mark": "beg',
        "[]",
        "7",
        '{"mark": "other"}',
        '{"mark": "begin", "call": "c2"}',
        end("nobody", 1),
        end("c1", 2),
        begin("c1", 0),
    ],
)
def test_a_ledger_with_a_line_that_is_no_mark_proves_nothing(line):
    with pytest.raises(LedgerDamaged) as caught:
        read_ledger([*ran("c1", 0), line])

    assert caught.value.line == 3
