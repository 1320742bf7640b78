from __future__ import annotations

import pytest
from callboard.supervision.core import Changed, ChildState, Removed, StartGeneration, StopGeneration
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from supervision_cases import (
    CLEAN,
    CRASH,
    HOPELESS,
    POLICY,
    REQUESTED,
    acts,
    in_backoff,
    news,
    state_of,
    supervision_of,
)

# Orders


@pytest.mark.parametrize("exit_", [CLEAN, REQUESTED])
@pytest.mark.parametrize("ready", [True, False])
def test_our_own_stop_is_no_crash(exit_, ready):
    core = supervision_of("a")
    if ready:
        core.ready("a", 1, 1.0)

    ordered = core.stop("a", 2.0, "not needed")
    while_stopping = state_of(core)
    ended = core.ended("a", 1, exit_, 3.0)

    assert ordered == (StopGeneration("a", 1, "not needed"),)
    assert while_stopping is ChildState.STOPPING
    assert ended == (Changed("a", "host_stopped", {"generation": 1, "why": "not needed"}),)
    assert (state_of(core), core.children["a"].crashes) == (ChildState.STOPPED, 0)


@pytest.mark.parametrize("exit_", [CRASH, HOPELESS])
@pytest.mark.parametrize("order", ["stop", "park", "restart", "remove"])
def test_a_crash_that_was_quicker_than_an_order_is_told_and_the_order_holds(exit_, order):
    core = supervision_of("a")
    getattr(core, order)("a", 2.0, "by hand")
    child, budget = core.children["a"], core.children["a"].history

    ended = core.ended("a", 1, exit_, 3.0)

    then = {"stop": "stopped", "park": "parked", "restart": "starting", "remove": "stopped"}[order]
    assert news(ended) == ["host_crashed", f"host_{then}"]
    assert (child.crashes, child.last_exit, child.history) == (1, exit_, budget)


def test_stopping_twice_changes_nothing():
    core = supervision_of("a")
    core.stop("a", 1.0, "not needed")
    again = core.stop("a", 2.0, "not needed")
    core.ended("a", 1, REQUESTED, 3.0)

    assert again == ()
    assert core.stop("a", 4.0, "not needed") == ()


def test_a_child_that_waits_is_stopped_at_once_and_its_timer_starts_nothing():
    core = supervision_of("a")
    token = in_backoff(core)

    effects = core.stop("a", 2.0, "not needed")

    assert news(effects) == ["host_stopped"]
    assert core.due("a", token, 9.0) == ()
    assert state_of(core) is ChildState.STOPPED


def test_a_restart_ends_the_generation_and_starts_the_next_when_it_is_really_gone():
    core = supervision_of("a")
    core.ready("a", 1, 1.0)

    ordered = core.restart("a", 2.0, "new version")
    ended = core.ended("a", 1, REQUESTED, 3.0)

    assert ordered == (StopGeneration("a", 1, "new version"),)
    assert acts(ended) == [StartGeneration("a", 2)]
    assert news(ended) == ["host_starting"]


@pytest.mark.parametrize("order", ["restart", "revive"])
def test_a_child_that_waits_is_started_now_and_its_timer_starts_no_second(order):
    core = supervision_of("a")
    token = in_backoff(core)

    effects = core.restart("a", 2.0, "now") if order == "restart" else core.revive("a", 2.0)

    assert acts(effects) == [StartGeneration("a", 3)]
    assert core.due("a", token, 9.0) == ()


def test_a_restart_by_hand_gives_a_fresh_budget():
    core = supervision_of("a", policy=RestartPolicy(intensity=1))
    core.ended("a", 1, CRASH, 1.0)
    core.restart("a", 2.0, "now")
    core.ended("a", 2, REQUESTED, 3.0)

    assert acts(core.ended("a", 3, CRASH, 4.0)) == [StartGeneration("a", 4)]


@pytest.mark.parametrize(
    ("first", "then", "end"),
    [
        ("stop", "restart", ChildState.STARTING),
        ("stop", "revive", ChildState.STARTING),
        ("park", "revive", ChildState.STARTING),
        ("stop", "park", ChildState.PARKED),
        ("restart", "stop", ChildState.STOPPED),
        ("restart", "park", ChildState.PARKED),
    ],
)
def test_of_two_orders_the_later_one_holds(first, then, end):
    core = supervision_of("a")

    for order in (first, then):
        arguments = () if order == "revive" else ("by hand",)
        getattr(core, order)("a", 1.0, *arguments)
    core.ended("a", 1, REQUESTED, 2.0)

    assert state_of(core) is end


@pytest.mark.parametrize("state", ["starting", "ready"])
def test_reviving_what_lives_changes_nothing(state):
    core = supervision_of("a")
    if state == "ready":
        core.ready("a", 1, 1.0)

    assert core.revive("a", 2.0) == ()
    assert state_of(core) == state


# Removing


def test_a_removed_child_is_gone_when_its_generation_has_ended_and_its_id_is_free():
    core = supervision_of("a")

    ordered = core.remove("a", 1.0, "unplugged")
    ended = core.ended("a", 1, REQUESTED, 2.0)

    assert ordered == (StopGeneration("a", 1, "unplugged"),)
    assert ended == (Changed("a", "host_stopped", {"generation": 1, "why": "unplugged"}), Removed("a"))
    assert acts(core.add("a", POLICY, 3.0)) == [StartGeneration("a", 1)]


@pytest.mark.parametrize("state", ["backoff", "parked", "stopped"])
def test_a_child_without_a_generation_is_removed_at_once_and_once(state):
    core = supervision_of("a")
    in_backoff(core)
    if state == "parked":
        core.park("a", 2.0, "not now")
    elif state == "stopped":
        core.stop("a", 2.0, "not now")

    effects = core.remove("a", 3.0, "unplugged")

    assert (news(effects), acts(effects)) == (["host_stopped"], [Removed("a")])
    assert core.children == {}


@pytest.mark.parametrize("order", ["restart", "revive", "stop", "park"])
def test_no_order_brings_a_child_back_that_is_being_removed(order):
    core = supervision_of("a")
    core.remove("a", 1.0, "unplugged")
    getattr(core, order)("a", 2.0, *(() if order == "revive" else ("by hand",)))

    assert acts(core.ended("a", 1, REQUESTED, 3.0)) == [Removed("a")]


def test_the_timer_of_a_removed_child_means_nothing_to_its_successor():
    core = supervision_of("a")
    tokens = {in_backoff(core)}
    core.remove("a", 2.0, "unplugged")
    core.add("a", POLICY, 3.0)
    in_backoff(core, now=4.0)

    assert core.children["a"].token not in tokens
    assert core.due("a", tokens.pop(), 4.1) == ()
    assert state_of(core) is ChildState.BACKOFF


def test_a_probe_does_now_what_the_end_of_the_cool_down_would_do():
    cores = [supervision_of("a"), supervision_of("a")]
    for core in cores:
        core.ended("a", 1, Exit(ExitKind.START_FAILED, "not there", lasting=True), 1.0)
    due, probed = cores
    token = due.children["a"].token

    assert probed.probe("a", 2.0) == due.due("a", token, 2.0)
    assert probed.children["a"].history == due.children["a"].history
    assert probed.due("a", token, 61.0) == ()  # the timer comes too late


@pytest.mark.parametrize("order", [None, "park", "stop"])
def test_a_child_that_runs_or_that_only_an_order_starts_is_not_probed(order):
    core = supervision_of("a")
    if order is not None:
        getattr(core, order)("a", 1.0, "by hand")
        core.ended("a", 1, REQUESTED, 2.0)

    assert core.probe("a", 3.0) == ()
