from __future__ import annotations

import math
import random
import threading
import time

import pytest
from callboard.supervision.runtime.clock import SystemClock
from leaks import no_leaks

PATIENCE = 10.0


@pytest.fixture
def clock():
    with no_leaks():
        clock = SystemClock()
        yield clock
        clock.close()


class Calls:
    """Functions that note their name when they are called."""

    def __init__(self):
        self.made = []
        self._changed = threading.Condition()

    def named(self, name):
        def call():
            with self._changed:
                self.made.append(name)
                self._changed.notify_all()

        return call

    def wait(self, count):
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.made) >= count, PATIENCE)
        return self.made


def test_a_call_is_made_at_its_time_and_not_before(clock):
    calls, due = Calls(), clock.now() + 0.05
    at = []

    clock.call_at(due, lambda: at.append(clock.now()))
    clock.call_at(due, calls.named("done"))

    calls.wait(1)
    assert at[0] >= due


def test_calls_are_made_in_the_order_in_which_they_are_due(clock):
    calls, now = Calls(), clock.now()
    due = [0.06, 0.02, 0.04, 0.02, 0.0, -5.0]

    for number, after in enumerate(due):
        clock.call_at(now + 0.05 + after, calls.named(number))

    assert calls.wait(6) == [5, 4, 1, 3, 2, 0]


def test_a_call_that_is_overdue_is_made_at_once(clock):
    calls = Calls()

    clock.call_at(clock.now() - 100, calls.named("late"))

    assert calls.wait(1) == ["late"]


def test_an_earlier_call_overtakes_the_one_that_is_waited_for(clock):
    calls = Calls()
    clock.call_at(clock.now() + 1000, calls.named("later"))

    clock.call_at(clock.now(), calls.named("now"))

    assert calls.wait(1) == ["now"]


def test_a_cancelled_call_is_not_made_and_cancelling_twice_or_too_late_is_no_error(clock):
    calls, now = Calls(), clock.now()
    first = clock.call_at(now, calls.named("first"))
    cancelled = clock.call_at(now + 0.03, calls.named("cancelled"))
    cancelled.cancel()
    cancelled.cancel()
    clock.call_at(now + 0.06, calls.named("last"))

    assert calls.wait(2) == ["first", "last"]
    first.cancel()


def test_a_call_that_fails_is_logged_and_the_clock_goes_on(clock, caplog):
    calls = Calls()

    def fail():
        raise RuntimeError("a bug")

    clock.call_at(clock.now(), fail)
    clock.call_at(clock.now(), calls.named("next"))

    assert calls.wait(1) == ["next"]
    assert "a bug" in caplog.text


@pytest.mark.parametrize("never", [math.inf, 1e300, threading.TIMEOUT_MAX * 2])
def test_a_call_for_ever_away_stops_no_other(clock, never):
    calls = Calls()
    clock.call_at(never, calls.named("never"))
    clock.call_at(clock.now() + 0.02, calls.named("soon"))

    assert calls.wait(1) == ["soon"]


def test_a_call_may_put_another_on_the_clock_and_cancel_one(clock):
    calls = Calls()
    other = clock.call_at(clock.now() + 0.05, calls.named("other"))

    def call():
        other.cancel()
        clock.call_at(clock.now() + 0.1, calls.named("then"))

    clock.call_at(clock.now(), call)

    assert calls.wait(1) == ["then"]


def test_many_threads_may_put_and_cancel_at_once(clock):
    calls, now, kept = Calls(), clock.now(), []

    def use(seed):
        draw = random.Random(seed)
        for number in range(2000):
            timer = clock.call_at(now + 0.2 + draw.random() / 10, calls.named((seed, number)))
            if draw.random() < 0.99:
                timer.cancel()
            else:
                kept.append((seed, number))

    threads = [threading.Thread(target=use, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    calls.wait(len(kept))
    assert sorted(calls.made) == sorted(kept)


def test_what_was_cancelled_does_not_pile_up(clock):
    clock.call_at(clock.now() + 1000, lambda: None)

    for _ in range(100_000):
        clock.call_at(clock.now() + 60, lambda: None).cancel()

    assert len(clock._heap) < 2000


def test_a_closed_clock_makes_no_more_calls_and_has_no_thread():
    calls, clock = Calls(), SystemClock()
    with no_leaks():
        clock.call_at(clock.now(), calls.named("before"))
        calls.wait(1)
        clock.call_at(clock.now() + 0.01, calls.named("too late"))
        clock.close()
        clock.close()
        clock.call_at(clock.now(), calls.named("after")).cancel()

    assert calls.made == ["before"]
    assert clock._heap == []


def test_a_clock_may_be_closed_by_one_of_its_own_calls():
    with no_leaks():
        clock, closed = SystemClock(), threading.Event()

        def close():
            clock.close()
            closed.set()

        clock.call_at(clock.now(), close)

        assert closed.wait(PATIENCE)


def test_the_time_is_the_monotonic_one():
    before = time.monotonic()

    assert before <= SystemClock.now() <= time.monotonic()
