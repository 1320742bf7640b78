"""What becomes of calls, counted and timed, on a clock that a test advances; and the generations of a host."""

from __future__ import annotations

import threading

import pytest
from boards import node_board
from callboard.actors.board import Board
from callboard.actors.calls.call import Call
from callboard.actors.metrics.calls import MAX_TOOLS, UNNAMED, CallMetrics
from callboard.actors.metrics.hosts import HostMetrics
from callboard.base.locks import Lock
from callboard.plugins.contract.invocation import Invocation
from every_point import interrupted_at_each_point
from tools import a_tool, count, tool_call

GOOD = {"success": True}


def ended(call_metrics, tool="t", result=GOOD, *, waited=None, ran=None, queued=True):
    call = Call("c", Invocation(tool_name=tool, payload={}), submitted=100.0)
    call.sequence = 1 if queued else 0
    if ran is not None:
        call.begin(100.0 + waited)
    call_metrics.end(call, result, 100.0 + (waited or 0.0) + (ran or 0.0))


def times(told):
    return {name: (told[name]["count"], told[name]["sum"]) for name in ("wait", "run")}


def test_a_call_counts_once_however_often_an_interrupt_has_it_counted_again():
    call_metrics = CallMetrics(Lock())
    calls = []

    def count_a_call():
        call = calls[-1]
        call_metrics.submit(call)
        call_metrics.end(call, GOOD, 103.0)

    def begin():
        calls.append(Call("c", Invocation(tool_name="t", payload={}), submitted=100.0))
        calls[-1].begin(101.0)

    for number, place in enumerate(interrupted_at_each_point(count_a_call, before=begin)):
        if number % 2:
            ended(call_metrics, waited=1.0, ran=2.0)  # another comes in between
            calls.append(calls[-1])
        count_a_call()
        count_a_call()

        told = call_metrics.as_dict()
        assert told["calls"] == {
            "submitted": len(calls),
            "ended": len(calls),
            "by_result": {"success": len(calls)},
        }, place
        assert times(told) == {"wait": (len(calls), len(calls)), "run": (len(calls), 2 * len(calls))}, place


def test_a_call_waits_until_it_begins_and_runs_until_it_ends():
    call_metrics = CallMetrics(Lock())

    ended(call_metrics, waited=0.5, ran=2.0)

    assert times(call_metrics.as_dict()) == {"wait": (1, 0.5), "run": (1, 2.0)}


def test_a_call_that_ended_while_it_waited_has_waited_and_not_run():
    call_metrics = CallMetrics(Lock())

    ended(call_metrics, result={"success": False, "code": "deadline_exceeded"}, waited=3.0)

    assert times(call_metrics.as_dict()) == {"wait": (1, 3.0), "run": (0, 0.0)}


def test_a_call_that_was_refused_at_once_has_not_waited():
    call_metrics = CallMetrics(Lock())

    ended(call_metrics, result={"success": False, "code": "overloaded"}, queued=False)

    assert times(call_metrics.as_dict()) == {"wait": (0, 0.0), "run": (0, 0.0)}
    assert call_metrics.as_dict()["calls"]["by_result"] == {"overloaded": 1}


def test_tools_are_told_apart_and_the_plugin_is_all_of_them():
    call_metrics = CallMetrics(Lock())
    ended(call_metrics, "a", waited=1.0, ran=1.0)
    ended(call_metrics, "a", {"success": False}, waited=1.0, ran=2.0)
    ended(call_metrics, "b", waited=1.0, ran=4.0)

    told = call_metrics.as_dict()

    assert told["calls"]["by_result"] == {"success": 2, "failure": 1}
    assert times(told) == {"wait": (3, 3.0), "run": (3, 7.0)}
    assert {name: times(tool)["run"] for name, tool in told["by_tool"].items()} == {
        "a": (2, 3.0),
        "b": (1, 4.0),
    }
    assert told["by_tool"]["a"]["by_result"] == {"success": 1, "failure": 1}


@pytest.mark.parametrize("code", ["E42", 7, ["host_crashed"], None])
def test_codes_that_are_not_ours_are_the_tools_own_failure(code):
    call_metrics = CallMetrics(Lock())

    ended(call_metrics, result={"success": False, "code": code}, waited=0.0, ran=0.0)

    assert call_metrics.as_dict()["calls"]["by_result"] == {"failure": 1}


def test_however_many_names_are_called_few_are_told_apart():
    call_metrics = CallMetrics(Lock())

    for number in range(MAX_TOOLS + 50):
        ended(call_metrics, f"tool{number}", waited=0.0, ran=0.0)
    ended(call_metrics, None, waited=0.0, ran=0.0)

    by_tool = call_metrics.as_dict()["by_tool"]
    assert len(by_tool) == MAX_TOOLS + 1
    assert by_tool[UNNAMED]["by_result"] == {"success": 51}


def test_a_call_that_waits_again_has_not_begun():
    call = Call("c", Invocation(tool_name="t", payload={}))
    call.begin(5.0)

    call.put_back()

    assert call.began is None


def test_the_status_tells_how_long_calls_waited_and_ran():
    gate = threading.Event()

    def wait(arguments, state):
        assert gate.wait(30)
        return GOOD

    with Board() as board:
        board.add(a_tool(wait), config={})
        calls = [board.submit(tool_call("tool")) for _ in range(2)]
        with pytest.raises(TimeoutError):
            calls[0].result(0.05)
        gate.set()
        for call in calls:
            call.result(30)
        told = board.status()["plugins"]["tool"]

    assert (told["wait"]["count"], told["run"]["count"]) == (2, 2)
    # Of the 0.05 s some have passed before the first call runs, and the second waits for it.
    assert told["wait"]["max"] > 0.01
    assert told["run"]["max"] > 0.01
    assert told["by_tool"]["tool"]["run"] == told["run"]


def test_the_status_of_a_hosted_tool_tells_of_its_starts_recoveries_and_crashes():
    with node_board() as (board, _, events):
        board.submit(tool_call("moody")).result(30)
        first = board.status()["plugins"]["moody"]["host"]
        board.submit(tool_call("moody", do="exit")).result(30)
        board.submit(tool_call("moody", do="crash")).result(30)
        events.wait("host_ready", 3)
        second = board.status()["plugins"]["moody"]

    assert (first["start_time"]["count"], first["recovery_time"]["count"], first["crashes_by_exit"]) == (
        1,
        0,
        {},
    )
    host = second["host"]
    assert (host["start_time"]["count"], host["recovery_time"]["count"]) == (3, 2)
    assert host["recovery_time"]["max"] > 0
    assert host["crashes_by_exit"] == {"code": 1, "signal": 1}
    assert second["run"]["count"] == 3


HISTORIES = {
    "a first start": ([("starting", 0), ("ready", 2)], [2], []),
    "a crash": ([("starting", 0), ("ready", 1), ("crashed", 5), ("starting", 5), ("ready", 6)], [1, 1], [1]),
    "a crash and a wait": (
        [("starting", 0), ("ready", 1), ("crashed", 5), ("backoff", 5), ("starting", 8), ("ready", 9)],
        [1, 1], [4],
    ),
    "a clean end": ([("starting", 0), ("ready", 1), ("backoff", 5), ("starting", 6), ("ready", 7)], [1, 1], [2]),
    "failed starts in between": (
        [("starting", 0), ("ready", 1), ("crashed", 5), ("starting", 5), ("crashed", 6), ("backoff", 6), ("starting", 8), ("ready", 9)],
        [1, 1], [4],
    ),
    "a failed first start": ([("starting", 0), ("crashed", 1), ("starting", 3), ("ready", 4)], [1], [3]),
    "a park with a probe": (
        [("starting", 0), ("ready", 1), ("crashed", 5), ("parked", 5), ("starting", 65), ("ready", 66)],
        [1, 1], [61],
    ),
    "a restart by hand": ([("starting", 0), ("ready", 1), ("starting", 5), ("ready", 7)], [1, 2], [2]),
    "a stop by hand": ([("starting", 0), ("ready", 1), ("stopped", 5), ("starting", 50), ("ready", 51)], [1, 1], []),
    "a park until somebody comes": (
        [("starting", 0), ("ready", 1), ("crashed", 5), ("parked for good", 5), ("starting", 50), ("ready", 51)],
        [1, 1], [],
    ),
    "a successor that takes over": ([("starting", 0), ("ready", 1), ("replaced", 5), ("starting", 5), ("ready", 6)], [1, 1], []),
    "a successor that fails": (
        [("starting", 0), ("ready", 1), ("replaced", 5), ("starting", 5), ("crashed", 6), ("starting", 7), ("ready", 9)],
        [1, 2], [3],
    ),
}  # fmt: skip


@pytest.mark.parametrize("history", HISTORIES)
def test_a_host_starts_until_it_is_ready_and_recovers_from_the_end_of_a_generation(history):
    changes, starts, recoveries = HISTORIES[history]
    host = HostMetrics()

    for kind, now in changes:
        facts = {"exit": "code", "seconds": None if kind.endswith("for good") else 1.0}
        host.change(f"host_{kind.split()[0]}", facts, float(now))

    told = host.as_dict()
    assert (told["start_time"]["count"], told["start_time"]["sum"]) == (len(starts), sum(starts))
    assert (told["recovery_time"]["count"], told["recovery_time"]["sum"]) == (
        len(recoveries),
        sum(recoveries),
    )
    assert sum(told["crashes_by_exit"].values()) == sum(kind == "crashed" for kind, _ in changes)


def test_a_count_that_is_read_while_it_changes_is_whole():
    with Board() as board:
        board.add(a_tool(count), config={})
        calls = [board.submit(tool_call("tool")) for _ in range(500)]
        seen = [board.status()["plugins"]["tool"] for _ in range(20)]
        for call in calls:
            call.result(30)

    assert all(told["run"]["count"] == told["calls"]["ended"] for told in seen)
