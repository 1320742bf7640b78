"""Where things stand in a picture: a scale from seconds to units, with round numbers on it. Pure."""

from __future__ import annotations

import math
from typing import NamedTuple


class Scale(NamedTuple):
    """Maps ``[0, most]`` seconds to ``[left, right]``."""

    most: float
    left: float
    right: float

    def __call__(self, seconds: float) -> float:
        """The place of a moment; what is outside stands at the edge."""
        share = min(max(seconds / self.most, 0.0), 1.0) if self.most else 0.0
        return round(self.left + share * (self.right - self.left), 2)

    def ticks(self, wanted: int = 8) -> list[float]:
        """About so many round moments."""
        step = round_step(self.most / max(1, wanted))
        return [round(step * number, 6) for number in range(int(self.most / step + 1e-9) + 1)]


def round_step(least: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least - 1e-12)


_SPANS = (
    (0.01, 1e3, "{:.1f} ms"),
    (0.9995, 1e3, "{:.0f} ms"),
    (10.0, 1.0, "{:.2f} s"),
    (100.0, 1.0, "{:.1f} s"),
)
_LONGEST_NAME = 17


def span(seconds: float) -> str:
    """A span of time for people: ``4 ms``, ``1.25 s``, ``3 min 20 s``."""
    for below, factor, form in _SPANS:
        if seconds < below:
            return form.format(seconds * factor)
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def shortened(name: str) -> str:
    """A name that fits before its lane."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
