from __future__ import annotations

import json

import pytest
from callboard.supervision.core import Changed, ChildState, Removed, Schedule, StartGeneration, StopGeneration
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy, RestartType
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

# A generation


def test_a_child_that_is_added_is_started():
    core = supervision_of()

    effects = core.add("a", POLICY, 0.0)

    assert effects == (Changed("a", "host_starting", {"generation": 1}), StartGeneration("a", 1))
    assert state_of(core) is ChildState.STARTING


def test_an_id_that_is_taken_is_refused():
    core = supervision_of("a")

    with pytest.raises(ValueError, match="there is a child 'a' already"):
        core.add("a", POLICY, 0.0)

    assert core.children["a"].generation == 1


def test_a_child_is_ready_when_it_says_so():
    core = supervision_of("a")

    effects = core.ready("a", 1, 1.0)

    assert effects == (Changed("a", "host_ready", {"generation": 1}),)
    assert state_of(core) is ChildState.READY
    assert core.ready("a", 1, 2.0) == ()


def test_a_crash_is_told_with_its_report_and_the_next_generation_is_started_at_once():
    core = supervision_of("a")
    core.ready("a", 1, 1.0)

    effects = core.ended("a", 1, CRASH, 2.0)

    crashed = {"generation": 1, "exit": "code", "cause": "exit code 1", "report": {"code": 1}}
    assert effects == (
        Changed("a", "host_crashed", crashed),
        Changed("a", "host_starting", {"generation": 2}),
        StartGeneration("a", 2),
    )
    assert (core.children["a"].restarts, core.children["a"].crashes) == (1, 1)


def test_a_clean_end_of_a_permanent_child_is_no_crash_but_a_restart():
    core = supervision_of("a")

    effects = core.ended("a", 1, CLEAN, 2.0)

    assert news(effects) == ["host_starting"]
    assert (core.children["a"].restarts, core.children["a"].crashes) == (1, 0)


def test_the_second_crash_waits_and_the_timer_starts_the_next_generation_once():
    core = supervision_of("a")
    core.ended("a", 1, CRASH, 1.0)

    effects = core.ended("a", 2, CRASH, 2.0)

    (schedule,) = acts(effects)
    assert schedule == Schedule("a", core.children["a"].token, 2.5)
    assert news(effects) == ["host_crashed", "host_backoff"]
    assert state_of(core) is ChildState.BACKOFF
    assert acts(core.due("a", schedule.token, 2.5)) == [StartGeneration("a", 3)]
    assert core.due("a", schedule.token, 2.5) == ()


def test_one_child_fares_without_the_others():
    core = supervision_of("a", "b")
    before = core.children["b"].as_dict(5.0)

    core.ended("a", 1, CRASH, 1.0)
    core.stop("a", 2.0, "enough")

    assert core.children["b"].as_dict(5.0) == before


@pytest.mark.parametrize(
    ("restart", "exit_"),
    [(RestartType.TRANSIENT, CLEAN), (RestartType.PERMANENT, REQUESTED)],
)
def test_a_child_that_is_not_to_be_started_again_has_stopped_and_keeps_its_place(restart, exit_):
    core = supervision_of("a", policy=RestartPolicy(restart=restart))

    effects = core.ended("a", 1, exit_, 1.0)

    assert acts(effects) == []
    assert news(effects)[-1] == "host_stopped"
    assert state_of(core) is ChildState.STOPPED


@pytest.mark.parametrize("exit_", [CRASH, CLEAN, REQUESTED])
def test_a_temporary_child_is_forgotten_when_it_ends(exit_):
    core = supervision_of("a", policy=RestartPolicy(restart=RestartType.TEMPORARY))

    effects = core.ended("a", 1, exit_, 1.0)

    assert acts(effects) == [Removed("a")]
    assert news(effects)[-1] == "host_stopped"
    assert core.children == {}


# The park


def test_past_the_budget_the_child_is_parked_and_probed_when_it_has_cooled_down():
    core = supervision_of("a")
    in_backoff(core)
    core.due("a", core.children["a"].token, 1.5)

    effects = core.ended("a", 3, CRASH, 2.0)

    assert news(effects) == ["host_crashed", "host_parked"]
    assert acts(effects) == [Schedule("a", core.children["a"].token, 32.0)]
    assert acts(core.due("a", core.children["a"].token, 32.0)) == [StartGeneration("a", 4)]


def parked_by_a_crash():
    """A child that no crash is forgiven, in the park since 1.0."""
    core = supervision_of("a", policy=RestartPolicy(intensity=0, stable_for=10.0, cool_down=30.0))
    core.ended("a", 1, CRASH, 1.0)
    return core


def test_a_probe_that_fails_leads_back_to_the_park():
    core = parked_by_a_crash()
    core.due("a", core.children["a"].token, 31.0)

    effects = core.ended("a", 2, CRASH, 31.5)

    assert acts(effects) == [Schedule("a", core.children["a"].token, 61.5)]
    assert core.children["a"].why == "the probe failed: exit code 1"


def test_a_probe_that_lives_long_enough_ends_the_matter():
    core = parked_by_a_crash()
    core.due("a", core.children["a"].token, 31.0)
    core.ready("a", 2, 32.0)

    core.ended("a", 2, Exit(ExitKind.CODE, "exit code 1", ready_for=10.0), 42.0)

    assert core.children["a"].why == "0 restarts within 60 s are used up; last: exit code 1"


def test_what_can_never_start_is_parked_without_a_timer():
    core = supervision_of("a")

    effects = core.ended("a", 1, HOPELESS, 1.0)

    assert acts(effects) == []
    assert core.children["a"].as_dict(9.0)["next_start_in"] is None
    assert core.children["a"].why == "it cannot start: no such file"


def test_reviving_starts_at_once_with_a_fresh_budget():
    core = supervision_of("a")
    core.ended("a", 1, HOPELESS, 1.0)

    effects = core.revive("a", 2.0)

    assert acts(effects) == [StartGeneration("a", 2)]
    assert acts(core.ended("a", 2, CRASH, 3.0)) == [StartGeneration("a", 3)]


def test_parking_by_hand_ends_the_generation_and_starts_no_other():
    core = supervision_of("a")
    core.ready("a", 1, 1.0)

    ordered = core.park("a", 2.0, "not now")
    ended = core.ended("a", 1, REQUESTED, 3.0)

    assert ordered == (StopGeneration("a", 1, "not now"),)
    assert ended == (Changed("a", "host_parked", {"generation": 1, "seconds": None, "why": "not now"}),)
    assert core.children["a"].until is None


def test_parking_by_hand_calls_off_the_next_probe():
    core = supervision_of("a", policy=RestartPolicy(intensity=0))
    core.ended("a", 1, CRASH, 1.0)
    probe = core.children["a"].token

    core.park("a", 2.0, "not now")

    assert core.due("a", probe, 61.0) == ()
    assert state_of(core) is ChildState.PARKED


# Stale messages


def test_what_a_generation_says_after_the_next_one_has_begun_changes_nothing():
    core = supervision_of("a")
    core.ended("a", 1, CRASH, 1.0)

    assert core.ready("a", 1, 2.0) == ()
    assert core.ended("a", 1, CRASH, 2.0) == ()
    assert core.ready("nobody", 1, 2.0) == ()
    assert core.due("nobody", 1, 2.0) == ()
    assert (state_of(core), core.children["a"].crashes, core.stale) == (ChildState.STARTING, 1, 4)


def test_an_end_that_is_told_twice_counts_once():
    core = supervision_of("a")
    in_backoff(core)

    assert core.ended("a", 2, CRASH, 1.2) == ()
    assert core.children["a"].crashes == 2


# Status


def test_the_status_is_json_and_tells_times_from_now():
    core = supervision_of("a")
    in_backoff(core, now=5.0)

    status = core.children["a"].as_dict(5.2)

    assert json.loads(json.dumps(status)) == status
    assert status == {
        "state": "backoff",
        "generation": 2,
        "for": 0.2,
        "next_start_in": 0.3,
        "why": "exit code 1",
        "restarts": 2,
        "crashes": 2,
        "retiring": [],
        "group": None,
        "last_crash": {"code": 1},
    }
