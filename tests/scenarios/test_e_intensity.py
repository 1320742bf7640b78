"""E: intensity and escalation, with fake lives on a manual clock.

A child by itself is parked past its budget and probed; a group does what its ``on_limit`` says.
"""

from __future__ import annotations

from dataclasses import replace

from callboard.supervision.restart.backoff import Backoff
from fake_children import TalkingChild, a_house
from supervision_cases import CRASH, POLICY

NEVER_ALONE = replace(POLICY, intensity=100, backoff=Backoff(first=0.0, min=0.001, max=0.001, jitter=0.0))
"""A child whose own budget is never used up, and that hardly waits."""


def crash_and_wait(house, child):
    """What was logged of a crash, the wait included."""
    before = len(house.log)
    house.crash(child)
    house.advance(0.001)
    house.settle()
    return house.log[before:]


def test_scenario_E1_past_the_shared_budget_all_stop_in_reverse_and_the_parent_is_told_once():
    with a_house() as house:
        house.group("g", intensity=2, period=10.0, on_limit="stop", restart="transient")
        family = house.family("a", "b", "c", group="g", policy=NEVER_ALONE)
        crash_and_wait(house, family["a"])
        house.advance(1.0)
        crash_and_wait(house, family["b"])

        log = crash_and_wait(house, family["b"])
        house.advance(1000.0)
        told = house.of("group_limit")

        assert log == ["-c1", "-a2"]
        assert [event.subject for event in told] == ["g"]
        facts = {"child": "b", "exit": "code", "cause": "exit code 1", "restarts": [1.002, 0.001]}
        assert told[0].facts == facts
        assert house.groups()["g"]["state"] == "stopped"
        assert {house.state(name) for name in family} == {"stopped"}
        assert house.waits() == []


def test_scenario_E2_with_an_intensity_of_0_the_first_crash_reaches_the_limit():
    with a_house() as house:
        alone = house.add(TalkingChild(house, "alone", replace(POLICY, intensity=0)))
        house.group("g", intensity=0)
        family = house.family("a", "b", group="g", policy=NEVER_ALONE)

        house.crash(alone)
        log = house.crash(family["a"])

        assert (house.state("alone"), house.groups()["g"]["state"]) == ("parked", "parked")
        assert log == ["-b1"]
        assert house.waits() == [30.0, 60.0]


def test_scenario_E3_crashes_further_apart_than_the_period_go_on_for_ever_and_at_the_period_they_count():
    with a_house() as house:
        house.group("apart", intensity=1, period=10.0)
        house.group("at", intensity=1, period=10.0)
        apart = house.family("a", group="apart", policy=NEVER_ALONE)["a"]
        at = house.family("b", group="at", policy=NEVER_ALONE)["b"]
        for _ in range(20):
            house.crash(apart)
            house.advance(10.001)
        house.crash(at)
        house.advance(10.0)
        house.crash(at)

        assert len(apart.started) == 21
        assert house.groups()["apart"]["state"] == "running"
        assert house.groups()["at"]["state"] == "parked"


def test_scenario_E4_starts_that_fail_use_the_budget_up_as_well():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", replace(POLICY, intensity=3), prompt=False))
        for _ in range(4):
            house.crash(child)
            house.advance(2.0)
            house.settle()

        assert child.generations == [1, 2, 3, 4]
        assert house.state() == "parked"
        assert "host_ready" not in house.kinds()


def test_scenario_E5_five_siblings_share_a_budget_or_have_one_each():
    with a_house() as house:
        house.group("shared", intensity=4)
        own = house.family(*"abcde", policy=replace(POLICY, intensity=1))
        shared = house.family(*"vwxyz", group="shared", policy=NEVER_ALONE)
        states = []
        for child in (*own.values(), *shared.values()):
            house.crash(child)
            states.append(house.groups()["shared"]["state"])

        assert {house.state(name) for name in own} == {"ready"}
        assert states == ["running"] * 9 + ["parked"]


def test_scenario_E6_a_group_that_stopped_at_its_limit_comes_back_if_it_is_permanent():
    with a_house() as house:
        options = {"intensity": 0, "on_limit": "stop"}
        house.group("transient", restart="transient", **options)
        house.group("permanent", restart="permanent", **options)
        house.group("temporary", restart="temporary", **options)
        children = {
            name: house.family(f"{name}-child", group=name, policy=NEVER_ALONE)[f"{name}-child"]
            for name in ("transient", "permanent", "temporary")
        }
        for child in children.values():
            house.crash(child, CRASH)

        states = {name: group["state"] for name, group in house.groups().items()}
        assert states == {"transient": "stopped", "permanent": "running"}
        assert {name: len(child.started) for name, child in children.items()} == {
            "transient": 1,
            "permanent": 2,
            "temporary": 1,
        }
        assert house.status("temporary-child") is None
