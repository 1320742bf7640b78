"""What a board costs that has nothing to do: CPU time of its process and of its ten hosts.

The board runs in a process of its own and is looked at from here: looking costs more than idling.
"""

from __future__ import annotations

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
    """Percent of one core: of the board's process with all it has started, and of its process alone."""
    seconds = contest.times(10, 2)
    with subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as board:
        assert board.stdout is not None
        board.stdout.readline()
        time.sleep(_SETTLE)  # what starting left to do, such as compiling, is not idling
        family = [psutil.Process(board.pid), *psutil.Process(board.pid).children(recursive=True)]
        before = [_cpu_seconds(process) for process in family]
        time.sleep(seconds)
        after = [_cpu_seconds(process) for process in family]
        assert board.stdin is not None
        board.stdin.close()
    spent = [100 * (end - begin) / seconds for begin, end in zip(before, after, strict=True)]
    return [
        Row(
            f"idle board with {_HOSTS} hosts, {seconds} s",
            f"{sum(spent):.3f} % of a core",
            f"of it in Python {spent[0]:.3f} %",
            judged=sum(spent),
            goal=at_most(0.2, "%"),
        )
    ]


def _idle() -> None:
    """Say when the board is up, and keep it until stdin ends."""
    with Callboard() as board:
        for number in range(_HOSTS):
            names = [f"echo_{number}"]
            board.load({"node_tool": {"file": str(TOOL)}}, name=f"host_{number}", config={"names": names})
        for tool in board.tools():
            board.execute(tool_call(SMALL, tool.tool_name))
        print("up", flush=True)
        sys.stdin.read()


def _cpu_seconds(process: psutil.Process) -> float:
    """Of all its threads, as fine as the system tells: the usual clock ticks every 10 ms."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except FileNotFoundError:  # a kernel that does not count so finely
        times = process.cpu_times()
        return float(times.user + times.system)


if __name__ == "__main__":
    _idle()
