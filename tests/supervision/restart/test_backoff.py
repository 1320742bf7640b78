from __future__ import annotations

import math
import random

import pytest
from callboard.supervision.restart.backoff import Backoff
from hypothesis import given
from hypothesis import strategies as st

PLAIN = Backoff(first=0.0, min=0.5, max=10.0, jitter=0.0)


def test_the_wait_doubles_up_to_the_longest():
    waits = [PLAIN.delay(streak, lambda: 0.0) for streak in range(8)]

    assert waits == [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


@pytest.mark.parametrize("streak", [64, 1023, 1024, 2000, 2**31, 2**63])
def test_no_streak_is_too_long(streak):
    assert PLAIN.delay(streak, lambda: 0.0) == 10.0


def test_a_shortest_wait_that_is_the_longest_is_every_wait():
    backoff = Backoff(min=3.0, max=3.0, jitter=0.0)

    assert {backoff.delay(streak, lambda: 0.0) for streak in range(1, 40)} == {3.0}


def test_jitter_comes_after_the_cap_so_that_hosts_that_fell_together_do_not_rise_together():
    backoff = Backoff(min=1.0, max=10.0, jitter=0.2)
    draw = random.Random(7).random

    waits = {backoff.delay(50, draw) for _ in range(10)}

    assert len(waits) == 10
    assert all(10.0 <= wait <= 12.0 for wait in waits)


def test_the_first_wait_has_jitter_too():
    backoff = Backoff(first=5.0, jitter=0.2)

    assert backoff.delay(0, lambda: 0.5) == 5.5


def test_the_same_source_gives_the_same_waits():
    waits = [[Backoff().delay(n, random.Random(3).random) for n in range(9)] for _ in range(2)]

    assert waits[0] == waits[1]


@given(
    least=st.floats(0.001, 100),
    factor=st.floats(1, 1000),
    jitter=st.floats(0, 1),
    draw=st.floats(0, 1, exclude_max=True),
    streak=st.integers(1, 2000),
)
def test_a_wait_lies_between_the_bounds_and_never_shrinks(least, factor, jitter, draw, streak):
    backoff = Backoff(min=least, max=least * factor, jitter=jitter)

    wait = backoff.delay(streak, lambda: draw)

    assert backoff.min <= wait <= backoff.max * (1 + jitter)
    assert wait <= backoff.delay(streak + 1, lambda: draw)


@pytest.mark.parametrize(
    "wrong",
    [
        {"first": -1.0},
        {"first": math.nan},
        {"min": 0.0},
        {"min": 5.0, "max": 1.0},
        {"max": math.nan},
        {"jitter": -0.1},
        {"jitter": 1.5},
        {"jitter": math.nan},
    ],
)
def test_a_curve_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Backoff(**wrong)
