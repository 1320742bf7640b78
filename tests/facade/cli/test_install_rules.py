"""What a client allows and denies, after `--install`: by the new names, tool by tool, never wider; and restored by `--uninstall`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard.mcp_clients.rules import CLAUDE_CODE
from client_homes import PATIENCE, ClientHome, serves
from programs import ROOT
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

CODE, SETTINGS, MOVED = ".claude.json", ".claude/settings.json", ".claude.callboard.json"
DOWN = {"command": "there-is-no-such-program"}


def home_of(folder: Path, servers: dict[str, Any], **rules: list[Any]) -> ClientHome:
    home = ClientHome(folder)
    home.write(CODE, {"numStartups": 3, "mcpServers": servers})
    home.write(SETTINGS, {"model": "x", "permissions": rules, "hooks": {}})
    return home


def without_copies(home: ClientHome) -> dict[str, str]:
    return {name: text for name, text in home.files().items() if not name.endswith(".backup")}


def permissions(home: ClientHome, file: str = SETTINGS) -> Any:
    return home.read(file)["permissions"]


def test_rules_follow_the_tools_that_they_were_about_and_come_back(tmp_path: Path) -> None:
    home = home_of(
        tmp_path,
        {"fs": serves("read", "write", "find"), "db": serves("find", "drop")},
        allow=["Bash(ls:*)", "mcp__fs__read", "mcp__db"],
        deny=["mcp__fs__write"],
        ask=["mcp__db__find", "WebFetch"],
    )
    before = without_copies(home)

    installed = home.mcp("--install", "claude-code", "--yes")
    after = permissions(home)
    taken_out = home.mcp("--uninstall", "claude-code", "--yes")

    assert installed.returncode == 0, installed.stderr
    assert set(after["allow"]) == {
        "Bash(ls:*)", "mcp__callboard__read", "mcp__callboard__db__find", "mcp__callboard__drop",
    }  # fmt: skip
    assert {"mcp__callboard__write", "mcp__callboard__fs__write"} == set(after["deny"])
    assert {"mcp__callboard__db__find", "mcp__callboard__find", "WebFetch"} == set(after["ask"])
    assert "mcp__fs__read becomes mcp__callboard__read" in installed.stdout
    assert f"+++ {tmp_path / SETTINGS}" in installed.stdout
    assert taken_out.returncode == 0, taken_out.stderr
    assert without_copies(home) == before


def test_a_server_that_is_denied_as_a_whole_offers_nothing_that_it_gets_later(tmp_path: Path) -> None:
    home = home_of(
        tmp_path, {"fs": serves("read", "write"), "db": serves("drop")}, deny=["mcp__fs", "mcp__db__d*"]
    )
    before = without_copies(home)

    installed = home.mcp("--install", "claude-code", "--yes")
    moved = home.read(MOVED)["mcpServers"]
    denied = permissions(home)["deny"]
    again = home.mcp("--install", "claude-code", "--yes")
    home.mcp("--uninstall", "claude-code", "--yes")

    assert {"mcp__callboard__read", "mcp__callboard__write", "mcp__callboard__drop"} <= set(denied)
    assert [moved[name]["tools"] for name in ("fs", "db")] == [
        {"allow": ["read", "write"]},
        {"allow": ["drop"]},
    ]
    assert "no tools but those that it has now" in installed.stdout
    assert "nothing to do" in again.stderr
    assert without_copies(home) == before


def test_of_a_server_that_does_not_come_up_what_is_denied_stays_and_what_is_allowed_is_named(
    tmp_path: Path,
) -> None:
    home = home_of(
        tmp_path, {"fs": serves("read"), "denied": DOWN, "down": DOWN, "off": {**DOWN, "disabled": True}},
        allow=["mcp__down__x", "mcp__fs__read"], deny=["mcp__denied__x", "mcp__off"],
    )  # fmt: skip
    before = without_copies(home)

    installed = home.mcp("--install", "claude-code", "--yes")
    left, rules = home.read(CODE)["mcpServers"], permissions(home)
    home.mcp("--uninstall", "claude-code", "--yes")

    assert list(left) == ["denied", "off", "callboard"]
    assert rules == {"allow": ["mcp__down__x", "mcp__fs__read"], "deny": ["mcp__denied__x", "mcp__off"]}
    assert "stays  denied" in installed.stdout
    assert "'mcp__fs__read'" in installed.stdout
    assert without_copies(home) == before


def test_when_a_server_that_was_down_is_up_another_install_rewrites_what_was_left(tmp_path: Path) -> None:
    program = tmp_path / "state" / "server"
    program.parent.mkdir()
    entry = serves("ask")
    home = home_of(
        tmp_path,
        {"fs": serves("read"), "late": {"command": str(program), "args": entry["args"]}},
        allow=["mcp__late__ask", "mcp__fs"],
    )
    before = without_copies(home)

    home.mcp("--install", "claude-code", "--yes")
    first = permissions(home)["allow"]
    program.symlink_to(entry["command"])
    home.mcp("--install", "claude-code", "--yes")
    second = permissions(home)["allow"]
    home.mcp("--uninstall", "claude-code", "--yes")

    assert first == ["mcp__late__ask", "mcp__fs"]
    assert set(second) == {"mcp__callboard__ask", "mcp__callboard__read"}
    assert without_copies(home) == before


def test_what_was_allowed_since_stays_and_a_new_server_with_the_same_tool_gets_no_other_ones_rule(
    tmp_path: Path,
) -> None:
    home = home_of(tmp_path, {"fs": serves("read")}, allow=["mcp__fs__read"], deny=["mcp__x"])

    home.mcp("--install", "claude-code", "--yes")
    first = home.read(SETTINGS)
    first["permissions"]["allow"].append("Bash(make)")
    home.write(SETTINGS, first)
    code = home.read(CODE)
    code["mcpServers"]["db"] = serves("read")
    home.write(CODE, code)
    home.mcp("--install", "claude-code", "--yes")
    second = permissions(home)["allow"]
    home.mcp("--uninstall", "claude-code", "--yes")

    assert first["permissions"]["allow"] == ["mcp__callboard__read", "Bash(make)"]
    assert set(second) == {"mcp__fs__read", "Bash(make)"}  # `read` may be either server's
    assert set(permissions(home)["allow"]) == {"mcp__fs__read", "Bash(make)"}
    assert set(home.read(CODE)["mcpServers"]) == {"fs", "db"}


def test_rules_of_projects_follow_and_those_that_others_share_are_named(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"fs": serves("read"), "db": serves("drop")})
    code = home.read(CODE)
    code["projects"] = {str(tmp_path / "work"): {}, "relative": {}, str(tmp_path / "gone"): {}}
    home.write(CODE, code)
    home.write("work/.claude/settings.local.json", {"permissions": {"allow": ["mcp__fs__read"]}})
    home.write(
        "work/.claude/settings.json", {"permissions": {"allow": ["mcp__fs__read"], "deny": ["mcp__db__drop"]}}
    )
    before = without_copies(home)

    installed = home.mcp("--install", "claude-code", "--yes")
    local, shared = (
        home.read(f"work/.claude/{name}.json")["permissions"] for name in ("settings.local", "settings")
    )
    left = home.read(CODE)["mcpServers"]
    home.mcp("--uninstall", "claude-code", "--yes")

    assert local == {"allow": ["mcp__callboard__read"]}
    assert shared == {"allow": ["mcp__fs__read"], "deny": ["mcp__db__drop"]}
    assert list(left) == ["db", "callboard"]
    assert "others share that file" in installed.stdout
    assert without_copies(home) == before


def test_rules_of_cursor_follow_in_both_of_its_files(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    home.write(
        ".cursor/mcp.json",
        {"mcpServers": {"fs": {**serves("read", "write"), "alwaysAllow": ["read"]}, "db": serves("drop")}},
    )
    home.write(
        ".cursor/permissions.json",
        '{\n  // mine\n  "mcpAllowlist": ["fs:*", "*:drop"], "terminalAllowlist": ["ls"]}\n',
    )
    home.write(
        ".cursor/cli-config.json",
        {"permissions": {"allow": ["Shell(ls)", "Mcp(fs:read)"], "deny": ["Mcp(db:drop)"]}},
    )
    before = without_copies(home)

    installed = home.mcp("--install", "cursor", "--yes")
    allowed = (tmp_path / ".cursor/permissions.json").read_text()
    cli = permissions(home, ".cursor/cli-config.json")
    entry = home.read(".cursor/mcp.json")["mcpServers"]["callboard"]
    home.mcp("--uninstall", "cursor", "--yes")

    assert installed.returncode == 0, installed.stderr
    assert "// mine" in allowed
    assert '"*:drop"' in allowed
    assert '"callboard:read"' in allowed
    assert '"callboard:write"' in allowed
    assert '"fs:*"' not in allowed
    assert cli["allow"] == ["Shell(ls)", "Mcp(callboard:read)"]
    assert set(cli["deny"]) == {"Mcp(callboard:drop)", "Mcp(callboard:db__drop)"}
    assert entry["alwaysAllow"] == ["read"]
    assert "its settings" in installed.stdout
    assert without_copies(home) == before


def test_tools_that_windsurf_has_disabled_are_not_offered(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    file = ".codeium/windsurf/mcp_config.json"
    home.write(file, {"mcpServers": {"fs": {**serves("read", "write"), "disabledTools": ["write"]}}})

    installed = home.mcp("--install", "windsurf", "--yes")

    assert "ok     fs: 1 tool" in installed.stdout
    assert "Windsurf keeps" in installed.stdout


def test_a_server_that_is_switched_off_in_a_project_stays(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"fs": serves("read"), "db": serves("read")})
    code = home.read(CODE)
    code["projects"] = {str(tmp_path / "work"): {"disabledMcpServers": ["db", 3]}, str(tmp_path / "other"): 3}
    home.write(CODE, code)

    installed = home.mcp("--install", "claude-code", "--yes")

    assert list(home.read(CODE)["mcpServers"]) == ["db", "callboard"]
    assert f"it is disabled in {tmp_path / 'work'}" in installed.stdout
    assert "mcp__fs__read becomes mcp__callboard__read" in installed.stdout


def test_notes_of_a_file_that_cannot_be_read_for_a_while_are_kept(tmp_path: Path) -> None:
    home = home_of(tmp_path, {"fs": serves("read")}, deny=["mcp__fs__read"])
    before = without_copies(home)

    home.mcp("--install", "claude-code", "--yes")
    rules = (tmp_path / SETTINGS).read_text()
    home.write(SETTINGS, "{")
    home.mcp("--install", "claude-code", "--yes", "--watch")
    home.write(SETTINGS, rules)
    home.mcp("--uninstall", "claude-code", "--yes")

    assert without_copies(home) == before


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        '{"permissions": {"allow": ["mcp__fs"], "allow": []}}',
        "[]",
        '{"permissions": 3}',
        '{"permissions": {"allow": {"a": 1}}}',
        "\x00",
    ],
)
def test_a_file_of_rules_that_cannot_be_read_is_left_alone(broken: str, tmp_path: Path) -> None:
    home = home_of(tmp_path, {"fs": serves("read")})
    home.write(SETTINGS, broken)

    installed = home.mcp("--install", "claude-code", "--yes")
    home.mcp("--uninstall", "claude-code", "--yes")

    assert installed.returncode == 0, installed.stderr
    assert (tmp_path / SETTINGS).read_text() == broken


def test_notes_that_came_with_a_folder_and_links_in_it_reach_no_file_outside_of_it(tmp_path: Path) -> None:
    home = home_of(tmp_path, {}, allow=["mine"])
    note = {
        "path": ["permissions", "allow"],
        "before": '["evil"]',
        "after": '["mine"]',
        "added": ["mine"],
        "removed": ["evil"],
    }
    rules = {str(tmp_path / SETTINGS): [note], str(tmp_path / "clone/.claude/settings.local.json"): [note]}
    home.write("clone/.mcp.json", {"mcpServers": {"fs": serves("read")}})
    home.write("clone/.mcp.callboard.json", {"mcpServers": {}, "callboard": {"rules": rules}})
    (tmp_path / "clone/.claude").mkdir()
    (tmp_path / "clone/.claude/settings.local.json").symlink_to(tmp_path / SETTINGS)
    mine = (tmp_path / SETTINGS).read_text()

    for way in ("--install", "--uninstall"):
        home.mcp(way, "claude-code", "--file", tmp_path / "clone/.mcp.json", "--yes")
        assert (tmp_path / SETTINGS).read_text() == mine


def effective(home: ClientHome) -> tuple[set[str], set[str], set[str]]:
    """Return the servers that a client or its board would run, and which of their tools are denied and allowed, by their own names."""
    client = home.read(CODE)["mcpServers"]
    rules = permissions(home)
    board = home.read(MOVED)["mcpServers"] if "callboard" in client else {}
    names = {"fs": ("read", "write"), "db": ("drop",)}

    def of(rule_list: list[str], *, allows: bool) -> set[str]:
        direct = {
            f"{s}:{t}"
            for s in client
            if s in names
            for t in names[s]
            if any(CLAUDE_CODE.fits(r, s, t, allows) for r in rule_list)
        }
        behind = {
            f"{s}:{t}"
            for s in board
            for t in names[s]
            if any(CLAUDE_CODE.fits(r, "callboard", t, allows) for r in rule_list)
        }
        return direct | behind

    return {*client, *board} - {"callboard"}, of(rules["deny"], allows=False), of(rules["allow"], allows=True)


@pytest.mark.parametrize("way", ["--install", "--uninstall"])
def test_a_kill_at_any_file_loses_no_server_denies_no_less_and_allows_no_more(
    way: str, tmp_path: Path
) -> None:
    home = home_of(
        tmp_path,
        {"fs": serves("read", "write"), "db": serves("drop")},
        allow=["mcp__fs__read"],
        deny=["mcp__fs__write", "mcp__db__drop"],
    )
    before = without_copies(home)
    wanted = effective(home)
    if way == "--uninstall":
        home.mcp("--install", "claude-code", "--yes")
    kills = 0
    while True:
        killed = subprocess.run(
            [sys.executable, ROOT / "tests/support/interrupted.py", str(kills), "mcp", way, "claude-code", "--yes"],
            env=home.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        servers, denied, allowed = effective(home)
        assert (servers, denied) == wanted[:2]
        assert allowed <= wanted[2]
        if killed.returncode != -9:
            assert killed.returncode == 0, killed.stderr
            break
        kills += 1
        back = home.mcp("--uninstall" if way == "--install" else "--install", "claude-code", "--yes")
        assert back.returncode == 0, back.stderr

    assert kills >= (5 if way == "--install" else 3)
    home.mcp("--uninstall", "claude-code", "--yes")
    leftovers = {name: text for name, text in without_copies(home).items() if name in before}
    assert leftovers == before
