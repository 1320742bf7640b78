"""Recorded runs by hand: a good one, and ways to make a lie of it."""

from __future__ import annotations

from dataclasses import replace

from callboard.chaos.checker.facts import Answered, Asked, Broken, Happened, Left, Ran, Run, Seen, Terms
from callboard.chaos.checker.invariants import check
from callboard.chaos.checker.standings import Standing
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy

POLICY = RestartPolicy(
    backoff=Backoff(first=0.0, min=1.0, max=8.0, jitter=0.0),
    intensity=2,
    period=60.0,
    stable_for=10.0,
    cool_down=30.0,
)
CAREFUL = Terms(policy=POLICY, ledger=True, counts=True)
REPEATING = Terms(policy=POLICY, ledger=True, repeats=1)


def event(at, kind, generation, plugin="book", **facts):
    return Happened(at, plugin, f"host_{kind}", {"generation": generation, **facts})


def crash(at, generation, plugin="book"):
    report = {"exit": "signal SIGKILL", "in_flight": []}
    return event(at, "crashed", generation, plugin, exit="signal", cause="somebody killed it", report=report)


def answered(at, call, count=None, *, generation=1, plugin="book"):
    return Answered(at, plugin, call, "success", generation=generation, counted=count)


def lost(at, call, plugin="book"):
    return Answered(at, plugin, call, "host_crashed", "outcome_unknown", error="it is gone")


GOOD = Run(
    (
        event(0.0, "starting", 1),
        event(0.1, "ready", 1),
        Asked(1.0, "book", "c1", 60.0),
        Ran(1.1, "book", "c1", 1),
        answered(1.2, "c1", 1),
        Asked(2.0, "book", "c2", 60.0),
        Asked(2.0, "book", "c3", 60.0),
        Ran(2.1, "book", "c2", 1),
        Broken(2.2, "book", "SIGKILL"),
        lost(2.3, "c2"),
        crash(2.3, 1),
        event(2.3, "starting", 2),
        event(2.4, "ready", 2),
        Seen(2.4, "book", (7002,)),
        Ran(2.5, "book", "c3", 2),
        answered(2.6, "c3", 2, generation=2),
        crash(3.0, 2),
        event(3.0, "backoff", 2, seconds=1.0, why="somebody killed it"),
        event(4.0, "starting", 3),
        event(4.1, "ready", 3),
        Asked(5.0, "book", "c4", 60.0),
        Ran(5.1, "book", "c4", 3),
        answered(5.2, "c4", 3, generation=3),
    ),
    {"book": CAREFUL},
    healed=4.5,
    ended=6.0,
    patience=10.0,
)


def broken_rules(run):
    """The rules that a run breaks, by name, and all that is said of them."""
    return {one.rule for one in check(run) if one.standing is Standing.BROKEN}


def said_of(run, rule):
    (one,) = [one for one in check(run) if one.rule == rule]
    return [violation.what for violation in one.violations]


def without(run, wanted):
    """Without the facts for which ``wanted`` is true."""
    kept = tuple(fact for fact in run.facts if not wanted(fact))
    assert len(kept) < len(run.facts)
    return replace(run, facts=kept)


def also(run, *facts):
    """With further facts, each at its time, after those of the same time."""
    return replace(run, facts=tuple(sorted((*run.facts, *facts), key=lambda fact: fact.at)))


def instead(run, old, new):
    assert old in run.facts
    return replace(run, facts=tuple(new if fact == old else fact for fact in run.facts))


def leaving(run, **left):
    return replace(run, left=Left(**left))


NUMBERED = replace(
    GOOD,
    facts=tuple(
        fact._replace(sequence=place) if isinstance(fact, Happened) else fact
        for place, fact in enumerate(GOOD.facts, 1)
    ),
)
WHOLE = instead(NUMBERED, answered(1.2, "c1", 1), answered(1.2, "c1", 1)._replace(judged=True))
"""A run that gives every rule something to look at."""
