"""Ledgers by hand, and what callers were told: a good pair, and ways to make a lie of it."""

from __future__ import annotations

import json

from callboard.chaos.campaign.ledger import anew_mark, read_ledger
from callboard.chaos.campaign.ledger_rules import check_ledger
from callboard.chaos.checker.facts import Answered, Asked, Happened, Run, Submitted, Terms

ONE = Terms(ledger=True)
TWICE = Terms(ledger=True, repeats=1)
THREAD = Terms(ledger=True, hosted=False)
WIDE = Terms(ledger=True, ordered=False, concurrency=2)


def begin(call, count, *, run=None, pid=11, plugin="book"):
    mark = {"mark": "begin", "call": call, "plugin": plugin, "run": run or call, "pid": pid, "count": count}
    return json.dumps(mark)


def end(run, count, how="success"):
    return json.dumps({"mark": "end", "run": run, "how": how, "count": count})


def ran(call, count, how="success", *, run=None, pid=11, plugin="book"):
    """A run from its begin to its end."""
    return (begin(call, count, run=run, pid=pid, plugin=plugin), end(run or call, count + 1, how))


def anew(*, keeps):
    return anew_mark("book", keeps=keeps).strip()


def told(call, ending="success", outcome=None, *, run=None, counted=None, saved=True):
    """A call from its submission to its end."""
    where = (run or call) if ending == "success" else ""
    return (
        Asked(0.0, "book", call, 5.0),
        Submitted(0.0, "book", call),
        Answered(1.0, "book", call, ending, outcome, run=where, counted=counted, saved=saved),
    )


def event(kind, **facts):
    return (Happened(0.5, "book", kind, facts),)


GOOD_LEDGER = (
    *ran("c1", 0),
    begin("c2", 1),
    *ran("c3", 1, "failure", pid=12),
    *ran("c4", 2, "raise", pid=12),
    *ran("c6", 2, pid=12),
)
"""The host was killed in ``c2``, and ``c5`` was never sent."""

GOOD_FACTS = (
    *told("c1", counted=1),
    *told("c2", "host_crashed", "outcome_unknown"),
    *told("c3", "failure"),
    *told("c4", "tool_raised", "outcome_unknown"),
    *told("c5", "overloaded", "not_sent"),
    *told("c6", counted=3),
)


def checks(facts, ledger, terms=ONE):
    return check_ledger(Run(tuple(facts), {"book": terms}), read_ledger(ledger))


def broken(facts, ledger, terms=ONE):
    """The rules that are broken."""
    return [one.rule for one in checks(facts, ledger, terms) if one.violations]


def instead(facts, call, *others):
    """Something else was told of that call, in its place."""
    at = next(place for place, fact in enumerate(facts) if fact.call == call)
    rest = [fact for fact in facts if fact.call != call]
    return (*rest[:at], *others, *rest[at:])
