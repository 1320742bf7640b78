"""A call that is submitted once an order has returned: it is never sent to the generation that the order ends."""

from __future__ import annotations

import threading

import pytest
from boards import node_board
from callboard.actors.hosting.settings import HostSettings
from callboard.chaos.virtual_board import VirtualBoard
from callboard.hosts.process.stop_ladder import StopLadder
from memory_hosts import PATIENCE, MemoryHost, memory_board
from tools import tool_call


def counted(call):
    """A tool of a scripted host that takes a while, longer than its host is given to end: how often it ran."""
    yield 5.0
    call.state["count"] = call.state.get("count", 0) + 1
    return {"success": True, "result": call.state["count"]}


class Lingering(MemoryHost):
    """A host whose first generation goes on until the test ends it."""

    def _carry(self, *given):
        generation = super()._carry(*given)
        if len(self.generations) == 1:
            generation.stop = lambda reason, _ladder: generation.stopped.append(reason)
        return generation


def test_a_call_that_is_submitted_after_a_restart_is_answered_by_the_next_generation():
    with VirtualBoard() as board:
        board.add_scripted("counter", {"count": counted})
        for _ in range(5):
            board.order("restart", "counter")
            call = board.send("counter", "count")
            board.clock.advance_until(call.done, 3600.0)

            assert call.result(0)["success"], call.result(0)
            assert call.attempt == 1


@pytest.mark.parametrize("standby", [False, True])
def test_calls_after_a_restart_wait_with_a_standby_as_without(standby):
    with VirtualBoard() as board:
        board.add_scripted("counter", {"count": counted}, host=HostSettings({}, standby=standby))
        board.clock.advance(5.0)

        board.order("restart", "counter")
        calls = [board.send("counter", "count") for _ in range(3)]
        board.clock.advance_until(lambda: all(call.done() for call in calls), 3600.0)

        assert [call.result(0).get("result") for call in calls] == [1, 2, 3]


def test_a_generation_that_was_told_to_end_is_sent_nothing_more(monkeypatch):
    with memory_board() as memory:
        host = Lingering("host", ("tool",))
        monkeypatch.setattr("memory_hosts.MemoryHost", lambda *_: host)
        memory.add()
        dying = host.generation

        memory.board.order("restart", "host")
        call = memory.call()
        dying.end(0, reason="by hand")
        host_is_up = memory.events.wait("host_ready", 2)
        host.generation.succeed("served")

        assert host_is_up
        assert dying.received == 0
        assert call.result(PATIENCE)["result"] == "served"


def test_what_was_under_way_at_a_restart_may_still_be_answered(monkeypatch):
    with memory_board() as memory:
        host = Lingering("host", ("tool",))
        monkeypatch.setattr("memory_hosts.MemoryHost", lambda *_: host)
        memory.add()
        call = memory.call()
        dying, request = host.generation, host.generation.request()

        memory.board.order("restart", "host")
        dying.answer(request, {"success": True, "result": "in time"})

        assert call.result(PATIENCE)["result"] == "in time"
        dying.end(0, reason="by hand")


HASTY = {"ladder": StopLadder(polite=0.05, firm=0.05)}
"""A host that is given less time to end than a call of it takes."""


@pytest.mark.parametrize("verb", ["restart", "park"])
def test_no_call_of_a_real_host_is_lost_to_an_order_that_has_returned(verb):
    with node_board(deadline=PATIENCE, host=HASTY) as (board, _, _):
        endings = set()
        for _ in range(6):
            board.order(verb, "moody")
            call = board.submit(tool_call("moody", do="wait", ms=200))
            if verb == "park":
                board.order("revive", "moody")
            result = call.result(PATIENCE)
            endings.add((result["success"], result.get("code")))
            board.submit(tool_call("moody")).result(PATIENCE)

        # Parked before it was told to come back: then it was refused, and says so.
        assert endings <= (
            {(True, None)} if verb == "restart" else {(True, None), (False, "host_unavailable")}
        )


def test_calls_beside_a_row_of_restarts_are_lost_to_none_that_had_returned():
    """What is under way at an order may be lost with its host; what comes after it may not."""
    with node_board(deadline=PATIENCE, concurrency=2, host=HASTY) as (board, _, _):
        failed = []
        one_at_a_time = threading.Lock()

        def call_on() -> None:
            for _ in range(6):
                with one_at_a_time:  # no order comes while this is under way
                    result = board.submit(tool_call("moody", do="wait", ms=100)).result(PATIENCE)
                if not result["success"]:
                    failed.append(result)

        def order_on() -> None:
            for _ in range(6):
                with one_at_a_time:
                    board.order("restart", "moody")

        threads = [threading.Thread(target=job) for job in (call_on, call_on, order_on)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(3 * PATIENCE)

        assert failed == []
