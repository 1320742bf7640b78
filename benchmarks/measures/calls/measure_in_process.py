"""What a Python tool costs that runs in the board's own process, beside one bare `ask` of pykka; and in a host."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pykka
from callboard import Callboard
from calls import SMALL, board_turn
from echo_plugin import Echo
from harness import PLACEMENTS, Placement, alternate, placed, timed
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from contest import Contest


class EchoActor(pykka.ThreadingActor):
    """An actor as pykka makes them."""

    def on_receive(self, message: Any) -> Any:
        """Echo the message."""
        return message


def measure(contest: Contest) -> list[Row]:
    """One call in flight; pinned is what counts, since threads of one process share one lock."""
    return [row for placement in PLACEMENTS for row in _in_place(contest, placement)]


def _in_place(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(500, 200)
    with placed(placement), Callboard() as board, Callboard() as other:
        board.register(Echo())
        other.register(Echo, isolate=True)
        actor = EchoActor.start()
        try:
            turns = {
                "callboard": lambda: board_turn(board, count, SMALL),
                "isolated": lambda: board_turn(other, count, SMALL),
                "ask": lambda: timed(partial(actor.ask, SMALL), count),
            }
            samples = alternate(turns, contest.times(40, 8), warm_up=2)
        finally:
            actor.stop()
    ours, isolated, ask = samples["callboard"], samples["isolated"], samples["ask"]
    return [
        compared(
            f"Python tool in process, {placement}",
            microseconds(ours.median),
            f"one pykka ask {microseconds(ask.median)}",
            ours.over(ask),
            goal=at_most(2) if placement == "pinned" else None,
        ),
        compared(
            f"Python tool in a host, {placement}",
            microseconds(isolated.median),
            f"the same in process {microseconds(ours.median)}",
            isolated.over(ours),
        ),
    ]
