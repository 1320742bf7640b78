"""`callboard mcp --install`, `--uninstall` and `--print-config`: a client's file, as its user would see it change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command_line import ENVIRONMENT
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

OWN = '{\n    "globalShortcut": "",\n    "mcpServers": {\n        "git": {"command": "uvx", "args": ["mcp-server-git"]}\n    }\n}\n'


def mcp(*words: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "callboard", "mcp", *map(str, words)],
        input=stdin, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def client_file(tmp_path: Path) -> Path:
    file = tmp_path / "claude_desktop_config.json"
    file.write_text(OWN)
    return file


@needs_sdk
def test_what_is_printed_runs_this_installation_by_absolute_paths(tmp_path: Path) -> None:
    config = tmp_path / "agent.json"

    printed = mcp("--print-config", "vscode", config)

    entry = json.loads(printed.stdout)["servers"]["callboard"]
    assert entry["type"] == "stdio"
    assert [entry["command"], *entry["args"]][-2:] == ["mcp", str(config)]
    assert entry["command"].startswith("/")


@needs_sdk
def test_a_configuration_that_is_not_there_is_printed_and_told(tmp_path: Path) -> None:
    there = tmp_path / "agent.json"
    there.write_text("{}")

    missing, present = (
        mcp("--print-config", "claude", tmp_path / "none.json"),
        mcp("--print-config", "claude", there),
    )

    assert "none.json" in missing.stderr
    assert present.stderr == ""
    assert [json.loads(each.stdout).keys() for each in (missing, present)] == [{"mcpServers"}] * 2


@needs_sdk
def test_options_of_a_served_board_are_printed_too(tmp_path: Path) -> None:
    printed = mcp(
        "--print-config", "claude", "--watch", "--log-dir", tmp_path / "logs", tmp_path / "agent.json"
    )

    entry = json.loads(printed.stdout)["mcpServers"]["callboard"]
    assert entry["args"][-3:] == ["--watch", "--log-dir", str(tmp_path / "logs")]


@needs_sdk
def test_a_person_who_starts_it_in_a_terminal_is_told_what_it_waits_for(tmp_path: Path) -> None:
    config = tmp_path / "agent.json"
    config.write_text("{}")
    ours, theirs = os.openpty()
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "callboard", "mcp", str(config)],
            stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
        ) as process:  # fmt: skip
            assert process.stderr is not None
            told = process.stderr.readline()
            os.write(ours, b"\x04")
            assert process.wait(60) == 0
    finally:
        os.close(ours)
        os.close(theirs)

    assert b"--install" in told


@needs_sdk
def test_in_front_of_a_clients_servers_and_back_again(client_file: Path) -> None:
    installed = mcp("--install", "claude", "--file", client_file, "--yes")
    servers = client_file.with_name("claude_desktop_config.callboard.json")
    put_in = json.loads(client_file.read_text())
    moved = json.loads(servers.read_text())
    again = mcp("--install", "claude", "--file", client_file, "--yes")
    taken_out = mcp("--uninstall", "claude", "--file", client_file, "--yes")

    assert [each.returncode for each in (installed, again, taken_out)] == [0, 0, 0], installed.stderr
    assert put_in["mcpServers"]["callboard"]["args"][-2:] == ["mcp", str(servers)]
    assert list(put_in["mcpServers"]) == ["callboard"]
    assert moved == {"mcpServers": json.loads(OWN)["mcpServers"]}
    assert '-        "git"' in installed.stdout
    assert client_file.read_text() == OWN
    assert not servers.exists()
    assert OWN in [backup.read_text() for backup in client_file.parent.glob("*.backup")]


@needs_sdk
def test_a_configuration_is_added_and_nothing_else_changes(client_file: Path, tmp_path: Path) -> None:
    config = tmp_path / "agent.json"
    config.write_text('{"plugins": []}')

    mcp("--install", "claude", config, "--file", client_file, "--yes", "--name", "mine")
    added = json.loads(client_file.read_text())["mcpServers"]
    mcp("--uninstall", "claude", "--file", client_file, "--yes", "--name", "mine")

    assert list(added) == ["git", "mine"]
    assert client_file.read_text() == OWN


@pytest.mark.parametrize(
    "words", [["--install", "claude", "--yes"], ["{config}"], ["--print-config", "claude", "{config}"]]
)
def test_without_the_sdk_no_client_is_given_what_it_could_not_start(
    words: list[str], client_file: Path, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    config.write_text('{"plugins": []}')
    given = ["mcp", *(word.format(config=config) for word in words), "--file", str(client_file)]
    program = f"import sys; sys.modules['mcp'] = None; from callboard.__main__ import main; sys.argv[1:] = {given!r}; sys.exit(main())"

    refused = subprocess.run(
        [sys.executable, "-c", program], input="", capture_output=True, text=True, timeout=60, check=False
    )

    assert refused.returncode == 2
    assert "pip install mcp" in refused.stderr
    assert client_file.read_text() == OWN
    assert sorted(tmp_path.iterdir()) == sorted([client_file, config])


@needs_sdk
def test_a_clients_file_that_is_not_there_is_named_as_that(tmp_path: Path) -> None:
    refused = mcp("--install", "cursor", "--file", tmp_path / "none.json", "--yes")

    assert refused.returncode == 2
    assert "there is no file" in refused.stderr
    assert "--file" in refused.stderr


@needs_sdk
def test_without_a_yes_nothing_is_changed(client_file: Path) -> None:
    refused = mcp("--install", "claude", "--file", client_file, stdin="n\n")

    assert refused.returncode == 1
    assert client_file.read_text() == OWN
    assert list(client_file.parent.iterdir()) == [client_file]


@needs_sdk
@pytest.mark.parametrize("content", ["{", "[]", '{"mcpServers": 3}', '{"mcpServers": {}}'])
def test_a_file_that_cannot_be_changed_is_left_alone(content: str, client_file: Path) -> None:
    client_file.write_text(content)

    refused = mcp("--install", "claude", "--file", client_file, "--yes")

    assert refused.returncode != 0
    assert str(client_file) in refused.stderr
    assert client_file.read_text() == content


def test_a_configuration_that_is_not_there_is_refused(client_file: Path, tmp_path: Path) -> None:
    assert mcp("--install", "claude", tmp_path / "none.json", "--file", client_file, "--yes").returncode == 2
    assert client_file.read_text() == OWN
