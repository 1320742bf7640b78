"""A load that has a timeout ends at it, whatever its source does; nothing of it stays, and the same load works afterwards."""

from __future__ import annotations

import gc
import json
import sys
import threading
import time
from contextlib import contextmanager

import pytest
from callboard import Callboard, LoadTimeout, NotStarted
from gated_modules import closed_gate
from leaks import TEST_MARK, census, no_leaks, wait_until
from node_packages import built, tool
from programs import PROGRAMS
from tools import tool_call

TIMEOUT = 1.0
SOON = 4.0
"""Seconds beyond a timeout after which it was not kept; each thing that is waited for here takes ten times as long."""
PATIENCE = 60.0

WAIT = "import sys; gate = sys.modules.get('callboard_test_gate'); gate and gate.opened.wait(60)"
PLUGIN = """
class Tool:
    name = "slow"

    def __init__(self):
        MADE

    def init(self, config):
        INIT
        return {}

    def get_tool_schemas(self, state, prepared=None):
        SCHEMAS
        return [{"type": "function", "function": {"name": "slow", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "here"}
"""
PREPARED = "\n    def prepare(self, config, state):\n        PREPARE\n"
MOUNTED = """
class Slow:
    name, description, input_schema = "slow", "It was slow.", {"type": "object"}

    async def execute(self, input):
        return {"success": True, "output": "here"}


async def mount(coordinator, config=None):
    await coordinator.mount("tools", Slow(), name="slow")
    MOUNT
"""


def python(text, place, wait):
    """A module's text that waits at one of its places."""
    for each in ("IMPORT", "MADE", "INIT", "SCHEMAS", "PREPARE", "MOUNT"):
        text = text.replace(each, wait if each == place else "pass")
    return text


def here(place, text=PLUGIN, wait=WAIT):
    def source(folder):
        (folder / "slow_tools.py").write_text(python(f"IMPORT\n{text}", place, wait))
        name = "mount" if text is MOUNTED else "Tool"
        return {"plugin": f"slow_tools.{name}"}, closed_gate

    return source


@contextmanager
def as_long_as(file):
    """The programs that look for a file hang until the end of the block."""
    file.write_text("")
    try:
        yield
    finally:
        file.unlink()


HANG = "import os, time\n{}while os.path.exists('FILE'): time.sleep(0.02)"
NODE_HANG = "while (existsSync('FILE')) await new Promise((wake) => setTimeout(wake, 20));\n"


def isolated(place):
    def source(folder):
        file = folder / "hangs"
        text = (
            PLUGIN
            if place != "MADE"
            else PLUGIN.replace('name = "slow"', 'name = property(lambda self: "slow")')
        )
        wait = HANG.format(" " * 8).replace("FILE", str(file))
        (folder / "slow_tools.py").write_text(python(f"IMPORT\n{text}", place, wait))
        entry = {"plugin": "slow_tools.Tool", "isolate": True, "start_deadline": PATIENCE, "env": TEST_MARK}
        return entry, lambda: as_long_as(file)

    return source


def node(folder):
    file = folder / "hangs"
    hang = "import { existsSync } from 'node:fs';\n" + NODE_HANG.replace("FILE", str(file))
    (folder / "slow.mjs").write_text(hang + tool("slow"))
    entry = {"node_tool": {"file": str(folder / "slow.mjs"), "id": "slow"}, "start_deadline": PATIENCE}
    return entry | {"env": TEST_MARK}, lambda: as_long_as(file)


def package(folder):
    file = folder / "hangs"
    first = "import { existsSync } from 'node:fs';\n" + NODE_HANG.replace("FILE", str(file))
    return {"plugin": f"node:{built(folder / 'package', first)}"}, lambda: as_long_as(file)


def mcp(folder):
    file = folder / "hangs"
    server = str(PROGRAMS / "python" / "mcp_echo_server.py")
    (folder / "server.py").write_text(
        f"{HANG.format('').replace('FILE', str(file))}\nimport runpy\nrunpy.run_path({server!r}, run_name='__main__')\n"
    )
    return {
        "mcp": {"command": sys.executable, "args": [str(folder / "server.py")]},
        "name": "slow",
        "env": TEST_MARK,
    }, lambda: as_long_as(file)


SLOW = {
    "a module's import": (here("IMPORT"), "importing and making it"),
    "a constructor": (here("MADE"), "importing and making it"),
    "an init": (here("INIT"), "asking it for init"),
    "a prepare": (here("PREPARE", PLUGIN + PREPARED), "'slow'"),
    "the tools of one that was prepared": (here("SCHEMAS", PLUGIN + PREPARED), "get_tool_schemas"),
    "a mount that awaits": (
        here("MOUNT", MOUNTED, "import asyncio, sys\n    while 'callboard_test_gate' in sys.modules: await asyncio.sleep(0.01)"),
        "mount",
    ),
    "a mount that blocks": (here("MOUNT", MOUNTED), "mount"),
    "the name of an isolated plugin": (isolated("MADE"), "has not said its name"),
    "an isolated plugin": (isolated("INIT"), "the host"),
    "a Node host": (node, "the host"),
    "an MCP server": (mcp, "the host"),
    "a build": (package, "npm"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield
        gc.collect()  # what of a package is in use, until its plugin is forgotten


@pytest.fixture
def board(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    with Callboard({"plugin_cache_dir": str(tmp_path / "cache")}) as board:
        yield board
    sys.modules.pop("slow_tools", None)


def programs_beyond(before):
    """Those that were started since then, but for the watchdog, which lives as long as its board."""
    return {words for words in census().beyond(before).processes if "tree_kill.py" not in words}


def timed_out(board, entry, timeout=TIMEOUT):
    """The error of a load; it came in time."""
    began = time.monotonic()
    with pytest.raises(LoadTimeout) as caught:
        board.load(entry, timeout=timeout)
    assert timeout <= time.monotonic() - began < timeout + SOON
    return caught.value


@pytest.mark.parametrize("what", SLOW)
def test_a_load_ends_at_its_timeout_and_the_next_one_works(board, tmp_path, what):
    source, waited_for = SLOW[what]
    entry, slow = source(tmp_path)
    before = census()

    with slow():
        error = timed_out(board, entry)
        there = board.status()["plugins"]
        wait_until(lambda: not programs_beyond(before))
    tools = board.load(entry, timeout=PATIENCE)

    assert error.timeout == TIMEOUT
    assert waited_for in error.waited_for
    assert str(error).endswith(f"was not loaded within its timeout of {TIMEOUT:g} s: {error.waited_for}")
    assert there == {}
    assert board.execute(tool_call(tools[0].tool_name, text="here"))["success"]


def test_a_load_waits_for_another_maker_of_its_package_as_long_as_its_timeout(board, tmp_path):
    entry, slow = package(tmp_path)
    making = threading.Thread(target=board.load, args=(entry,))

    with slow():
        making.start()
        wait_until(lambda: any((tmp_path / "cache" / "v1" / "making").glob("*")), PATIENCE)
        error = timed_out(board, entry)
    making.join(PATIENCE)

    assert "another program" in error.waited_for
    assert board.execute(tool_call("where"))["success"]


def test_a_load_waits_for_the_end_of_a_host_of_its_name_as_long_as_its_timeout(board, tmp_path):
    stubborn = json.dumps({"at_eof": "ignore", "on_term": "ignore"})
    program = [sys.executable, str(PROGRAMS / "python" / "obedient.py"), stubborn]
    entry = {"host": {"command": program, "protocol": "thp/1", "id": "slow"}, "env": TEST_MARK}
    board.load(entry)
    board.remove("slow")

    error = timed_out(board, entry)

    assert "still ending" in error.waited_for
    assert board.load(entry, timeout=PATIENCE)


def test_a_load_in_time_is_limited_by_nothing_afterwards(board, tmp_path):
    entry, _ = node(tmp_path)

    board.load(entry, timeout=PATIENCE)
    board.remove("slow")

    assert board.load(entry)


@pytest.mark.parametrize("timeout", [-1, "soon", float("nan")])
def test_a_timeout_that_is_none_is_refused_before_anything_is_loaded(board, timeout):
    with pytest.raises((TypeError, ValueError), match="timeout"):
        board.load({"plugin": "nothing.there"}, timeout=timeout)


def test_a_board_that_is_stopped_says_so_with_a_timeout_too():
    with pytest.raises(NotStarted):
        Callboard().load("nothing.there", timeout=TIMEOUT)
