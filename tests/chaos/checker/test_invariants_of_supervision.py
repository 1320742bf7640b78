"""Whatever the supervision decides keeps the rules; with any of its decisions bent, the rules are broken.

The generations are made up, with ends at random; the decisions are those of the real `Supervision`, on a clock
of numbers.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Happened, Run, Terms
from callboard.chaos.checker.invariants import violations
from callboard.supervision.core import Changed, Schedule, StartGeneration, Supervision
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.restart.spec import GroupSpec, Strategy
from hypothesis import given
from hypothesis import strategies as st

KILLED = Exit(ExitKind.SIGNAL, "killed")

policies = st.builds(
    RestartPolicy,
    backoff=st.builds(
        Backoff,
        first=st.sampled_from([0.0, 1.0]),
        min=st.sampled_from([0.5, 2.0]),
        max=st.sampled_from([2.0, 8.0]),
        jitter=st.sampled_from([0.0, 0.2]),
    ),
    intensity=st.integers(0, 4),
    period=st.sampled_from([5.0, 60.0]),
    stable_for=st.sampled_from([2.0, 10.0]),
    cool_down=st.sampled_from([1.0, 30.0]),
)


def supervised(policy, seed, *, steps=60, believed=None, hasty=1.0):
    """A run of one host whose generations end by chance.

    Args:
        believed: the policy that the supervision has, where that is another than it should have.
        hasty: by what its waits are multiplied.
    """
    chance, core, now = random.Random(seed), Supervision(random.Random(seed).random), 1000.0
    facts, agenda = [], [(now, 0, "add", None)]
    for step in range(1, steps):
        if not agenda:
            break
        now, _, what, about = heapq.heappop(agenda)
        match what:
            case "add":
                effects = core.add("book", believed or policy, now)
            case "due":
                effects = core.due("book", about, now)
            case "ready":
                effects = core.ready("book", about, now)
            case "ended":
                kind = chance.choice((ExitKind.CODE, ExitKind.SIGNAL, ExitKind.CLEAN, ExitKind.START_FAILED))
                child = core.children["book"]
                ready_for = now - child.since if child.state == "ready" else None
                effects = core.ended("book", about, Exit(kind, "made up", ready_for), now)
        for order, effect in enumerate(effects, step * 100):
            if isinstance(effect, Changed):
                facts.append(Happened(now, "book", effect.kind, effect.facts, len(facts) + 1))
            for entry in consequences(effect, now, order, hasty, chance):
                heapq.heappush(agenda, entry)
    return Run(tuple(facts), {"book": Terms(policy=policy)}, ended=now, slack=1e-5)


def consequences(effect, now, order, hasty, chance):
    """What comes of an effect, for the agenda: a timer, or how a generation goes."""
    match effect:
        case Schedule(_, token, at):
            yield now + (at - now) * hasty, order, "due", token
        case StartGeneration(_, generation):
            yield now + chance.uniform(0.1, 1.0), order, "ready", generation
            yield now + chance.choice((0.05, 1.5, 4.0, 20.0)), order + 1, "ended", generation


@given(policies, st.integers(0, 10_000))
def test_the_supervision_keeps_every_rule(policy, seed):
    run = supervised(policy, seed)

    assert violations(run) == ()


def test_a_crash_on_the_way_down_with_its_group_spends_nothing():
    """Two of a one-for-all group are killed together, again and again; the first of them alone is charged."""
    policy = RestartPolicy(
        backoff=Backoff(first=0.0, min=1.0, max=8.0, jitter=0.0), intensity=6, stable_for=50.0
    )
    core, facts = Supervision(lambda: 0.0), []

    def happen(now, effects):
        for effect in effects:
            if isinstance(effect, Changed) and not effect.group:
                facts.append(Happened(now, effect.child, effect.kind, effect.facts, len(facts) + 1))
        return [effect for effect in effects if isinstance(effect, Schedule)]

    core.add_group(GroupSpec("pair", strategy=Strategy.ONE_FOR_ALL), 0.0)
    names = ("book", "page")
    for name in names:
        happen(0.0, core.add(name, policy, 0.0, group="pair"))
    now = 0.0
    for generation in range(1, 7):
        for name in names:
            happen(now, core.ready(name, generation, now))
        now += 1.0
        first, second = names if generation % 2 else reversed(names)
        timers = happen(now, core.ended(first, generation, KILLED, now))
        timers += happen(now, core.ended(second, generation, KILLED, now))
        for timer in timers:
            now = max(now, timer.at)
            happen(now, core.due(timer.child, timer.token, now, group=timer.group))

    run = Run(tuple(facts), dict.fromkeys(names, Terms(policy=policy)), ended=now, slack=1e-5)
    assert sum(fact.kind == "host_crashed" for fact in facts) == 12
    assert violations(run) == ()


STEADY = RestartPolicy(
    backoff=Backoff(first=1.0, min=2.0, max=8.0, jitter=0.0), intensity=2, period=60.0, cool_down=30.0
)


def rules_broken_by(**bent):
    return {
        violation.rule for seed in range(20) for violation in violations(supervised(STEADY, seed, **bent))
    }


def test_waits_that_are_cut_short_are_found():
    assert rules_broken_by(hasty=0.9) == {"no start before its time"}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"intensity": 3}, "restarts within budget"),
        ({"period": 3.0}, "restarts within budget"),
        ({"stable_for": 0.5}, "restarts within budget"),
        ({"cool_down": 3.0}, "no start before its time"),
        ({"backoff": Backoff(first=0.0, min=2.0, max=8.0, jitter=0.0)}, "no start before its time"),
        ({"backoff": Backoff(first=1.0, min=0.1, max=0.1, jitter=0.0)}, "no start before its time"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_supervision_that_follows_another_policy_is_found(change, rule):
    assert rule in rules_broken_by(believed=replace(STEADY, **change))
