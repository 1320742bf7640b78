"""D: strategies, with fake lives on a manual clock."""

from __future__ import annotations

from callboard.supervision.messages import AddChild, GetCount
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import TalkingChild, a_house


def generations_of(family):
    return {name: child.present.report.generation for name, child in family.items()}


def test_scenario_D1_one_for_one_restarts_the_one_that_crashed():
    with a_house() as house:
        house.group("g", strategy="one_for_one")
        family = house.family("a", "b", "c", group="g")

        log = house.crash(family["b"])

        assert log == ["+b2"]
        assert generations_of(family) == {"a": 1, "b": 2, "c": 1}


def test_scenario_D2_one_for_all_stops_the_others_in_reverse_and_starts_all_in_order():
    with a_house() as house:
        house.group("g", strategy="one_for_all")
        family = house.family("a", "b", "c", group="g")

        log = house.crash(family["a"])

        assert log == ["-c1", "-b1", "+a2", "+b2", "+c2"]
        assert {house.state(name) for name in family} == {"ready"}


def test_scenario_D3_rest_for_one_restarts_the_one_that_crashed_and_those_after_it():
    with a_house() as house:
        house.group("g", strategy="rest_for_one")
        family = house.family("a", "b", "c", "d", "e", group="g")

        log = house.crash(family["c"])

        assert log == ["-e1", "-d1", "+c2", "+d2", "+e2"]
        assert generations_of(family) == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2}


def test_scenario_D4_a_temporary_bystander_is_stopped_and_not_brought_back():
    with a_house() as house:
        house.group("all", strategy="one_for_all", intensity=1)
        house.group("rest", strategy="rest_for_one", intensity=1)
        families = {}
        for group in ("all", "rest"):
            families[group] = house.family(f"{group}-a", group=group)
            bystander = TalkingChild(house, f"{group}-t", RestartPolicy(restart="temporary"), group=group)
            house.add(bystander)

        logs = {group: house.crash(families[group][f"{group}-a"]) for group in ("all", "rest")}

        assert logs == {group: [f"-{group}-t1", f"+{group}-a2"] for group in ("all", "rest")}
        assert [house.status(f"{group}-t") for group in ("all", "rest")] == [None, None]
        assert [group["budget_used"] for group in house.groups().values()] == [1, 1]


def test_scenario_D5_one_for_all_retries_the_whole_group_when_a_member_fails_to_come_back():
    with a_house() as house:
        house.group("g", strategy="one_for_all", start="in_order")
        family = house.family("a", "b", "c", group="g")
        house.settle()
        family["b"].prompt = False
        house.crash(family["a"])
        family["b"].prompt = True

        log = house.crash(family["b"])

        assert log == ["-a2", "+a3", "+b3", "+c2"]
        assert {house.state(name) for name in family} == {"ready"}


def test_scenario_D6_rest_for_one_retries_from_the_member_that_fails_to_come_back():
    with a_house() as house:
        house.group("g", strategy="rest_for_one", start="in_order")
        family = house.family("a", "b", "c", group="g")
        house.settle()
        family["b"].prompt = False
        house.crash(family["a"])
        family["b"].prompt = True

        log = house.crash(family["b"])

        assert log == ["+b3", "+c2"]
        assert generations_of(family) == {"a": 2, "b": 3, "c": 2}


def test_scenario_D7_an_inner_group_comes_back_with_its_declared_children_only():
    with a_house() as house:
        house.group("outer", strategy="one_for_one")
        house.group("inner", parent="outer", intensity=1, on_limit="stop", restart="permanent")
        family = house.family("a", "b", group="inner")
        house.ask(AddChild(TalkingChild(house, "dynamic", group="inner", dynamic=True).spec))
        house.crash(family["a"])

        log = house.crash(family["a"])

        assert log == ["-dynamic1", "-b1", "+a3", "+b2"]
        assert house.status("dynamic") is None
        assert house.ask(GetCount("outer")) == {"specs": 3, "active": 3, "workers": 2, "supervisors": 1}
