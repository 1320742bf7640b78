"""The progress of an MCP server's tool is its sign of life, whether or not anybody reads it."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from callboard.check.problems import problems_of
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

PATIENCE = 60.0
SERVER = PROGRAMS / "python" / "mcp_ticking_server.py"
LIMIT = 2.0
TICKS = {"times": 10, "pause": LIMIT / 4}
ERAS = [(), ("modern",)]


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture(params=ERAS, ids=["handshake", "stateless"])
def board(request):
    server = {"command": [sys.executable, str(SERVER), *request.param], "env": TEST_MARK}
    entry = {"mcp": server, "name": "server", "idle_deadline": LIMIT, "concurrency": 8}
    with Callboard({"plugins": [entry], "calls": {"deadline": None}}) as board:
        yield board


@pytest.mark.parametrize("streaming", [True, False])
def test_a_call_that_tells_of_its_progress_may_take_long(board, streaming):
    *parts, last = board.stream(tool_call("tick", **TICKS), streaming=streaming)

    assert last == {"success": True, "result": "done"}
    assert len(parts) == (TICKS["times"] if streaming else 0)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_call_that_is_silent_ends_and_no_other_does(board, streaming):
    ticking = board.submit(tool_call("tick", **TICKS))
    silent = board.submit(tool_call("mute", times=1, pause=PATIENCE * 2), streaming=streaming)

    ended = silent.result(PATIENCE)
    assert (ended["code"], ended["outcome"]) == ("deadline_exceeded", "outcome_unknown")
    assert "silent for 2 s" in ended["error"]
    assert ticking.result(PATIENCE)["success"]
    assert board.status()["plugins"]["server"]["host"]["generation"] == 1


@pytest.mark.parametrize(
    "source",
    [
        {"bash_tool": {"path": "./tools"}},
        {"host": {"command": ["python3"], "protocol": "thp/1", "id": "old"}},
    ],
    ids=["bash", "version 1"],
)
def test_where_nothing_tells_of_silence_it_is_refused_before_anything_starts(tmp_path, source):
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"plugins": [{**source, "idle_deadline": 1}]}))
    (tmp_path / "tools").mkdir()

    (problem,) = problems_of(file)
    assert problem.path == "$.plugins[0].idle_deadline"
    assert "Leave it out" in problem.message


def test_without_it_a_call_that_nobody_reads_has_no_token():
    server = {"command": [sys.executable, str(SERVER)], "env": TEST_MARK}
    with Callboard({"plugins": [{"mcp": server, "name": "server"}]}) as board:
        result = board.execute(tool_call("tick", times=1, pause=0), streaming=False)

    assert result["result"] == "no token"
