"""An MCP server is a host like any other: each call ends once and truly, and the next one works."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from callboard import Callboard
from callboard.hosts.mcp.tool import McpToolPlugin
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

SERVER = PROGRAMS / "python" / "mcp_server.py"
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def board_with(*words, start_deadline=10.0, **options):
    board = Callboard({"start_deadline": start_deadline})
    board.start()
    plugin = McpToolPlugin("server", [sys.executable, str(SERVER), *words], env=TEST_MARK, **options)
    board.register(plugin)
    return board


@pytest.fixture(
    params=[(), ("modern",), ("ends",)], ids=["handshake", "stateless", "ends at what it does not know"]
)
def board(request):
    with board_with(*request.param) as board:
        yield board


def test_its_tools_are_called_as_all_tools_are(board):
    assert board.execute(tool_call("echo", a=1)) == {"success": True, "result": '{"a": 1}'}
    assert board.execute(tool_call("count"))["result"].keys() == {"count"}
    failed, refused = board.execute(tool_call("fail")), board.execute(tool_call("refuse"))
    assert (failed["success"], failed["error"]) == (False, "it failed")
    assert (refused["success"], refused["code"]) == (False, "tool_raised")


def test_progress_comes_as_parts(board):
    *parts, last = board.stream(tool_call("steps"))

    assert [part["part"]["progress"] for part in parts] == [0, 1, 2]
    assert last


def test_a_server_that_is_killed_in_a_call_ends_it_and_the_next_one_works(board):
    crashed = board.execute(tool_call("crash"))
    pid = int(board.execute(tool_call("pid"))["result"])
    hanging = board.submit(tool_call("hang"))
    os.kill(pid, signal.SIGKILL)
    killed = hanging.result(PATIENCE)
    after = board.execute(tool_call("echo"))

    assert [(each["code"], each["outcome"]) for each in (crashed, killed)] == [
        ("host_crashed", "outcome_unknown")
    ] * 2
    assert after["success"]


def test_a_child_that_holds_the_output_of_a_killed_server_holds_up_nobody():
    with board_with("holds") as board:
        crashed = board.execute(tool_call("crash"))
        after = board.execute(tool_call("echo"))

    assert (crashed["code"], after["success"]) == ("host_crashed", True)


def test_a_cancelled_call_frees_the_server_for_the_next(board):
    hanging = board.submit(tool_call("hang"))
    hanging.cancel()

    assert hanging.result(PATIENCE)["code"] == "cancelled"
    assert board.execute(tool_call("echo"))["success"]


def test_a_server_that_goes_on_after_the_end_of_its_input_is_ended():
    with board_with("lingers") as board:
        assert board.execute(tool_call("echo"))["success"]


def test_a_server_that_is_told_how_to_begin_is_not_asked():
    with board_with("silent", revision="2025-11-25") as board:
        assert board.execute(tool_call("echo"))["success"]
        assert board.status()["plugins"]["server"]["host"]["generation"] == 1
