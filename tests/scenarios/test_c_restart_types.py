"""C: restart types, with fake lives on a manual clock."""

from __future__ import annotations

from dataclasses import replace

from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import TalkingChild, a_house
from supervision_cases import CLEAN, POLICY, REQUESTED

BY_CODE = Exit(ExitKind.CODE, "exit code 1", code=1)
BY_SIGNAL = Exit(ExitKind.SIGNAL, "signal SIGSEGV", signal="SIGSEGV")
ENDS = {"clean": CLEAN, "code": BY_CODE, "signal": BY_SIGNAL}


def outcomes(house, restart, ends):
    """The state and the generations of a child of this type after each end."""
    found = {}
    for name, exit_ in ends.items():
        child = house.add(TalkingChild(house, name, replace(POLICY, restart=restart)))
        house.crash(child, exit_)
        status = house.status(name)
        found[name] = (status and status["state"], child.generations)
    return found


def test_scenario_C1_a_permanent_child_is_restarted_whatever_its_end():
    with a_house() as house:
        found = outcomes(house, "permanent", ENDS)

    assert found == dict.fromkeys(ENDS, ("ready", [1, 2]))


def test_scenario_C2_a_transient_child_that_ended_well_or_on_request_is_not_restarted():
    with a_house() as house:
        found = outcomes(house, "transient", {"clean": CLEAN, "requested": REQUESTED})

    assert found == dict.fromkeys(("clean", "requested"), ("stopped", [1]))


def test_scenario_C3_a_transient_child_that_crashed_is_restarted():
    with a_house() as house:
        found = outcomes(house, "transient", {"code": BY_CODE, "signal": BY_SIGNAL})

    assert found == dict.fromkeys(("code", "signal"), ("ready", [1, 2]))


def test_scenario_C4_a_temporary_child_is_forgotten_when_it_ends():
    ends = {**ENDS, "requested": REQUESTED}
    with a_house() as house:
        found = outcomes(house, "temporary", ends)
        again = outcomes(house, "permanent", ENDS)

    assert found == dict.fromkeys(ends, (None, [1]))
    assert again == dict.fromkeys(ENDS, ("ready", [1, 2]))


def test_scenario_C5_an_end_that_is_listed_is_not_followed_by_a_restart():
    policy = replace(POLICY, never_restart_on=("code:78", "signal:SIGSEGV", "oom"))
    ends = {
        "78": Exit(ExitKind.CODE, "exit code 78", code=78),
        "77": Exit(ExitKind.CODE, "exit code 77", code=77),
        "segv": BY_SIGNAL,
        "abrt": Exit(ExitKind.SIGNAL, "signal SIGABRT", signal="SIGABRT"),
        "oom": Exit(ExitKind.OOM, "it ran out of its heap", signal="SIGABRT"),
    }
    with a_house() as house:
        for name, exit_ in ends.items():
            house.crash(house.add(TalkingChild(house, name, policy)), exit_)
        found = {name: (house.state(name), house.status(name)["next_start_in"]) for name in ends}

    parked, running = ("parked", None), ("ready", None)
    assert found == {"78": parked, "77": running, "segv": parked, "abrt": running, "oom": parked}


def test_scenario_C7_the_end_of_significant_children_ends_their_group():
    with a_house() as house:
        for name, when in (("any", "any_significant"), ("all", "all_significant")):
            house.group(name, auto_shutdown=when, restart="transient")
        families = {
            name: house.family(f"{name}-a", f"{name}-b", group=name, policy=RestartPolicy(restart="transient"),
                               significant=True)
            | house.family(f"{name}-c", group=name, policy=RestartPolicy(restart="transient"))
            for name in ("any", "all")
        }  # fmt: skip
        states = []
        for ending in ("c", "a", "b"):
            for name, family in families.items():
                if house.state(f"{name}-{ending}") == "ready":
                    house.crash(family[f"{name}-{ending}"], CLEAN)
            states.append([group["state"] for group in house.groups().values()])

    assert states == [["running", "running"], ["stopped", "running"], ["stopped", "stopped"]]
    assert "-any-b1" in house.log
