"""A call that is cancelled frees its tool: at once if the tool listens, else after the grace time."""

from __future__ import annotations

import threading

import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.crash_attribution import QuarantinePolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.chaos.virtual_board import VirtualBoard
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from manual_clock import ManualClock
from tools import a_tool, tool_call

PATIENCE = 20.0
LONG = 60.0
"""The deadline of each call: what a cancelled one must not hold its tool for."""

THRIFTY = RestartPolicy(backoff=Backoff(first=5.0, min=5.0, max=5.0, jitter=0.0), intensity=1, period=1000.0)
"""One restart, five seconds after the end, and then the park."""


def deaf(call):
    if call.arguments.get("hang"):
        yield 1000.0
    return {"success": True, "result": None}


def listening(call):
    call.part("begun")
    yield 0.5
    return {"success": True, "result": None}


def settings(**options):
    return ToolSettings(**{"deadline": LONG, "grace": 1.0, **options})


def cancelled(board, name="deaf"):
    """A call that runs, was cancelled, and whose tool does not listen."""
    call = board.send(name, name, {"hang": True})
    board.clock.advance(0.1)
    assert call.cancel()
    return call


def test_a_host_that_does_not_heed_a_cancel_is_replaced_after_the_grace_whatever_the_deadline():
    with VirtualBoard() as board:
        board.add_scripted("deaf", {"deaf": deaf}, settings=settings())
        call = cancelled(board)
        waiting = board.send("deaf", "deaf")

        board.clock.advance(0.9)
        before = waiting.done()
        board.clock.advance(0.5)

        assert call.result(0)["code"] == "cancelled"
        assert not before
        assert waiting.result(0)["success"]


def test_a_host_that_ends_a_cancelled_call_within_the_grace_is_left_alone():
    with VirtualBoard() as board:
        board.add_scripted("slow", {"slow": listening}, settings=settings())
        cancelled(board, "slow")

        board.clock.advance(5.0)

        assert board.send("slow", "slow").plugin_name == "slow"
        assert board.status()["plugins"]["slow"]["host"]["generation"] == 1


def test_a_shared_host_is_replaced_too_and_its_neighbour_told_that_a_cancel_was_why():
    with VirtualBoard() as board:
        for name in ("deaf", "other"):
            board.add_scripted(name, {name: deaf}, share="house", settings=settings())
        call = cancelled(board)
        neighbour = board.send("other", "other", {"hang": True})

        board.clock.advance(10.0)

        told = neighbour.result(0)
        assert told["code"] == "host_crashed"
        assert f"call {call.id} of 'deaf' went on 1 s beyond its cancel" in told["error"]
        assert board.execute("deaf", "deaf")["success"]


def test_the_end_of_a_host_says_that_a_cancel_was_why():
    with VirtualBoard() as board:
        board.add_scripted("deaf", {"deaf": deaf}, settings=settings())
        cancelled(board)

        board.clock.advance(2.0)

        [crash] = [happened for happened in board.happenings if happened.kind == "host_crashed"]
        assert crash.facts["exit"] == "cancel"
        assert "beyond its cancel" in crash.facts["cause"]


def test_cancels_use_up_no_budget_wait_for_no_backoff_and_quarantine_nothing():
    with VirtualBoard() as board:
        blames = settings(quarantine=QuarantinePolicy(crashes=2))
        board.add_scripted("deaf", {"deaf": deaf}, policy=THRIFTY, settings=blames)
        for _ in range(5):
            cancelled(board)
            board.clock.advance(1.5)

        status = board.status()["plugins"]["deaf"]
        assert (status["host"]["state"], status["host"]["generation"]) == ("ready", 6)
        assert status["quarantine"] == []
        assert board.execute("deaf", "deaf")["success"]


def test_a_thread_that_does_not_heed_a_cancel_is_fenced_off_after_the_grace_whatever_the_deadline():
    clock, hang, begun = ManualClock(), threading.Event(), threading.Event()

    def function(arguments, state):
        if arguments.get("hang"):
            begun.set()
            hang.wait()
        return {"success": True, "result": None}

    with Board(clock=clock) as board:
        board.add(a_tool(function), config={}, settings=settings())
        call = board.submit(tool_call("tool", hang=True))
        assert begun.wait(PATIENCE)
        waiting = board.submit(tool_call("tool"))
        call.cancel()
        clock.wait_pending(2)  # the waiting call's deadline, and the cancelled one's grace
        before = waiting.done()

        clock.advance(1.0)

        assert not before
        assert waiting.result(PATIENCE)["success"]
        assert board.status()["plugins"]["tool"]["fenced"] == 1
        hang.set()


@pytest.mark.parametrize("end", ["cancel", "deadline"])
def test_a_call_that_hooks_stand_around_frees_its_tool_as_well(end):
    with VirtualBoard() as board:
        board.add_scripted("deaf", {"deaf": deaf}, settings=settings())
        board.hooks.add("tool:post", lambda _event, _data: None)
        call = board.send("deaf", "deaf", {"hang": True}, deadline=LONG if end == "cancel" else 0.1)
        board.clock.advance(0.1)
        call.cancel()

        board.clock.advance(1.5)

        assert board.status()["plugins"]["deaf"]["host"]["generation"] == 2
