"""G: administration while things restart, with fake lives on a manual clock."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.supervision.errors import ChildExists
from callboard.supervision.messages import Administer, GetCount, GetWhich, ShutDown
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.verbs import Verb
from fake_children import PATIENCE, TalkingChild, a_house
from supervision_cases import POLICY

WAITING = replace(POLICY, backoff=Backoff(first=60.0, min=60.0, max=60.0, jitter=0.0))
"""A child that waits a minute before it comes back."""


def in_backoff(house, name="a"):
    child = house.add(TalkingChild(house, name, WAITING))
    house.crash(child)
    return child


def test_scenario_G1_a_child_that_waits_is_listed_as_restarting_and_left_alone():
    with a_house() as house:
        child = in_backoff(house)

        with pytest.raises(ChildExists) as caught:
            house.add(TalkingChild(house, "a"))

        assert caught.value.answer == "already_present"
        assert house.ask(GetWhich()) == {"a": "restarting"}
        assert house.ask(GetCount()) == {"specs": 1, "active": 0, "workers": 1, "supervisors": 0}
        assert [house.ask(Administer(verb, "a")) for verb in (Verb.RESTART, Verb.DELETE)] == [
            "restarting"
        ] * 2
        assert (house.waits(), child.generations) == ([60.0], [1])


def test_scenario_G2_a_child_that_waits_and_is_terminated_never_starts():
    with a_house() as house:
        child = in_backoff(house)

        answer = house.ask(Administer(Verb.TERMINATE, "a"))
        waits = house.waits()
        house.advance(1000.0)

        assert (answer, waits) == ("ok", [])
        assert (house.state(), child.generations) == ("stopped", [1])


def test_scenario_G3_a_supervisor_that_is_stopped_ends_in_time_and_starts_nothing_afterwards():
    with a_house() as house:
        stuck = house.add(TalkingChild(house, "stuck", prompt=False, obedient=False))
        waiting = in_backoff(house, "waiting")
        polite = house.add(TalkingChild(house, "polite"))

        promise = house.ask(ShutDown("enough", within=5.0))
        house.settle()
        house.advance(5.0)
        left = promise.get(timeout=PATIENCE)
        house.advance(1000.0)

        assert left == ("stuck",)
        assert stuck.present.stopped == polite.present.stopped == ["enough"]
        assert [child.generations for child in (stuck, waiting, polite)] == [[1], [1], [1]]
        assert house.waits() == []


def test_scenario_G4_the_supervisor_answers_while_an_old_generation_dies_and_starts_the_next_one_after_it():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", prompt=False, obedient=False))

        house.order("restart")
        answers = [house.ask(GetWhich()), house.state()]
        house.advance(1000.0)
        meanwhile = child.generations.copy()
        house.crash(child)

        assert answers == [{"a": "running"}, "stopping"]
        assert (meanwhile, child.generations) == ([1], [1, 2])


def test_scenario_G5_terminating_is_idempotent_and_only_what_was_stopped_is_deleted():
    with a_house() as house:
        house.add(TalkingChild(house, "a"))
        refused = house.ask(Administer(Verb.DELETE, "a")), house.ask(Administer(Verb.RESTART, "a"))
        terminated = []
        for _ in range(2):
            terminated.append(house.ask(Administer(Verb.TERMINATE, "a")))
            house.settle()

        restarted = house.ask(Administer(Verb.RESTART, "a"))
        house.ask(Administer(Verb.TERMINATE, "a"))
        house.settle()
        deleted = house.ask(Administer(Verb.DELETE, "a"))

        assert refused == ("running", "running")
        assert (terminated, restarted, deleted) == (["ok", "ok"], "ok", "ok")
        assert house.ask(GetWhich()) == {}
        assert [house.ask(Administer(verb, "a")) for verb in Verb] == ["not_found"] * 3


def test_scenario_G6_a_restart_now_starts_one_generation_and_the_old_timer_no_second():
    with a_house() as house:
        child = in_backoff(house)

        house.order("restart")
        waits = house.waits()
        house.advance(1000.0)

        assert (waits, child.generations) == ([], [1, 2])
