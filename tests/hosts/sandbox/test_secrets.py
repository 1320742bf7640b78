"""Secrets that are given to one plugin, as files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from callboard import Callboard, ConfigurationError
from callboard.hosts.errors import HostStartError
from callboard.hosts.sandbox.confinement import Secret, read_secrets
from callboard.hosts.sandbox.secret_files import MOST_BYTES, SecretFolder
from contained import WAYS, call, contained, said, source
from leaks import no_leaks

SECRET = "s3cret-of-one-plugin"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def token(tmp_path):
    (tmp_path / "token").write_text(SECRET)
    return {"TOKEN": {"file": str(tmp_path / "token")}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sandbox", ["bwrap", False])
def test_a_plugin_is_given_its_secret_as_a_private_file_and_not_as_a_variable(way, sandbox, tmp_path, token):
    options = {} if way == "node" else {"isolate": True}
    with contained(way, tmp_path / "own", sandbox=sandbox, secrets=token, **options) as board:
        given = said(board, 'cat "$TOKEN_FILE"')
        mode = said(board, 'stat -c %a "$TOKEN_FILE"')
        place = Path(said(board, 'echo "$TOKEN_FILE"').strip())
        environment = said(board, "env")

    assert (given.strip(), mode.strip()) == (SECRET, "600")
    assert SECRET not in environment
    assert place == Path("/run/secrets/TOKEN") if sandbox else not place.parent.exists()


def test_a_secret_of_the_environment_and_of_nodes_own_sandbox_is_given_too(tmp_path, monkeypatch):
    monkeypatch.setenv("HUSHED", SECRET)
    sandbox = {"child_processes": True}
    with contained("node", tmp_path / "own", sandbox=sandbox, secrets={"TOKEN": {"env": "HUSHED"}}) as board:
        given = said(board, 'cat "$TOKEN_FILE"')
        variables = said(board, "env")

    assert given == SECRET
    assert "HUSHED" not in variables


def test_no_other_plugin_in_a_sandbox_sees_the_secrets_of_one(tmp_path, token, monkeypatch):
    monkeypatch.setenv("HUSHED", SECRET)
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)  # they are in /dev/shm then
    with Callboard() as board:
        board.load(source("python", tmp_path / "one"), sandbox="bwrap", name="one", secrets=token)
        (tmp_path / "two").mkdir()
        shutil.copy(tmp_path / "one" / "bash" / "shell.sh", tmp_path / "two" / "look.sh")
        board.load({"bash_tool": {"path": str(tmp_path / "two")}}, sandbox="bwrap", name="two")
        line = "cat /run/secrets/*; cat /dev/shm/*/*; cat /tmp/*/*; cat /proc/*/environ; true"
        answer = board.execute(call("look", line=line))
        own = said(board, "cat /run/secrets/*")

    assert answer["success"]
    assert (own, SECRET in str(answer)) == (SECRET, False)


def test_a_secret_is_not_in_the_report_of_a_crash(tmp_path, token):
    host = "import sys, os\nprint(open(os.environ['TOKEN_FILE']).read(), 'FELL', file=sys.stderr)\nraise SystemExit(3)\n"
    entry = source("command", tmp_path / "own")
    (tmp_path / "own" / "host.py").write_text(host)
    with Callboard() as board:
        board.load(entry, sandbox="bwrap", name="t", required=False, restart={"intensity": 0}, secrets=token)
        crash = board.status()["plugins"]["t"]["host"]["last_crash"]

    assert "FELL" in crash["stderr"]
    assert SECRET not in str(crash)


LEAVES = """
import os, signal
from pathlib import Path
from callboard.hosts.sandbox.confinement import Secret
from callboard.hosts.sandbox.secret_files import SecretFolder
folder = SecretFolder({"TOKEN": Secret(env="HUSHED")}, "t")
print(folder.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_program_that_was_killed_has_left_is_removed_by_the_next_one(monkeypatch):
    monkeypatch.setenv("HUSHED", SECRET)
    left = Path(
        subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, check=False)
        .stdout.decode()
        .strip()
    )
    assert left.is_dir()
    other = SecretFolder({"TOKEN": Secret(env="HUSHED")}, "t")
    folders = [left.exists(), other.folder.exists(), stat.S_IMODE(other.folder.stat().st_mode)]
    other.remove()

    assert folders == [False, True, 0o700]
    assert not other.folder.exists()


@pytest.mark.parametrize(
    ("given", "about"),
    [
        ({"A-B": {"env": "X"}}, "A-B"),
        ({"": {"env": "X"}}, "name"),
        ({"TOKEN": {"env": ""}}, "TOKEN"),
        ({"TOKEN": {"env": "X", "file": "y"}}, "TOKEN"),
        ({"TOKEN": {"command": "pass"}}, "TOKEN"),
    ],
)
def test_a_secret_that_comes_from_nowhere_is_refused_by_its_name(given, about):
    with pytest.raises(ValueError, match=about):
        read_secrets(given, Path("/base"))


def test_a_secret_that_was_written_into_the_configuration_is_not_repeated_by_the_error(tmp_path):
    entry = source("bash", tmp_path / "own")
    with Callboard() as board, pytest.raises(ConfigurationError) as caught:
        board.load(entry, secrets={"TOKEN": SECRET})

    assert "'TOKEN'" in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("what", ["no variable", "no file", "too large"])
def test_a_secret_that_is_not_there_keeps_its_plugin_from_starting(what, tmp_path, monkeypatch):
    monkeypatch.delenv("HUSHED", raising=False)
    (tmp_path / "large").write_bytes(bytes(MOST_BYTES + 1))
    secret = {
        "no variable": Secret(env="HUSHED"),
        "no file": Secret(file=tmp_path / "none"),
        "too large": Secret(file=tmp_path / "large"),
    }[what]

    with pytest.raises(HostStartError) as caught:
        SecretFolder({"TOKEN": secret}, "t")

    assert caught.value.permanent
    assert "'TOKEN'" in str(caught.value)


def test_a_plugin_of_this_process_is_given_no_secrets(tmp_path, token):
    entry = source("python", tmp_path / "own")
    with (
        Callboard() as board,
        pytest.raises(ConfigurationError, match="'secrets' is for plugins that run in a host"),
    ):
        board.load(entry, secrets=token)
    assert os.environ.get("TOKEN_FILE") is None
