"""When calls began and ended, as two witnesses tell it: the tool that ran them, and the board that gave them to it. Pure.

The tool's word is the better one, and few tools give it: a ledger tells the order and no times, and a
tool that is somebody's own tells nothing. The board tells of every call (``call_started``), and of none
in which generation it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .facts import Happened, Ran

if TYPE_CHECKING:
    from .facts import Run


class Begun(NamedTuple):
    """A call began.

    Attributes:
        generation: which generation ran it; 0 where that is not known.
        fact: that tells of it.
        sequence: the number of the board's event; 0 where there is none.
    """

    plugin: str
    call: str
    generation: int
    fact: Ran | Happened
    sequence: int = 0


def by_the_tool(run: Run) -> list[Begun]:
    """What tools have written down, in their order."""
    return [
        Begun(fact.plugin, fact.call, fact.generation, fact) for fact in run.facts if isinstance(fact, Ran)
    ]


def by_the_board(run: Run) -> list[Begun]:
    """What the board has told, in the order of its telling: times noted by a subscriber may be off."""
    told = [fact for fact in run.facts if isinstance(fact, Happened) and fact.kind == "call_started"]
    told.sort(key=lambda fact: fact.sequence)
    return [Begun(fact.plugin, fact.facts["call"], 0, fact, fact.sequence) for fact in told]


def ended_by_the_board(run: Run) -> dict[str, float]:
    """When calls ended, as the board tells it (``call_ended``), by call; the first time of each."""
    ended: dict[str, float] = {}
    for fact in run.facts:
        if isinstance(fact, Happened) and fact.kind == "call_ended":
            ended.setdefault(fact.facts["call"], fact.at)
    return ended
