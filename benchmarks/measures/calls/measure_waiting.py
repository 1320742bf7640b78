"""What a call costs while a hundred thousand others wait for the same tool: to be submitted, and to be cancelled.

Beside each stands the same while a thousand wait. The tool is busy all that time, and nothing else runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from callboard import Callboard
from calls import SMALL, TOOL, tool_call
from harness import Block, Samples, timed
from table import at_most, compared, microseconds

if TYPE_CHECKING:
    from callboard import Call
    from contest import Contest
    from table import Row

_MANY, _FEW = 100_000, 1_000

_PATIENCE = 3_600.0


def measure(contest: Contest) -> list[Row]:
    """Unpinned."""
    many, few = contest.times(_MANY, _MANY // 10), contest.times(_FEW, _FEW // 10)
    rounds = contest.times(7, 2)
    with _Queue(many) as long, _Queue(few) as short:
        submitted, cancelled = {"many": Samples(), "few": Samples()}, {"many": Samples(), "few": Samples()}
        for number in range(rounds + 1):
            for name, queue in (("many", long), ("few", short)):
                submitting, cancelling = queue.turn()
                if number:  # the first is to warm up
                    submitted[name].blocks.append(submitting)
                    cancelled[name].blocks.append(cancelling)
    return [
        compared(
            f"{verb} a call while {many:,} wait",
            microseconds(samples["many"].median),
            f"while {few:,} wait {microseconds(samples['few'].median)}",
            samples["many"].over(samples["few"]),
            goal=at_most(1.3),
        )
        for verb, samples in (("submit", submitted), ("cancel", cancelled))
    ]


class _Queue:
    """A board whose one tool is busy, and so many calls that wait for it."""

    def __init__(self, waiting: int) -> None:
        self._board = Callboard({"calls": {"mailbox_size": 2 * waiting + 10_000}})
        self._waiting = waiting

    def __enter__(self) -> Self:
        self._board.start()
        self._board.load({"node_tool": {"file": str(TOOL)}}, deadline=_PATIENCE)
        self._board.submit(tool_call({}, "hang"))
        for _ in range(self._waiting):
            self._board.submit(tool_call(SMALL))
        return self

    def __exit__(self, *_: object) -> None:
        self._board.stop()

    def turn(self) -> tuple[Block, Block]:
        """The seconds of each of a hundred that are submitted, and then of each as it is cancelled."""
        calls = [tool_call(SMALL) for _ in range(100)]
        submitted: list[Call] = []
        submitting = timed(lambda: submitted.append(self._board.submit(calls.pop())), 100)
        return submitting, timed(lambda: submitted.pop().cancel(), 100)
