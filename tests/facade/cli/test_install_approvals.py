"""What entries of a client's file allow by lists of their own, after `--install`: carried over tool by tool, and named where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from client_homes import ClientHome, serves
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

CURSOR_MCP = ".cursor/mcp.json"


def test_what_an_entry_allows_and_cannot_be_carried_over_is_named_with_what_to_do(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    allowed = {
        "fs": {**serves("read", "write", "find"), "alwaysAllow": ["read", "gone", "find", 3, {"read": 1}]},
        "db": {**serves("find"), "autoApprove": True},
        "all": {**serves("list", "show"), "autoApprove": ["*"]},
        "off": {**serves("x"), "disabled": True, "alwaysAllow": ["x"]},
    }
    home.write(CURSOR_MCP, {"mcpServers": allowed})

    installed = home.mcp("--install", "cursor", "--yes")

    entry, said = home.read(CURSOR_MCP)["mcpServers"]["callboard"], installed.stdout
    assert (entry["alwaysAllow"], sorted(entry["autoApprove"])) == (["read"], ["list", "show"])
    named = "is not carried over"
    assert f"'gone' under 'alwaysAllow' of 'fs' {named}: the server lists no such tool" in said
    assert f"'find' under 'alwaysAllow' of 'fs' {named}: another server has such a tool too" in said
    assert f"3 under 'alwaysAllow' of 'fs' {named}: it is no name of a tool" in said
    assert f"{{'read': 1}} under 'alwaysAllow' of 'fs' {named}: it is no name of a tool" in said
    assert f"True under 'autoApprove' of 'db' {named}: it is no list" in said
    assert f"'x' under 'alwaysAllow' of 'off' {named}: off did not come up" in said
    assert "'*' under 'autoApprove' of 'all' becomes the list of its 2 tools" in said


def test_what_entries_allow_is_named_while_a_server_is_down_and_carried_over_once_it_is_up(
    tmp_path: Path,
) -> None:
    program = tmp_path / "state" / "server"
    program.parent.mkdir()
    entry = serves("ask")
    late = {"command": str(program), "args": entry["args"], "alwaysAllow": ["ask"]}
    home = ClientHome(tmp_path)
    home.write(
        CURSOR_MCP, {"mcpServers": {"fs": {**serves("read", "write"), "alwaysAllow": ["read"]}, "late": late}}
    )

    refused = home.mcp("--install", "cursor", stdin="n\n")
    first = home.mcp("--install", "cursor", "--yes")
    without = home.read(CURSOR_MCP)["mcpServers"]["callboard"]
    program.symlink_to(entry["command"])
    home.mcp("--install", "cursor", "--yes")
    with_all = home.read(CURSOR_MCP)["mcpServers"]["callboard"]

    for said in (refused.stdout, first.stdout):
        assert (
            "'read' under 'alwaysAllow' of 'fs' is not carried over: late did not come up, and may have"
            in said
        )
        assert (
            "'ask' under 'alwaysAllow' of 'late' is not carried over: late did not come up, so that" in said
        )
        assert "its client asks about it. Say --install again when late is up" in said
    assert "alwaysAllow" not in without
    assert sorted(with_all["alwaysAllow"]) == ["ask", "read"]
