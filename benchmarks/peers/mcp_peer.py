"""The MCP contestant as we see it: installed on demand beside the build, and asked for its turns.

It is no dependency of anything: it has a virtual environment and a ``node_modules`` of its own in
``build/bench``, of fixed versions, and its own process with its own interpreter.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from peers.bare import node

if TYPE_CHECKING:
    from harness import Block

CLIENT = "mcp==2.3.0"
SERVER = "@modelcontextprotocol/sdk@1.32.2"

HOME = Path(__file__).parents[2] / "build" / "bench"
_STAMP = HOME / "installed.stamp"
_PYTHON = HOME / "venv" / "bin" / "python"


class PeerMissing(Exception):
    """The peer cannot be measured here; the message says why."""


class PeerFailed(PeerMissing):
    """The peer did not finish a turn."""


def require(*, install: bool) -> None:
    """See that the peer is there.

    Raises:
        PeerMissing: it is not installed, and may not be or cannot be.
    """
    if _STAMP.is_file() and _STAMP.read_text() == f"{CLIENT} {SERVER}":
        return
    if not install:
        raise PeerMissing("not installed")
    npm = shutil.which("npm")
    if npm is None:
        raise PeerMissing("not installed: there is no npm")
    print(f"installing {CLIENT} and {SERVER} into {HOME} ...", file=sys.stderr)
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    _do([sys.executable, "-m", "venv", str(HOME / "venv")])
    _do([str(_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", CLIENT])
    _do([npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(HOME), SERVER])
    _STAMP.write_text(f"{CLIENT} {SERVER}")


def _do(argv: list[str]) -> None:
    ended = subprocess.run(argv, cwd=HOME, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:]
        raise PeerMissing(f"cannot be installed: {Path(argv[0]).name}: {' '.join(last):.200}")


def _on_node() -> tuple[str, str]:
    # Node looks for packages beside the program, so the server has to stand beside its own.
    server = HOME / "server.mjs"
    shutil.copyfile(Path(__file__).with_name("mcp_server.mjs"), server)
    return node(), str(server)


class Peer:
    """One MCP client with one server. A context manager; made where its place is (see `placed`).

    Args:
        server: the words that start the server; one on the official SDK for Node if there are none.
    """

    def __init__(self, *server: str) -> None:
        driver = Path(__file__).with_name("mcp_driver.py")
        self._log = (HOME / "driver.log").open("w")
        self._process = subprocess.Popen(
            [str(_PYTHON), str(driver), *(server or _on_node())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._answer()

    def one_by_one(self, count: int, size: int) -> Block:
        """Seconds of each of ``count`` calls of ``size`` bytes, one in flight."""
        return self._turn("one_by_one", count=count, size=size)

    def processor_time(self, count: int, size: int) -> Block:
        """Seconds of CPU of the client's process for each of ``count`` calls; their mean."""
        return self._turn("processor_time", count=count, size=size)

    def killed(self, seconds: float) -> Block:
        """Seconds from its server's death to the next answer. Raises `PeerFailed` if there is none in ``seconds``."""
        return self._turn("killed", seconds=seconds)

    def pipelined(self, count: int, size: int, window: int) -> Block:
        """Calls a second, with ``window`` in flight."""
        return self._turn("pipelined", count=count, size=size, window=window)

    def starts(self, count: int, size: int) -> Block:
        """Seconds from nothing to the first answer, ``count`` times."""
        return self._turn("starts", count=count, size=size)

    def _turn(self, turn: str, **facts: Any) -> Block:
        assert self._process.stdin is not None
        try:
            print(json.dumps({"turn": turn, **facts}), file=self._process.stdin, flush=True)
        except BrokenPipeError as error:
            raise PeerFailed(self._why()) from error
        return self._answer()

    def _answer(self) -> Block:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PeerFailed(self._why())
        outcome: Block | str = json.loads(line)
        if isinstance(outcome, str):
            raise PeerFailed(outcome)
        return outcome

    def _why(self) -> str:
        self._process.wait()
        return f"its process ended; the last it said stands in {HOME / 'driver.log'}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._log, self._process:
            self._process.kill()
