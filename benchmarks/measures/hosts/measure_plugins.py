"""What a thousand plugins in one process cost: time to start, and memory.

Each run is a process of its own, since memory that was taken once is not given back.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from callboard import Callboard
from echo_plugin import Echo
from table import Row, at_most, microseconds

if TYPE_CHECKING:
    from contest import Contest

_COUNT = 1000


def measure(contest: Contest) -> list[Row]:
    """Medians over several processes."""
    runs = [_run() for _ in range(contest.times(5, 1))]
    seconds = statistics.median(run[0] for run in runs)
    kib = statistics.median(run[1] for run in runs)
    what = f"{_COUNT:,} plugins in process"
    return [
        Row(f"{what}: start", microseconds(seconds), judged=seconds, goal=at_most(1, "s")),
        Row(f"{what}: memory of each", f"{kib:.1f} KiB", judged=kib, goal=at_most(64, "KiB")),
    ]


def _run() -> tuple[float, float]:
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, kib = json.loads(ended.stdout)
    return seconds, kib


def _start_them() -> tuple[float, float]:
    this = psutil.Process()
    with Callboard() as board:
        board.register(Echo("first"))
        before = this.memory_info().rss
        begin = time.perf_counter()
        for number in range(_COUNT):
            board.register(Echo(f"plugin_{number}"))
        seconds = time.perf_counter() - begin
        return seconds, (this.memory_info().rss - before) / 1024 / _COUNT


if __name__ == "__main__":
    print(json.dumps(_start_them()))
