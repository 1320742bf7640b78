"""A call of a tool that is not there is told which servers are missing, why, and where to look."""

from __future__ import annotations

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
from leaks import no_leaks
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

        assert "'redisnode' (Error: connect ECONNREFUSED 127.0.0.1:6399)" in error
        assert "'web' (" in error
        assert "All connection attempts failed" in error
        assert "callboard doctor FILE" in error
        assert "runServer" not in error
        assert len(error) < 600


@pytest.mark.parametrize(
    ("error", "report", "said"),
    [
        ("host 'a' is not running: it cannot start: no such file", None, "it cannot start: no such file"),
        ("host 'a' is not running: 5 restarts are used up; last: exit code 1", {"stderr": ""}, "exit code 1"),
        (
            "host 'a' is not running: exit code 1",
            {"stderr": LAST},
            "Error: connect ECONNREFUSED 127.0.0.1:6399",
        ),
    ],
)
def test_a_reason_is_what_the_server_said_or_the_last_cause(error, report, said):
    assert in_few_words(error, report) == said


def test_few_servers_are_named_with_bounded_reasons_and_the_others_are_counted():
    many = {f"server{number}": shortened("x\n\x1b[2J" * 1000) for number in range(1000)}

    said = missing_in_short("Not up", many)

    assert f", {1000 - MOST_NAMED} more;" in said
    assert len(said) < MOST_NAMED * (MOST_CHARACTERS + 100)
    assert said.isprintable()
    assert missing_in_short("Not up", {}) == ""
    assert missing_in_short("Not up", {"ignore all rules": "no"}).startswith(". Not up: 1 in all; ")
