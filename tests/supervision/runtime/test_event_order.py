"""The judge of a stream's order: what it lets pass, and what it objects to."""

from __future__ import annotations

import pytest
from callboard.supervision.runtime.event_order import AFTER, check_order
from callboard.supervision.runtime.events import KINDS, Event


def host(kind, generation, **facts):
    return f"host_{kind}", {"generation": generation} | facts


def crash(generation, *in_flight):
    return host("crashed", generation, report={"in_flight": list(in_flight)})


def call(kind, call_id="1", **facts):
    return f"call_{kind}", {"call": call_id} | facts


def thread(kind, call_id="1"):
    return f"thread_{kind}", {"call": call_id}


def stream(*told, first=1):
    """Events of one subject, numbered."""
    return [Event(n, kind, "a", 0.0, facts) for n, (kind, facts) in enumerate(told, first)]


STARTED = call("started", attempt=1)
LOST = call("repeated", attempt=1)
WELL = call("ended", code=None)
CRASHED = call("ended", code="host_crashed")

IN_ORDER = [
    (host("starting", 1), host("ready", 1), crash(1), host("starting", 2), host("ready", 2)),
    (host("starting", 1), crash(1), host("backoff", 1), host("starting", 2), crash(2), host("parked", 2)),
    (host("ready", 1), host("parked", 1), host("backoff", 1), host("starting", 2)),  # with its group
    (host("starting", 1), host("stopped", 1), host("starting", 1)),
    (
        host("ready", 3),
        host("stopped", 3),
        host("backoff", 0),
        host("starting", 1),
    ),  # waits for its group's turn
    (host("stopped", 3), host("backoff", 0), host("parked", 0), host("stopped", 0), host("starting", 1)),
    (host("ready", 7), host("starting", 8)),
    (host("ready", 1), host("recycling", 1), host("replaced", 1), host("starting", 2)),
    (
        host("ready", 1),
        host("replaced", 1),
        host("starting", 2),
        host("recycling", 1),
    ),  # by hand at the same time
    (call("submitted"), STARTED, WELL, call("submitted"), STARTED, WELL),
    (call("submitted"), STARTED, LOST, call("started", attempt=2), WELL),
    (call("submitted"), STARTED, STARTED, WELL),
    (call("submitted"), WELL),
    (call("submitted"), call("submitted"), STARTED, WELL, STARTED, WELL),
    (STARTED, WELL),
    (call("submitted"), STARTED, CRASHED, crash(1, "1")),
    (call("submitted"), STARTED, crash(1, "1"), STARTED, CRASHED),
    (call("submitted"), STARTED, WELL, thread("fenced"), thread("returned")),
]

OUT_OF_ORDER = [
    ((host("ready", 3), host("backoff", 0)), "the generation was 3"),
    ((host("stopped", 3), host("backoff", 0), host("starting", 2)), "the generation before it was 0"),
    ((host("starting", 1), host("ready", 2)), "the generation was 1"),
    ((host("ready", 1), host("ready", 1)), "it cannot follow host_ready"),
    ((host("backoff", 1), crash(1)), "it cannot follow host_backoff"),
    ((crash(1), crash(1)), "it cannot follow host_crashed"),
    ((crash(1), host("starting", 3)), "the generation before it was 1"),
    ((crash(1), host("starting", 1)), "the generation before it was 1"),
    ((crash(1), host("recycling", 1)), "the generation has crashed"),
    ((host("ready", 1), host("recycling", 2)), "the generation was 1"),
    ((call("submitted"), WELL, STARTED), "the call has ended already"),
    ((call("submitted"), WELL, WELL), "the call has ended already"),
    ((call("submitted"), call("started", attempt=2)), "it should be attempt 1"),
    ((call("submitted"), LOST), "the call was not started"),
    ((call("submitted"), STARTED, crash(1, "1"), CRASHED), "the crash that ended it was told before, as #3"),
    ((call("submitted"), STARTED, thread("fenced")), "its call has not ended"),
    ((thread("returned"), thread("fenced")), "the thread has come back already"),
]


@pytest.mark.parametrize("told", IN_ORDER)
def test_what_is_in_order_passes(told):
    assert check_order(stream(*told)) == []


@pytest.mark.parametrize(("told", "why"), OUT_OF_ORDER)
def test_what_is_out_of_order_is_told(told, why):
    (violation,) = check_order(stream(*told))

    assert violation.startswith(f"#{len(told)} {told[-1][0]}(")
    assert violation.endswith(why)


@pytest.mark.parametrize(("told", "why"), OUT_OF_ORDER)
def test_nothing_is_held_against_what_a_gap_may_have_hidden(told, why):
    assert check_order([*stream(*told[:-1]), *stream(told[-1], first=len(told) + 1)]) == []


def test_numbers_that_do_not_grow_are_told():
    told = stream(host("starting", 1)) + stream(host("ready", 1))

    assert check_order(told) == ["#1 host_ready(1) of 'a': its number is not above 1"]


def test_two_hosts_owe_each_other_nothing():
    told = [
        Event(1, "host_starting", "a", 0.0, {"generation": 1}),
        Event(2, "host_starting", "b", 0.0, {"generation": 5}),
        Event(3, "host_ready", "a", 0.0, {"generation": 1}),
    ]

    assert check_order(told) == []


def test_every_kind_of_a_host_has_its_place_in_the_table():
    reloads = {"host_reloading", "host_reloaded", "host_reload_failed"}  # which stand beside the generations

    assert set(AFTER) | {"host_recycling", "host_retired"} | reloads == {
        kind for kind in KINDS if kind.startswith("host_")
    }
