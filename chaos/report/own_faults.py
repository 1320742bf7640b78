"""Crashes and protocol faults of hosts that the run did not cause: no rule is about them, since the board bore them. Pure.

A generation to which something was done is not looked at from then on, so no count is too high.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ..checker.facts import Answered, Broken, Happened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..checker.facts import Fact, Run
    from ..checker.host_stories import HostStory

_UNASKED = frozenset({"duplicate", "unknown"})
"""Reasons of dead letters of which the host is the cause; an answer may be late because of its caller."""


@frozen
class OwnFaults:
    """What one host did wrong by itself.

    Attributes:
        crashes: generations that crashed.
        protocol: lines on stdout that are no messages, answers that were not asked for, and calls that ended with ``protocol_error``.
    """

    crashes: int
    protocol: int

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"crashes": self.crashes, "protocol": self.protocol}


def own_faults(run: Run, told: Sequence[HostStory]) -> dict[str, OwnFaults]:
    """Count them, by host; a host without any is not in there."""
    done: dict[str, list[float]] = defaultdict(list)
    noted: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for fact in run.facts:
        if isinstance(fact, Broken):
            done[fact.plugin].append(fact.at)
        elif count := _protocol_faults(fact):
            noted[run.host_of(fact.plugin)].append((fact.at, count))
    found = {}
    for story in told:
        host = _Host([one.began for one in story.generations], done[story.host])
        crashes = sum(
            one.crashed
            and not one.cancelled
            and one.ended is not None
            and host.was_let_alone(one.ended, one.began)
            for one in story.generations
        )
        protocol = sum(count for at, count in noted[story.host] if host.was_let_alone(at))
        if crashes or protocol:
            found[story.host] = OwnFaults(crashes, protocol)
    return found


class _Host:
    """When the generations of a host began, and when something was done to it."""

    def __init__(self, begins: list[float], done: list[float]) -> None:
        self._begins = begins
        self._done = done

    def was_let_alone(self, until: float, since: float | None = None) -> bool:
        """Whether nothing was done from the start of a generation, of the one of that time by default, until then."""
        if since is None:
            place = bisect_right(self._begins, until) - 1
            since = self._begins[place] if place >= 0 else 0.0
        return not any(since <= at <= until for at in self._done)


def _protocol_faults(fact: Fact) -> int:
    match fact:
        case Answered(ending="protocol_error"):
            return 1
        case Happened(kind="output_stray", facts=facts):
            return int(facts["count"])
        case Happened(kind="dead_letter", facts=facts) if facts["reason"] in _UNASKED:
            return int(facts["count"])
    return 0
