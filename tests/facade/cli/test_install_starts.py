"""`callboard mcp --install` starts what would move, before it asks, and says what comes up; what cannot run behind it stays."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from client_homes import PATIENCE, ClientHome, serves
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = needs_sdk

CLAUDE, CODE, CURSOR = (
    ".config/Claude/claude_desktop_config.json",
    ".config/Code/User/mcp.json",
    ".cursor/mcp.json",
)


class Refusing(BaseHTTPRequestHandler):
    """Wants another login, whatever is asked."""

    def do_POST(self) -> None:
        """Refuse."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_DELETE = do_POST  # noqa: N815 - as above

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def refusing() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()
            thread.join()


def test_what_comes_up_is_said_and_what_cannot_run_here_stays_as_it_is_written(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    asks = {"command": "npx", "args": ["-y", "x", "${input:token}"]}
    own = {
        "inputs": [{"id": "token", "type": "promptString"}],
        "servers": {
            "good": serves("read", "write"),
            "asks": asks,
            "bad": {"command": "there-is-no-such-program"},
            "dies": {"command": "sh", "args": ["-c", "echo no database at 127.0.0.1 >&2; exit 3"]},
            "folder": {"command": "x", "args": ["${workspaceFolder}"]},
            "off": {"command": "x", "disabled": True},
        },
    }
    home.write(CODE, own)
    before = home.files()

    installed = home.mcp("--install", "vscode", "--yes")
    after = home.read(CODE)
    moved = home.read(".config/Code/User/mcp.callboard.json")["mcpServers"]
    home.mcp("--uninstall", "vscode", "--yes")

    assert installed.returncode == 0, installed.stderr
    said = {
        line.split()[1]: line
        for line in installed.stdout.splitlines()
        if line.startswith(("  ok ", "  FAIL ", "  stays "))
    }
    assert said["good:"].split() == ["ok", "good:", "2", "tools"]
    assert "input 'token'" in said["asks"]
    assert "there-is-no-such-program" in said["bad"]
    assert "no database" in said["dies"]
    assert "${workspaceFolder}" in said["folder"]
    assert [said[name].split()[0] for name in ("asks", "bad", "dies", "folder")] == [
        "stays",
        "FAIL",
        "FAIL",
        "stays",
    ]
    assert (after["inputs"], list(after["servers"])) == (own["inputs"], ["asks", "folder", "callboard"])
    assert after["servers"]["asks"] == asks
    assert list(moved) == ["good", "bad", "dies", "off"]
    assert {name: text for name, text in home.files().items() if "backup" not in name} == before


def test_a_server_with_a_login_of_its_clients_stays_and_one_with_credentials_of_its_own_moves(
    tmp_path: Path,
) -> None:
    home = ClientHome(tmp_path)
    with refusing() as url:
        home.write(CURSOR, {"mcpServers": {
            "good": serves("read"),
            "login": {"url": url},
            "wrong": {"url": url, "headers": {"authorization": "Bearer wrong"}},
        }})  # fmt: skip

        installed = home.mcp("--install", "cursor", "--yes")

    assert installed.returncode == 0, installed.stderr
    assert list(home.read(CURSOR)["mcpServers"]) == ["login", "callboard"]
    assert list(home.read(".cursor/mcp.callboard.json")["mcpServers"]) == ["good", "wrong"]
    assert "stays  login" in installed.stdout


def test_if_nothing_can_run_here_nothing_is_changed_and_it_is_said_why(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    home.write(CODE, {"servers": {"asks": {"command": "x", "args": ["${input:token}"]}}})
    before = home.files()

    refused = home.mcp("--install", "vscode", "--yes")

    assert refused.returncode == 2
    assert "input 'token'" in refused.stderr
    assert home.files() == before


@pytest.mark.parametrize("said", ["n\n", ""])
def test_servers_of_the_users_own_client_are_started_before_the_question_and_a_no_changes_nothing(
    said: str, tmp_path: Path
) -> None:
    home = ClientHome(tmp_path)
    started = tmp_path / "state" / "started"
    started.parent.mkdir()
    home.write(CLAUDE, {"mcpServers": {"good": serves("read", after=f"echo >> {started}")}})
    before = home.files()

    asked = home.mcp("--install", "claude", stdin=said)

    assert asked.returncode != 0
    assert started.exists()
    assert asked.stdout.index("ok     good: 1 tool") < asked.stdout.index('+    "callboard"')
    assert home.files() == before


@pytest.mark.parametrize(
    ("said", "runs", "installs"), [("n\n", False, False), ("y\nn\n", True, False), ("y\ny\n", True, True)]
)
def test_servers_that_came_with_a_folder_are_started_only_after_a_yes(
    said: str, runs: bool, installs: bool, tmp_path: Path
) -> None:
    home = ClientHome(tmp_path)
    started = tmp_path / "state" / "started"
    started.parent.mkdir()
    file = home.write("clone/mcp.json", {"mcpServers": {"good": serves("read", after=f"echo >> {started}")}})
    planted = {"mcpServers": {"planted": {"command": "sh", "args": ["-c", f"echo >> {started}.planted"]}}}
    home.write("clone/mcp.callboard.json", planted)

    asked = home.mcp("--install", "claude", "--file", file, stdin=said)

    assert started.exists() is runs, asked.stderr
    assert ("callboard" in home.read("clone/mcp.json")["mcpServers"]) is installs
    assert not (tmp_path / "state" / "started.planted").exists()


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_an_interruption_while_servers_start_changes_nothing(way: signal.Signals, tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    (tmp_path / "state").mkdir()
    fifo = tmp_path / "state" / "began"
    subprocess.run(["mkfifo", fifo], check=True)
    home.write(
        CLAUDE,
        {"mcpServers": {"slow": {"command": "sh", "args": ["-c", f"echo $$ > {fifo}; read line; exec cat"]}}},
    )
    before = home.files()

    with subprocess.Popen(
        [sys.executable, "-m", "callboard", "mcp", "--install", "claude", "--yes"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=home.environment,
    ) as process:  # fmt: skip
        assert fifo.read_text()
        process.send_signal(way)
        assert process.wait(PATIENCE) != 0

    assert home.files() == before


def test_two_clients_with_servers_of_one_name_do_not_meet(tmp_path: Path) -> None:
    home = ClientHome(tmp_path)
    home.write(CLAUDE, {"mcpServers": {"files": serves("read")}})
    home.write(CURSOR, {"mcpServers": {"files": serves("write")}})
    before = home.files()

    installed = [home.mcp("--install", client, "--yes") for client in ("claude", "cursor")]
    moved = [
        home.read(name)["mcpServers"]["files"]
        for name in (f"{CLAUDE[:-5]}.callboard.json", ".cursor/mcp.callboard.json")
    ]
    for client in ("cursor", "claude"):
        home.mcp("--uninstall", client, "--yes")

    assert [each.returncode for each in installed] == [0, 0]
    assert moved == [serves("read"), serves("write")]
    assert {name: text for name, text in home.files().items() if "backup" not in name} == before


def test_what_servers_are_filled_from_is_named_in_the_entry_of_a_client_that_fills_it_and_never_written(
    tmp_path: Path,
) -> None:
    home, secret = ClientHome(tmp_path), "s3cr3t-of-the-user"
    server = {
        **serves("read"),
        "env": {"TOKEN": "${env:MY_TOKEN}", "OTHER": "${env:NOT_SET_HERE:-x}"},
        "inherit": ["KUBECONFIG"],
    }
    home.write(CURSOR, {"mcpServers": {"good": server}})
    home.write(CLAUDE, {"mcpServers": {"good": server}})

    for client in ("cursor", "claude"):
        installed = home.mcp("--install", client, "--yes", MY_TOKEN=secret, KUBECONFIG=f"/{secret}")
        assert "ok     good" in installed.stdout, installed.stderr

    ours = home.read(CURSOR)["mcpServers"]["callboard"]["env"]
    assert {name: value for name, value in ours.items() if value.startswith("$")} == {
        "MY_TOKEN": "${env:MY_TOKEN}", "KUBECONFIG": "${env:KUBECONFIG}",
    }  # fmt: skip
    assert "MY_TOKEN" not in home.read(CLAUDE)["mcpServers"]["callboard"]["env"]
    assert secret not in json.dumps(home.files())
