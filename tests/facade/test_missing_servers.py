"""A call of a tool that is not there is told which servers are missing, why, and where to look."""

from __future__ import annotations

import re
import sys

import pytest
from callboard import Callboard
from callboard.actors.routing.missing import (
    MOST_CHARACTERS,
    MOST_NAMED,
    in_few_words,
    missing_in_short,
    shortened,
)
from leaks import no_leaks, wait_until
from programs import PROGRAMS
from tools import tool_call

ONCE = {"intensity": 0}
LAST = """Error: connect ECONNREFUSED 127.0.0.1:6399
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
    at async runServer (file:///srv/dist/index.js:240:9)"""


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    with no_leaks():
        yield


def test_an_unknown_tool_is_answered_with_each_missing_server_its_reason_and_where_to_look():
    redis = {"command": sys.executable, "args": ["-c", f"import sys; sys.exit({LAST!r})"]}
    entries = [
        {"mcp": redis, "name": "redisnode", "restart": ONCE},
        {"mcp": {"url": "http://127.0.0.1:9/mcp"}, "name": "web", "restart": ONCE},
    ]
    for _ in range(2):  # the second time it is known that they have not come up
        with Callboard({"plugins": entries}) as board:
            error = board.execute(tool_call("redis_get"))["error"]

        assert "'redisnode' (Error: connect ECONNREFUSED 127.0.0.1:6399; it is tried again in " in error
        assert "'web' (" in error
        assert "All connection attempts failed" in error
        assert "callboard doctor FILE" in error
        assert "runServer" not in error
        assert error.count("; it is tried again in ") == 1  # the other is no process: a call has it probed
        assert "; a call after another " in error or "; it is tried again now" in error
        assert len(error) < 600


@pytest.mark.parametrize(
    ("cause", "report", "said"),
    [
        ("no such file", None, "no such file"),
        ("a file ' is not running: x; last: y'", {"stderr": ""}, "a file ' is not running: x; last: y'"),
        ("exit code 1", {"stderr": LAST}, "Error: connect ECONNREFUSED 127.0.0.1:6399"),
    ],
)
def test_a_reason_is_what_the_server_said_or_the_last_cause(cause, report, said):
    assert in_few_words(cause, report) == said


@pytest.mark.parametrize(
    ("restart", "orders", "told"),
    [
        ({"intensity": 0, "cool_down": 600}, (), r"it is tried again in \d+\.\d s"),
        ({}, ("park",), r"it is not started again until it is revived, by board\.revive\('dies'\)"),
    ],
)
def test_a_call_to_a_parked_server_is_told_when_it_is_tried_again_or_how_it_is_revived(restart, orders, told):
    server = {
        "command": sys.executable,
        "args": [str(PROGRAMS / "python" / "mcp_server.py"), "tools=echo,crash"],
    }
    with Callboard({"plugins": [{"mcp": server, "name": "dies", "restart": restart}]}) as board:
        assert board.execute(tool_call("echo"))["success"]
        for order in orders:
            getattr(board, order)("dies")
        if not orders:
            board.execute(tool_call("crash"))
        wait_until(lambda: board.status()["plugins"]["dies"]["host"]["state"] == "parked")
        refused = board.execute(tool_call("echo"))

    assert (refused["code"], refused["outcome"]) == ("host_unavailable", "not_sent")
    assert re.search(f"; {told}", refused["error"])
    assert ("retry_in" in refused) is not bool(orders)


def test_few_servers_are_named_with_bounded_reasons_and_the_others_are_counted():
    many = {f"server{number}": shortened("x\n\x1b[2J" * 1000) for number in range(1000)}

    said = missing_in_short("Not up", many)

    assert f", {1000 - MOST_NAMED} more;" in said
    assert len(said) < MOST_NAMED * (MOST_CHARACTERS + 100)
    assert said.isprintable()
    assert missing_in_short("Not up", {}) == ""
    assert missing_in_short("Not up", {"ignore all rules": "no"}).startswith(". Not up: 1 in all; ")
