"""A rule that had nothing to look at was not tested: it does not hold, and a run with one is not well."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Broken, Happened, Ran
from callboard.chaos.checker.invariants import RULES, check, standing, violations
from callboard.chaos.checker.standings import Standing, together
from runs import CAREFUL, WHOLE, answered, event, leaving, without


def standings(run):
    return {one.rule: one.standing for one in check(run)}


def not_tested(run):
    return {rule for rule, came in standings(run).items() if came is Standing.NOT_TESTED}


def test_an_empty_run_breaks_no_rule_and_has_tested_none_but_that_nothing_was_left():
    empty = replace(WHOLE, facts=(), healed=None)

    assert violations(empty) == ()
    assert not_tested(empty) == set(RULES) - {
        "nothing left behind",
        "parts in order",
        "mailboxes are bounded",
    }
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


ORDER = {"calls begin in order", "one call at a time"}
HOSTS = {
    "no reply crosses generations",
    "one generation at a time",
    "generations count up",
    "no start before its time",
    "restarts within budget",
    "works after the faults",
}


@pytest.mark.parametrize(
    ("terms", "inapplicable"),
    [
        ([{"ordered": False, "counts": False, "concurrency": 4}], {*ORDER, "counts without a gap"}),
        ([{"stateless": True, "counts": False}], {"counts without a gap"}),
        (
            [{"ordered": False, "counts": False}, {"counts": False, "stateless": True}],
            {"counts without a gap"},
        ),
        ([{"ordered": False, "counts": False}, {}], set()),
    ],
    ids=["several at once", "no state", "the one or the other", "a neighbour that it applies to"],
)
def test_a_rule_about_what_was_agreed_with_no_plugin_cannot_apply(terms, inapplicable):
    plugins = {f"book{n or ''}": replace(CAREFUL, **each) for n, each in enumerate(terms)}

    checks = check(replace(WHOLE, terms=plugins))

    cannot = {one.rule for one in checks if one.standing is Standing.CANNOT_APPLY}
    assert cannot == inapplicable
    assert all(one.told.startswith("cannot apply: ") for one in checks if one.rule in cannot)


def test_of_tools_in_this_process_no_rule_of_hosts_applies_and_the_others_have_to_be_tested():
    facts = (
        *(fact for n in range(2) for fact in (Asked(n, "book", f"c{n}", 9.0), Ran(n + 0.1, "book", f"c{n}"))),
        *(answered(n + 0.2, f"c{n}", n + 1, generation=0)._replace(judged=True) for n in range(2)),
        *(Happened(n + 0.1, "book", "call_started", {"call": f"c{n}"}, n + 1) for n in range(2)),
    )
    here = replace(WHOLE, facts=facts, terms={"book": replace(CAREFUL, hosted=False)}, healed=1.5)

    came = standings(here)

    assert {rule for rule, each in came.items() if each is Standing.CANNOT_APPLY} == HOSTS
    assert not_tested(here) == set()


def test_what_cannot_apply_is_no_gap_and_no_proof():
    assert together([Standing.HELD, Standing.CANNOT_APPLY]) is Standing.HELD
    assert together([Standing.HELD, Standing.CANNOT_APPLY, Standing.NOT_TESTED]) is Standing.NOT_TESTED
    assert together([Standing.BROKEN, Standing.CANNOT_APPLY]) is Standing.BROKEN
    assert together([Standing.CANNOT_APPLY]) is Standing.NOT_TESTED


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
