from __future__ import annotations

import json

import pytest
from callboard.supervision.core import Changed, ChildState, Removed, StartGeneration, StopGeneration
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import FakeChild, House
from leaks import no_leaks
from supervision_cases import CRASH, REQUESTED, acts, in_backoff, news, state_of, supervision_of


@pytest.fixture
def house():
    with no_leaks():
        house = House()
        yield house
        house.ref.stop()
        house.stream.close()


def replaced(*, ready=True):
    core = supervision_of("a")
    if ready:
        core.ready("a", 1, 1.0)
    core.replace("a", 2.0, "it has grown old")
    return core


@pytest.mark.parametrize("ready", [True, False])
def test_the_next_generation_is_started_before_the_present_one_retires(ready):
    core = supervision_of("a")
    if ready:
        core.ready("a", 1, 1.0)

    effects = core.replace("a", 2.0, "it has grown old")

    assert acts(effects) == [StartGeneration("a", 2), StopGeneration("a", 1, "it has grown old", retire=True)]
    assert news(effects) == ["host_replaced", "host_starting"]
    assert (state_of(core), core.children["a"].retiring) == (ChildState.STARTING, [1])


@pytest.mark.parametrize("exit_", [CRASH, REQUESTED])
def test_the_end_of_a_generation_that_retires_is_no_crash_whatever_it_is_like(exit_):
    core = replaced()
    core.ready("a", 2, 3.0)

    effects = core.ended("a", 1, exit_, 4.0)

    facts = {"generation": 1, "exit": exit_.kind.value, "cause": exit_.cause, "report": dict(exit_.report)}
    assert effects == (Changed("a", "host_retired", facts),)
    child = core.children["a"]
    assert (child.state, child.crashes, child.retiring, core.stale) == (ChildState.READY, 0, [], 0)


def test_the_end_of_a_generation_that_retired_is_heard_once():
    core = replaced()
    core.ended("a", 1, REQUESTED, 4.0)

    assert core.ended("a", 1, REQUESTED, 5.0) == ()
    assert core.stale == 1


def test_the_successor_may_crash_while_the_old_generation_retires():
    core = replaced()

    effects = core.ended("a", 2, CRASH, 3.0)

    assert acts(effects) == [StartGeneration("a", 3)]
    assert core.children["a"].retiring == [1]


@pytest.mark.parametrize("state", ["backoff", "parked", "stopped", "stopping"])
def test_where_no_generation_can_be_taken_over_nothing_is_replaced(state):
    core = supervision_of("a")
    if state == "stopping":
        core.stop("a", 1.0, "enough")
    else:
        in_backoff(core)
        if state != "backoff":
            getattr(core, {"parked": "park", "stopped": "stop"}[state])("a", 2.0, "enough")

    assert core.replace("a", 3.0, "it has grown old") == ()
    assert state_of(core) == state


def test_replacing_gives_the_budget_back_only_after_a_stable_generation():
    budgets = []
    for ready_at in (1.0, 12.0):
        core = supervision_of("a", policy=RestartPolicy(intensity=1, stable_for=10.0))
        core.ended("a", 1, CRASH, 0.5)
        core.ready("a", 2, ready_at)
        core.replace("a", 13.0, "it has grown old")
        budgets.append(news(core.ended("a", 3, CRASH, 14.0))[-1])

    assert budgets == ["host_starting", "host_parked"]


@pytest.mark.parametrize("order", ["stop", "park", "remove"])
def test_who_goes_takes_the_generations_that_retire_with_it(order):
    core = replaced()

    ordered = getattr(core, order)("a", 3.0, "enough")
    first = core.ended("a", 2, REQUESTED, 4.0)
    stopping = state_of(core)
    last = core.ended("a", 1, REQUESTED, 5.0)

    assert ordered == (StopGeneration("a", 1, "enough"), StopGeneration("a", 2, "enough"))
    assert (first, stopping) == ((), ChildState.STOPPING)
    assert news(last)[1:] == ["host_parked" if order == "park" else "host_stopped"]
    assert acts(last) == ([Removed("a")] if order == "remove" else [])


def test_who_waits_for_its_start_is_stopped_when_its_retiring_generation_has_ended():
    core = replaced()
    core.ended("a", 2, CRASH, 3.0)
    core.ended("a", 3, CRASH, 3.0)

    ordered = core.stop("a", 3.1, "enough")
    ended = core.ended("a", 1, REQUESTED, 4.0)

    assert ordered == (StopGeneration("a", 1, "enough"),)
    assert news(ended) == ["host_retired", "host_stopped"]


@pytest.mark.parametrize("order", ["restart", "revive"])
def test_who_is_wanted_back_does_not_wait_for_generations_that_retire(order):
    core = replaced()
    core.stop("a", 3.0, "enough")
    core.ended("a", 2, REQUESTED, 4.0)

    effects = core.restart("a", 5.0, "after all") if order == "restart" else core.revive("a", 5.0)

    assert acts(effects) == [StartGeneration("a", 3)]


def test_who_is_being_removed_is_not_brought_back_past_its_retiring_generations():
    core = replaced()
    core.remove("a", 3.0, "unplugged")
    core.ended("a", 2, REQUESTED, 4.0)

    orders = [core.restart("a", 5.0, "after all"), core.revive("a", 5.0), core.replace("a", 5.0, "why not")]
    effects = core.ended("a", 1, REQUESTED, 6.0)

    assert [acts(order) for order in orders] == [[], [], []]
    assert acts(effects) == [Removed("a")]


@pytest.mark.parametrize("order", ["restart", "revive"])
def test_who_is_ordered_back_while_being_removed_is_not_forgotten_before_its_retiring_generations_have_ended(
    order,
):
    core = replaced()
    core.remove("a", 3.0, "unplugged")
    if order == "restart":
        core.restart("a", 4.0, "after all")
    else:
        core.revive("a", 4.0)

    early = core.ended("a", 2, REQUESTED, 5.0)

    assert acts(early) == []
    assert acts(core.ended("a", 1, REQUESTED, 6.0)) == [Removed("a")]


def test_a_restart_leaves_the_generations_that_retire_in_peace():
    core = replaced()

    ordered = core.restart("a", 3.0, "new version")

    assert ordered == (StopGeneration("a", 2, "new version"),)
    assert acts(core.ended("a", 2, REQUESTED, 4.0)) == [StartGeneration("a", 3)]


def test_the_status_names_the_generations_that_retire():
    status = replaced().children["a"].as_dict(3.0)

    assert json.loads(json.dumps(status))["retiring"] == [1]


def test_the_old_generation_is_told_to_retire_and_the_timer_of_its_successor_stays(house):
    child = house.add(FakeChild("a"))
    child.present.report.ready()
    house.order("replace", reason="it has grown old")
    for _ in range(2):
        child.present.report.ended(Exit(ExitKind.CODE, "exit code 1"))
        house.status()
    child.started[0].report.ended(REQUESTED)
    house.status()

    house.advance(1000.0)

    assert (child.started[0].retired, child.started[0].stopped) == (["it has grown old"], [])
    assert child.generations == [1, 2, 3, 4]
    assert [kind for kind in house.kinds() if kind in {"host_replaced", "host_retired"}] == [
        "host_replaced",
        "host_retired",
    ]
