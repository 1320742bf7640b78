"""Hooks may take long about one call and not about another: the calls of a plugin reach it in the order of their submission."""

from __future__ import annotations

import threading

import pytest
from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0


class Register:
    """Has two names; claims what is said to be for it."""

    def __init__(self, name):
        self.name = name
        self.ran = []

    def get_tool_schemas(self, state):
        return [schema(f"{self.name}_write"), schema(f"{self.name}_read")]

    def execute_tool(self, tool_name, payload, state):
        self.ran.append(payload["n"])
        return {"success": True, "result": self.name}


class Claiming(Register):
    """Claims the calls that name it; its claim hangs on request."""

    def __init__(self, name):
        super().__init__(name)
        self.hang = threading.Event()

    def can_handle_tool_call(self, tool_name, payload, state):
        if payload.get("hang"):
            self.hang.wait(PATIENCE)
        return True if payload.get("for") == self.name else None


class SlowGate:
    """Takes its time about one call."""

    def __init__(self, slow):
        self._slow = slow
        self.begun, self.on = threading.Event(), threading.Event()
        self.asked = []

    def __call__(self, _event, data):
        self.asked.append(data["input"]["n"])
        if data["input"]["n"] == self._slow:
            self.begun.set()
            self.on.wait(PATIENCE)


@pytest.fixture
def gate():
    gate = SlowGate(1)
    yield gate
    gate.on.set()


def submit(board, name, n, **more):
    return board.submit(tool_call(name, n=n, **more))


def test_a_hook_that_takes_long_about_one_call_puts_no_calls_of_its_plugin_out_of_order(gate):
    register = Register("r")
    with Board() as board:
        board.add(PluginAdapter(register), config={})
        board.add(a_tool(count, "other"), config={})
        board.hooks.add("tool:pre", gate, deadline=PATIENCE)

        calls = [submit(board, "r_write", 1), submit(board, "r_read", 2)]
        assert gate.begun.wait(PATIENCE)
        other = submit(board, "other", 3).result(PATIENCE)
        waiting = [call.done() for call in calls]
        gate.on.set()
        for call in calls:
            call.result(PATIENCE)

    assert other["success"]
    assert waiting == [False, False]
    assert register.ran == [1, 2]
    assert gate.asked == [1, 3, 2]


def test_a_claimed_call_stands_at_the_gates_of_the_plugin_that_takes_it(gate):
    taker, neighbour = Claiming("t"), Register("r")
    with Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(taker), config={})
        board.add(PluginAdapter(neighbour), config={})
        board.hooks.add("tool:pre", gate, deadline=PATIENCE)

        calls = [submit(board, "t_write", 1)]
        assert gate.begun.wait(PATIENCE)
        calls.append(submit(board, "r_write", 2, **{"for": "t"}))
        assert submit(board, "r_read", 3).result(PATIENCE)["result"] == "r"
        waiting = calls[1].done()
        gate.on.set()
        answers = [call.result(PATIENCE)["result"] for call in calls]

    assert (answers, waiting) == (["t", "t"], False)
    assert (taker.ran, neighbour.ran) == ([1, 2], [3])


def test_claims_that_hang_hold_a_call_at_the_gates_for_the_patience_and_not_for_each_call_before_it():
    taker, register, clock = Claiming("t"), Register("r"), ManualClock()
    with Board(clock=clock, claim_patience=1.0) as board:
        board.add(PluginAdapter(taker), config={})
        board.add(PluginAdapter(register), config={})
        board.hooks.add("tool:pre", lambda _event, _data: None)

        calls = [submit(board, "r_write", n, hang=True) for n in range(5)]
        clock.advance(1.0)
        answers = [call.result(PATIENCE)["result"] for call in calls]
        taker.hang.set()

    assert answers == ["r"] * 5
    assert register.ran == list(range(5))
