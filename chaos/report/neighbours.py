"""How long the calls of a host take while another host floods the board, and how long otherwise. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checker.facts import Answered, Asked, Broken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..checker.facts import Run

BESIDE = 1.0
"""Seconds after a flood began in which a call is taken to be beside it."""


class Spread(NamedTuple):
    """How long calls took.

    Attributes:
        calls: how many there were.
        p50: seconds that half of them took at most; ``None`` where there were none.
        p99: the same of 99 in a hundred.
    """

    calls: int
    p50: float | None
    p99: float | None

    def as_dict(self) -> dict[str, Any]:
        """As JSON; times in seconds."""
        return self._asdict()


class Neighbours(NamedTuple):
    """The successful calls of hosts to which nothing was done meanwhile.

    Attributes:
        flooded: those that were submitted within `BESIDE` seconds of the begin of another host's flood.
        quiet: all others.
    """

    flooded: Spread
    quiet: Spread


def neighbours(run: Run) -> Neighbours:
    """Reckon it."""
    floods: list[tuple[float, str]] = []
    hurt: dict[str, list[float]] = defaultdict(list)
    asked: dict[str, float] = {}
    answered: list[Answered] = []
    for fact in run.facts:
        match fact:
            case Broken():
                hurt[fact.plugin].append(fact.at)
                if fact.fault.partition(" (")[0].endswith(" flood"):
                    floods.append((fact.at, fact.plugin))
            case Asked():
                asked[fact.call] = fact.at
            case Answered() if fact.ending == "success":
                answered.append(fact)
    flooded: list[float] = []
    quiet: list[float] = []
    for answer in answered:
        begin, host = asked.get(answer.call), run.host_of(answer.plugin)
        if begin is None or any(begin - _NEAR <= at <= answer.at for at in hurt[host]):
            continue
        beside = any(at <= begin <= at + BESIDE for at, flooder in floods if flooder != host)
        (flooded if beside else quiet).append(answer.at - begin)
    return Neighbours(_spread(flooded), _spread(quiet))


_NEAR = 5.0
"""Seconds after something was done to a host in which its own calls tell of that, and not of its neighbour."""


def _spread(spans: Iterable[float]) -> Spread:
    ordered = sorted(spans)
    if not ordered:
        return Spread(0, None, None)
    return Spread(len(ordered), _at(ordered, 0.5), _at(ordered, 0.99))


def _at(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 6)
