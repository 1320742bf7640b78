"""The longest time that a host was not ready, and what filled it. Pure.

That a recovery took long says little. What is a defect is time that nobody can account for: neither spent on
starts that came to nothing, nor waited because the policy asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.frozen import frozen
from .host_stories import stories

if TYPE_CHECKING:
    from .facts import Run
    from .host_stories import GenerationStory, HostStory


@frozen
class Outage:
    """A host was not ready, from a crash until the next generation that was.

    Attributes:
        host: whose.
        generation: the generation that crashed.
        began: when that was.
        seconds: how long it took.
        failed: starts in it that came to nothing.
        slowest: seconds of the longest of them.
        starting: seconds of all of them, and of the start that went well.
        waiting: seconds that the supervisor said it would wait before them.
    """

    host: str
    generation: int
    began: float
    seconds: float
    failed: int
    slowest: float
    starting: float
    waiting: float

    @property
    def unaccounted(self) -> float:
        """Seconds that are neither."""
        return max(0.0, self.seconds - self.starting - self.waiting)

    def __str__(self) -> str:
        starts = "start" if self.failed == 1 else "starts"
        return (
            f"{self.seconds:.1f} s without {self.host!r}: {self.failed} {starts} came to nothing "
            f"(the slowest after {self.slowest:.1f} s); starting {self.starting:.1f} s, backoff "
            f"{self.waiting:.1f} s, anything else {self.unaccounted:.1f} s"
        )


def outages(run: Run) -> list[Outage]:
    """All that came to an end, the longest first."""
    found = [outage for story in stories(run) for outage in _of(story)]
    return sorted(found, key=lambda one: one.seconds, reverse=True)


def _of(story: HostStory) -> list[Outage]:
    found: list[Outage] = []
    before: list[GenerationStory] = []
    for generation in story.generations:
        if before and generation.ready is not None:
            found.append(_outage(before, generation, generation.ready))
            before = []
        if before or generation.crashed:
            before.append(generation)
    return found


def _outage(before: list[GenerationStory], after: GenerationStory, ready: float) -> Outage:
    crashed, *tries = before
    began = crashed.began if crashed.ended is None else crashed.ended
    took = [
        (after.began if generation.ended is None else generation.ended) - generation.began
        for generation in tries
    ]
    return Outage(
        crashed.host,
        crashed.number,
        began,
        ready - began,
        len(tries),
        max(took, default=0.0),
        sum(took) + ready - after.began,
        sum(generation.wait or 0.0 for generation in before),
    )
