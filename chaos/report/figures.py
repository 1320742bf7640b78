"""The figures of a run: how the calls ended, what went wrong with hosts, and how long until all was well. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import field
from statistics import median
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ..checker.facts import Answered, Asked, Broken, Happened
from ..checker.host_stories import GenerationStory, HostStory, stories
from .neighbours import Neighbours, neighbours
from .own_faults import OwnFaults, own_faults

if TYPE_CHECKING:
    from ..checker.facts import Run

NEAR = 5.0
"""Seconds within which a crash is taken to come of what was done to the host before it."""


@frozen
class Recovery:
    """One crash, and what came after it.

    Attributes:
        host: whose.
        generation: the generation that ended.
        fault: what was done to it; empty if nobody did anything.
        exit: how it ended.
        at: when it was done, or noticed if nobody did it.
        noticed: seconds from ``at`` until the board told of it.
        ready: seconds from ``at`` until the next generation was ready; ``None`` if none was.
        answered: seconds from ``at`` until a tool of that host answered again; ``None`` if none did.
        lost: calls that were under way.
    """

    host: str
    generation: int
    fault: str
    exit: str
    at: float
    noticed: float
    ready: float | None
    answered: float | None
    lost: int


Ended = tuple[str, str | None]
"""How a call has ended, and its outcome."""


@frozen
class Figures:
    """All that is told of a run in numbers.

    Attributes:
        submitted: calls.
        endings: how many ended how.
        ended: the same for each plugin, with the outcome that each answer has; see `Answered`.
        repeated: how often a call was given to its tool once more.
        faults: what was done to hosts, and how often.
        recoveries: in the order of time.
        generations: of all hosts.
        seconds: of the run.
        neighbours: how long calls took while another host flooded the board, and otherwise.
        hosts: their names.
        own_faults: what hosts did wrong by themselves; no host without any.
    """

    submitted: int
    endings: Counter[str]
    ended: dict[str, Counter[Ended]]
    repeated: int
    faults: Counter[str]
    recoveries: tuple[Recovery, ...]
    generations: int
    seconds: float
    neighbours: Neighbours
    hosts: tuple[str, ...] = field(default_factory=tuple)
    own_faults: dict[str, OwnFaults] = field(default_factory=dict)

    @property
    def by_plugin(self) -> dict[str, Counter[str]]:
        """How many of each plugin ended how."""
        return {plugin: _by_ending(counts) for plugin, counts in self.ended.items()}

    @property
    def rate(self) -> float:
        """Calls that ended, a second."""
        return self.endings.total() / self.seconds if self.seconds else 0.0

    def spans(self, which: str) -> list[float]:
        """The times of all recoveries that have one: ``noticed``, ``ready`` or ``answered``."""
        return [span for one in self.recoveries if (span := getattr(one, which)) is not None]

    def as_dict(self) -> dict[str, Any]:
        """As JSON; times in seconds."""
        return {
            "seconds": round(self.seconds, 3),
            "calls_per_second": round(self.rate, 1),
            "submitted": self.submitted,
            "answered": self.endings.total(),
            "by_result": dict(self.endings),
            "by_plugin": {plugin: dict(endings) for plugin, endings in self.by_plugin.items()},
            "sent_again": self.repeated,
            "faults": dict(self.faults),
            "crashes": len(self.recoveries),
            "generations": self.generations,
            "own_faults": {host: one.as_dict() for host, one in self.own_faults.items()},
            "recovery": {which: _summary(self.spans(which)) for which in ("noticed", "ready", "answered")},
            "beside_floods": {
                "flooded": self.neighbours.flooded.as_dict(),
                "quiet": self.neighbours.quiet.as_dict(),
            },
        }


def _summary(spans: list[float]) -> dict[str, float | None]:
    return {
        "median": round(median(spans), 4) if spans else None,
        "max": round(max(spans), 4) if spans else None,
    }


def _by_ending(counts: Counter[Ended]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (ending, _), count in counts.items():
        found[ending] += count
    return found


def figures(run: Run) -> Figures:
    """Reckon them."""
    ended: dict[str, Counter[Ended]] = {name: Counter() for name in run.terms}
    faults: Counter[str] = Counter()
    submitted = repeated = 0
    for fact in run.facts:
        match fact:
            case Asked():
                submitted += 1
            case Answered():
                ended.setdefault(fact.plugin, Counter())[fact.ending, fact.outcome] += 1
            case Broken():
                faults[fact.fault] += 1
            case Happened() if fact.kind == "call_repeated":
                repeated += 1
    told = stories(run)
    endings: Counter[str] = Counter()
    for counted in ended.values():
        endings += _by_ending(counted)
    return Figures(
        submitted,
        endings,
        ended,
        repeated,
        faults,
        tuple(sorted(_recoveries(run, told), key=lambda one: one.at)),
        sum(len(story.generations) for story in told),
        run.ended,
        neighbours(run),
        tuple(story.host for story in told),
        own_faults(run, told),
    )


def _recoveries(run: Run, told: list[HostStory]) -> list[Recovery]:
    done: dict[str, list[Broken]] = defaultdict(list)
    worked: dict[str, list[float]] = defaultdict(list)
    for fact in run.facts:
        if isinstance(fact, Broken):
            done[fact.plugin].append(fact)
        elif isinstance(fact, Answered) and fact.ending == "success":
            worked[fact.plugin].append(fact.at)
    return [
        _recovery(story, place, generation, done[story.host], worked[story.host])
        for story in told
        for place, generation in enumerate(story.generations)
        if generation.crashed and generation.ended is not None
    ]


def _recovery(
    story: HostStory, place: int, generation: GenerationStory, done: list[Broken], worked: list[float]
) -> Recovery:
    assert generation.ended is not None
    blow = _blow(generation, done)
    at = generation.ended if blow is None else blow.at
    ready = next((after.ready for after in story.generations[place + 1 :] if after.ready is not None), None)
    answered = None
    if ready is not None:
        next_answer = bisect_left(worked, ready)
        answered = worked[next_answer] if next_answer < len(worked) else None
    lost = next(
        (
            len(event.facts["report"].get("in_flight", ()))
            for event in story.of(generation)
            if event.kind == "host_crashed"
        ),
        0,
    )
    return Recovery(
        story.host,
        generation.number,
        "" if blow is None else blow.fault,
        generation.exit or "ended",
        at,
        generation.ended - at,
        None if ready is None else ready - at,
        None if answered is None else answered - at,
        lost,
    )


def _blow(generation: GenerationStory, done: list[Broken]) -> Broken | None:
    """The last thing that was done to a generation before it ended."""
    assert generation.ended is not None
    times = [fact.at for fact in done]
    place = bisect_right(times, generation.ended) - 1
    if place < 0 or times[place] < max(generation.began, generation.ended - NEAR):
        return None
    return done[place]
