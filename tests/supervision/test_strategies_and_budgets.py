from __future__ import annotations

import pytest
from callboard.supervision.admin import judge, presence
from callboard.supervision.child import Child, ChildState
from callboard.supervision.fates import affected
from callboard.supervision.restart.exits import Exit, ExitKind, check_exits
from callboard.supervision.restart.policy import (
    History,
    Park,
    Restart,
    RestartPolicy,
    Stop,
    charge,
    decide,
    recent,
)
from callboard.supervision.verbs import Verb
from hypothesis import given
from hypothesis import strategies as st

times = st.lists(st.floats(0, 1000)).map(lambda found: tuple(sorted(found)))


@pytest.mark.parametrize(
    ("strategy", "failed", "down"),
    [
        ("one_for_one", "b", "b"),
        ("one_for_all", "b", "abc"),
        ("rest_for_one", "a", "abc"),
        ("rest_for_one", "b", "bc"),
        ("rest_for_one", "c", "c"),
    ],
)
def test_who_goes_down_with_whom(strategy, failed, down):
    assert affected(strategy, "abc", failed) == tuple(down)


@given(st.sampled_from(["one_for_one", "one_for_all", "rest_for_one"]), st.integers(1, 9), st.data())
def test_who_failed_is_always_among_them_and_they_keep_their_order(strategy, size, data):
    members = list(range(size))
    failed = data.draw(st.sampled_from(members))

    down = affected(strategy, members, failed)

    assert failed in down
    assert list(down) == [member for member in members if member in down]


@given(times, st.integers(0, 5), st.floats(0.1, 100))
def test_a_budget_never_holds_more_than_it_allows(past, intensity, period):
    now = 1000.0
    charged = charge(past, intensity, period, now)

    used = recent(past, period, now)
    assert (charged is None) == (len(used) >= intensity)
    assert charged is None or charged == (*used, now)


def test_a_restart_exactly_a_period_ago_still_counts():
    assert charge((90.0,), 1, 10.0, 100.0) is None
    assert charge((89.9,), 1, 10.0, 100.0) == (100.0,)


# Ends by name


@pytest.mark.parametrize(
    ("exit_", "names"),
    [
        (Exit(ExitKind.OOM, "", signal="SIGABRT"), {"oom", "signal:SIGABRT"}),
        (Exit(ExitKind.CODE, "", code=78), {"code", "code:78"}),
        (Exit(ExitKind.START_FAILED, "", code=78), {"start_failed", "code:78"}),
        (Exit(ExitKind.LIMIT, ""), {"limit"}),
    ],
)
def test_an_end_has_these_names_and_no_others(exit_, names):
    candidates = {"oom", "limit", "code", "code:78", "code:7", "signal", "signal:SIGABRT", "start_failed"}

    assert {name for name in candidates if exit_.matches((name,))} == names


@pytest.mark.parametrize("name", ["code:", "code:x", "code:1234", "signal:", "signal:segv", "requested", ""])
def test_a_name_that_no_end_has_is_refused(name):
    with pytest.raises(ValueError, match="'never_restart_on' names"):
        check_exits((name,), "never_restart_on")


@pytest.mark.parametrize(
    ("restart", "never", "always", "kind", "outcome"),
    [
        ("permanent", ("clean",), (), ExitKind.CLEAN, Park),
        ("permanent", ("code",), ("code",), ExitKind.CODE, Park),
        ("transient", (), ("clean",), ExitKind.CLEAN, Restart),
        ("transient", ("clean",), (), ExitKind.CLEAN, Stop),
        ("temporary", (), ("code",), ExitKind.CODE, Restart),
        ("temporary", ("code",), ("code",), ExitKind.CODE, Stop),
        ("permanent", (), ("code",), ExitKind.REQUESTED, Stop),
    ],
)
def test_what_the_lists_make_of_an_end(restart, never, always, kind, outcome):
    policy = RestartPolicy(restart=restart, never_restart_on=never, always_restart_on=always)

    assert isinstance(decide(policy, History(), Exit(kind, "why"), 0.0, lambda: 0.0), outcome)


def test_who_is_always_restarted_has_a_budget_all_the_same():
    policy = RestartPolicy(intensity=1, always_restart_on=("start_failed",))
    hopeless = Exit(ExitKind.START_FAILED, "no such file", permanent=True)

    first = decide(policy, History(), hopeless, 0.0, lambda: 0.0)
    second = decide(policy, first.history, hopeless, 1.0, lambda: 0.0)

    assert isinstance(first, Restart)
    assert second.until == 61.0


# Administration


@pytest.mark.parametrize(
    ("state", "generations", "then", "present", "answer"),
    [
        ("ready", {1}, "stopped", "already_started", "running"),
        ("stopping", {1}, "stopped", "already_started", "running"),
        ("stopping", {1}, "starting", "already_started", "restarting"),
        ("backoff", set(), "stopped", "already_present", "restarting"),
        ("parked", set(), "stopped", "already_present", "ok"),
        ("stopped", set(), "stopped", "already_present", "ok"),
    ],
)
def test_what_is_in_the_way_of_an_administrator(state, generations, then, present, answer):
    child = Child(
        "a", RestartPolicy(), state=ChildState(state), generations=generations, after_stop=ChildState(then)
    )

    assert presence(child) == present
    assert {judge(verb, child) for verb in (Verb.RESTART, Verb.DELETE)} == {answer}
    assert judge(Verb.TERMINATE, child) == "ok"
