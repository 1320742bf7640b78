"""What happens in the demonstration, noted call by call. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.frozen import frozen
from ..plugins.results.failures import ending_of
from .plan import LANES

if TYPE_CHECKING:
    from .plan import Request

Json = dict[str, Any]

HOSTED = tuple(lane.name for lane in LANES if lane.hosted)
"""The plugins that run in hosts."""


@dataclass(slots=True)
class Kill:
    """One host that was killed.

    Attributes:
        host: its name.
        pid: the process that was killed.
        birth: when that was created, which tells it from a later process of the same pid.
        at: when it was killed, on the show's clock.
        recovered: seconds until another process of that host answered a call; ``None`` until it has.
    """

    host: str
    pid: int
    birth: float | None
    at: float
    recovered: float | None = None


@frozen
class Ended:
    """One call that has ended.

    Attributes:
        request: what was asked.
        result: the result mapping.
        parts: as they came.
        attempts: how often it was given to its tool.
        at: when, on the show's clock.
    """

    request: Request
    result: Json
    parts: list[Any]
    attempts: int
    at: float

    @property
    def ending(self) -> str:
        """``success``, ``failure`` (the tool's own) or a result code."""
        return ending_of(self.result)

    @property
    def outcome(self) -> str | None:
        """Whether the tool may have run, as a failure of Callboard's says; ``None`` of the tool's own answer."""
        outcome = self.result.get("outcome")
        return None if outcome is None else str(outcome)

    def said(self, key: str) -> Any:
        """One thing of its answer; ``None`` if that has no such thing."""
        answer = self.result.get("result")
        return answer.get(key) if isinstance(answer, dict) else None


@dataclass(slots=True)
class Record:
    """Everything that is noted.

    Attributes:
        submitted: calls by lane.
        ended: the calls that have ended, in the order of their ends.
        kills: in their order.
        crashes: crashes that were reported, by host.
        under_way: calls that were under way in them, as the crash reports say.
    """

    submitted: Counter[str] = field(default_factory=Counter)
    ended: list[Ended] = field(default_factory=list)
    kills: list[Kill] = field(default_factory=list)
    crashes: Counter[str] = field(default_factory=Counter)
    under_way: int = 0

    def note_end(self, end: Ended) -> None:
        """A call has ended. If another process has answered it than the one that was killed, its host is back."""
        self.ended.append(end)
        if end.request.lane in HOSTED and end.ending == "success":
            for kill in self.kills:
                back = kill.host == end.request.lane and kill.pid != end.said("pid")
                if back and kill.recovered is None:
                    kill.recovered = end.at - kill.at

    def note_crash(self, host: str, under_way: int) -> None:
        """A crash was reported."""
        self.crashes[host] += 1
        self.under_way += under_way

    def lives(self, host: str) -> int:
        """How many lives a host has to have had by now: one, and one more for each kill."""
        return 1 + sum(kill.host == host for kill in self.kills)

    def by_ending(self, lane: str | None = None) -> Counter[str]:
        """How many calls, of one lane or of all, ended how."""
        return Counter(end.ending for end in self.ended if lane in {None, end.request.lane})

    def successes(self, lane: str) -> list[Ended]:
        """In the order of the calls, which is that of a tool that does one at a time."""
        ends = (end for end in self.ended if end.request.lane == lane and end.ending == "success")
        return sorted(ends, key=lambda end: int(end.request.arguments["n"]))

    def sent_again(self) -> int:
        """How many times a call was given to its tool once more."""
        return sum(max(0, end.attempts - 1) for end in self.ended)

    def recoveries(self) -> list[float]:
        """Seconds from each kill to the next answer."""
        return [kill.recovered for kill in self.kills if kill.recovered is not None]
