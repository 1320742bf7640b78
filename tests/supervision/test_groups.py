"""Groups beyond what the scenarios say: backoff and probes of whole groups, orders in the middle of a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.supervision.messages import ShutDown
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import PATIENCE, TalkingChild, a_house
from supervision_cases import HOPELESS, POLICY

NEVER_ALONE = replace(POLICY, intensity=100, backoff=Backoff(first=0.0, min=0.001, max=0.001, jitter=0.0))
"""A child whose own budget is never used up, and that hardly waits."""


def test_a_group_that_its_parent_has_to_start_again_and_again_waits_longer_each_time():
    with a_house() as house:
        house.group("g", intensity=0, on_limit="stop", backoff=Backoff(0.0, 0.5, 8.0, jitter=0.0))
        child = house.family("a", group="g", policy=NEVER_ALONE)["a"]
        waits = []
        for _ in range(4):
            house.crash(child)
            waits += house.waits()
            house.advance(10.0)
            house.settle()

        assert waits == [0.5, 1.0, 2.0]
        assert len(child.started) == 5


def test_a_parent_has_a_budget_for_the_groups_in_it():
    with a_house() as house:
        house.group("outer", intensity=1, on_limit="park")
        house.group("inner", parent="outer", intensity=0, on_limit="stop")
        family = house.family("a", group="inner", policy=NEVER_ALONE) | house.family("b", group="outer")
        house.crash(family["a"])

        log = house.crash(family["a"])

        assert log == ["-b1"]
        assert [event.facts["child"] for event in house.of("group_limit")] == ["a", "a", "inner"]
        assert {name: group["state"] for name, group in house.groups().items()} == {
            "outer": "parked",
            "inner": "parked",
        }


def test_a_parked_group_is_probed_as_a_whole_and_parked_again_if_it_is_not_stable():
    with a_house() as house:
        house.group("g", intensity=0, cool_down=30.0)
        family = house.family("a", "b", group="g", policy=NEVER_ALONE)
        house.crash(family["a"])

        house.advance(30.0)
        house.settle()
        probe = house.log[-2:]
        house.crash(family["b"])

        assert probe == ["+a2", "+b2"]
        assert (house.groups()["g"]["state"], house.waits()) == ("parked", [30.0])
        assert house.groups()["g"]["why"] == "the probe failed: 'b': exit code 1"


def test_reviving_one_of_a_parked_group_revives_all_with_a_fresh_budget():
    with a_house() as house:
        house.group("g", intensity=1, strategy="one_for_all")
        family = house.family("a", "b", group="g", policy=RestartPolicy())
        for _ in range(2):
            house.crash(family["a"])
        parked = house.groups()["g"]["state"]

        house.order("revive", "b")
        house.settle()
        log = house.crash(family["a"])

        assert parked == "parked"
        assert house.groups()["g"]["budget_used"] == 1
        assert log == ["-b3", "+a4", "+b4"]
        assert house.waits() == []


def test_a_listed_end_is_followed_by_a_restart_whatever_the_type():
    for restart in ("temporary", "transient"):
        policy = replace(POLICY, restart=restart, always_restart_on=("clean",))
        with a_house() as house:
            child = house.add(TalkingChild(house, "a", policy))
            house.crash(child, Exit(ExitKind.CLEAN, "exit code 0", code=0))

            assert (house.state(), child.generations) == ("ready", [1, 2])


def test_where_one_of_all_cannot_start_all_are_parked_and_revived_together():
    with a_house() as house:
        house.group("g", strategy="one_for_all")
        family = house.family("a", "b", group="g")
        log = house.crash(family["b"], HOPELESS)
        parked = [house.state(name) for name in family]

        house.order("revive", "a")
        house.settle()

        assert (log, parked) == (["-a1"], ["parked", "parked"])
        assert house.log[-2:] == ["+a2", "+b2"]


@pytest.mark.parametrize("order", ["stop", "park", "remove"])
def test_who_is_ordered_away_while_its_group_restarts_does_not_come_back_with_it(order):
    with a_house() as house:
        house.group("g", strategy="one_for_all")
        family = house.family("a", "b", group="g")
        for _ in range(2):
            house.crash(family["a"])

        house.order(order, "b")
        house.advance(10.0)
        house.settle()

        assert house.log[-1] == "+a3"
        status = house.status("b")
        assert (status and status["state"]) == {"stop": "stopped", "park": "parked", "remove": None}[order]


def test_who_was_ordered_away_before_is_not_brought_back_by_its_group():
    with a_house() as house:
        house.group("g", strategy="one_for_all")
        family = house.family("a", "b", "c", group="g")
        house.order("stop", "b")
        house.order("park", "c")
        house.settle()

        log = house.crash(family["a"])

        assert log == ["+a2"]
        assert [house.state(name) for name in family] == ["ready", "stopped", "parked"]


def test_a_member_that_is_slow_to_die_holds_the_start_of_the_others_up_and_not_the_supervisor():
    with a_house() as house:
        house.group("g", strategy="one_for_all")
        family = house.family("a", "b", group="g")
        family["b"].obedient = False
        log = house.crash(family["a"])
        while_dying = [house.state(name) for name in family]

        house.crash(family["b"])

        assert (log, while_dying) == (["-b1"], ["backoff", "stopping"])
        assert house.log[-2:] == ["+a2", "+b2"]
        assert (house.status("b")["crashes"], house.status("b")["restarts"]) == (1, 1)


def test_an_outer_plan_takes_over_what_an_inner_one_had_begun():
    with a_house() as house:
        house.group("outer", strategy="rest_for_one")
        first = house.family("first", group="outer")["first"]
        house.group("inner", parent="outer", strategy="one_for_all")
        inner = house.family("a", "b", group="inner")
        for _ in range(2):
            house.crash(inner["a"])
        waiting = house.waits()

        log = house.crash(first)
        house.advance(10.0)

        assert waiting == [0.5]
        assert log == ["+first2", "+a3", "+b3"]
        assert house.waits() == []


def test_who_is_added_to_a_group_that_is_parked_is_parked_with_it():
    with a_house() as house:
        house.group("g", intensity=0)
        house.crash(house.family("a", group="g")["a"])

        house.family("b", group="g")
        parked = house.state("b")
        house.advance(60.0)
        house.settle()

        assert parked == "parked"
        assert house.log == ["+a1", "+a2", "+b1"]


def test_in_order_nobody_waits_for_one_that_is_parked():
    with a_house() as house:
        house.group("g", start="in_order")
        family = house.family("a", "b", group="g", prompt=False)
        house.crash(family["a"], HOPELESS)

        assert (house.state("a"), house.log[-1]) == ("parked", "+b1")


def test_who_waits_for_its_turn_can_be_started_now():
    with a_house() as house:
        house.group("g", start="in_order")
        house.family("a", "b", group="g", prompt=False)

        house.order("restart", "b")

        assert house.log == ["+a1", "+b1"]


def test_the_status_of_a_group_tells_who_is_in_it_and_what_it_waits_for():
    with a_house() as house:
        house.group("g", strategy="one_for_all", intensity=3)
        family = house.family("a", "b", group="g", policy=RestartPolicy(backoff=Backoff(2.0, jitter=0.0)))
        house.crash(family["a"])
        house.advance(0.5)

        assert house.groups()["g"] == {
            "state": "restarting",
            "strategy": "one_for_all",
            "members": ["a", "b"],
            "for": 0.5,
            "next_start_in": 1.5,
            "why": "'a' has ended: exit code 1",
            "restarts": 1,
            "budget_used": 1,
            "group": None,
        }
        assert house.status("b")["group"] == "g"


def test_after_a_shutdown_no_order_starts_anything():
    with a_house() as house:
        family = house.family("a", "b")
        promise = house.ask(ShutDown("enough", within=5.0))
        left = promise.get(timeout=PATIENCE)

        for name in family:
            for order in ("restart", "revive"):
                house.order(order, name)
        house.settle()

        assert left == ()
        assert house.log == ["+a1", "+b1", "-b1", "-a1"]
        with pytest.raises(ValueError, match="the child 'c' comes too late"):
            house.add(TalkingChild(house, "c"))


def test_at_the_deadline_those_whose_turn_had_not_come_are_told_as_well():
    with a_house() as house:
        family = house.family("a", "b", "c", obedient=False)

        promise = house.ask(ShutDown("enough", within=5.0))
        house.advance(5.0)
        left = promise.get(timeout=PATIENCE)

        assert left == ("a", "b", "c")
        assert house.log[-3:] == ["-c1", "-a1", "-b1"]
        assert all(child.present.stopped == ["enough"] for child in family.values())


def test_a_group_that_had_stopped_runs_again_for_a_child_that_is_revived():
    with a_house() as house:
        house.group("g", intensity=0, on_limit="stop", restart="transient")
        family = house.family("a", "b", group="g")
        house.order("stop", "b")
        house.settle()
        house.crash(family["a"])
        stopped = house.groups()["g"]["state"]

        house.order("revive", "b")
        house.settle()

        assert (stopped, house.groups()["g"]["state"]) == ("stopped", "running")
        assert [house.state(name) for name in family] == ["stopped", "ready"]


def test_a_shutdown_reaches_a_generation_that_retires_beside_one_that_is_being_restarted():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", obedient=False))
        for order in ("replace", "restart"):
            house.settle()
            house.order(order)

        house.ask(ShutDown("enough", within=5.0))

        assert [present.stopped for present in child.started] == [["enough"], ["by hand"]]


@pytest.mark.parametrize(
    "end",
    [
        Exit(ExitKind.CANCEL, "a call went on beyond its cancel"),
        Exit(ExitKind.START_FAILED, "Too many open files", starved=True),
    ],
)
def test_an_end_by_a_cancel_or_for_want_of_descriptors_costs_its_group_no_budget(end):
    with a_house() as house:
        house.group("g", intensity=1)
        family = house.family("a", group="g")
        for _ in range(5):
            house.crash(family["a"], end)
            house.advance(1.0)

        assert (house.state(), house.groups()["g"]["budget_used"]) == ("ready", 0)
