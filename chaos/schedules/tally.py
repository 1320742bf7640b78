"""What a schedule wanted and what came of it, by kind of fault. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


@frozen
class Tally:
    """Faults that were drawn, and those that were carried out.

    Attributes:
        wanted: how many have to be carried out.
        drawn: by kind; a few more than wanted, since the moment of some never comes: the generation that they
            are for may have ended before.
        came: those that were carried out, by kind. One that is due when the faults are over is not among them.
    """

    wanted: int = 0
    drawn: Counter[str] = field(default_factory=Counter)
    came: Counter[str] = field(default_factory=Counter)

    @property
    def missing(self) -> list[str]:
        """Kinds that were drawn, and of which none was carried out."""
        return sorted(kind for kind in self.drawn if not self.came[kind])

    @property
    def enough(self) -> bool:
        """Whether as many were carried out as were wanted, and of every kind if there are enough to go round."""
        every = self.wanted < _ROUND * len(self.drawn) or not self.missing
        return self.came.total() >= self.wanted and every

    def lines(self) -> Iterator[str]:
        """A table for people: a line for each kind, and the sum last."""
        yield f"{'fault':<16}{'drawn':>7}{'done':>7}"
        for kind, count in sorted(self.drawn.items()):
            yield f"{kind:<16}{count:>7,}{self.came[kind]:>7,}"
        yield f"{'all':<16}{self.drawn.total():>7,}{self.came.total():>7,}"


_ROUND = 5
"""So many of each kind are wanted before it is a fault of the soak that one kind did not come."""
