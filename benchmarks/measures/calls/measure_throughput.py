"""How many calls a second one caller gets answered who keeps 64 in flight."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from calls import SMALL, WINDOW, node_board, rate, window_turn
from harness import PLACEMENTS, Placement, alternate, placed
from peers.bare import Futures
from table import Row, at_least, compared, per_second

if TYPE_CHECKING:
    from contest import Contest


def measure(contest: Contest) -> list[Row]:
    """A board against the bare harness with futures, and against the peer."""
    return [row for placement in PLACEMENTS for row in _in_place(contest, placement)]


def _in_place(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(2000, 500)
    with placed(placement), ExitStack() as stack:
        futures = stack.enter_context(Futures())
        board = stack.enter_context(node_board(concurrency=WINDOW))
        turns = {
            "callboard": lambda: window_turn(board, count),
            "futures": lambda: rate(futures.submit, [SMALL] * count),
        }
        if (peer := stack.enter_context(contest.peer())) is not None:
            turns["peer"] = lambda: peer.pipelined(count // 4, len(SMALL["text"]), WINDOW)
        samples = alternate(turns, contest.times(20, 4), warm_up=contest.times(6, 3))
    ours, bare = samples["callboard"], samples["futures"]
    what, value = f"{WINDOW} in flight, {placement}", per_second(ours.median)
    rows = [
        compared(
            what, value, f"bare, futures {per_second(bare.median)}", ours.over(bare), goal=at_least(0.35)
        )
    ]
    beside = contest.beside_peer(what, samples, rates=True, stage=at_least(8), goal=at_least(15))
    return [*rows, beside]
