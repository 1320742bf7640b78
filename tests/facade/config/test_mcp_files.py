"""A file that another MCP client keeps its servers in is a configuration, and stays that client's."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from callboard.config.configuration import read_configuration
from callboard.config.errors import ConfigurationError
from callboard.config.mcp_servers import runs_callboard
from leaks import TEST_MARK, no_leaks
from programs import PROGRAMS
from tools import tool_call

SERVER = str(PROGRAMS / "python" / "mcp_server.py")


@pytest.mark.parametrize("key", ["mcpServers", "servers"])
def test_its_servers_are_plugins_and_what_else_it_says_is_passed_over(key, tmp_path):
    file = tmp_path / "mcp.json"
    servers = {"a": {"command": "x"}, "off": {"command": "y", "disabled": True}}
    file.write_text(json.dumps({key: servers, "inputs": [], "globalShortcut": "x"}))

    assert read_configuration(file).plugins == ({"mcp": {"command": "x"}, "name": "a"},)


def test_a_board_among_its_servers_is_left_out_for_it_may_be_this_one(tmp_path):
    file = tmp_path / "mcp.json"
    servers = {"a": {"command": "x"}, "all": {"command": "callboard", "args": ["mcp", "mcp.json"]}}
    file.write_text(json.dumps({"mcpServers": servers}))

    assert read_configuration(file).plugins == ({"mcp": {"command": "x"}, "name": "a"},)


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/usr/bin/callboard", "args": ["mcp", "x.json"]}, True),
        ({"command": "C:\\py\\Scripts\\callboard.exe", "args": ["mcp"]}, True),
        ({"command": "python3", "args": ["-m", "callboard", "mcp", "x.json"]}, True),
        ({"command": "uvx", "args": ["--from", "callboard[mcp]", "callboard", "mcp", "x"]}, True),
        ({"command": "callboard", "args": ["tools"]}, False),
        ({"command": "mcp-callboard", "args": ["mcp"]}, False),
        ({"url": "http://127.0.0.1/mcp"}, False),
        ({"command": 3, "args": 4}, False),
        (None, False),
    ],
)
def test_an_entry_of_ours_is_known_however_it_is_started(entry: object, ours: bool) -> None:
    assert runs_callboard(entry) is ours


def test_it_may_have_comments_and_a_comma_too_many(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text('{\n  // mine\n  "servers": {"a": {"command": "x",},}, /* no more */\n}\n')

    assert read_configuration(file).plugins == ({"mcp": {"command": "x"}, "name": "a"},)


def test_what_is_wrong_with_a_file_that_has_comments_is_told_with_its_place(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text('{\n  // mine\n  "servers": {"a" 1}\n}\n')

    with pytest.raises(ConfigurationError, match="line 3") as caught:
        read_configuration(file)

    assert caught.value.file == str(file)


def test_its_placeholders_are_filled_and_one_that_cannot_be_leaves_the_others_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("MCP_TEST_WORD", "said")
    (tmp_path / ".env").write_text("# words\nexport FROM_FILE='in the file'\nBOTH=file\n")
    good = {
        "command": sys.executable,
        "args": [SERVER, "${env:MCP_TEST_WORD}"],
        "env": {**TEST_MARK, "BOTH": "entry"},
        "envFile": "${workspaceFolder}/.env",
    }
    servers = {"good": good, "asks": {"command": "x", "env": {"KEY": "${input:key}"}}}
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))

    with no_leaks(), Callboard(file) as board:
        failed = {each.source: each.error for each in board.failed}
        told = json.loads(board.execute(tool_call("environment", names=["FROM_FILE", "BOTH"]))["result"])
        argv = json.loads(board.execute(tool_call("argv"))["result"])

    assert told == {"FROM_FILE": "in the file", "BOTH": "entry"}
    assert argv == ["said"]
    assert "'key'" in failed["mcp:asks"]


def test_what_another_client_would_heed_and_this_one_does_not_is_told(tmp_path, caplog):
    file = tmp_path / "mcp.json"
    server = {"command": sys.executable, "args": [SERVER], "env": TEST_MARK}
    heeded = {"autoApprove": ["echo"], "alwaysAllow": [], "timeout": 5, "description": "x"}
    file.write_text(json.dumps({"mcpServers": {"a": server | heeded}}))

    with no_leaks(), Callboard(file):
        pass

    told = [record.getMessage() for record in caplog.records if "no effect" in record.getMessage()]
    assert [[key for key in heeded if repr(key) in each] for each in told] == [["autoApprove"], ["timeout"]]


def test_a_server_has_its_host_to_itself(tmp_path):
    entry = {"mcp": {"command": [sys.executable, SERVER], "env": TEST_MARK}, "name": "a", "share": "b"}

    with no_leaks(), Callboard({"plugins": [entry]}) as board:
        (failed,) = board.failed

    assert "'share'" in failed.error
    assert "its host to itself" in failed.error
