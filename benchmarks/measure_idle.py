"""What a board costs that has nothing to do: CPU time of its process and of its ten hosts."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from callboard import Callboard
from calls import SMALL, TOOL, tool_call
from table import Row, at_most

if TYPE_CHECKING:
    from contest import Contest

_HOSTS = 10
_SETTLE = 2.0


def measure(contest: Contest) -> list[Row]:
    """A process of its own, so that nothing of the other measurements is counted."""
    seconds = contest.times(5, 2)
    ended = subprocess.run(
        [sys.executable, __file__, str(seconds)], capture_output=True, text=True, check=True
    )
    whole, own = json.loads(ended.stdout)
    return [
        Row(
            f"idle board with {_HOSTS} hosts, {seconds} s",
            f"{whole:.3f} % of a core",
            f"of it in Python {own:.3f} %",
            judged=whole,
            goal=at_most(0.2, "%"),
        )
    ]


def _idle(seconds: float) -> tuple[float, float]:
    """Percent of one core: of all processes, and of this one alone."""
    with Callboard() as board:
        for number in range(_HOSTS):
            board.load(
                {"node_tool": {"file": str(TOOL)}},
                name=f"host_{number}",
                config={"names": [f"echo_{number}"]},
            )
        for tool in board.tools():
            board.execute(tool_call(SMALL, tool.tool_name))
        this = psutil.Process()
        family = [this, *this.children(recursive=True)]
        time.sleep(_SETTLE)  # what starting left to do, such as compiling, is not idling
        before = [_cpu_seconds(process) for process in family]
        time.sleep(seconds)
        spent = [_cpu_seconds(process) - begin for process, begin in zip(family, before, strict=True)]
        return 100 * sum(spent) / seconds, 100 * spent[0] / seconds


def _cpu_seconds(process: psutil.Process) -> float:
    """Of all its threads, as fine as the system tells: the usual clock ticks twice in all that is allowed."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except FileNotFoundError:  # a kernel that does not count so finely
        times = process.cpu_times()
        return float(times.user + times.system)


if __name__ == "__main__":
    print(json.dumps(_idle(float(sys.argv[1]))))
