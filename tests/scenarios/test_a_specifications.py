"""A: specifications, with fake lives on a manual clock."""

from __future__ import annotations

import dataclasses
from functools import partial

import pytest
from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import AddChild
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from callboard.supervision.restart.spec import AutoShutdown, GroupSpec, OnLimit, StartOrder, Strategy
from fake_children import FakeChild, a_house
from supervision_cases import POLICY


def test_scenario_A1_each_specification_that_makes_no_sense_has_an_error_of_its_own():
    child = FakeChild("a")
    wrong = [
        partial(ChildSpec, "", child.start, POLICY),
        partial(ChildSpec, "a", None, POLICY),
        partial(RestartPolicy, restart="sometimes"),
        partial(RestartPolicy, intensity=-1),
        partial(RestartPolicy, period=0),
        partial(RestartPolicy, never_restart_on=("explosion",)),
        partial(GroupSpec, "g", restart="sometimes"),
        partial(GroupSpec, "g", strategy="none_for_all"),
        partial(GroupSpec, "g", intensity=-1),
        partial(GroupSpec, "g", period=0),
        partial(GroupSpec, "g", max_children=0),
        partial(GroupSpec, "g", parent="g"),
    ]
    errors = []

    with a_house() as house:
        for make in wrong:
            with pytest.raises(ValueError) as caught:  # noqa: PT011 - what they say is compared below
                make()
            errors.append(str(caught.value))
        events = house.kinds()

    assert [error.split(";")[0] for error in errors] == [
        "a child needs an id, a text that is not empty",
        "the child 'a' needs something that starts it",
        "'restart' is 'sometimes'",
        "'intensity' is -1",
        "'period' is 0",
        "'never_restart_on' names 'explosion'",
        "'restart' is 'sometimes'",
        "'strategy' is 'none_for_all'",
        "'intensity' is -1",
        "'period' is 0",
        "'max_children' is 0",
        "the group 'g' cannot be in itself",
    ]
    assert (child.started, events) == ([], [])


def test_scenario_A2_an_id_that_is_taken_and_a_significance_that_means_nothing_are_refused():
    with a_house() as house:
        house.group("heedless")
        house.group("heeding", auto_shutdown="any_significant")
        house.add(FakeChild("a"))
        late = [
            FakeChild("a"),
            FakeChild("b", RestartPolicy(restart="permanent"), group="heeding", significant=True),
            FakeChild("c", RestartPolicy(restart="transient"), group="heedless", significant=True),
            FakeChild("d", group="nowhere"),
        ]

        errors = []
        for child in late:
            with pytest.raises(ValueError) as caught:  # noqa: PT011 - what they say is compared below
                house.ask(AddChild(child.spec))
            errors.append(str(caught.value))
        with pytest.raises(ValueError, match="there is a group 'heeding' already"):
            house.group("heeding")

        assert [error.split(";")[0].split(" (")[0] for error in errors] == [
            "there is a child 'a' already",
            "a permanent child cannot be significant: it never ends for good",
            "a significant child means nothing to the group 'heedless': 'auto_shutdown' is never",
            "there is no group 'nowhere'",
        ]
        assert [child.started for child in late] == [[], [], [], []]
        assert set(house.kinds()) == {"host_starting"}


def test_scenario_A3_what_a_specification_leaves_out_has_the_documented_defaults():
    child = ChildSpec("a", FakeChild("a").start, RestartPolicy())
    group = GroupSpec("g")

    assert dataclasses.asdict(child.policy) == {
        "restart": RestartType.PERMANENT,
        "backoff": {"first": 0.0, "min": 0.2, "max": 30.0, "jitter": 0.2},
        "intensity": 5,
        "period": 60.0,
        "stable_for": 10.0,
        "cool_down": 60.0,
        "never_restart_on": (),
        "always_restart_on": (),
    }
    assert (child.group, child.significant, child.dynamic) == ("", False, False)
    assert group == GroupSpec(
        "g",
        strategy=Strategy.ONE_FOR_ONE,
        intensity=None,
        period=60.0,
        restart=RestartType.PERMANENT,
        on_limit=OnLimit.PARK,
        start=StartOrder.TOGETHER,
        backoff=Backoff(),
        cool_down=60.0,
        auto_shutdown=AutoShutdown.NEVER,
        max_children=None,
        parent="",
    )
