"""Every value that was filled into an MCP entry is a secret in all that Callboard itself writes, and not in what the server answers."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from callboard import Callboard
from command_line import callboard
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

SERVER = str(PROGRAMS / "python" / "mcp_server.py")
SECRET = "hushhush"
SHORT = "h7sh"
LONG = "l7ng" * 50
"""No refusal tells it whole."""

VARIABLES = {"MY_SECRET": SECRET, "MY_SHORT": SHORT, "MY_LONG": LONG}

CRASHES = """
import sys
sys.stderr.write("started with " + " ".join(sys.argv[1:]) + "\\n")
sys.exit(3)
"""

REFUSES = """
import json, sys
said = " ".join(sys.argv[1:])
for line in sys.stdin:
    message = json.loads(line)
    print("a line beside the protocol: " + said, flush=True)
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": said}}), flush=True)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": 1, "message": said}}), flush=True)
"""


@pytest.fixture(autouse=True)
def secrets(monkeypatch):
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    with no_leaks():
        yield


def board_of(tmp_path, server):
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": server}}))
    return Callboard(file)


ENTRIES = {
    "crashes": {
        "command": sys.executable,
        "args": ["-c", CRASHES, "--dsn", "db://${env:MY_SECRET}", "${MY_SHORT}"],
    },
    "refuses": {"command": sys.executable, "args": ["-c", REFUSES, "${env:MY_SECRET}", "${MY_SHORT}"]},
    "no program": {"command": "/no/such/${env:MY_SECRET}/${MY_SHORT}", "args": []},
    "no folder": {"command": sys.executable, "args": [SERVER], "cwd": "/no/${env:MY_SECRET}/${MY_SHORT}"},
    "no file of variables": {"command": "x", "envFile": "/no/${env:MY_SECRET}/${MY_SHORT}"},
    "nobody there": {"url": "http://127.0.0.1:9/${env:MY_SECRET}/${MY_SHORT}?key=${MY_SHORT}"},
    "no name": {"url": "http://${env:MY_SECRET}.${MY_SHORT}.invalid/"},
    "no address": {"url": "gopher://${env:MY_SECRET}/${MY_SHORT}"},
    "no header": {"url": "http://127.0.0.1:9/", "headers": {"${MY_SHORT} x": "${env:MY_SECRET}\n"}},
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_no_report_event_status_or_log_has_what_was_filled_in(tmp_path, caplog, entry):
    caplog.set_level(logging.DEBUG)
    told = []

    with board_of(tmp_path, entry) as board:
        board.subscribe(told.append)
        answered = board.execute(tool_call("echo", text="x"))
        everything = [repr(board.status()), repr(board.failed), repr(told), json.dumps(answered)]

    everything += [each.getMessage() for each in caplog.records if each.name.startswith("callboard")]
    assert board.failed
    assert [each for each in everything if SECRET in each or SHORT in each] == []


@pytest.mark.parametrize("command", [["doctor"], ["check"], ["plan"], ["tools"]])
@pytest.mark.parametrize("name", ["crashes", "refuses", "no program", "no address"])
def test_no_command_prints_what_was_filled_in(tmp_path, command, name):
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": ENTRIES[name]}}))

    ended = callboard(*command, *(["--trust"] if command == ["tools"] else []), str(file), env=VARIABLES)

    assert "a" in ended.stdout + ended.stderr
    assert [each for each in (SECRET, SHORT) if each in ended.stdout + ended.stderr] == []


def test_a_result_of_a_tool_is_left_as_it_is(tmp_path):
    server = {
        "command": sys.executable,
        "args": [SERVER, "${env:MY_SECRET}", "token=${MY_SHORT}"],
        "env": TEST_MARK,
    }

    with board_of(tmp_path, server) as board:
        answered = board.execute(tool_call("argv"))

    assert json.loads(answered["result"]) == [SECRET, f"token={SHORT}"]


@pytest.mark.parametrize(
    "value",
    [
        {"plugins": [{"plugin": "a.B", "env": {"A=B": "${env:MY_SECRET}${env:MY_SHORT}"}}]},
        {"plugins": [{"plugin": "a.B", "config": "${env:MY_SECRET} ${env:MY_SHORT}"}]},
        {"plugin_cache_dir": ["${env:MY_SECRET}", "${env:MY_SHORT}"]},
        {"plugins": [], "calls": {"deadline": "${env:MY_SECRET}${env:MY_SHORT}"}},
        {"state": {"store": "${env:MY_SECRET}${env:MY_SHORT}"}},
        {"calls": {"deadline": "${env:MY_LONG}"}},
        {"plugin_cache_dir": {"${env:NONE}": "${env:MY_SHORT}${env:MY_LONG}"}},
    ],
)
def test_no_refusal_of_a_configuration_says_what_was_filled_in(tmp_path, value):
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(value))

    ended = callboard("check", str(file), env=VARIABLES)
    started = callboard("tools", "--trust", str(file), env=VARIABLES)

    said = ended.stdout + ended.stderr + started.stdout + started.stderr
    assert started.returncode != 0
    assert [each for each in (SECRET, SHORT, "l7ng") if each in said] == []
