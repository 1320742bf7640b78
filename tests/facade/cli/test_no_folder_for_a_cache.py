"""Where no folder for a cache can be made, by whichever variable names it: hosts start without one, and that is said once."""

from __future__ import annotations

import sys

import pytest
from command_line import callboard, lines, write_config
from leaks import no_leaks
from programs import PROGRAMS

TOOL = """
const tool: { name: string } = { name: "NAME" };
export default {
  init: (): object => ({}),
  getToolSchemas: () => [{ type: "function", function: { name: tool.name, parameters: { type: "object" } } }],
  executeTool: () => ({ success: true, result: tool.name }),
};
"""
FETCHES = """#!/bin/sh
mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}/fetched" 2>/dev/null  # as npx and uvx, which go on without
exec "$@"
"""


@pytest.fixture
def config(tmp_path):
    """Two plugins of TypeScript, whose modules are kept where that can be, and a server that is fetched first."""
    plugins = []
    for name in ("first", "second"):
        (tmp_path / f"{name}.ts").write_text(TOOL.replace("NAME", name))
        plugins.append({"node_tool": {"file": f"{name}.ts", "id": name}, "required": True})
    fetches = tmp_path / "fetches"
    fetches.write_text(FETCHES)
    fetches.chmod(0o755)
    server = [sys.executable, str(PROGRAMS / "python" / "mcp_echo_server.py")]
    plugins.append({"mcp": {"command": str(fetches), "args": server}, "name": "third", "required": True})
    return write_config(tmp_path, *plugins)


@pytest.mark.parametrize("nowhere", ["/proc", "/dev/null"])
@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_hosts_start_without_a_cache_and_it_is_said_once(config, tmp_path, variable, nowhere):
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": "", variable: nowhere}

    with no_leaks():
        ended = callboard("tools", "--trust", config, "--json", env=env)

    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("cannot be written") == 1, ended.stderr
    assert {tool["plugin"] for tool in lines(ended.stdout)} == {"first", "second", "third"}


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME"])
def test_the_demonstration_needs_no_cache(tmp_path, variable):
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": "", variable: "/proc"}

    ended = callboard("demo", "--calls", "20", "--kills", "1", "--json", env=env)

    (summary,) = lines(ended.stdout)
    assert summary["ok"], summary["checks"]
    assert ended.stderr.count("cannot be written") == 1, ended.stderr
