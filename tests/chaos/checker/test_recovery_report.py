"""What is told of a soak beside its rules: which faults came, and what filled the longest outage."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from callboard.chaos.checker.outages import outages
from callboard.chaos.schedules.tally import Tally
from runs import GOOD, also, crash, event


def test_an_outage_lasts_from_the_crash_to_the_next_generation_that_is_ready():
    found = outages(GOOD)

    assert [(one.host, one.generation, one.failed) for one in found] == [("book", 2, 0), ("book", 1, 0)]
    assert found[0].seconds == pytest.approx(1.1)
    assert (found[0].waiting, found[0].starting) == (pytest.approx(1.0), pytest.approx(0.1))


def test_starts_that_came_to_nothing_belong_to_the_outage_and_are_accounted_for():
    run = also(
        replace(GOOD, healed=None),
        crash(6.0, 3),
        event(6.0, "backoff", 3, seconds=2.0, why=""),
        event(8.0, "starting", 4),
        crash(11.0, 4),
        event(11.0, "backoff", 4, seconds=4.0, why=""),
        event(15.0, "starting", 5),
        event(15.5, "ready", 5),
    )

    longest = outages(run)[0]

    assert (longest.seconds, longest.failed, longest.slowest) == (9.5, 1, 3.0)
    assert (longest.starting, longest.waiting, longest.unaccounted) == (3.5, 6.0, 0.0)
    assert "9.5 s without 'book': 1 start came to nothing" in str(longest)


def test_time_that_nobody_waited_for_is_told():
    run = also(replace(GOOD, healed=None), crash(6.0, 3), event(9.0, "starting", 4), event(9.5, "ready", 4))

    assert outages(run)[0].unaccounted == pytest.approx(3.0)


def test_an_outage_that_has_not_ended_is_none_yet():
    assert outages(also(GOOD, crash(6.0, 3))) == outages(GOOD)


@pytest.mark.parametrize(
    ("wanted", "came", "enough"),
    [
        (2, {"exit": 2}, True),
        (3, {"exit": 2}, False),
        (12, {"exit": 20}, False),
        (12, {"exit": 19, "hang": 1}, True),
    ],
)
def test_a_soak_wants_its_number_of_faults_and_some_of_every_kind(wanted, came, enough):
    tally = Tally(wanted, Counter(exit=20, hang=20), Counter(came))

    assert tally.enough is enough


def test_a_tally_tells_each_kind_and_the_sum():
    tally = Tally(1, Counter(exit=2, hang=1), Counter(exit=1))

    assert [line.split() for line in tally.lines()] == [
        ["fault", "drawn", "done"],
        ["exit", "2", "1"],
        ["hang", "1", "0"],
        ["all", "3", "1"],
    ]
    assert tally.missing == ["hang"]
