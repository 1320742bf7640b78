"""`callboard mcp --install` beside what a user has called `callboard`: refused, and nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from client_homes import ClientHome, serves
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

FILES = {
    "claude": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
}


@pytest.mark.parametrize("client", FILES)
def test_a_server_of_the_users_that_is_called_callboard_is_left_alone(client: str, tmp_path: Path) -> None:
    home, (file, key) = ClientHome(tmp_path), FILES[client]
    home.write(file, {key: {"callboard": serves("mine"), "git": serves("log")}})
    config = home.write("agent.json", {"plugins": []})
    before = home.files()

    refused = [
        home.mcp("--install", client, "--yes"),
        home.mcp("--install", client, config, "--yes"),
        home.mcp("--uninstall", client, "--yes"),
    ]

    assert [each.returncode for each in refused] == [2, 2, 2]
    assert all("'callboard'" in each.stderr and "--name" in each.stderr for each in refused)
    assert home.files() == before


def test_with_another_name_it_moves_like_any_server_and_comes_back(tmp_path: Path) -> None:
    home, file = ClientHome(tmp_path), FILES["claude"][0]
    home.write(file, {"mcpServers": {"callboard": serves("mine"), "git": serves("log")}})
    before = home.files()

    installed = home.mcp("--install", "claude", "--yes", "--name", "board")
    entries = home.read(file)["mcpServers"]
    wrong = home.mcp("--uninstall", "claude", "--yes")
    home.mcp("--uninstall", "claude", "--yes", "--name", "board")

    assert installed.returncode == 0, installed.stderr
    assert list(entries) == ["board"]
    assert (wrong.returncode, "--name board" in wrong.stderr) == (2, True)
    assert home.files().items() >= before.items()
