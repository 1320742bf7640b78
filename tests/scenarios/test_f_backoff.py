"""F: backoff and reset, with fake lives on a manual clock.

What other systems call failed is parked here: no more restarts, but a probe after the cool-down.
"""

from __future__ import annotations

import random
import time
from dataclasses import replace

from callboard.supervision.restart.backoff import Backoff
from fake_children import TalkingChild, a_house
from supervision_cases import CRASH, HOPELESS, POLICY

PATIENT = replace(POLICY, intensity=100, backoff=Backoff(first=0.5, min=1.0, max=10.0, jitter=0.0))


def crash_after(house, child, ready_for):
    """Let a generation end that was ready so long; the wait that follows."""
    house.settle()
    child.present.report.ended(replace(CRASH, ready_for=ready_for))
    house.settle()
    waits = house.waits()
    return waits[0] if waits else 0.0


def waits_of(house, child, crashes, ready_for=None):
    waits = []
    for _ in range(crashes):
        waits.append(crash_after(house, child, ready_for))
        house.advance(waits[-1])
    return waits


def test_scenario_F1_the_waits_double_up_to_the_longest():
    with a_house() as house:
        waits = waits_of(house, house.add(TalkingChild(house, "a", PATIENT)), 7)

    assert waits == [0.5, 1, 2, 4, 8, 10, 10]


def test_scenario_F2_however_many_attempts_the_wait_is_the_longest():
    capped = Backoff(first=0.0, min=10.0, max=10.0, jitter=0.0)
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", replace(PATIENT, backoff=capped, intensity=5)))
        waits = waits_of(house, child, 3)

    assert waits == [0.0, 10.0, 10.0]
    assert PATIENT.backoff.delay(2**31, lambda: 0.0) == 10.0


def test_scenario_F3_nothing_starts_before_its_time():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", PATIENT))
        house.crash(child)

        house.advance(0.499)
        before = child.generations.copy()
        house.advance(0.001)
        house.advance(1000.0)

    assert (before, child.generations) == ([1], [1, 2])


def test_scenario_F4_the_random_part_comes_after_the_cap_and_repeats_with_its_seed():
    jittered = replace(PATIENT, backoff=Backoff(first=10.0, min=10.0, max=10.0, jitter=0.2))
    runs = []
    for _ in range(2):
        with a_house(random.Random(7).random) as house:
            family = house.family(*"abcdefghij", policy=jittered)
            for child in family.values():
                house.crash(child)
            runs.append(house.waits())

    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 10
    assert all(10.0 <= wait <= 12.0 for wait in runs[0])


def test_scenario_F5_a_stable_generation_brings_the_wait_back_to_the_first_one():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", PATIENT))
        waits_of(house, child, 3)

        tick_short = crash_after(house, child, PATIENT.stable_for - 0.001)
        house.advance(tick_short)
        stable = crash_after(house, child, PATIENT.stable_for)

    assert (tick_short, stable) == (4.0, 0.5)


def test_scenario_F6_what_an_earlier_generation_was_like_restores_nothing_to_a_later_one():
    """There is no timer that could restore the budget: it is asked for when a generation has ended."""
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", PATIENT))
        waits_of(house, child, 3)
        house.settle()
        child.started[0].report.ended(replace(CRASH, ready_for=1000.0))
        child.started[0].report.well()
        house.settle()

        assert house.waits() == []
        assert crash_after(house, child, 0.0) == 4.0


def test_scenario_F7_time_before_a_generation_was_ready_does_not_count_as_stable():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", PATIENT, prompt=False))
        waits = []
        for _ in range(3):
            house.advance(60.0)
            waits.append(crash_after(house, child, None))
            house.advance(waits[-1])

    assert waits == [0.5, 1.0, 2.0]


def test_scenario_F8_when_the_wall_clock_jumps_nothing_changes(monkeypatch):
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", PATIENT))
        waits = []
        for hours in (1, -1, 1):
            shown = time.time() + 3600 * hours
            monkeypatch.setattr(time, "time", lambda shown=shown: shown)
            waits.append(crash_after(house, child, 0.0))
            house.advance(waits[-1])
        house.settle()

        assert waits == [0.5, 1.0, 2.0]
        assert house.state() == "ready"


def test_scenario_F9_past_the_budget_a_child_is_parked_once_and_an_operator_begins_anew():
    """One timer remains, that of the probe; none for a child that can never start."""
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", replace(POLICY, intensity=1)))
        hopeless = house.add(TalkingChild(house, "b"))
        for _ in range(2):
            house.crash(child)
        house.crash(hopeless, HOPELESS)
        states = [house.state(name) for name in "ab"]
        told, waits = [event.subject for event in house.of("host_parked")], house.waits()

        for name in "ab":
            house.order("revive", name)
        house.settle()
        house.crash(child)

    assert (states, told, waits) == (["parked", "parked"], ["a", "b"], [30.0])
    assert (child.generations, hopeless.generations) == ([1, 2, 3, 4], [1, 2])


def test_scenario_F10_a_listener_that_raises_stops_no_restart(caplog):
    def fail(_kind, _facts):
        raise RuntimeError("a bug")

    with a_house() as house:
        child = house.add(TalkingChild(house, "a", on_change=fail))
        house.stream.subscribe(lambda event: fail(event.kind, event.facts))
        house.crash(child)
        state = house.state()
        house.kinds()

    assert (state, child.generations) == ("ready", [1, 2])
    assert "a bug" in caplog.text


def test_scenario_F11_the_count_is_zero_at_once_when_somebody_says_so():
    again = []
    for by in ("child", "operator"):
        with a_house() as house:
            child = house.add(TalkingChild(house, "a", replace(PATIENT, intensity=3)))
            waits_of(house, child, 3)
            house.settle()

            if by == "child":
                child.present.report.well()
            else:
                house.order("forgive")
            again.append(waits_of(house, child, 3))

    assert again == [[0.5, 1.0, 2.0]] * 2
