"""Tools that an MCP server runs as tasks are called as any other: a call ends once, and its task with it."""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks, wait_until
from programs import PROGRAMS
from tools import tool_call

SERVER = PROGRAMS / "python" / "mcp_task_server.py"
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture(
    params=[(), ("modern",), ("modern", "no_interval")], ids=["handshake", "stateless", "at once"]
)
def words(request):
    return request.param


def board_with(*words, **options):
    server = {"command": [sys.executable, str(SERVER), *words], "env": TEST_MARK}
    policy = {"backoff": {"first": 0.05, "min": 0.05}, "intensity": 1000}
    return Callboard({"plugins": [{"mcp": server, "name": "server", "restart": policy, **options}]})


def methods_in(log):
    return [json.loads(line).get("method") for line in log.read_text().splitlines()]


def test_a_call_ends_with_what_its_task_ends_with(words):
    with board_with(*words) as board:
        assert "finish" in [tool.tool_name for tool in board.tools()]
        said = board.execute(tool_call("finish", text="well"))
        failed = board.execute(tool_call("fail"))
        refused = board.execute(tool_call("refuse"))

    assert (said["success"], said["result"]) == (True, "well")
    assert (failed["success"], failed["error"]) == (False, "done")
    assert "no such thing" in refused["error"]


def test_progress_of_a_task_comes_as_parts():
    with board_with() as board:
        call = board.submit(tool_call("steps"))
        parts = [part["progress"] for part in call.parts() if "progress" in part]

    assert parts == [1, 2, 3]


def test_a_call_that_is_cancelled_or_overdue_cancels_its_task(words, tmp_path):
    log = tmp_path / "log"
    with board_with(*words, f"log={log}") as board:
        call = board.submit(tool_call("never"))
        assert wait_until(lambda: call.take_chunk() is not None, PATIENCE)  # its message
        call.cancel()
        assert call.result()["code"] == "cancelled"
        assert wait_until(lambda: methods_in(log).count("tasks/cancel") == 1, PATIENCE)
        late = board.execute(tool_call("never"), deadline=0.5)
        assert late["code"] == "deadline_exceeded"
        assert wait_until(lambda: methods_in(log).count("tasks/cancel") == 2, PATIENCE)
        assert board.execute(tool_call("finish"))["success"]


def test_a_server_that_is_killed_ends_the_calls_of_its_tasks(words, tmp_path):
    log = tmp_path / "log"
    with board_with(*words, f"log={log}", concurrency=4) as board:
        pid = int(board.execute(tool_call("pid"))["result"])
        calls = [board.submit(tool_call("never")) for _ in range(3)]
        assert wait_until(lambda: methods_in(log).count("tools/call") == 4, PATIENCE)
        os.kill(pid, signal.SIGKILL)
        codes = [call.result()["code"] for call in calls]
        again = board.execute(tool_call("finish", text="again"))

    assert codes == ["host_crashed"] * 3
    assert again["result"] == "again"
