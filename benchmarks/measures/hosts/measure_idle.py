"""What a board costs that has nothing to do: CPU time of its process and of its ten hosts.

The board runs in a process of its own and is looked at from here: looking costs more than idling.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from callboard import Callboard
from calls import SMALL, TOOL, tool_call
from table import Row, at_most

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contest import Contest

_HOME = Path(__file__).parents[2]
_HOSTS = 10
_SETTLE = 2.0


def measure(contest: Contest) -> list[Row]:
    """Percent of one core: of the board's process alone, and with all it has started.

    Once without limits and once with a limit of memory, for which each host is looked at now and
    then; both boards in the same seconds.
    """
    seconds = contest.times(10, 2)
    with _board() as plain, _board("limits") as limited:
        time.sleep(_SETTLE)  # what starting left to do, such as compiling, is not idling
        families = [[board, *board.children(recursive=True)] for board in (plain, limited)]
        before = [[_cpu_seconds(process) for process in family] for family in families]
        time.sleep(seconds)
        after = [[_cpu_seconds(process) for process in family] for family in families]
    spent = [
        [100 * (end - begin) / seconds for begin, end in zip(*both, strict=True)]
        for both in zip(before, after, strict=True)
    ]
    what = f"idle board with {_HOSTS} hosts, {seconds} s"
    return [
        row
        for of_family, having in zip(spent, ("", ", a limit of memory"), strict=True)
        for row in (
            _row(f"{what}{having}: Python", of_family[0]),
            _row(f"{what}{having}: with all hosts", sum(of_family)),
        )
    ]


def _row(what: str, percent: float) -> Row:
    return Row(what, f"{percent:.3f} % of a core", judged=percent, goal=at_most(0.2, "%"))


@contextmanager
def _board(*arguments: str) -> Iterator[psutil.Process]:
    """A board in a process of its own, from when all its hosts have answered."""
    argv = [sys.executable, "-m", __name__, *arguments]
    with subprocess.Popen(argv, cwd=_HOME, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as board:
        assert board.stdout is not None
        assert board.stdin is not None
        try:
            board.stdout.readline()
            yield psutil.Process(board.pid)
        finally:
            board.stdin.close()


def _idle(*, limits: bool) -> None:
    """Say when the board is up, and keep it until stdin ends."""
    options = {"limits": {"memory": "1GB"}} if limits else {}
    with Callboard() as board:
        for number in range(_HOSTS):
            names = [f"echo_{number}"]
            source = {"node_tool": {"file": str(TOOL)}}
            board.load(source, name=f"host_{number}", config={"names": names}, **options)
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
    _idle(limits="limits" in sys.argv)
