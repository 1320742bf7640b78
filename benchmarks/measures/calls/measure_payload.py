"""What large arguments and large answers cost: an echo of 64 KB, 1 MB and 16 MB, one in flight."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from calls import board_turn, node_board, text_of
from harness import alternate, timed
from peers.bare import Direct
from peers.mcp_peer import PeerFailed
from table import Bound, Row, at_least, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_SIZES = (("64 KB", 64 * 1024, at_least(1.5)), ("1 MB", 1024 * 1024, at_least(1.8)))
_HUGE = 16 * 1024 * 1024


def measure(contest: Contest) -> list[Row]:
    """Round trips that carry something, unpinned."""
    rows = [row for name, size, goal in _SIZES for row in _of_size(contest, name, size, goal)]
    return [*rows, _huge(contest)]


def _of_size(contest: Contest, name: str, size: int, goal: Bound) -> list[Row]:
    count = contest.times(20, 3) if size < _SIZES[1][1] else contest.times(5, 1)
    arguments = text_of(size)
    with ExitStack() as stack:
        direct, board = stack.enter_context(Direct()), stack.enter_context(node_board())
        turns = {
            "callboard": lambda: board_turn(board, count, arguments),
            "direct": lambda: timed(partial(direct.call, arguments), count),
        }
        if (peer := stack.enter_context(contest.peer())) is not None:
            turns["peer"] = lambda: peer.one_by_one(count, size)
        samples = alternate(turns, contest.times(20, 4), warm_up=contest.times(3, 1))
    ours, floor = samples["callboard"], samples["direct"]
    what, value = f"echo of {name}", microseconds(ours.median)
    rows = [compared(what, value, f"bare direct call {microseconds(floor.median)}", ours.over(floor))]
    return [*rows, contest.beside_peer(what, samples, goal=goal)]


def _huge(contest: Contest) -> Row:
    """Here the question is not how long it takes but whether it works."""
    with node_board() as board, contest.peer() as peer:
        (ours,) = board_turn(board, 1, text_of(_HUGE))
        theirs = contest.no_peer
        if peer is not None:
            try:
                theirs = microseconds(*peer.one_by_one(1, _HUGE))
            except PeerFailed as failed:
                theirs = f"failed: {failed}"
    return Row("echo of 16 MB", f"{microseconds(ours)}, works", f"mcp: {theirs}")
