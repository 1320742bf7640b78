"""How long it takes from nothing to the first answer of a JavaScript tool."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from calls import SMALL, node_board, run, tool_call
from harness import Block, alternate
from peers.bare import Direct
from table import Row, at_least, compared, microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from contest import Contest


def measure(contest: Contest) -> list[Row]:
    """A new board with one host, against the peer and against a bare spawn-to-reply; unpinned.

    Every contestant's own program is running and has imported what it needs.
    """
    with ExitStack() as stack:
        turns: dict[str, Callable[[], Block]] = {"callboard": _board, "bare": bare_spawn_to_reply}
        if (peer := stack.enter_context(contest.peer())) is not None:
            turns["peer"] = lambda: peer.starts(1, len(SMALL["text"]))
        samples = alternate(turns, contest.times(15, 4))
    ours, bare = samples["callboard"], samples["bare"]
    what, value = "start to first answer", microseconds(ours.median)
    rows = [compared(what, value, f"bare spawn to reply {microseconds(bare.median)}", ours.over(bare))]
    return [*rows, contest.beside_peer(what, samples, goal=at_least(5))]


def _board() -> Block:
    call = tool_call(SMALL)
    begin = time.perf_counter()
    with node_board() as board:
        run(board, call)
        return [time.perf_counter() - begin]


def bare_spawn_to_reply() -> Block:
    """Seconds from the start of a Node process to its first reply."""
    begin = time.perf_counter()
    with Direct() as process:
        process.call(SMALL)
        return [time.perf_counter() - begin]
