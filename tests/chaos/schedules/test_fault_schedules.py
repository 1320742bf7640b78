"""The schedule language: faults and triggers as data, to JSON and back, refused where they are wrong."""

from __future__ import annotations

import json

import pytest
from callboard.chaos import faults as f
from callboard.chaos import triggers as t
from callboard.chaos.record import ScheduleError
from callboard.chaos.schedule import Entry, Schedule
from callboard.chaos.schedules.generate import IN_MEMORY, MAKE_FAULT, draw_schedule
from callboard.chaos.strategies import FAULTS as FAULT_STRATEGIES
from callboard.chaos.strategies import fault_schedules
from hypothesis import given

EXIT_AT_3 = {"trigger": {"on": "call", "n": 3}, "fault": {"do": "exit"}}


def with_entry(**changes):
    return {"seed": 7, "entries": [EXIT_AT_3, EXIT_AT_3 | changes]}


@given(fault_schedules(hosts=("a", "b"), kinds=tuple(f.FAULTS), points=("p",)))
def test_a_schedule_is_the_same_after_json(schedule):
    assert Schedule.from_json(schedule.to_json()) == schedule


def test_json_names_the_kind_and_what_differs_from_the_default():
    schedule = Schedule(7, [(t.NthCall(3), f.Exit()), (t.AtTime(1.5), f.Pause(2), "a")])

    assert schedule.as_dict() == {
        "format": 2,
        "seed": 7,
        "entries": [
            EXIT_AT_3,
            {"trigger": {"on": "time", "seconds": 1.5}, "fault": {"do": "pause", "seconds": 2}, "host": "a"},
        ],
    }


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([], ""),
        ({"sed": 1}, "sed"),
        ({"seed": "1"}, "seed"),
        ({"seed": True}, "seed"),
        ({"format": 3, "of a newer version": 1}, "format"),
        ({"format": 0}, "format"),
        ({"format": "1"}, "format"),
        ({"format": 1, "entries": {}}, "entries"),
        ({"format": 1, "entries": [[]]}, "entries[0]"),
        (with_entry(trigger={"on": "call", "n": 1, "life": 2}), "entries[1].trigger.life"),
        (
            with_entry(trigger={"on": "call", "n": 1, "life": 0}) | {"format": 1},
            "entries[1].trigger.generation",
        ),
        ({"entries": {}}, "entries"),
        ({"entries": ["exit"]}, "entries[0]"),
        (with_entry(host=""), "entries[1].host"),
        (with_entry(when=1), "entries[1].when"),
        (with_entry(fault="exit"), "entries[1].fault"),
        (with_entry(fault={"do": "explode"}), "entries[1].fault.do"),
        (with_entry(fault={"do": "exit", "code": 256}), "entries[1].fault.code"),
        (with_entry(fault={"do": "exit", "code": 1.5}), "entries[1].fault.code"),
        (with_entry(fault={"do": "exit", "status": 1}), "entries[1].fault.status"),
        (with_entry(fault={"do": "slow"}), "entries[1].fault.seconds"),
        (with_entry(fault={"do": "slow", "seconds": float("nan")}), "entries[1].fault.seconds"),
        (with_entry(fault={"do": "hang", "deaf": 1}), "entries[1].fault.deaf"),
        (with_entry(trigger={"on": "call"}), "entries[1].trigger.n"),
        (with_entry(trigger={"on": "call", "n": 0}), "entries[1].trigger.n"),
        (with_entry(trigger={"on": "frame", "n": 1, "way": "up"}), "entries[1].trigger.way"),
        (with_entry(trigger={"on": "state", "state": "dead"}), "entries[1].trigger.state"),
        ({"entries": [{"fault": {"do": "exit"}}]}, "entries[0].trigger"),
    ],
)
def test_a_mistake_is_told_with_its_place(value, path):
    with pytest.raises(ScheduleError) as caught:
        Schedule.from_dict(value)

    assert caught.value.path == path
    assert str(caught.value).startswith(path)


def test_a_text_that_is_no_json_is_no_schedule():
    with pytest.raises(ScheduleError, match="no JSON"):
        Schedule.from_json("{")


@pytest.mark.parametrize("entry", [(), (f.Exit(), t.NthCall(1)), (t.NthCall(1), "exit"), 3])
def test_an_entry_has_to_be_a_trigger_and_a_fault(entry):
    with pytest.raises(ScheduleError, match=r"entries\[0\]"):
        Schedule(0, [entry])


def test_a_fault_made_in_a_program_is_checked_like_one_that_is_read():
    with pytest.raises(ScheduleError, match="code: it is 300; it must be from 0 to 255"):
        f.Exit(300)


def test_a_host_gets_what_is_for_it_and_what_is_for_all():
    entries = [Entry(t.NthCall(n), f.Exit(), host) for n, host in ((1, "a"), (2, None), (3, "b"))]

    assert Schedule(5, entries).of("a") == Schedule(5, entries[:2])


def test_a_draw_is_the_same_for_its_seed():
    assert draw_schedule(11, hosts=("a", "b")) == draw_schedule(11, hosts=("a", "b"))
    assert draw_schedule(11) != draw_schedule(12)


def test_a_draw_covers_every_kind_before_it_takes_one_twice():
    drawn = draw_schedule(3, entries=len(f.FAULTS), kinds=f.FAULTS)

    assert sorted(entry.fault.kind for entry in drawn.entries) == sorted(f.FAULTS)


def test_neighbouring_seeds_share_out_the_kinds():
    drawn = {entry.fault.kind for seed in range(6) for entry in draw_schedule(seed, entries=4).entries}

    assert drawn == set(IN_MEMORY)


def test_draws_have_triggers_of_every_kind():
    drawn = {entry.trigger.kind for seed in range(40) for entry in draw_schedule(seed, points=("p",)).entries}

    assert drawn == set(t.TRIGGERS)


def test_every_draw_goes_through_json():
    for seed in range(50):
        schedule = draw_schedule(seed, kinds=f.FAULTS)
        assert Schedule.from_dict(json.loads(schedule.to_json())) == schedule


def test_every_kind_of_fault_can_be_drawn_and_generated():
    assert list(MAKE_FAULT) == list(FAULT_STRATEGIES) == list(f.FAULTS)
