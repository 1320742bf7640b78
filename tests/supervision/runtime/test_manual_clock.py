from __future__ import annotations

import threading

import pytest
from manual_clock import ManualClock


def test_time_passes_only_when_it_is_advanced():
    clock = ManualClock(start=50.0)
    made = []
    clock.call_at(10.0, lambda: made.append("overdue"))

    before = list(made)
    clock.advance(0)

    assert (before, made, clock.now()) == ([], ["overdue"], 50.0)


def test_calls_are_made_in_order_each_at_its_own_time():
    clock = ManualClock(start=0.0)
    made = []
    for due in (3.0, 1.0, 2.0, 2.0, 9.0):
        clock.call_at(due, lambda due=due: made.append((due, clock.now())))

    count = clock.advance(5.0)

    assert count == 4
    assert made == [(1.0, 1.0), (2.0, 2.0), (2.0, 2.0), (3.0, 3.0)]
    assert (clock.now(), clock.pending()) == (5.0, (9.0,))


def test_what_a_call_puts_on_the_clock_is_made_if_it_falls_due():
    clock = ManualClock(start=0.0)
    made = []
    clock.call_at(1.0, lambda: clock.call_at(clock.now() + 1, lambda: made.append(clock.now())))

    clock.advance(5.0)

    assert made == [2.0]


def test_the_next_call_can_be_advanced_to():
    clock = ManualClock(start=10.0)
    made = []
    clock.call_at(12.5, lambda: made.append("first"))
    clock.call_at(12.5, lambda: made.append("with it"))
    clock.call_at(20.0, lambda: made.append("later"))

    assert clock.advance_to_next() == 2.5
    assert made == ["first", "with it"]
    assert clock.now() == 12.5


def test_a_cancelled_call_is_gone():
    clock = ManualClock()
    timer = clock.call_at(clock.now() + 1, lambda: None)

    timer.cancel()
    timer.cancel()

    assert clock.pending() == ()
    assert clock.advance(10) == 0


def test_a_call_that_another_thread_puts_on_the_clock_can_be_waited_for():
    clock = ManualClock(start=0.0)
    thread = threading.Thread(target=lambda: clock.call_at(7.0, lambda: None))
    thread.start()

    assert clock.wait_pending(1) == (7.0,)
    thread.join()


def test_a_call_that_never_comes_is_not_waited_for_for_ever():
    with pytest.raises(AssertionError, match="1 calls were expected"):
        ManualClock().wait_pending(1, timeout=0.01)
