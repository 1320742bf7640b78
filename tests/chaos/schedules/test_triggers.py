"""Which entries of a schedule come true, and when."""

from __future__ import annotations

import pytest
from callboard.chaos import faults as f
from callboard.chaos import triggers as t
from callboard.chaos.schedule import Schedule
from callboard.chaos.schedules.cues import Cues

FAULT = f.Exit(7)


def cues(*triggers):
    return Cues(Schedule(0, [(trigger, FAULT) for trigger in triggers]))


def test_the_nth_call_is_counted_over_all_generations():
    told = cues(t.NthCall(3))

    came = []
    for _generation in range(2):
        told.at_spawn()
        came += [told.at_call(), told.at_call()]

    assert came == [[], [], [FAULT], []]


def test_the_nth_call_of_a_generation_is_counted_in_it():
    told = cues(t.NthCall(2, generation=2))

    came = []
    for _generation in range(3):
        told.at_spawn()
        came += [told.at_call(), told.at_call()]

    assert came == [[], [], [], [FAULT], [], []]


def test_lines_are_counted_by_their_way():
    told = cues(t.NthFrame(2, "out"))
    told.at_spawn()

    came = [told.at_frame(way) for way in ("in", "in", "out", "in", "out", "out")]

    assert came == [[], [], [], [], [FAULT], []]


def test_a_byte_is_met_exactly():
    told = cues(t.NthByte(25))
    told.at_spawn()

    sizes, came = [], []
    for coming in (10, 10, 10, 5, 5):
        sizes.append(told.until_byte(coming))
        came += told.at_byte(sizes[-1])

    assert sizes == [10, 10, 5, 5, 5]
    assert came == [FAULT]


def test_starts_states_points_and_times_are_counted():
    told = cues(t.NthSpawn(2), t.StateEntered("ready", 2), t.AtPoint("p", 2), t.AtTime(3.0))

    assert [told.at_spawn(), told.at_spawn()] == [[], [FAULT]]
    assert [told.at_state("ready"), told.at_state("parked"), told.at_state("ready")] == [[], [], [FAULT]]
    assert [told.at_point("p"), told.at_point("q"), told.at_point("p")] == [[], [], [FAULT]]
    assert told.times() == [3.0]
    assert [told.at_time(2.9), told.at_time(3.0), told.at_time(3.1)] == [[], [FAULT], []]


def test_equal_entries_come_true_each():
    told = cues(t.NthCall(1), t.NthCall(1))
    told.at_spawn()

    assert told.at_call() == [FAULT, FAULT]


@pytest.mark.parametrize("deed", ["at_spawn", "at_call"])
def test_a_healed_host_has_no_faults(deed):
    told = cues(t.NthCall(1), t.NthSpawn(1))
    told.healed = True

    assert getattr(told, deed)() == []


def test_what_came_true_is_known():
    told = cues(t.NthSpawn(1), t.NthSpawn(9))

    told.at_spawn()

    assert [entry.trigger for entry in told.told] == [t.NthSpawn(1)]
