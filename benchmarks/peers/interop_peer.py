"""litellm and langchain-core as contestants: installed on demand, in an environment and a process of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from harness import Block

PACKAGES = ("litellm==1.106.2", "langchain-core==1.7.2")

HOME = Path(__file__).parents[2] / "build" / "interop-peers"
_STAMP = HOME / "installed.stamp"
_BIN = HOME / "venv" / "bin"


class PeersMissing(Exception):
    """The contestants cannot be measured here; the message says why."""


def require(*, install: bool) -> None:
    """See that both are there.

    Raises:
        PeersMissing: they are not installed, and may not be or cannot be.
    """
    if _STAMP.is_file() and _STAMP.read_text() == " ".join(PACKAGES):
        return
    if not install:
        raise PeersMissing("not installed")
    print(f"installing {' and '.join(PACKAGES)} into {HOME} ...", file=sys.stderr)
    shutil.rmtree(HOME, ignore_errors=True)
    HOME.mkdir(parents=True)
    _do([sys.executable, "-m", "venv", str(HOME / "venv")])
    _do([str(_BIN / "pip"), "install", "--quiet", "--disable-pip-version-check", *PACKAGES])
    _STAMP.write_text(" ".join(PACKAGES))


def _do(argv: list[str]) -> None:
    ended = subprocess.run(argv, cwd=HOME, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:]
        raise PeersMissing(f"cannot be installed: {Path(argv[0]).name}: {' '.join(last):.200}")


class Peers:
    """The process with both of them. A context manager."""

    def __enter__(self) -> Self:
        driver = Path(__file__).with_name("interop_driver.py")
        self._process = subprocess.Popen(
            [str(_BIN / "python"), str(driver)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=30)

    def timed(self, conversion: str, record: Any, count: int) -> Block:
        """Seconds of each of ``count`` conversions of one record."""
        return [float(seconds) for seconds in self._ask(conversion=conversion, record=record, count=count)]

    def outcomes(self, conversion: str, records: list[Any]) -> list[dict[str, Any]]:
        """What each record becomes: ``{"made": ...}``, or ``{"raised": ...}``."""
        return list(self._ask(conversion=conversion, records=records))

    def _ask(self, **turn: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(turn) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(
                f"the peers' process ended with {self._process.wait()} at {turn['conversion']}"
            )
        return json.loads(answer)
