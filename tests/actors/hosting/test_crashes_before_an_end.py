"""A host that crashes just before it is to end: its crash is told all the same, and then its end.

A crash is known to a caller as soon as the process is gone, and to the supervisor once its whole tree is. Whatever is ordered in
between must not hide it.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import psutil
import pytest
from boards import Recorder, add_node, node_board
from callboard.actors.board import Board
from callboard.supervision.runtime.event_order import check_order
from leaks import wait_until
from memory_hosts import PATIENCE, memory_board
from tools import tool_call

GONE_BY = {
    "stop": lambda board: board.stop(),
    "remove": lambda board: board.remove("moody"),
    "park": lambda board: board.order("park", "moody"),
    "restart": lambda board: board.order("restart", "moody"),
}
LATER = {"stop": "host_stopped", "remove": "host_stopped", "park": "host_parked", "restart": "host_starting"}


@pytest.mark.parametrize("way", GONE_BY)
def test_a_crash_that_cost_a_call_is_told_whatever_comes_right_after_it(way):
    with node_board() as (board, _, recorder):
        result = board.submit(tool_call("moody", do="crash")).result(PATIENCE)
        GONE_BY[way](board)
        recorder.wait(LATER[way], 2 if way == "restart" else 1)

    (crash,) = recorder.of("host_crashed")
    assert result["code"] == "host_crashed"
    assert crash.facts["report"]["signal"] == signal.SIGKILL
    assert recorder.events.index(crash) < recorder.events.index(recorder.of(LATER[way])[-1])


def test_what_a_result_implies_has_been_told_when_the_stop_returns():
    with Board() as board:
        recorder = Recorder(board)
        for name in ("one", "other"):
            add_node(board, name=name, config={"names": [name]})
        calls = [board.submit(tool_call(name, do="crash")) for name in ("one", "other")]
        results = [call.result(PATIENCE) for call in calls]
        board.stop()
        told = list(recorder.events)

    assert [result["code"] for result in results] == ["host_crashed"] * 2
    assert {event.subject for event in told if event.kind == "host_crashed"} == {"one", "other"}
    assert check_order(told) == []


def test_a_host_that_had_ended_before_the_stop_is_told_as_a_crash():
    """Its first thread has ended; the system ends the others, and the pump may not have heard of it."""
    names = ["one", "two", "three", "four"]
    with Board() as board:
        recorder = Recorder(board)
        for name in names:
            add_node(board, name=name, config={"names": [name]})
        for name in names:
            kill(board.status()["plugins"][name]["host"]["pid"])
        board.stop()

    assert sorted(event.subject for event in recorder.of("host_crashed")) == sorted(names)


def kill(pid):
    process = psutil.Process(pid)
    os.kill(pid, signal.SIGKILL)
    with suppress(psutil.NoSuchProcess):  # its status has been taken
        wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE, PATIENCE)


def test_an_end_that_a_stop_has_brought_about_is_no_crash():
    with node_board() as (board, _, recorder):
        call = board.submit(tool_call("moody", do="wait"))
        recorder.wait("call_started")
        board.stop()

    assert call.result(0)["code"] == "cancelled"
    assert recorder.of("host_crashed") == []


@pytest.mark.parametrize("verb", ["restart", "park"])
def test_an_order_from_the_very_call_that_a_crash_cost_does_not_hide_the_crash(verb):
    """The order overtakes the crash on its way: a caller is told before the actor of the generation is."""
    with memory_board() as memory:
        host = memory.add()
        call = memory.call()
        host.generation.request()
        call.add_done_callback(lambda: memory.board.order(verb, "host"))

        host.generation.crash()
        memory.events.wait("host_parked" if verb == "park" else "host_starting", 1 if verb == "park" else 2)

    told = [event.kind for event in memory.events.events if event.subject == "host"]
    crash = told.index("host_crashed")
    assert call.result(0)["code"] == "host_crashed"
    assert told[crash + 1] == ("host_parked" if verb == "park" else "host_starting")
    assert memory.events.of("host_crashed")[0].facts["exit"] == "code"
