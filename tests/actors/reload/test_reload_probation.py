"""What a reload may change, how far it is, and what a crash means to it: decided without a clock or a host."""

from __future__ import annotations

import pytest
from callboard.actors.hosting.reload_probation import Fate, Stage, Trial
from callboard.actors.reload.policy import (
    Change,
    ReloadPolicy,
    ToolChange,
    compare,
    fingerprint,
    objection,
)
from hypothesis import given
from hypothesis import strategies as st

A, B = {"type": "function", "x": 1}, {"type": "function", "x": 2}
NEW, OLD = fingerprint(B), fingerprint(A)


@pytest.mark.parametrize(
    ("before", "now", "changes"),
    [
        ({}, {}, []),
        ({"a": A}, {"a": dict(reversed(A.items()))}, []),
        ({"a": A}, {"a": B}, [("a", Change.CHANGED, OLD, NEW)]),
        ({"a": A}, {"b": B}, [("b", Change.ADDED, None, NEW), ("a", Change.REMOVED, OLD, None)]),
        (
            {"a": A, "c": A},
            {"c": B, "d": A},
            [
                ("d", Change.ADDED, None, OLD),
                ("a", Change.REMOVED, OLD, None),
                ("c", Change.CHANGED, OLD, NEW),
            ],
        ),
    ],
)
def test_tools_are_compared_by_name_and_schema(before, now, changes):
    assert compare("p", before, now) == [ToolChange("p", *change) for change in changes]


@given(
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from([A, B])),
    st.dictionaries(st.sampled_from("abcd"), st.sampled_from([A, B])),
)
def test_the_changes_lead_from_one_to_the_other_and_their_opposite_back(before, now):
    there, back = compare("p", before, now), compare("p", now, before)

    assert {(c.tool, c.before, c.now) for c in there} == {(c.tool, c.now, c.before) for c in back}
    untouched = {tool for tool in before if tool in now and before[tool] == now[tool]}
    assert {c.tool for c in there} == (before.keys() | now.keys()) - untouched


@pytest.mark.parametrize(
    ("refuse", "told"),
    [
        ((), None),
        (("added",), "'b' is new"),
        (("removed", "added"), "'b' is new, 'a' is gone"),
        (("changed",), None),
    ],
)
def test_what_a_policy_refuses_is_told_by_name(refuse, told):
    why = objection(compare("p", {"a": A}, {"b": B}), refuse)

    assert why is None if told is None else why is not None and why.startswith(f"{told}, which 'refuse'")


@pytest.mark.parametrize("given", [{"refuse": "removed"}, {"refuse": ["gone"]}, {"probation": -1.0}])
def test_a_policy_that_means_nothing_is_refused(given):
    with pytest.raises(ValueError, match=r"'refuse' is|'probation' is"):
        ReloadPolicy(**given)


SERVING = Trial().begin().choose(way_back=True, probation=10.0).take(7).ready(7, 100.0)
ON_THE_WAY = Trial().begin().choose(way_back=True, probation=10.0).take(7)
NO_BACK = Trial().begin().choose(way_back=False, probation=10.0).take(7).ready(7, 100.0)


@pytest.mark.parametrize(
    ("trial", "generation", "now", "answered", "fate"),
    [
        (SERVING, 7, 101.0, False, Fate.ROLL_BACK),
        (SERVING, 7, 109.9, False, Fate.ROLL_BACK),
        (SERVING, 7, 110.0, False, Fate.NOTHING),
        (SERVING, 7, 101.0, True, Fate.NOTHING),
        (SERVING, 6, 101.0, False, Fate.NOTHING),  # the old one, which retires
        (ON_THE_WAY, 7, 100.0, False, Fate.ROLL_BACK),
        (NO_BACK, 7, 101.0, False, Fate.NO_WAY_BACK),
        (NO_BACK, 7, 101.0, True, Fate.NOTHING),
        (Trial(), 7, 101.0, False, Fate.NOTHING),
        (Trial().begin(), 7, 101.0, False, Fate.NOTHING),
        (SERVING.begin(), 7, 101.0, False, Fate.ROLL_BACK),  # while another candidate is loaded
        (SERVING.begin().drop(), 7, 101.0, False, Fate.ROLL_BACK),
        (SERVING.begin().choose(way_back=True, probation=1.0), 7, 101.0, False, Fate.NOTHING),
    ],
)
def test_a_crash_brings_the_former_program_back_until_the_new_one_has_proved_itself(
    trial, generation, now, answered, fate
):
    after, decided = trial.crash(generation, now, answered=answered)

    assert decided is fate
    assert after == (trial if fate is Fate.NOTHING and after is trial else Trial(loading=trial.loading))


def test_a_trial_goes_from_stage_to_stage():
    trial = Trial()
    stages = [trial.stage_at(0.0)]
    for step in (
        lambda t: t.begin(),
        lambda t: t.choose(way_back=True, probation=5.0),
        lambda t: t.take(3),
        lambda t: t.ready(2, 0.0),
        lambda t: t.ready(3, 1.0),
    ):
        trial = step(trial)
        stages.append(trial.stage_at(0.0))

    assert stages == [
        Stage.IDLE, Stage.LOADING, Stage.CHOSEN, Stage.TAKING, Stage.TAKING, Stage.PROBATION,
    ]  # fmt: skip
    assert (trial.stage_at(5.9), trial.stage_at(6.0)) == (Stage.PROBATION, Stage.IDLE)


STEPS = st.one_of(
    st.just(("begin",)),
    st.just(("drop",)),
    st.tuples(st.just("choose"), st.booleans()),
    st.tuples(st.just("take"), st.integers(1, 4)),
    st.tuples(st.just("ready"), st.integers(1, 4)),
    st.tuples(st.just("crash"), st.integers(1, 4), st.booleans()),
    st.tuples(st.just("pass"), st.floats(0, 6)),
)


@given(st.lists(STEPS, max_size=40))
def test_a_program_is_brought_back_once_for_each_choice_and_only_for_the_generation_that_was_tried(steps):
    trial, now, chosen, brought_back, tried = Trial(), 0.0, 0, 0, 0
    for step in steps:
        match step:
            case ("begin",):
                trial = trial.begin()
            case ("drop",):
                trial = trial.drop()
            case ("choose", way_back):
                trial, chosen = trial.choose(way_back=way_back, probation=5.0), chosen + 1
            case ("take", generation) if trial.stage is Stage.CHOSEN:
                trial, tried = trial.take(generation), generation
            case ("ready", generation):
                trial = trial.ready(generation, now)
            case ("crash", generation, answered):
                could = trial.way_back
                trial, fate = trial.crash(generation, now, answered=answered)
                if fate is not Fate.NOTHING:
                    assert (generation, answered) == (tried, False)
                    assert (fate is Fate.ROLL_BACK) == could
                    brought_back += 1
            case ("pass", seconds):
                now += seconds

    assert brought_back <= chosen
