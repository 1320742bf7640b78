"""What a hundred hosts cost, each a process of its own: time to start and to stop, and what each takes here.

A run is a process of its own, since memory that was taken once is not given back.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from callboard import Callboard
from calls import run, tool_call
from harness import Samples
from table import Row, at_most, microseconds

if TYPE_CHECKING:
    from contest import Contest

_COUNT = 100

_HOST = Path(__file__).parents[2] / "small_host.py"


def measure(contest: Contest) -> list[Row]:
    """Medians over several processes."""
    runs = [_run() for _ in range(contest.times(5, 1))]
    start, stop, threads, descriptors, kib = (
        Samples([[number] for number in numbers]).median for numbers in zip(*runs, strict=True)
    )
    what = f"{_COUNT} hosts"
    return [
        Row(f"{what}: start of all", microseconds(start)),
        Row(f"{what}: stop of all", microseconds(stop), judged=stop, goal=at_most(2, "s")),
        Row(f"{what}: threads of each", f"{threads:.2f}"),
        Row(f"{what}: descriptors of each", f"{descriptors:.2f}"),
        Row(f"{what}: memory of each, here", f"{kib:.0f} KiB"),
    ]


def _run() -> tuple[float, ...]:
    ended = subprocess.run(
        [sys.executable, "-m", __name__],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(json.loads(ended.stdout))


def _start_and_stop_them(count: int) -> tuple[float, ...]:
    """Seconds for both; threads, descriptors and KiB for each host."""
    this = psutil.Process()
    entries = [
        {
            "host": {
                "command": [sys.executable, "-S", "-E", str(_HOST), f"tool_{number}"],
                "protocol": "thp/1",
            },
            "name": f"host_{number}",
        }
        for number in range(count)
    ]
    before = threading.active_count(), this.num_fds(), this.memory_info().rss
    begin = time.perf_counter()
    with Callboard({"plugins": entries}) as board:
        start = time.perf_counter() - begin
        for number in range(count):
            run(board, tool_call({}, f"tool_{number}"))
        after = threading.active_count(), this.num_fds(), this.memory_info().rss
        begin = time.perf_counter()
    stop = time.perf_counter() - begin
    threads, descriptors, memory = ((late - early) / count for early, late in zip(before, after, strict=True))
    return start, stop, threads, descriptors, memory / 1024


if __name__ == "__main__":
    print(json.dumps(_start_and_stop_them(int(sys.argv[1]) if len(sys.argv) > 1 else _COUNT)))
