"""`callboard mcp --install`, `--uninstall` and `--print-config`: a client's file, as its user would see it change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from command_line import ENVIRONMENT, callboard, lines
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

OWN = '{\n    "globalShortcut": "",\n    "mcpServers": {\n        "git": {"command": "uvx", "args": ["mcp-server-git"]}\n    }\n}\n'


def mcp(*words: str | Path, stdin: str = "", states: Path | None = None) -> subprocess.CompletedProcess[str]:
    named = {} if states is None else {"XDG_STATE_HOME": str(states)}
    return subprocess.run(
        [sys.executable, "-m", "callboard", "mcp", *map(str, words)],
        input=stdin, capture_output=True, text=True, timeout=60, check=False, env=ENVIRONMENT | named,
    )  # fmt: skip


def trusted(config: Path, states: Path) -> dict[str, bool]:
    """Whether the command of each entry is trusted, by its source."""
    planned = callboard("plan", "--json", str(config), env={"XDG_STATE_HOME": str(states)})
    (plan,) = lines(planned.stdout)
    return {each["source"]: all(step["trusted"] for step in each["steps"]) for each in plan["plugins"]}


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


@needs_sdk
def test_servers_that_were_moved_are_trusted_and_those_that_a_folder_brought_along_are_not(
    client_file: Path, tmp_path: Path
) -> None:
    servers = client_file.with_name("claude_desktop_config.callboard.json")
    servers.write_text(json.dumps({"mcpServers": {"planted": {"command": "sh", "args": ["-c", "evil"]}}}))

    mcp("--install", "claude", "--file", client_file, "--yes", states=tmp_path / "state")

    assert trusted(servers, tmp_path / "state") == {"mcp:planted": False, "mcp:git": True}


EVIL = {"mcp": {"command": ["sh", "-c", "echo \x1b]0;"]}, "name": "evil"}


@needs_sdk
@pytest.mark.parametrize(("said", "agreed"), [("y\n", True), ("n\n", False)])
def test_one_question_is_asked_for_a_file_and_for_what_the_configuration_runs(
    client_file: Path, tmp_path: Path, said: str, agreed: bool
) -> None:
    config = tmp_path / "agent.json"
    config.write_text(json.dumps({"plugins": [EVIL, "node+git:https://127.0.0.1:9/never-asked.git"]}))

    asked = mcp(
        "--install", "claude", config, "--file", client_file, stdin=said * 2, states=tmp_path / "state"
    )

    shown = asked.stdout + asked.stderr
    assert shown.count("[y/N]") == 1
    assert "sh -c" in shown
    assert "\x1b" not in shown
    assert "never-asked" not in shown
    assert ("callboard" in json.loads(client_file.read_text())["mcpServers"]) is agreed
    config.write_text(json.dumps({"plugins": [EVIL]}))
    assert trusted(config, tmp_path / "state") == {"mcp:evil": agreed}


@needs_sdk
def test_a_yes_to_the_change_of_a_file_is_none_to_commands_that_were_not_looked_at(
    client_file: Path, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    config.write_text(json.dumps({"plugins": [EVIL]}))

    said = mcp("--install", "claude", config, "--file", client_file, "--yes", states=tmp_path / "state")
    named = mcp("--install", "claude", config, "--file", client_file, "--yes", "--trust", "--name", "named")

    entries = json.loads(client_file.read_text())["mcpServers"]
    assert f"callboard trust {config}" in said.stderr
    assert trusted(config, tmp_path / "state") == {"mcp:evil": False}
    assert [entries[name]["args"][-2:] for name in ("callboard", "named")] == [
        ["mcp", str(config)],
        [str(config), "--trust"],
    ]
    assert "callboard trust" not in named.stderr


@needs_sdk
def test_a_configuration_that_cannot_be_read_yet_is_added_and_that_is_told(
    client_file: Path, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    config.write_text('{"node": "${env:NOT_SET_HERE}"}')

    said = mcp("--install", "claude", config, "--file", client_file, "--yes", states=tmp_path / "state")

    assert said.returncode == 0
    assert "NOT_SET_HERE" in said.stderr
    assert "callboard" in json.loads(client_file.read_text())["mcpServers"]


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        (["--install", "claude", "--yes", "--file", "{file}"], 0),
        (["{config}"], 0),
        (["--print-config", "claude", "{config}"], 0),
        (["{config}", "--http", "127.0.0.1:0", "--no-token"], 2),
        (["{config}", "--login", "one"], 2),
    ],
)
def test_only_http_and_a_login_need_the_sdk(
    words: list[str], ends: int, client_file: Path, tmp_path: Path
) -> None:
    config = tmp_path / "agent.json"
    config.write_text('{"plugins": []}')
    given = ["mcp", *(word.format(config=config, file=client_file) for word in words)]
    program = f"import sys; sys.modules['mcp'] = None; from callboard.__main__ import main; sys.argv[1:] = {given!r}; sys.exit(main())"

    ended = subprocess.run(
        [sys.executable, "-c", program], input="", capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == ends
    assert ("pip install mcp" in ended.stderr) == (ends == 2)


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
