"""What servers offer after `--install` that they did not list during it: as denied as before, and under no other tool's name."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from client_homes import ClientHome
from declared_servers import asked, declare, declared
from mcp_pipes import Served, call, hello, line
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_sdk

CODE, SETTINGS = ".claude.json", ".claude/settings.json"


def home_of(folder: Path, servers: dict[str, list[str]], **rules: list[str]) -> ClientHome:
    home = ClientHome(folder)
    entries = {name: declared(folder, name, *tools)["mcp"] for name, tools in servers.items()}
    home.write(CODE, {"mcpServers": entries})
    home.write(SETTINGS, {"permissions": rules})
    return home


@contextmanager
def started(home: ClientHome) -> Iterator[Served]:
    """The board, as its client starts it."""
    entry: Any = home.read(CODE)["mcpServers"]["callboard"]
    with subprocess.Popen(
        [entry["command"], *entry["args"]],
        env={**home.environment, **entry.get("env", {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield Served(process)
        finally:
            process.stdin.close()
            process.wait(60)
            process.stdout.close()


@pytest.mark.parametrize("rule", ["mcp__two", "mcp__two__*", "mcp__two__ech*", "mcp__tw*"])
def test_a_server_without_tools_of_which_a_pattern_denies_some_is_left_to_the_client(
    rule: str, tmp_path: Path
) -> None:
    home = home_of(tmp_path, {"one": ["read"], "two": []}, deny=[rule])

    installed = home.mcp("--install", "claude-code", "--yes")

    assert installed.returncode == 0, installed.stderr
    assert list(home.read(CODE)["mcpServers"]) == ["two", "callboard"]
    assert home.read(SETTINGS)["permissions"]["deny"] == [rule]
    assert "stays  two" in installed.stdout


def test_a_pattern_over_servers_denies_what_one_of_them_gets_later(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"one": ["read"], "two": ["find"]}, deny=["mcp__tw*"])

    installed = home.mcp("--install", "claude-code", "--yes")
    moved = home.read(".claude.callboard.json")["mcpServers"]

    assert installed.returncode == 0, installed.stderr
    assert {name: entry.get("tools") for name, entry in moved.items()} == {
        "one": None,
        "two": {"allow": ["find"]},
    }
    assert set(home.read(SETTINGS)["permissions"]["deny"]) == {
        "mcp__tw*",
        "mcp__callboard__find",
        "mcp__callboard__two__find",
    }


def test_a_denied_server_that_names_a_tool_like_a_pattern_is_left_to_the_client(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"one": ["read"], "two": ["*"]}, deny=["mcp__two"])

    home.mcp("--install", "claude-code", "--yes")

    assert list(home.read(CODE)["mcpServers"]) == ["two", "callboard"]


def test_a_name_that_is_allowed_runs_no_other_servers_tool_at_the_first_start(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"one": ["echo"], "two": ["find"]}, allow=["mcp__one__echo"])

    installed = home.mcp("--install", "claude-code", "--yes")
    waits = tmp_path / "one.waits"
    waits.touch()
    declare(tmp_path, "two", "find", "echo")
    with started(home) as board:
        board.say(hello(), line(method="notifications/initialized"))
        board.answers(1)
        board.say(call(2, "find"))
        board.answers(1)  # which says that the other server is up
        board.say(call(3, "echo"), line(id=4, method="ping"))
        heard = board.answers(1)
        waits.unlink()
        heard |= board.answers(1)
        board.say(line(id=5, method="tools/list"))
        names = [tool["name"] for tool in board.answers(1)[5]["result"]["tools"]]

    assert home.read(SETTINGS)["permissions"]["allow"] == ["mcp__callboard__echo"], installed.stdout
    assert "result" in heard[3]
    assert [call["name"] for call in asked(tmp_path, "two", "tools/call")] == ["find"]
    assert [call["name"] for call in asked(tmp_path, "one", "tools/call")] == ["echo"]
    assert set(names) == {"echo", "find", "two__echo"}
