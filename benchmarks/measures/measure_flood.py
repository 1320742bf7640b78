"""What a host that floods its stdout costs its neighbour, and how long its flood takes to read.

The neighbour's small call is measured beside a host that is idle, and beside the same host while it writes as fast as
the pipe takes it. What a flood takes is compared with a bare program that reads the same lines and makes of each the
least that one can.
"""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from callboard.hosts.node.find import find_node
from calls import SMALL, board_turn, node_board, run, tool_call
from harness import Samples, alternate
from table import Row, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callboard import Callboard
    from contest import Contest
    from harness import Block

HOST = Path(__file__).with_name("flood_host.mjs")

KINDS = ("prints", "parts", "duplicates")

_FLOODS = {
    "prints": ("100 MB of prints", 100_000_000 // len("a stray line of some words\n")),
    "duplicates": ("100,000 duplicate answers, and the next call", 100_000),
}
_PATIENCE = 600.0


def measure(contest: Contest) -> list[Row]:
    """The neighbour first, then the floods."""
    with _board() as board:
        return [
            *_neighbour(contest, board),
            _read(contest, board, "prints", len),
            _read(contest, board, "duplicates", orjson.loads),
        ]


@contextmanager
def _board() -> Iterator[Callboard]:
    with node_board() as board:
        command = [str(find_node().path), str(HOST)]
        board.load({"host": {"command": command, "protocol": "thp/1"}}, name="flooding", deadline=_PATIENCE)
        yield board


def _neighbour(contest: Contest, board: Callboard) -> list[Row]:
    count, seconds = contest.times(500, 50), contest.times(10, 2) / 10
    turns: dict[str, Callable[[], Block]] = {"idle": lambda: board_turn(board, count, SMALL)}
    turns |= {kind: lambda kind=kind: _beside(board, kind, seconds) for kind in KINDS}
    samples = alternate(turns, contest.times(9, 2))
    idle = samples["idle"]
    rows = []
    for kind in KINDS:
        for name, at in (("half", 0.5), ("one in a hundred", 0.99)):
            mine, theirs = _quantile(samples[kind], at), _quantile(idle, at)
            what = f"small call beside a flood of {kind}, {name} take longer"
            against = f"beside an idle host {microseconds(theirs.median)}"
            rows.append(compared(what, microseconds(mine.median), against, mine.over(theirs)))
    return rows


def _beside(board: Callboard, kind: str, seconds: float) -> Block:
    """Small calls of a neighbour, for as long as the flood lasts."""
    flood = board.submit(tool_call({"kind": kind, "seconds": seconds}, "flood"))
    block: Block = []
    while not flood.done():
        block += board_turn(board, 1, SMALL)
    if flood.result()["success"] is not True:
        raise RuntimeError(f"the flood failed: {flood.result()}")
    return block


def _quantile(samples: Samples, at: float) -> Samples:
    """One sample of each block: the one below which so many lie."""
    return Samples([[sorted(block)[int(len(block) * at)]] for block in samples.blocks])


def _read(contest: Contest, board: Callboard, kind: str, make: Callable[[bytes], Any]) -> Row:
    what, times = _FLOODS[kind]
    arguments = {"kind": kind, "times": contest.times(times, times // 50)}

    def ours() -> Block:
        begin = time.perf_counter()
        run(board, tool_call(arguments, "flood"))
        run(board, tool_call({"kind": "prints"}, "flood"))
        return [time.perf_counter() - begin]

    samples = alternate(
        {"callboard": ours, "bare": lambda: [_bare(arguments, make)]}, contest.times(3, 1), warm_up=0
    )
    mine, bare = samples["callboard"], samples["bare"]
    against = f"bare loop over the lines {microseconds(bare.median)}"
    return compared(what, microseconds(mine.median), against, mine.over(bare))


def _bare(arguments: dict[str, Any], make: Callable[[bytes], Any]) -> float:
    """Seconds that a program needs that does next to nothing with each line."""
    request = {"v": 1, "id": "1-1", "method": "execute_tool", "params": {"arguments": arguments}}
    with subprocess.Popen(
        [str(find_node().path), str(HOST)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        begin = time.perf_counter()
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.close()
        for line in process.stdout:
            make(line)
        return time.perf_counter() - begin
