"""A board's status in the text format that Prometheus reads. Pure but for the look at the board.

It serves nothing: a program with an HTTP server answers ``GET /metrics`` with what `render` returns, under
`CONTENT_TYPE`. Percentiles are left out, since Prometheus makes its own from the buckets, over any span of
time and any number of programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..actors.metrics.calls import BOUNDS
from .samples import FAMILIES, Family, Json, Sample, collect

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class HasStatus(Protocol):
    """A `Callboard`, or a board of actors."""

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""


def render(board: HasStatus) -> str:
    """What a scrape of the board is answered with."""
    return exposition(board.status())


def exposition(status: Json) -> str:
    """The same of a status that was taken before."""
    return "".join(
        line for name, samples in collect(status).items() for line in _family(FAMILIES[name], samples)
    )


def metric_name(family: Family) -> str:
    """``callboard_``, the family's words, and the ending that its kind asks for."""
    words = family.name.removesuffix(".ever").replace(".", "_")
    return f"callboard_{words}{ {'counter': '_total', 'gauge': '', 'histogram': '_seconds'}[family.kind] }"


def _family(family: Family, samples: list[Sample]) -> Iterator[str]:
    name = metric_name(family)
    yield f"# HELP {name} {family.meaning}\n# TYPE {name} {family.kind}\n"
    for labels, value in samples:
        if family.kind == "histogram":
            yield from _histogram(name, labels, value)
        else:
            yield f"{name}{_labels(labels)} {value}\n"


def _histogram(name: str, labels: dict[str, str], told: Json) -> Iterator[str]:
    below = 0
    for bound in BOUNDS:
        below += told["buckets"].get(repr(bound), 0)
        yield f"{name}_bucket{_labels({**labels, 'le': repr(bound)})} {below}\n"
    yield f"{name}_bucket{_labels({**labels, 'le': '+Inf'})} {told['count']}\n"
    yield f"{name}_sum{_labels(labels)} {told['sum']}\n"
    yield f"{name}_count{_labels(labels)} {told['count']}\n"


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
