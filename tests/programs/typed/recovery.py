"""Faults on a schedule, and calls that are expected to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from callboard import Callboard, Code
from callboard.chaos.faults import Exit, Signal
from callboard.chaos.schedule import Entry, Schedule
from callboard.chaos.triggers import NthCall
from callboard.testing import failing

if TYPE_CHECKING:
    from pathlib import Path

    from callboard.pytest.fixtures import Nemeses


def taken(nemesis: Nemeses, file: Path) -> None:
    """Each call is right."""
    nemesis()
    nemesis(Schedule(1, [(NthCall(2), Signal(9))]))
    nemesis([(NthCall(2), Signal(9)), (NthCall(3), Exit(1), "host"), Entry(NthCall(4), Exit(0))])
    nemesis(Schedule(1).as_dict())
    nemesis(file)
    nemesis("draw")


def refused(nemesis: Nemeses) -> None:
    """Each call is wrong."""
    nemesis([(2, Signal(9))])  # type: ignore[list-item]
    nemesis([(NthCall(2), "kill")])  # type: ignore[list-item]
    nemesis(7)  # type: ignore[arg-type]
    Schedule(1, [(2, Signal(9))])  # type: ignore[list-item]
    failing("invalid_cal")  # type: ignore[arg-type]
    failing("host_crashed", outcome="unknown")  # type: ignore[arg-type]


def divide(a: float, b: float) -> float:
    return a / b


if __name__ == "__main__":
    with Callboard() as board:
        board.tool(divide)
        with failing("tool_raised", outcome="outcome_unknown") as failure:
            board.call("divide", a=1, b=0)
        print(failure.error.code)
        with failing(Code.INVALID_CALL) as failure:
            board.call("divide", a=1, b="x")
        print(failure.error.code)
    pairs = [(NthCall(number), Exit(number)) for number in (1, 2)]
    print(len(Schedule(1, pairs).entries), len(Schedule(1, tuple(Schedule(1, pairs).entries)).entries))
