"""What a call costs of a tool that keeps 1 MB of state, beside the same call of a tool that keeps none."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from calls import SMALL, board_turn, node_board
from harness import alternate
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest

_RECORDS = 17_000
"""Of about 60 bytes of JSON each."""

_CALLS = {
    "does not change": SMALL,
    "is read": SMALL | {"reads": True},
    "changes a little": SMALL | {"counts": True},
}
"""What the tool does with its state."""


def measure(contest: Contest) -> list[Row]:
    """One call in flight, unpinned."""
    count = contest.times(20, 5)
    with ExitStack() as stack:
        without = stack.enter_context(node_board())
        board = stack.enter_context(node_board(config={"records": _RECORDS}))
        turns = {"without": lambda: board_turn(without, count, SMALL)}
        turns |= {what: partial(board_turn, board, count, arguments) for what, arguments in _CALLS.items()}
        samples = alternate(turns, contest.times(20, 4), warm_up=contest.times(10, 3))
    floor = samples.pop("without")
    return [
        compared(
            f"small call, 1 MB of state that {what}",
            microseconds(ours.median),
            f"without state {microseconds(floor.median)}",
            ours.over(floor),
            goal=at_most(1.3) if what == "does not change" else None,
        )
        for what, ours in samples.items()
    ]
