from __future__ import annotations

import pytest
from callboard.chaos.checker.facts import Happened
from callboard.chaos.checker.host_stories import answering_unready


def told(*events):
    return [Happened(float(at), subject, kind, {}, at) for at, (subject, kind) in enumerate(events, 1)]


STARTING, READY, CRASHED = ("host", "host_starting"), ("host", "host_ready"), ("host", "host_crashed")
CALL = ("plugin", "call_started")


@pytest.mark.parametrize(
    ("events", "owed"),
    [
        ([], set()),
        ([STARTING], set()),
        ([STARTING, CALL], {"host"}),
        ([STARTING, CALL, READY], set()),
        ([STARTING, READY, CALL], set()),
        ([STARTING, CALL, CRASHED], set()),
        ([STARTING, CALL, CRASHED, STARTING], set()),
        ([STARTING, ("other", "call_started")], set()),
    ],
)
def test_a_host_that_is_given_calls_is_still_to_be_told_ready(events, owed):
    assert answering_unready(told(*events), {"plugin": "host", "other": "other"}.__getitem__) == owed
