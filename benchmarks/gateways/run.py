"""The table of gateways under faults. ``run.py --help`` says what can be chosen; the table is printed as Markdown."""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import psutil
from environments import VERSIONS, fetch
from rows import ROWS, Bench
from ways import WAYS, words_of

PATIENCE = 120.0
"""Seconds for one row of one gateway."""


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--only", metavar="GATEWAY", action="append", choices=WAYS, help="some of the gateways"
    )
    options.add_argument("--row", metavar="ROW", action="append", help="some of the rows, by words in them")
    options.add_argument("--one", nargs=3, metavar=("GATEWAY", "ROW", "MARK"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.one is not None:
        asyncio.run(one(*chosen.one))
    rows = [row for row in ROWS if not chosen.row or any(word in row for word in chosen.row)]
    names = chosen.only or list(WAYS)
    failed = fetch()
    table = {row: {name: cell(name, row, failed) for name in names} for row in rows}
    print(f"\n{facts()}\n")
    for line in markdown(names, table):
        print(line)


async def one(name: str, row: str, mark: str) -> None:
    """Print what a row of a gateway comes to, and end at once: not all gateways let their clients go."""
    try:
        found = await ROWS[row](Bench(name, mark))
    except asyncio.CancelledError:  # by the client itself, whose connection has failed
        found = "no answer, then the client's session ends"
    except Exception as error:  # noqa: BLE001 - of the gateway, or of the client
        found = f"fails ({str(error)[:100] or type(error).__name__})"
    print(found, flush=True)
    os._exit(0)


def cell(name: str, row: str, failed: dict[str, str]) -> str:
    """What one row of one gateway comes to, in a process of its own."""
    if name in failed:
        return f"not installed: {failed[name]}"
    mark = uuid.uuid4().hex
    begun = time.monotonic()
    words = [sys.executable, __file__, "--one", name, row, mark]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, "TMPDIR": tmp(mark)},
        )
    except subprocess.TimeoutExpired:
        found = f"no answer in {PATIENCE:g} s"
    else:
        lines = done.stdout.strip().splitlines()
        errors = [line for line in done.stderr.strip().splitlines() if line.strip(" |+-")]
        found = (
            lines[-1] if lines else f"fails ({errors[-1].strip(' |')[:120] if errors else done.returncode})"
        )
    finally:
        end_all(mark)
        shutil.rmtree(tmp(mark), ignore_errors=True)
    print(f"{name}: {row}: {found} ({time.monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)
    return found


def end_all(mark: str) -> None:
    """SIGKILL to all that has this in its command line, or was given the folder of this name."""
    for each in psutil.process_iter():
        with suppress(psutil.Error):
            if each.pid != os.getpid() and (
                mark in words_of(each) or mark in each.environ().get("TMPDIR", "")
            ):
                each.send_signal(signal.SIGKILL)


def tmp(mark: str) -> str:
    """A folder whose name is in the command line of all that belongs to a row."""
    place = Path(tempfile.gettempdir(), f"gateways-{mark}")
    place.mkdir(exist_ok=True)
    return str(place)


def facts() -> str:
    """When, where, and of which versions."""
    pinned = [f"{name} {value}" for name, value in VERSIONS["node"].items()]
    pinned += [
        " with ".join(each.replace("==", " ") for each in wanted) for wanted in VERSIONS["python"].values()
    ]
    own = [
        f"Callboard {version('callboard')}",
        f"the client is mcp {version('mcp')}",
        f"Python {platform.python_version()}",
    ]
    return f"{dt.datetime.now(tz=dt.UTC).date()}, {os.cpu_count()} processors: {', '.join([*own, *pinned])}."


def markdown(names: list[str], table: dict[str, dict[str, str]]) -> list[str]:
    """The table."""
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    return [
        *lines,
        *(
            f"| {row} | " + " | ".join(cells[name].replace("|", "/") for name in names) + " |"
            for row, cells in table.items()
        ),
    ]


if __name__ == "__main__":
    main()
