"""What a call costs that does nothing: one caller, one call in flight, 150 bytes."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from calls import SMALL, board_turn, node_board
from harness import PLACEMENTS, Placement, alternate, placed, timed
from peers.bare import Direct, Futures
from table import Bound, Row, at_least, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_PEER_BOUNDS: dict[Placement, tuple[Bound, Bound]] = {
    "pinned": (at_least(5), at_least(15)),
    "unpinned": (at_least(2), at_least(3)),
}


def measure(contest: Contest) -> list[Row]:
    """The whole way through a board and back, against the floor and against the peer."""
    return [row for placement in PLACEMENTS for row in _in_place(contest, placement)]


def _in_place(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(200, 100)
    with placed(placement), ExitStack() as stack:
        direct, futures = stack.enter_context(Direct()), stack.enter_context(Futures())
        board = stack.enter_context(node_board())
        turns = {
            "callboard": lambda: board_turn(board, count, SMALL),
            "direct": lambda: timed(partial(direct.call, SMALL), count),
            "futures": lambda: timed(partial(futures.call, SMALL), count),
        }
        if (peer := stack.enter_context(contest.peer())) is not None:
            turns["peer"] = lambda: peer.one_by_one(count, len(SMALL["text"]))
        samples = alternate(turns, contest.times(40, 8), warm_up=contest.times(25, 10))
    ours, floor = samples["callboard"], samples["direct"]
    value = microseconds(ours.median)
    stage, goal = (at_most(6), at_most(4)) if placement == "pinned" else (None, None)
    what = f"call of 150 B, {placement}"
    rows = [
        compared(
            what,
            value,
            f"bare direct call {microseconds(floor.median)}",
            ours.over(floor),
            stage=stage,
            goal=goal,
        ),
        compared(
            what,
            value,
            f"bare, reader thread and future {microseconds(samples['futures'].median)}",
            ours.over(samples["futures"]),
        ),
    ]
    stage, goal = _PEER_BOUNDS[placement]
    return [*rows, contest.beside_peer(what, samples, stage=stage, goal=goal)]
