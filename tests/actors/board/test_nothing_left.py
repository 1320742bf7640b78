"""When the stop of a board returns, none of its actors is left, however slowly it reads."""

from __future__ import annotations

import queue
import time

import pykka
import pytest
from callboard.actors.board import Board
from manual_clock import ManualClock
from memory_hosts import Memory
from tools import a_tool, tool_call


class SlowInbox(queue.SimpleQueue):
    """Read late, as by a thread that gets no processor."""

    def get(self):
        envelope = super().get()
        time.sleep(0.02)  # waits for nothing: it is the slowness
        return envelope


class OneReadsSlowly(ManualClock):
    def __init__(self, nth):
        super().__init__()
        self.made, self.nth = 0, nth

    def inbox(self):
        self.made += 1
        return SlowInbox() if self.made == self.nth else super().inbox()


@pytest.mark.parametrize("slow", range(1, 6))
def test_no_actor_is_left_when_a_stop_returns(slow):
    before = pykka.ActorRegistry.get_all()
    clock = OneReadsSlowly(slow)
    with Board(clock=clock, seed=1) as board:
        Memory(board, clock).add("hosted", ("hosted",))
        board.plugin_manager.add(a_tool(lambda *_: 1, "own"), config={})
        board.submit(tool_call("own")).result(10)
    left = [str(actor) for actor in pykka.ActorRegistry.get_all() if actor not in before]

    assert not left
    assert clock.made == 5
