"""The circuit breaker, rule by rule: no clock, no actor."""

from __future__ import annotations

import pytest
from callboard.actors.endpoint.circuit_breaker import (
    Admitted,
    Breaker,
    BreakerPolicy,
    BreakerState,
    Refused,
    is_breakdown,
)
from hypothesis import given
from hypothesis import strategies as st

POLICY = BreakerPolicy(failures=3, reset=10.0, max_reset=35.0, factor=2.0, jitter=0.0)


def a_breaker(policy=POLICY, random=lambda: 0.0):
    return Breaker(policy, random)


def call(breaker, failed, now=0.0):
    admitted = breaker.admit(now)
    assert isinstance(admitted, Admitted)
    return breaker.ended(admitted.epoch, failed, now)


def opened(now=0.0):
    breaker = a_breaker()
    for _ in range(3):
        turn = call(breaker, failed=True, now=now)
    assert turn == (BreakerState.OPEN, 10.0)
    return breaker


def test_only_failures_in_a_row_open_it():
    breaker = a_breaker()

    for failed in (True, True, False, True, True):
        assert call(breaker, failed) is None

    assert call(breaker, failed=True).state is BreakerState.OPEN


def test_while_it_is_open_calls_are_refused_with_the_time_that_is_left():
    breaker = opened(now=100.0)

    assert breaker.admit(104.0) == Refused(6.0)


def test_after_the_reset_time_one_call_goes_through_and_no_other():
    breaker = opened()

    assert breaker.admit(10.0).turned
    assert [breaker.admit(11.0) for _ in range(3)] == [Refused(0.0)] * 3


def test_a_trial_that_went_well_closes_it_with_everything_as_in_the_beginning():
    breaker = opened()
    call(breaker, failed=True, now=10.0)  # so that the reset time has grown

    assert call(breaker, failed=False, now=30.0).state is BreakerState.CLOSED
    assert call(breaker, failed=True, now=30.0) is None
    call(breaker, failed=True, now=30.0)
    assert call(breaker, failed=True, now=30.0) == (BreakerState.OPEN, 10.0)


def test_each_trial_that_fails_makes_the_next_wait_longer_up_to_a_limit():
    breaker, now, waits = opened(), 0.0, [10.0]

    for _ in range(4):
        now += waits[-1]
        waits.append(call(breaker, failed=True, now=now).seconds)

    assert waits == [10.0, 20.0, 35.0, 35.0, 35.0]


def test_what_began_before_the_breaker_opened_changes_nothing_afterwards():
    breaker = a_breaker()
    early = breaker.admit(0.0)
    for _ in range(3):
        call(breaker, failed=True)

    assert breaker.ended(early.epoch, failed=False, now=1.0) is None
    assert breaker.state is BreakerState.OPEN
    breaker.admit(10.0)
    assert breaker.ended(early.epoch, failed=True, now=11.0) is None
    assert breaker.state is BreakerState.HALF_OPEN


def test_a_trial_that_was_cancelled_leaves_its_place_to_the_next():
    breaker = opened()
    trial = breaker.admit(10.0)

    assert breaker.ended(trial.epoch, failed=None, now=11.0) is None
    assert isinstance(breaker.admit(11.0), Admitted)
    assert breaker.admit(11.0) == Refused(0.0)


def test_jitter_lengthens_and_never_shortens():
    policy = BreakerPolicy(failures=1, reset=10.0, jitter=0.5)

    assert call(a_breaker(policy, lambda: 0.0), failed=True).seconds == 10.0
    assert call(a_breaker(policy, lambda: 0.999), failed=True).seconds == pytest.approx(14.995)


def test_it_can_be_closed_by_hand():
    breaker = opened()

    assert breaker.close().state is BreakerState.CLOSED
    assert isinstance(breaker.admit(0.0), Admitted)
    assert breaker.close() is None


@pytest.mark.parametrize(
    ("result", "breaks"),
    [
        ({"success": True, "result": 1}, False),
        ({"success": False, "error": "no such file"}, False),
        ({"success": False, "code": "host_crashed"}, True),
        ({"success": False, "code": "deadline_exceeded"}, True),
        ({"success": False, "code": "protocol_error"}, True),
        ({"success": False, "code": "tool_raised"}, True),
        ({"success": False, "code": "overloaded"}, False),
        ({"success": False, "code": "host_unavailable"}, False),
    ],
)
def test_a_tools_own_failure_is_no_breakdown(result, breaks):
    assert is_breakdown(result) is breaks


@pytest.mark.parametrize(
    "wrong",
    [{"failures": 0}, {"reset": 0}, {"reset": 10, "max_reset": 5}, {"factor": 0.5}, {"jitter": 2}],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        BreakerPolicy(**wrong)


@given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.floats(0, 20)), max_size=60))
def test_whatever_happens_an_open_breaker_lets_nobody_through_before_its_time(steps):
    breaker, now, until = a_breaker(), 0.0, 0.0

    for failed, pause in steps:
        now += pause
        admitted = breaker.admit(now)
        if isinstance(admitted, Refused):
            assert now < until
            assert admitted.retry_in == pytest.approx(until - now)
            continue
        assert now >= until
        turn = breaker.ended(admitted.epoch, failed, now)
        if turn is not None and turn.state is BreakerState.OPEN:
            until = now + turn.seconds
