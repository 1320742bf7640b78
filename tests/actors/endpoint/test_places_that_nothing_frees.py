"""Whatever fault of the library keeps the place of a call: past deadline and grace the place is free, and that is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from callboard.actors.calls.call import Call
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.plugins.contract.invocation import Invocation
from memory_hosts import PATIENCE, memory_board
from tools import a_tool, count

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard.actors.board import Board
    from memory_hosts import Memory

GRACE = 2.0


def in_a_thread(memory: Memory) -> Callable[[], object]:
    memory.board.add(a_tool(count), config={}, settings=ToolSettings(grace=GRACE))
    return lambda: None


def in_a_host(memory: Memory) -> Callable[[], object]:
    host = memory.add("tool", grace=GRACE)
    return host.generation.succeed


def lose_a_call(board: Board, *, begun: bool) -> Call:
    """A call that has a place and a deadline, and that nothing runs."""
    endpoint = board.plugin_manager.handle("tool").endpoint
    call = Call("lost", Invocation("tool", {}), submitted=board.clock.now())
    call.adopt(endpoint, "tool")
    call.limit(board.clock, 10.0)
    assert endpoint.mailbox.enter(call)
    if begun:
        call.begin(board.clock.now())
    return call


@pytest.mark.parametrize("add", [in_a_thread, in_a_host])
@pytest.mark.parametrize("begun", [False, True])
def test_the_place_of_a_call_that_nothing_runs_is_free_after_its_grace(add, begun):
    with memory_board() as memory:
        answer = add(memory)
        lost = lose_a_call(memory.board, begun=begun)
        following = memory.call(deadline=1000.0)

        memory.clock.advance(10.0)
        assert lost.result(PATIENCE)["code"] == "deadline_exceeded"
        memory.clock.wait_pending(2)
        memory.clock.advance(GRACE + 1.0)
        (freed,) = memory.events.wait("place_freed")
        answer()

        assert freed.subject == "tool"
        assert freed.facts == {"call": "lost", "tool": "tool"}
        assert following.result(PATIENCE)["success"]


def test_a_call_that_its_host_still_runs_keeps_its_place():
    with memory_board() as memory:
        host = memory.add("tool", grace=GRACE)
        call = memory.call(deadline=10.0)
        host.generation.request()

        memory.clock.advance(10.0)
        memory.clock.wait_pending(1)
        assert call.result(PATIENCE)["code"] == "deadline_exceeded"
        memory.clock.advance(GRACE + 1.0)
        memory.events.wait("host_crashed")
        memory.settle()

        assert memory.events.of("place_freed") == []
