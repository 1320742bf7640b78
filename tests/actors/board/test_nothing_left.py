"""When the stop of a board returns, none of its actors is left, however slowly it reads."""

from __future__ import annotations

import queue
import time

import pykka
import pytest
from boards import MOODY
from callboard.actors.board import Board
from callboard.actors.hosting.host_registry import Share
from callboard.actors.hosting.settings import HostSettings
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.supervision.errors import AdmissionRefused
from leaks import TEST_MARK
from manual_clock import ManualClock
from memory_hosts import Memory, MemoryHost
from tools import a_tool


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


@pytest.fixture
def left():
    """The actors that are left by now."""
    before = pykka.ActorRegistry.get_all()
    return lambda: [str(actor) for actor in pykka.ActorRegistry.get_all() if actor not in before]


@pytest.mark.parametrize("removed", [False, True])
@pytest.mark.parametrize("slow", range(1, 6))
def test_no_actor_is_left_when_a_stop_returns(slow, removed, left):
    clock = OneReadsSlowly(slow)
    with Board(clock=clock, seed=1) as board:
        Memory(board, clock).add("hosted", ("hosted",))
        board.plugin_manager.add(a_tool(lambda *_: 1, "own"), config={})
        handles = [board.plugin_manager.handle(name) for name in ("hosted", "own")]
        for handle in handles if removed else []:
            board.plugin_manager.remove(handle.name)
            assert handle.ended.wait(10)

    assert not left()
    assert clock.made == 5


@pytest.mark.parametrize("slow", range(1, 5))
def test_no_actor_of_a_shared_host_is_left(slow, left):
    clock = OneReadsSlowly(slow)
    with Board(clock=clock) as board:
        plugin = NodeToolPlugin("moody", MOODY, env=TEST_MARK)
        board.begin_hosted(PluginAdapter(plugin), plugin, host=HostSettings({}), share=Share("house"))
        board.settle_hosted("moody", required=True)

    assert not left()
    assert clock.made == 4


def test_no_actor_of_a_plugin_that_could_not_be_added_is_left(left):
    host = MemoryHost("hosted", ("hosted",))
    settings = HostSettings({}, group="nowhere")
    with Board(clock=OneReadsSlowly(3), seed=1) as board, pytest.raises(AdmissionRefused):
        board.begin_hosted(PluginAdapter(host.plugin), host.plugin, host=settings)

    assert not left()
