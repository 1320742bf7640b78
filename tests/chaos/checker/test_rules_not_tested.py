"""A rule that had nothing to look at was not tested: it does not hold, and a run with one is not well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Broken, Happened, Ran
from callboard.chaos.checker.invariants import RULES, check, standing, violations
from callboard.chaos.checker.standings import Standing
from runs import CAREFUL, WHOLE, answered, event, leaving, without


def standings(run):
    return {one.rule: one.standing for one in check(run)}


def not_tested(run):
    return {rule for rule, came in standings(run).items() if came is Standing.NOT_TESTED}


def test_an_empty_run_breaks_no_rule_and_has_tested_none_but_that_nothing_was_left():
    empty = replace(WHOLE, facts=(), healed=None)

    assert violations(empty) == ()
    assert not_tested(empty) == set(RULES) - {"nothing left behind"}
    assert standing(check(empty)) is Standing.NOT_TESTED


def test_a_rule_that_is_broken_is_so_whatever_else_was_not_tested():
    run = leaving(replace(WHOLE, facts=()), threads=("one",))

    assert standing(check(run)) is Standing.BROKEN


def test_a_run_of_no_rule_at_all_has_tested_nothing():
    assert standing(()) is Standing.NOT_TESTED


@pytest.mark.parametrize(
    ("change", "untested"),
    [
        (
            lambda _: ONE_GENERATION,
            {
                "one generation at a time",
                "generations count up",
                "no start before its time",
                "restarts within budget",
                "no reply crosses generations",
            },
        ),
        (
            lambda run: replace(
                without(
                    run,
                    lambda fact: (
                        isinstance(fact, Broken)
                        or (isinstance(fact, Happened) and fact.kind in {"host_crashed", "host_backoff"})
                    ),
                ),
                healed=4.5,
            ),
            {"no start before its time", "restarts within budget", "works after the faults"},
        ),
        (lambda run: replace(run, healed=5.5), {"works after the faults"}),
        (lambda run: replace(run, healed=None), {"works after the faults"}),
        (lambda run: replace(run, ended=0.0), {"nothing left behind"}),
        (lambda run: with_terms(run, ledger=False), {"runs as often as it may"}),
        (lambda run: with_terms(run, counts=False), {"counts without a gap"}),
        (lambda run: with_terms(run, ordered=False), {"calls begin in order", "one call at a time"}),
        (
            lambda run: without(run, lambda fact: isinstance(fact, Ran) and fact.call != "c1"),
            {"calls begin in order", "one call at a time"},
        ),
        (
            lambda run: replace(run, facts=tuple(unnumbered(run.facts))),
            {"events keep their order"},
        ),
        (
            lambda run: replace(
                run,
                facts=tuple(f._replace(judged=False) if isinstance(f, Answered) else f for f in run.facts),
            ),
            {"each answer is its call's"},
        ),
        (
            lambda run: replace(
                run,
                facts=tuple(f._replace(generation=0) if isinstance(f, Answered) else f for f in run.facts),
            ),
            {"no reply crosses generations"},
        ),
    ],
    ids=[
        "one generation",
        "no fault",
        "no call afterwards",
        "nobody waited",
        "no end",
        "no ledger",
        "no counts",
        "several at once",
        "one beginning",
        "no numbers",
        "no judge",
        "no generation named",
    ],
)
def test_a_rule_that_had_nothing_to_look_at_was_not_tested_and_says_why(change, untested):
    checks = {one.rule: one for one in check(change(WHOLE))}

    assert {rule for rule, one in checks.items() if one.standing is Standing.NOT_TESTED} == untested
    assert all(checks[rule].told.startswith("not tested: ") for rule in untested)
    assert not any(checks[rule].ok for rule in untested)


ONE_GENERATION = replace(
    WHOLE,
    facts=(
        event(0.0, "starting", 1)._replace(sequence=1),
        event(0.1, "ready", 1)._replace(sequence=2),
        Asked(1.0, "book", "c1", 60.0),
        Ran(1.1, "book", "c1", 1),
        answered(1.2, "c1", 1)._replace(judged=True),
        Broken(2.0, "book", "SIGSTOP for 0.1 s"),
        Asked(5.0, "book", "c2", 60.0),
        Ran(5.1, "book", "c2", 1),
        answered(5.2, "c2", 2),
    ),
)


def with_terms(run, **terms):
    return replace(run, terms={"book": replace(CAREFUL, **terms)})


def unnumbered(facts):
    return (fact._replace(sequence=0) if isinstance(fact, Happened) else fact for fact in facts)
