"""How much of Callboard's own Python runs for one thing: its calls of functions, and the files that these stand in.

A count, not a time: it is nearly the same on each machine and at each load, so what a change takes away or adds is seen at once.
Threads are counted too, from the moment they are started; other processes are not. Numbers of one run differ
by a few calls, for two threads may meet or not, so the median of several rounds is shown.

::

    python benchmarks/count_work.py                      # the table
    python benchmarks/count_work.py --show crash         # what ran, in the order in which each file was first come to
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import callboard
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY, ToolInteropTarget
from calls import RESTART_AT_ONCE, SMALL, node_board, run, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

OTHERS = ("<", "..", ".venv", "benchmarks", "tests", "build")
"""Beside the rooms in a checkout, or not below it."""

ROUNDS = 7


class Count:
    """What ran while it was switched on: (file, function) and how often."""

    def __init__(self) -> None:
        root = Path(callboard.__file__).parent
        self._root = str(root if (root / "actors").is_dir() else root.parent)
        self._files: dict[str, str | None] = {}
        self.on = False
        self.calls: Counter[tuple[str, str]] = Counter()
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)

    def _hear(self, frame: FrameType, event: str, _: object) -> None:
        if not self.on or event != "call":
            return
        code = frame.f_code
        if (file := self._file(code.co_filename)) is not None:
            self.calls[file, code.co_qualname] += 1

    def _file(self, name: str) -> str | None:
        if name not in self._files:
            relative = os.path.relpath(name, self._root)
            self._files[name] = None if relative.startswith(OTHERS) else relative
        return self._files[name]

    @contextmanager
    def counting(self) -> Iterator[Counter[tuple[str, str]]]:
        """What runs in here, in all threads."""
        self.calls = Counter()
        self.on = True
        try:
            yield self.calls
        finally:
            self.on = False


def hosted_call(count: Count) -> Iterator[Counter[tuple[str, str]]]:
    """One call to a tool in a Node host that is up, from `submit` to its result."""
    with node_board() as board:
        while True:
            request = tool_call(SMALL)
            run(board, tool_call(SMALL))
            with count.counting() as calls:
                run(board, request)
            yield calls


def crash(count: Count) -> Iterator[Counter[tuple[str, str]]]:
    """SIGKILL to a host with one call under way: that call's failure, the restart, and the answer to the next call."""
    with node_board(restart=RESTART_AT_ONCE) as board:
        while True:
            call = board.submit(tool_call({}, "hang"))
            pid = next(call.parts())
            following = tool_call(SMALL)
            with count.counting() as calls:
                os.kill(pid, signal.SIGKILL)
                call.result()
                run(board, following)
            yield calls


def load(count: Count) -> Iterator[Counter[tuple[str, str]]]:
    """A board with one Node plugin, from nothing to ready."""
    while True:
        with count.counting() as calls, node_board():
            count.on = False
            yield calls


def conversion(count: Count) -> Iterator[Counter[tuple[str, str]]]:
    """A tool call of OpenAI's made one of Anthropic's."""
    call, anthropic = tool_call(SMALL), ToolInteropTarget("anthropic.messages")
    while True:
        with count.counting() as calls:
            DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_call(call, anthropic)
        yield calls


SCENES = {"call": hosted_call, "crash": crash, "load": load, "conversion": conversion}


def measured(scene: str, count: Count, rounds: int = ROUNDS) -> list[Counter[tuple[str, str]]]:
    """So many rounds of a scene, but for the first, which also pays for what is done once."""
    going = SCENES[scene](count)
    try:
        return [next(going) for _ in range(rounds + 1)][1:]
    finally:
        going.close()


def _table(count: Count) -> None:
    print("| what | calls | files | in actors | rooms |\n|---|---:|---:|---:|---:|")
    for scene in SCENES:
        rounds = measured(scene, count)
        files = [{file for file, _ in calls} for calls in rounds]
        numbers = (
            [calls.total() for calls in rounds],
            [len(each) for each in files],
            [sum(file.startswith("actors") for file in each) for each in files],
            [len({file.split("/")[0] for file in each}) for each in files],
        )
        print(f"| {scene} | {' | '.join(f'{statistics.median(each):g}' for each in numbers)} |")


def _show(count: Count, scene: str) -> None:
    calls = measured(scene, count, 1)[0]
    by_file: Counter[str] = Counter()
    for (file, _), many in calls.items():
        by_file[file] += many
    for file, many in by_file.items():
        print(f"{many:5} {file}")
        for (of, function), times in calls.items():
            if of == file:
                print(f"          {times:4} {function}")


def main() -> None:
    """Print the table, or what ran in one scene."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--show", choices=SCENES, help="what ran in that scene")
    arguments = parser.parse_args()
    count = Count()
    if arguments.show:
        _show(count, arguments.show)
    else:
        _table(count)


if __name__ == "__main__":
    main()
