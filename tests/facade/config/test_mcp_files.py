"""A file that another MCP client keeps its servers in is a configuration, and stays that client's."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard
from callboard.config.configuration import read_configuration
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
