"""What a small call costs more that has a deadline, arguments to be checked, and somebody who hears of it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from calls import SMALL, board_turn, node_board
from harness import PLACEMENTS, Placement, alternate, placed
from table import Row, at_most, compared, microseconds

if TYPE_CHECKING:
    from callboard import Callboard
    from contest import Contest

_SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1, "description": "What is to be said again."},
        "parts": {"type": "integer", "minimum": 0, "maximum": 1000},
        "tone": {"enum": ["plain", "loud"]},
    },
    "required": ["text"],
    "additionalProperties": False,
}

_DEADLINE = {"deadline": 60.0}

_CONTESTANTS: dict[str, dict[str, Any]] = {
    "plain": {"deadline": None},
    "a deadline": _DEADLINE,
    "a real schema": {"deadline": None, "config": {"parameters": _SCHEMA}},
    "a subscriber": {"deadline": None},
    "all three": {**_DEADLINE, "config": {"parameters": _SCHEMA}},
}

_GOALS = {"a subscriber": at_most(1.2)}


def measure(contest: Contest) -> list[Row]:
    """Each beside a call that has none of it."""
    return [row for placement in PLACEMENTS for row in _in_place(contest, placement)]


def _in_place(contest: Contest, placement: Placement) -> list[Row]:
    count = contest.times(200, 50)
    heard: list[object] = []
    with placed(placement), ExitStack() as stack:
        boards = {what: stack.enter_context(node_board(**options)) for what, options in _CONTESTANTS.items()}
        for what in ("a subscriber", "all three"):
            boards[what].subscribe(heard.append)
        turns = {what: _turn(board, count) for what, board in boards.items()}
        samples = alternate(turns, contest.times(40, 8), warm_up=contest.times(10, 5))
    if not heard:
        raise RuntimeError("the subscriber has heard nothing")
    floor = samples.pop("plain")
    return [
        compared(
            f"call of 150 B with {what}, {placement}",
            f"{microseconds(ours.median)}, {_more(ours.median - floor.median)}",
            f"without {microseconds(floor.median)}",
            ours.over(floor),
            goal=_GOALS.get(what),
        )
        for what, ours in samples.items()
    ]


def _turn(board: Callboard, count: int) -> Any:
    return lambda: board_turn(board, count, SMALL)


def _more(seconds: float) -> str:
    return f"{'-' if seconds < 0 else '+'} {microseconds(abs(seconds))}"
