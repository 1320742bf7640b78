"""How long a flood on a host's stdout takes to read, beside a bare program that makes of each line the least that one can."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from callboard import Callboard
from callboard.hosts.node.find import find_node
from calls import run, tool_call
from harness import alternate
from table import Row, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from contest import Contest
    from harness import Block

HOST = Path(__file__).with_name("flood_host.mjs")

_FLOODS = {
    "prints": ("100 MB of prints", 100_000_000 // len("a stray line of some words\n")),
    "duplicates": ("100,000 duplicate answers, and the next call", 100_000),
}
_PATIENCE = 600.0


def measure(contest: Contest) -> list[Row]:
    """A flood of each kind."""
    with Callboard() as board:
        board.load(flood_host(), name="flooding", deadline=_PATIENCE)
        return [
            _read(contest, board, "prints", len),
            _read(contest, board, "duplicates", orjson.loads),
        ]


def flood_host() -> dict[str, Any]:
    """The entry of a host that floods when it is told to."""
    return {"host": {"command": [str(find_node().path), str(HOST)], "protocol": "thp/1"}}


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
