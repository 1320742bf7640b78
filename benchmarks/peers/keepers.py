"""circus and supervisor as contestants: installed on demand, each keeping one Node process alive.

They are process supervisors and no tool runners: what is compared is how soon a killed Node process
answers again. Each has a daemon of its own, in a folder of its own, that is ended with its turns.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from peers.bare import node

if TYPE_CHECKING:
    from harness import Block

PACKAGES = ("circus==0.19.0", "supervisor==4.3.0")

HOME = Path(__file__).parents[2] / "build" / "keepers"
_STAMP = HOME / "installed.stamp"
_BIN = HOME / "venv" / "bin"

_PATIENCE = 30.0
_LOOK = 0.001

CIRCUS = """
[circus]
check_delay = {check_delay}
endpoint = ipc://{folder}/endpoint
pubsub_endpoint = ipc://{folder}/pubsub
[watcher:server]
cmd = {command}
copy_env = True
"""

SUPERVISOR = """
[supervisord]
nodaemon = true
logfile = {folder}/supervisord.log
pidfile = {folder}/supervisord.pid
[program:server]
command = {command}
startsecs = {startsecs}
"""


class KeeperMissing(Exception):
    """The contestant cannot be measured here; the message says why."""


def require(*, install: bool) -> None:
    """See that both are there.

    Raises:
        KeeperMissing: they are not installed, and may not be or cannot be.
    """
    if _STAMP.is_file() and _STAMP.read_text() == " ".join(PACKAGES):
        return
    if not install:
        raise KeeperMissing("not installed")
    print(f"installing {' and '.join(PACKAGES)} into {HOME} ...", file=sys.stderr)
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    _do([sys.executable, "-m", "venv", str(HOME / "venv")])
    # supervisor asks for pkg_resources, which newer setuptools no longer have.
    _do([str(_BIN / "pip"), "install", "--quiet", "--disable-pip-version-check", "setuptools<81", *PACKAGES])
    _STAMP.write_text(" ".join(PACKAGES))


def _do(argv: list[str]) -> None:
    ended = subprocess.run(argv, cwd=HOME, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:]
        raise KeeperMissing(f"cannot be installed: {Path(argv[0]).name}: {' '.join(last):.200}")


class Keeper:
    """One daemon with one Node process. A context manager.

    Args:
        program: ``circusd`` or ``supervisord``.
        config: its configuration, with ``{folder}`` and ``{command}`` to be filled in.
        rest: seconds that a process is left alone before it is killed; less than the keeper takes to
            believe in it would measure its waits for one that does not start.
        settings: what else is to be filled in.
    """

    def __init__(self, program: str, config: str, *, rest: float, **settings: float) -> None:
        self._rest = rest
        self._folder = Path(tempfile.mkdtemp(prefix="callboard-keeper-"))
        self._socket = str(self._folder / "server")
        command = f"{node()} {Path(__file__).with_name('pid_server.mjs')} {self._socket}"
        file = self._folder / "keeper.ini"
        file.write_text(config.format(folder=self._folder, command=command, **settings))
        argv = [str(_BIN / program), *(["-c"] if program == "supervisord" else []), str(file)]
        self._log = (self._folder / "log").open("w")
        self._process = subprocess.Popen(
            argv, stdout=self._log, stderr=self._log, cwd=self._folder, start_new_session=True
        )
        self._other_than(0)

    def kill(self) -> Block:
        """Seconds from SIGKILL to the process until another answers in its place."""
        pid = self._other_than(0)
        time.sleep(self._rest)
        begin = time.perf_counter()
        os.kill(pid, signal.SIGKILL)
        self._other_than(pid)
        return [time.perf_counter() - begin]

    def _other_than(self, pid: int) -> int:
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as client:
                client.connect(self._socket)
                said = int(client.recv(64) or b"0")
                if said not in {0, pid}:
                    return said
            if self._process.poll() is not None:
                raise KeeperMissing(f"it ended; the last it said stands in {self._folder / 'log'}")
            time.sleep(_LOOK)
        raise KeeperMissing(f"nothing answered within {_PATIENCE:g} s; see {self._folder / 'log'}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)
