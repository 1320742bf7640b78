"""The entry that `callboard mcp --install` writes, and what is shown and kept of the file that it changes."""

from __future__ import annotations

import os
import stat
import subprocess
from typing import TYPE_CHECKING

from client_homes import ClientHome, serves
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

FILE = ".config/Claude/claude_desktop_config.json"
SECRET = "s3cr3t-of-the-user"


def test_the_entry_runs_from_a_desktop_which_has_no_path_of_a_shell(tmp_path: Path) -> None:
    home = ClientHome(tmp_path / "home")
    programs = tmp_path / "programs"
    programs.mkdir()
    entry = serves("read")
    (programs / "only-here").symlink_to(entry["command"])
    home.write(FILE, {"mcpServers": {"files": {"command": "only-here", "args": entry["args"]}}})
    path = os.pathsep.join(["relative", str(programs), str(programs), *os.environ["PATH"].split(os.pathsep)])

    installed = home.mcp("--install", "claude", "--yes", PATH=path)

    assert installed.returncode == 0, installed.stderr
    ours = home.read(FILE)["mcpServers"]["callboard"]
    folders = ours["env"]["PATH"].split(os.pathsep)
    assert folders[0] == str(programs)
    assert len(folders) == len(set(folders))
    asked = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "desktop", "version": "1"}}}\n{"jsonrpc": "2.0", "method": "notifications/initialized"}\n{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}\n'
    with subprocess.Popen(
        [ours["command"], *ours["args"]],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
        env={"HOME": str(home.folder), "PATH": "/usr/bin:/bin", **ours["env"]},
    ) as desktop:  # fmt: skip
        assert desktop.stdin is not None
        assert desktop.stdout is not None
        desktop.stdin.write(asked)
        desktop.stdin.flush()
        listed = next(line for line in desktop.stdout if '"id":2' in line.replace(" ", ""))
        desktop.stdin.close()
    assert '"read"' in listed


def test_values_of_variables_are_not_shown(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    known = {**serves("read"), "env": {"ANY_NAME": SECRET, "FILLED": "${env:HOME}"}}
    elsewhere = {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Any": SECRET}}
    home.write(FILE, {"mcpServers": {"known": known, "elsewhere": elsewhere}})

    installed = home.mcp("--install", "claude", "--yes")
    taken_out = home.mcp("--uninstall", "claude", "--yes")

    for each in (installed, taken_out):
        assert each.returncode == 0, each.stderr
        assert SECRET not in each.stdout + each.stderr
        assert '"ANY_NAME": "***"' in each.stdout
        assert "${env:HOME}" in each.stdout
    assert home.read(FILE)["mcpServers"] == {"known": known, "elsewhere": elsewhere}


def test_one_backup_is_kept_of_the_file_without_callboard_for_its_owner_alone(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    home.write(FILE, {"mcpServers": {"known": {**serves("read"), "env": {"TOKEN": SECRET}}}})
    first = (tmp_path / FILE).read_text()

    home.mcp("--install", "claude", "--yes")
    home.mcp("--install", "claude", "--yes", "--watch")
    kept = (tmp_path / f"{FILE}.backup").read_text()
    home.mcp("--uninstall", "claude", "--yes")
    home.write(FILE, {"mcpServers": {"known": serves("write")}})
    second = (tmp_path / FILE).read_text()
    home.mcp("--install", "claude", "--yes")

    (backup,) = (tmp_path / FILE).parent.glob("*.backup")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert (kept, backup.read_text()) == (first, second)
