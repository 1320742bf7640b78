"""A signal handler that raises at any line of a load, a removal or a reload leaves a whole plugin or none, and its name usable."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import psutil
import pytest
from callboard import Callboard
from every_point import Interrupted, OutOfThreads, interrupted_at_each_point, some_points
from leaks import TEST_MARK, alive, no_leaks, wait_until
from programs import PROGRAMS
from thorough import THOROUGH
from tools import tool_call

PATIENCE = 60.0

STEP = 60
"""Lines of which one is taken, unless all are: each costs two starts of a host."""

STEPS = {"a thread": 10}
"""As `STEP`, of a kind that costs less."""

REMOVAL_STEP = 12
"""As `STEP`, of the points of a removal."""

ERRORS = {"an isolated plugin that is asked its name": OutOfThreads, "Node": OutOfThreads}
"""What is raised in a load of that kind, instead of a `KeyboardInterrupt`."""

NODE = """
export default {
  name: "echo",
  init() { return {}; },
  get_tool_schemas() { return [{ type: "function", function: { name: "echo", parameters: { type: "object" } } }]; },
  execute_tool(name, { text }) { return { success: true, result: text }; },
};
"""

PYTHON = """
class Echo:
    name = "echo"

    def init(self, config):
        return {}

    def get_tool_schemas(self, state=None):
        return [{"type": "function", "function": {"name": "echo", "parameters": {"type": "object"}}}]

    def execute_tool(self, name, arguments, state):
        return {"success": True, "result": arguments["text"]}
"""

ASKED = PYTHON.replace(
    "class Echo:\n    name =", "class Asked:\n    def __init__(self):\n        self.name ="
)

SOURCES = {
    "a thread": {"plugin": "echoing.Echo"},
    "an isolated plugin": {"plugin": "echoing.Echo", "isolate": True, "env": TEST_MARK},
    "an isolated plugin that is asked its name": {"plugin": "asked.Asked", "isolate": True, "env": TEST_MARK},
    "Node": {"node_tool": {"file": "echo.mjs", "id": "echo"}, "env": TEST_MARK},
    "MCP": {
        "mcp": {"command": sys.executable, "args": [str(PROGRAMS / "python" / "mcp_echo_server.py")]},
        "name": "echo",
        "env": TEST_MARK,
    },
}


@pytest.fixture
def board(tmp_path, monkeypatch):
    (tmp_path / "echo.mjs").write_text(NODE)
    (tmp_path / "echoing.py").write_text(PYTHON)
    (tmp_path / "asked.py").write_text(ASKED)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    with no_leaks(), Callboard() as board:
        yield board
    for module in ("echoing", "asked"):
        sys.modules.pop(module, None)


def works(board):
    call = board.submit(tool_call("echo", text="here"), deadline=PATIENCE)
    return call.result(PATIENCE)["success"]


def programs():
    """Those that this process has started and that run, but for the watchdog, which lives as long as its board."""
    children = psutil.Process().children()
    return {child.pid for child in children if alive(child.pid) and not is_watchdog(child)}


def is_watchdog(process):
    with suppress(psutil.NoSuchProcess):
        return any(word.endswith("tree_kill.py") for word in process.cmdline())
    return False


@pytest.mark.parametrize("kind", SOURCES)
def test_an_interrupted_load_leaves_a_whole_plugin_or_none_and_the_next_one_works(board, kind):
    before = programs()
    lines = None if THOROUGH else some_points(kind, STEPS.get(kind, STEP))
    board.load(SOURCES[kind])  # what is imported with the first of its kind is not interrupted
    board.remove("echo")
    returned = []

    def load():
        board.load(SOURCES[kind])
        returned.append(kind)

    error = ERRORS.get(kind, Interrupted)
    for place in interrupted_at_each_point(
        load, before=returned.clear, points=lines, kind=error, after_calls=False
    ):
        assert returned == [], f"swallowed: {place}"
        if "echo" in board.status()["plugins"]:
            assert works(board), place
            board.remove("echo")
        wait_until(lambda: not board.board.plugin_manager.leaving() and programs() <= before, PATIENCE)
        board.load(SOURCES[kind])
        assert works(board), place
        board.remove("echo")


@pytest.mark.parametrize("error", [TimeoutError, ValueError])
def test_a_time_limit_that_ends_the_wait_for_a_plugins_name_goes_on_to_the_caller(board, tmp_path, error):
    (tmp_path / "asked.py").write_text("import time\ntime.sleep(60)\n" + ASKED)

    def late(*_):
        raise error("the caller's own")

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(error, match="the caller's own"):
            board.load(SOURCES["an isolated plugin that is asked its name"])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", SOURCES)
def test_an_interrupted_removal_leaves_a_whole_plugin_or_none_and_its_name_free(board, kind):
    before = programs()

    def have_it():
        if "echo" not in board.status()["plugins"]:
            wait_until(lambda: programs() <= before, PATIENCE)
            board.load(SOURCES[kind])
            assert works(board)

    have_it()
    board.remove("echo")  # what is imported with the first is not interrupted
    points = None if THOROUGH else some_points(f"removing {kind}", REMOVAL_STEP)
    for place in interrupted_at_each_point(lambda: board.remove("echo"), before=have_it, points=points):
        if "echo" in board.status()["plugins"]:
            assert works(board), place
        else:
            wait_until(lambda: programs() <= before, PATIENCE)


@pytest.mark.parametrize("kind", [kind for kind in SOURCES if kind != "a thread"])
def test_after_an_interrupted_reload_one_generation_serves_and_the_next_reload_is_done(board, kind):
    before = programs()
    board.load(SOURCES[kind])
    assert board.reload("echo", timeout=PATIENCE).done
    points = None if THOROUGH else some_points(f"reloading {kind}", STEP)
    for place in interrupted_at_each_point(lambda: board.reload("echo", timeout=PATIENCE), points=points):
        assert works(board), place
        wait_until(lambda: len(programs() - before) == 1, PATIENCE)
    assert board.reload("echo", timeout=PATIENCE).done
    handle = board.board.plugin_manager.handle("echo")
    board.stop(PATIENCE)
    assert handle.ended.is_set()
