"""A generation that has ended is kept by nothing: a board that restarts its hosts does not grow."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import weakref

import pytest
from callboard import Callboard
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.routing.decision import NameTaken
from callboard.hosts.host import Host
from callboard.plugins.adapter.adapter import PluginAdapter
from leaks import no_leaks
from memory_hosts import SLOWLY, MemoryHost, memory_board
from tools import tool_call

KILLS = 4
PATIENCE = 20.0

NODE = """
export default {
  name: "echo",
  init() { return {}; },
  get_tool_schemas() { return [{ type: "function", function: { name: "echo", parameters: { type: "object" } } }]; },
  execute_tool() { return { success: true, result: process.pid }; },
};
"""


def hosts() -> int:
    gc.collect()
    return sum(isinstance(each, Host) for each in gc.get_objects())


def test_after_many_kills_there_is_one_host(tmp_path):
    file = tmp_path / "echo.mjs"
    file.write_text(NODE)
    with no_leaks(), Callboard() as board:
        others = hosts()
        board.load(
            {"node_tool": {"file": str(file), "id": "echo"}},
            restart={"intensity": KILLS + 1, "backoff": {"min": 0.01}},
        )
        for _ in range(KILLS):
            pid = board.execute(tool_call("echo"), deadline=PATIENCE)["result"]
            os.kill(pid, signal.SIGKILL)
            while board.execute(tool_call("echo"), deadline=PATIENCE).get("result") in {pid, None}:
                continue

        until = time.monotonic() + PATIENCE
        while hosts() - others > 1 and time.monotonic() < until:
            threading.Event().wait(0.02)  # the last generation is let go of once its tree has been swept

        assert hosts() - others == 1


def test_the_refusal_of_a_plugin_keeps_no_generation_of_the_one_that_took_its_name():
    with memory_board() as memory:
        first, second = MemoryHost("first", ("tool",)), MemoryHost("second", ("tool",))
        first.opened.clear()
        for host in (first, second):
            adapter = PluginAdapter(host.plugin)
            memory.board.begin_hosted(adapter, host.plugin, host=HostSettings({}), policy=SLOWLY)
        memory.ready("second")
        first.opened.set()  # the tool of the second is taken from it in the thread in which the first offers its own
        memory.board.settle_hosted("first", required=True)
        with pytest.raises(NameTaken):
            memory.board.settle_hosted("second", required=True)
        memory.settle()
        ended = weakref.ref(first.plugin.host)

        memory.relive(first)
        del first.generations[0]  # its listener knows the host
        memory.settle()
        gc.collect()

        assert ended() is None
