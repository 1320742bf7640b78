"""How long a call that has begun may be silent."""

from __future__ import annotations

import pytest
from callboard import Callboard
from callboard.actors.calls.idle_timeout import IdleTimeout, left
from callboard.config.errors import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

LIMIT = 10.0

MOMENTS = st.floats(min_value=0, max_value=1e6)


@given(heard=MOMENTS, passed=MOMENTS, limit=st.floats(min_value=1e-3, max_value=1e6))
def test_there_is_time_left_as_long_as_the_limit_is_not_reached(heard, passed, limit):
    rest = left(heard, limit, heard + passed)

    assert (rest is None) == (heard + limit - (heard + passed) <= 0)
    assert rest is None or rest > 0


@given(st.lists(st.floats(min_value=0, max_value=3 * LIMIT)))
def test_a_call_ends_a_limit_after_the_last_sign_that_came_in_time(pauses):
    clock, ends = ManualClock(), []
    idle_timeout = IdleTimeout(LIMIT, clock, lambda: ends.append(clock.now()) is None)
    idle_timeout.heard()
    last = clock.now()

    for pause in pauses:
        clock.advance(pause)
        if ends:
            break
        idle_timeout.heard()
        last = clock.now()
    clock.advance(2 * LIMIT)

    assert ends == [pytest.approx(last + LIMIT)]
    assert idle_timeout.broken_off
    assert clock.pending() == ()


def test_before_the_first_sign_and_behind_the_end_nothing_counts():
    clock, ends = ManualClock(), []
    waits, over = (IdleTimeout(LIMIT, clock, lambda: ends.append(1) is None) for _ in range(2))

    over.heard()
    over.end()
    over.heard()
    clock.advance(5 * LIMIT)

    assert ends == []
    assert not waits.broken_off
    assert clock.pending() == ()


def test_a_call_that_ended_for_another_reason_was_not_broken_off():
    clock = ManualClock()
    idle_timeout = IdleTimeout(LIMIT, clock, lambda: False)

    idle_timeout.heard()
    clock.advance(LIMIT)

    assert not idle_timeout.broken_off


def test_a_plugin_without_a_host_cannot_be_held_to_it():
    class Tool:
        name = "tool"

    with Callboard() as board, pytest.raises(ConfigurationError, match="'idle_deadline' is for plugins"):
        board.register(Tool, idle_deadline=1.0)
