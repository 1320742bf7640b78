"""Measuring side by side: contestants take turns, and what is quoted is the ratio of their medians.

Nothing here knows what is measured. One number from one run says little: a call takes five times
as long when the scheduler puts its two processes on different cores, and a busy machine slows
everything down for seconds. Contestants that take turns in short blocks meet the same weather, so
their ratio holds where their microseconds do not.
"""

from __future__ import annotations

import os
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

Block = list[float]
"""The samples of one turn, in seconds unless the measurement says otherwise."""

Placement = Literal["pinned", "unpinned"]

PLACEMENTS: tuple[Placement, ...] = ("pinned", "unpinned")


@dataclass(frozen=True, slots=True)
class Ratio:
    """How one contestant compares with another.

    Attributes:
        value: the ratio of the medians over all rounds.
        low, high: the quartiles of the ratios of the single rounds: how far to trust ``value``.
    """

    value: float
    low: float
    high: float


@dataclass(slots=True)
class Samples:
    """What one contestant needed, one block for each round."""

    blocks: list[Block] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Over all rounds."""
        return statistics.median(value for block in self.blocks for value in block)

    def over(self, other: Samples) -> Ratio:
        """This contestant's median as a multiple of the other's."""
        rounds = [
            statistics.median(mine) / statistics.median(theirs)
            for mine, theirs in zip(self.blocks, other.blocks, strict=True)
        ]
        low, _, high = statistics.quantiles(rounds, n=4) if len(rounds) > 1 else rounds * 3
        return Ratio(self.median / other.median, low, high)


def alternate(
    turns: Mapping[str, Callable[[], Block]], rounds: int, *, warm_up: int = 1
) -> dict[str, Samples]:
    """Let every contestant take its turn, ``rounds`` times, after ``warm_up`` turns that do not count.

    Every other round runs backwards, so that none always follows the same neighbour.
    """
    samples = {name: Samples() for name in turns}
    for turn in list(turns.values()) * warm_up:
        turn()
    for number in range(rounds):
        order = sorted(turns, key=list(turns).index, reverse=number % 2 == 1)
        for name in order:
            samples[name].blocks.append(turns[name]())
    return samples


async def alternate_async(
    turns: Mapping[str, Callable[[], Awaitable[Block]]], rounds: int, *, warm_up: int = 1
) -> dict[str, Samples]:
    """As `alternate`, in an event loop."""
    samples = {name: Samples() for name in turns}
    for turn in list(turns.values()) * warm_up:
        await turn()
    for number in range(rounds):
        order = sorted(turns, key=list(turns).index, reverse=number % 2 == 1)
        for name in order:
            samples[name].blocks.append(await turns[name]())
    return samples


def timed(function: Callable[[], object], count: int) -> Block:
    """Call ``function`` ``count`` times; the seconds that each call took."""
    clock = time.perf_counter
    block = []
    for _ in range(count):
        begin = clock()
        function()
        block.append(clock() - begin)
    return block


@contextmanager
def placed(placement: Placement) -> Iterator[None]:
    """Keep this process on one CPU, or let it have all it had.

    Threads and processes inherit their place when they are made: make the contestants inside.
    """
    before = os.sched_getaffinity(0)
    if placement == "pinned":
        _place({min(before)})
    try:
        yield
    finally:
        _place(before)


def _place(cpus: Sequence[int] | set[int]) -> None:
    # A process has no place of its own: each of its threads has.
    for thread in Path("/proc/self/task").iterdir():
        try:
            os.sched_setaffinity(int(thread.name), cpus)
        except ProcessLookupError:  # it ended in between
            continue
