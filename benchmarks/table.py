"""The table of goals: what was measured, what it was compared with, and whether that is enough.

A bound is judged by the middle of the measurement; how far that is to be trusted stands beside it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness import Ratio


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that a row has to keep to.

    Attributes:
        limit: the number.
        side: whether more or less than it is too bad.
        unit: put behind the number.
    """

    limit: float
    side: Literal["at most", "at least"]
    unit: str = "x"

    def met_by(self, value: float) -> bool:
        """Whether ``value`` keeps to it."""
        return value <= self.limit if self.side == "at most" else value >= self.limit

    def __str__(self) -> str:
        sign = "≤" if self.side == "at most" else "≥"
        return f"{sign} {self.limit:g}{'' if self.unit == 'x' else ' '}{self.unit}"


def at_most(limit: float, unit: str = "x") -> Bound:
    """A bound that is an upper limit."""
    return Bound(limit, "at most", unit)


def at_least(limit: float, unit: str = "x") -> Bound:
    """A bound that is a lower limit."""
    return Bound(limit, "at least", unit)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        what: what was measured, and how.
        value: Callboard's number, with its unit.
        against: what it is compared with, and its number; empty for a bound on ``value`` itself.
        judged: the number that the bounds are about; ``None`` when there is none, see ``note``.
        ratio: the ratio with its spread, when ``judged`` is one.
        stage: what this version has to reach.
        goal: what is to be reached in the end.
        note: why there is no number, or what else to know.
    """

    what: str
    value: str = ""
    against: str = ""
    judged: float | None = None
    ratio: Ratio | None = None
    stage: Bound | None = None
    goal: Bound | None = None
    note: str = ""

    @property
    def verdicts(self) -> dict[str, bool]:
        """Which of the bounds are met; nothing when nothing was measured."""
        bounds = {"stage": self.stage, "goal": self.goal}
        if self.judged is None:
            return {}
        return {name: bound.met_by(self.judged) for name, bound in bounds.items() if bound is not None}

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return asdict(self) | {"verdicts": self.verdicts}


def compared(what: str, value: str, against: str, ratio: Ratio, **bounds: Any) -> Row:
    """A row that is judged by a ratio."""
    return Row(what, value, against, judged=ratio.value, ratio=ratio, **bounds)


HEADINGS = ("measured", "Callboard", "compared with", "ratio (quartiles)", "stage", "goal")


def render(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table that can also be read as it is."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.what,
        row.value or row.note,
        row.against,
        _ratio(row),
        _bound(row, "stage"),
        _bound(row, "goal"),
    )


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return ""
    return f"{_short(row.ratio.value)} ({_short(row.ratio.low)}-{_short(row.ratio.high)})"


def _bound(row: Row, name: Literal["stage", "goal"]) -> str:
    bound = row.stage if name == "stage" else row.goal
    if bound is None:
        return ""
    met = row.verdicts.get(name)
    return f"{bound} {'?' if met is None else 'met' if met else 'NOT MET'}"


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def microseconds(seconds: float) -> str:
    """``54.8 µs``, ``3.21 ms``, ``1.20 s``: whichever unit suits."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms"), (1.0, "s")):
        if seconds * factor < 1000 or unit == "s":
            return f"{_short(seconds * factor)} {unit}"
    raise AssertionError("the last unit suits everything")


def per_second(rate: float) -> str:
    """``34,900/s``."""
    return f"{rate:,.0f}/s"
