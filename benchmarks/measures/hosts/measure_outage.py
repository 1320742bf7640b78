"""What the death of a host costs this process, among few hosts and among many: killed one after another, and all at once.

The hosts are parked and not started again, so that no start is counted.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callboard import Callboard
from harness import Block, alternate
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_FEW, _MANY = 25, 100

_HOST = Path(__file__).parents[2] / "small_host.py"


def measure(contest: Contest) -> list[Row]:
    """Seconds of processor time, from the kill to the end of the sweep after it; unpinned."""
    samples = alternate(
        {
            (count, together): lambda count=count, together=together: _outage(count, together=together)
            for count in (_FEW, _MANY)
            for together in (False, True)
        },
        contest.times(8, 2),
    )
    return [
        compared(
            f"processor time of one death, {_MANY} hosts killed {how}",
            microseconds(samples[_MANY, together].median),
            f"{_FEW} hosts {microseconds(samples[_FEW, together].median)}",
            samples[_MANY, together].over(samples[_FEW, together]),
            goal=at_most(1.5),
        )
        for together, how in ((False, "one after another"), (True, "at once"))
    ]


def _outage(count: int, *, together: bool) -> Block:
    """Processor time for each of so many deaths."""
    crashed: queue.SimpleQueue[Any] = queue.SimpleQueue()
    plugins = [
        {
            "host": {
                "command": [sys.executable, "-S", "-E", str(_HOST), f"tool_{number}"],
                "protocol": "thp/1",
            },
            "name": f"host_{number}",
        }
        for number in range(count)
    ]
    with Callboard({"plugins": plugins, "supervision": {"intensity": 0}}) as board:
        board.subscribe(crashed.put, kinds=["host_crashed"])
        pids = [each["host"]["pid"] for each in board.status()["plugins"].values()]
        begin = time.process_time()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            if not together:
                crashed.get()
        for _ in pids if together else ():
            crashed.get()
        return [(time.process_time() - begin) / count]
