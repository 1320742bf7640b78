"""Measure what a caller sees when a Node host dies, in every way that one can: the table of the README.

Each row is the median of some deaths of a host that has one call under way. The restart policy has no waits and
no end, so that every restart is like the first one of the default policy, which is immediate.
"""

from __future__ import annotations

import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from callboard import Call, Callboard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOOL = """
import { spawn } from 'node:child_process';

const ways = {
  wait: () => new Promise(() => {}),
  spin: () => { for (;;); },
  throw: () => { throw new Error('thrown'); },
  exit: () => process.exit(1),
  later: () => { setTimeout(() => { throw new Error('late'); }); return new Promise(() => {}); },
  memory: () => { const kept = []; for (;;) kept.push(new Array(1e5).fill(0.5)); },
  child: () => { spawn('sleep', ['1000'], { stdio: 'inherit' }); return new Promise(() => {}); },
  work: () => ({ success: true, result: 'done' }),
};

export default {
  init: () => ({}),
  getToolSchemas: () => [{ type: 'function', function: { name: 'die', parameters: { type: 'object' } } }],
  executeTool(name, { way }, state, emit) {
    emit({ type: 'part', payload: process.pid });
    return ways[way]();
  },
};
"""
AT_ONCE = {"backoff": {"first": 0.0, "min": 0.001, "max": 0.001}, "intensity": 10_000}
DEADLINE, GRACE = 0.3, 0.1


def die(way: str) -> dict[str, Any]:
    """A call that makes the host die."""
    return {"type": "function_call", "call_id": way, "name": "die", "arguments": f'{{"way": "{way}"}}'}


def begun(board: Callboard, way: str) -> tuple[Call, int]:
    """A call that the tool has begun to work on, and the pid of its host."""
    call = board.submit(die(way), deadline=DEADLINE if way == "spin" else None)
    return call, next(call.parts())


def killed(way: str) -> Callable[[Callboard], tuple[float, Call]]:
    """Kill the host while it works."""

    def let_die(board: Callboard) -> tuple[float, Call]:
        call, pid = begun(board, way)
        begin = time.perf_counter()
        os.kill(pid, signal.SIGKILL)
        return begin, call

    return let_die


def dying(way: str, *, late: float = 0.0) -> Callable[[Callboard], tuple[float, Call]]:
    """Let the tool bring it about; time counts from the submission, less ``late``."""

    def let_die(board: Callboard) -> tuple[float, Call]:
        begin = time.perf_counter() + late
        return begin, begun(board, way)[0]

    return let_die


WAYS = {
    "killed with SIGKILL": (killed("wait"), 11),
    "killed; a child of it holds its stdout": (killed("child"), 7),
    "the tool throws": (dying("throw"), 11),
    "the tool exits": (dying("exit"), 11),
    "an error that nothing catches": (dying("later"), 11),
    "the JavaScript heap is full (48 MB)": (dying("memory"), 3),
    f"in an endless loop; deadline {DEADLINE} s, grace {GRACE} s": (dying("spin", late=DEADLINE), 3),
}


def measure(board: Callboard, let_die: Callable[[Callboard], tuple[float, Call]]) -> tuple[float, float, str]:
    """Seconds until the caller has its answer, and until the next call has one; and the first one's code."""
    begin, call = let_die(board)
    code = call.result()["code"]
    known = time.perf_counter() - begin
    following = board.execute(die("work"))
    assert following["success"], following
    return known, time.perf_counter() - begin, code


def rows(board: Callboard) -> Iterator[tuple[str, str, str, str]]:
    """What happens, the code, and two medians in milliseconds."""
    for what, (let_die, times) in WAYS.items():
        known, following, codes = zip(*(measure(board, let_die) for _ in range(times)), strict=True)
        medians = (f"{statistics.median(seconds) * 1000:.1f} ms" for seconds in (known, following))
        yield (what, f"`{'`, `'.join(sorted(set(codes)))}`", *medians)


def program(tool: str) -> None:
    """A program that is going to be killed while its host is in an endless loop."""
    board = Callboard().start()
    board.load({"node_tool": {"file": tool, "id": "die"}})
    _, pid = begun(board, "spin")
    print(pid, flush=True)
    signal.pause()


def after_the_program(tool: Path) -> float:
    """Seconds from SIGKILL to the whole program until its host is gone too."""
    with subprocess.Popen([sys.executable, __file__, str(tool)], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        host = os.pidfd_open(int(child.stdout.readline()))
        begin = time.perf_counter()
        child.kill()
        gone, _, _ = select.select([host], [], [], 5.0)
        took = time.perf_counter() - begin
        os.close(host)
    assert gone, "the host lives on"
    return took


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tool = Path(folder, "die.mjs")
        tool.write_text(TOOL)
        print("| what happens to the host | code of its call | caller knows after | next answer after |")
        print("|---|---|---:|---:|")
        with Callboard({"calls": {"grace": GRACE}, "supervision": AT_ONCE}) as board:
            board.load(
                {"node_tool": {"file": str(tool), "id": "die"}},
                env={"NODE_OPTIONS": "--max-old-space-size=48"},
                quarantine=False,  # the same deadly call is made again and again, on purpose
            )
            for row in rows(board):
                print(f"| {' | '.join(row)} |")
        gone = statistics.median(after_the_program(tool) for _ in range(3)) * 1000
        print(
            f"\nThe program is killed while its host is in an endless loop: the host is gone after {gone:.0f} ms."
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        program(sys.argv[1])
    else:
        main()
