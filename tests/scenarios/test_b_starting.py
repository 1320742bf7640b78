"""B: starting, with fake lives on a manual clock."""

from __future__ import annotations

import pytest
from callboard.supervision.errors import ChildExists, StartFailed
from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import AddChild, GetCount, GetWhich
from callboard.supervision.restart.policy import RestartPolicy
from fake_children import FakeChild, TalkingChild, a_house
from supervision_cases import CRASH, POLICY


def test_scenario_B1_children_that_start_in_order_wait_for_those_before_them():
    """Adding one returns at once, here as everywhere; who has to know waits for ``host_ready``."""
    with a_house() as house:
        house.group("g", start="in_order")
        family = house.family("a", "b", "c", group="g", prompt=False)
        waiting = [house.state(name) for name in family]

        for child in family.values():
            child.present.report.ready()
            house.settle()

        assert waiting == ["starting", "backoff", "backoff"]
        assert house.log == ["+a1", "+b1", "+c1"]
        order = [(event.kind, event.subject) for event in house.heard if event.kind != "host_backoff"]
        assert order == [(kind, name) for name in family for kind in ("host_starting", "host_ready")]
        assert house.groups()["g"]["state"] == "running"


def test_scenario_B3_a_child_that_declines_to_run_keeps_its_place_unless_it_is_temporary():
    with a_house() as house:
        for name, restart in (("kept", "permanent"), ("gone", "temporary")):
            house.ask(AddChild(ChildSpec(name, lambda _reporter: None, RestartPolicy(restart=restart))))

        assert house.ask(GetWhich()) == {"kept": None}
        assert house.ask(GetCount()) == {"specs": 1, "active": 0, "workers": 1, "supervisors": 0}
        assert (house.state("kept"), house.status("kept")["crashes"]) == ("stopped", 0)


def test_scenario_B4_a_child_that_is_there_is_not_started_a_second_time():
    with a_house() as house:
        first = house.add(FakeChild("a"))
        answers = []

        for _ in range(2):
            with pytest.raises(ChildExists) as caught:
                house.ask(AddChild(FakeChild("a").spec))
            answers.append((caught.value.answer, caught.value.running))
            house.order("stop")
            first.present.report.ended(CRASH)
            house.settle()

        assert answers == [("already_started", first.present), ("already_present", None)]
        assert len(first.started) == 1


def test_scenario_B5_a_start_that_raises_or_returns_rubbish_is_the_callers_error():
    def fail(_reporter):
        raise RuntimeError("no way")

    with a_house() as house:
        house.add(FakeChild("other"))
        causes = []
        for start in (fail, lambda _reporter: "rubbish"):
            with pytest.raises(StartFailed) as caught:
                house.ask(AddChild(ChildSpec("a", start, POLICY)))
            causes.append(str(caught.value))
        house.settle()

        assert "RuntimeError('no way')" in causes[0]
        assert "'rubbish', which is no running generation" in causes[1]
        assert house.ask(GetWhich()) == {"other": "running"}
        assert house.add(FakeChild("a")).generations == [1]


def test_scenario_B7_who_waits_to_be_restarted_takes_a_place():
    with a_house() as house:
        house.group("g", max_children=2)
        family = house.family("a", "b", group="g")
        for _ in range(2):
            house.crash(family["b"])

        with pytest.raises(
            ValueError, match="the group 'g' has no place for 'c': 2 of its children run or wait"
        ):
            house.add(TalkingChild(house, "c", group="g"))

        assert house.state("b") == "backoff"
        assert house.ask(GetWhich()) == {"a": "running", "b": "restarting"}
        house.order("stop", "b")
        assert house.add(TalkingChild(house, "c", group="g")).generations == [1]
