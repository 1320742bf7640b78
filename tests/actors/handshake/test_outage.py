"""What is known of a host that is parked or stopped: its cause, and when it is tried again."""

from __future__ import annotations

import pytest
from callboard.actors.handshake.outage import NextStart, Outage

TIME, CALLS, GROUP = "time", "calls", "group"
"""What starts the host again."""

CRASH = {"cause": "exit code 1", "report": {"stderr": "no database"}}
BY_ORDER = "it is not started again until it is revived, by board.revive('web'), or the board is started anew"


def parked(seconds, *, kind="host_parked", crash=CRASH, took=0.0):
    return Outage.of(
        "web", kind, {"why": "too often; last: exit code 1", "seconds": seconds}, crash, now=100.0, took=took
    )


def test_what_a_crash_decides_has_its_cause_and_report_and_what_an_order_decides_has_its_reason():
    after_crash, by_order = parked(60.0), parked(None, crash=None)

    assert (after_crash.cause, after_crash.report) == ("exit code 1", CRASH["report"])
    assert (by_order.cause, by_order.report) == (by_order.why, None)
    assert after_crash.told == "host 'web' is not running: too often; last: exit code 1"


@pytest.mark.parametrize(
    ("seconds", "took", "now", "who", "next_start"),
    [
        (60.0, 0.0, 110.0, TIME, NextStart(50.0, "it is tried again in 50.0 s")),
        (60.0, 0.0, 170.0, TIME, NextStart(0.0, "it is tried again in 0.0 s")),
        (60.0, 0.0, 100.25, CALLS, NextStart(0.75, "a call after another 0.8 s has it tried again")),
        (60.0, 20.0, 110.0, CALLS, NextStart(10.0, "a call after another 10.0 s has it tried again")),
        (60.0, 0.0, 101.0, CALLS, NextStart(0.0, "the next call has it tried again")),
        (0.5, 0.0, 100.0, CALLS, NextStart(0.5, "it is tried again in 0.5 s")),
        (None, 0.0, 110.0, CALLS, NextStart(None, BY_ORDER)),
        (None, 0.0, 110.0, GROUP, NextStart(None, "its group decides when it is started again")),
    ],
)  # fmt: skip
def test_it_is_known_when_it_is_tried_again(seconds, took, now, who, next_start):
    outage = parked(seconds, took=took)

    assert outage.next_start(now, by_calls=who == CALLS, grouped=who == GROUP) == next_start
    if who == CALLS and seconds == 60.0:
        assert outage.may_be_probed(now) is (next_start.seconds == 0.0)


def test_one_that_was_stopped_or_waits_for_an_order_is_not_probed_for_a_call():
    assert not parked(None).may_be_probed(1e6)
    assert not parked(None, kind="host_stopped").may_be_probed(1e6)
