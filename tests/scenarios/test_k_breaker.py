"""K: the circuit breaker in front of a tool's mailbox, on a manual clock."""

from __future__ import annotations

import threading
from contextlib import contextmanager

from callboard.actors.board import Board
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from manual_clock import ManualClock
from tools import a_tool, tool_call

PATIENCE = 20.0

POLICY = BreakerPolicy(failures=3, reset=10.0, max_reset=25.0, factor=2.0, jitter=0.0)


class Bench:
    """A board with one tool that does as its next call says, and whose runs are counted."""

    def __init__(self, board, clock):
        self.board = board
        self.clock = clock
        self.runs = 0
        self.released = threading.Event()
        self.running = threading.Semaphore(0)

    def tool(self, arguments, state):
        self.runs += 1
        self.running.release()
        match arguments.get("do"):
            case "raise":
                raise OSError("the line is down")
            case "fail":
                return {"success": False, "error": "no such file"}
            case "wait":
                self.released.wait(PATIENCE)
        return {"success": True, "result": self.runs}

    def submit(self, do="succeed", deadline=None):
        return self.board.submit(tool_call("tool", do=do), deadline=deadline)

    def call(self, do="succeed"):
        return self.submit(do).result(PATIENCE)

    def open(self):
        for _ in range(3):
            self.call("raise")
        assert self.state == "open"

    @property
    def breaker(self):
        return self.board.status()["plugins"]["tool"]["breakers"]["tool"]

    @property
    def state(self):
        return self.breaker["state"]


@contextmanager
def bench(policy=POLICY, **settings):
    clock = ManualClock()
    with Board(clock=clock, seed=1) as board:
        one = Bench(board, clock)
        settings = ToolSettings(**{"deadline": None, "concurrency": 4, "breaker": policy} | settings)
        board.add(a_tool(one.tool), config={}, settings=settings)
        try:
            yield one
        finally:
            one.released.set()


def test_scenario_K1_only_failures_in_a_row_open_it():
    with bench() as tool:
        for do in ("raise", "raise", "succeed", "raise", "raise"):
            tool.call(do)
        before = tool.state
        tool.call("raise")

        assert (before, tool.state) == ("closed", "open")


def test_scenario_K2_while_it_is_open_calls_fail_at_once_and_the_tool_sees_nothing():
    with bench() as tool:
        tool.open()
        tool.clock.advance(4.0)
        runs, refused = tool.runs, tool.call()

        assert (refused["code"], refused["outcome"]) == ("host_unavailable", "not_sent")
        assert (refused["reason"], refused["retry_in"]) == ("breaker_open", 6.0)
        assert tool.runs == runs


def test_scenario_K3_after_the_reset_time_exactly_one_of_many_callers_goes_through():
    with bench() as tool:
        tool.open()
        tool.clock.advance(10.0)
        runs, barrier, calls = tool.runs, threading.Barrier(8), []

        def caller():
            barrier.wait(PATIENCE)
            calls.append(tool.submit("wait"))

        callers = [threading.Thread(target=caller) for _ in range(8)]
        for thread in callers:
            thread.start()
        for thread in callers:
            thread.join(PATIENCE)
        refused = [call.result(0) for call in calls if call.done()]
        tool.released.set()

        assert [call["retry_in"] for call in refused] == [0.0] * 7
        assert [call.result(PATIENCE)["success"] for call in calls].count(True) == 1
        assert tool.runs == runs + 1


def test_scenario_K4_a_trial_that_succeeds_closes_it_with_all_as_in_the_beginning():
    with bench() as tool:
        tool.open()
        tool.clock.advance(10.0)
        tool.call("raise")  # the reset time has grown
        tool.clock.advance(20.0)
        tool.call()

        assert tool.breaker == {"state": "closed", "failures": 0, "retry_in": None}
        tool.open()
        assert tool.breaker["retry_in"] == 10.0


def test_scenario_K5_a_trial_that_fails_opens_it_for_longer_but_never_beyond_the_cap():
    with bench() as tool:
        tool.open()
        waits = []
        for _ in range(3):
            waits.append(tool.breaker["retry_in"])
            tool.clock.advance(waits[-1])
            tool.call("raise")
        waits.append(tool.breaker["retry_in"])

        assert waits == [10.0, 20.0, 25.0, 25.0]


def test_scenario_K6_a_call_over_its_deadline_counts_then_and_not_when_it_returns():
    with bench() as tool:
        calls = [tool.submit("wait", deadline=5.0) for _ in range(3)]
        for _ in calls:
            assert tool.running.acquire(timeout=PATIENCE)
        before = tool.state
        tool.clock.advance(5.0)

        assert (before, tool.state) == ("closed", "open")
        assert not tool.released.is_set()
        assert {call.result(0)["code"] for call in calls} == {"deadline_exceeded"}


def test_scenario_K7_an_old_call_that_ends_while_it_is_open_changes_nothing():
    with bench() as tool:
        old = tool.submit("wait")
        assert tool.running.acquire(timeout=PATIENCE)
        tool.open()
        before = tool.breaker
        tool.released.set()

        assert old.result(PATIENCE)["success"]
        assert tool.breaker == before


def test_scenario_K8_what_counts_as_a_failure_can_be_turned_round():
    upside_down = BreakerPolicy(failures=3, jitter=0.0, is_failure=lambda result: "code" not in result)

    with bench() as tool:
        for _ in range(5):
            tool.call("fail")
        by_default = tool.state
    with bench(upside_down) as tool:
        for _ in range(5):
            tool.call("raise")
        raised = tool.state
        for _ in range(3):
            tool.call("fail")
        failed = tool.state

    assert (by_default, raised, failed) == ("closed", "closed", "open")
