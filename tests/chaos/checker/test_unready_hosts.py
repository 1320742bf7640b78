"""What a board is still to tell of a host that calls have met: that it is ready, or that it has ended."""

from __future__ import annotations

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Happened, Ordered
from callboard.chaos.checker.host_stories import answering_unready, ends_owed


def told(*events):
    return [Happened(float(at), subject, kind, {}, at) for at, (subject, kind) in enumerate(events, 1)]


STARTING, READY, CRASHED = ("host", "host_starting"), ("host", "host_ready"), ("host", "host_crashed")
CALL = ("plugin", "call_started")
RETIRED, RELOADING = ("host", "host_retired"), ("host", "host_reloading")

HOSTS = {"plugin": "host", "other": "other"}.__getitem__


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
        ([STARTING, RETIRED, CALL], {"host"}),
        ([STARTING, CALL, RELOADING], {"host"}),
    ],
)
def test_a_host_that_is_given_calls_is_still_to_be_told_ready(events, owed):
    assert answering_unready(told(*events), HOSTS) == owed


ASKED, LOST = Asked(0.0, "plugin", "c1"), Answered(0.0, "plugin", "c1", "host_crashed")
ENDED = tuple(Happened(0.0, "host", kind, {}) for kind in ("host_crashed", "host_retired", "host_stopped"))
READY_AGAIN = Happened(0.0, "host", "host_ready", {})
OF_ANOTHER = Happened(0.0, "other", "host_crashed", {})
GROUP_DOWN = Happened(0.0, "team", "group_restarting", {})
RESTARTED = Ordered(0.0, "host", "restart")


@pytest.mark.parametrize(
    ("facts", "owed"),
    [
        ([ASKED], set()),
        ([ASKED, Answered(0.0, "plugin", "c1", "tool_raised")], set()),
        ([ASKED, LOST], {"host"}),
        ([LOST], {"host"}),
        *(([ASKED, LOST, ended], set()) for ended in ENDED),
        *(([ASKED, ended, LOST], set()) for ended in ENDED),
        *(([ended, ASKED, LOST], {"host"}) for ended in ENDED),
        ([ASKED, LOST, READY_AGAIN], {"host"}),
        ([ASKED, LOST, OF_ANOTHER], {"host"}),
        ([ASKED, LOST, GROUP_DOWN], set()),
        ([ASKED, GROUP_DOWN, LOST], set()),
        ([GROUP_DOWN, ASKED, LOST], {"host"}),
        ([ASKED, RESTARTED, LOST], set()),
        ([RESTARTED, ASKED, LOST], {"host"}),
    ],
)
def test_an_end_is_owed_from_the_first_call_that_was_lost_in_it_until_it_is_told(facts, owed):
    assert ends_owed(facts, HOSTS) == owed
