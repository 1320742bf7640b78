"""The smaller pictures of a run as SVG: how long recovery took, and how the calls ended. Pure."""

from __future__ import annotations

from html import escape
from statistics import median
from typing import TYPE_CHECKING

from .scale import Scale, shortened, span
from .timeline import GROUPS, group_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping

    from .figures import Ended, Figures, Recovery

WIDTH, LEFT, RIGHT = 1120, 148, 18
ROW = 34
_WIDE = 90
"""Units in which a number and a word have room."""


def recoveries(figures: Figures) -> str:
    """A dot for each crash: how long until the host's tools answered again; a row for each host."""
    shown = [one for one in figures.recoveries if one.answered is not None]
    if not shown:
        return ""
    slowest = max(one.answered or 0.0 for one in shown)
    scale = Scale(slowest * 1.04, LEFT, WIDTH - RIGHT)
    hosts = [host for host in figures.hosts if any(one.host == host for one in shown)]
    height = 14 + ROW * len(hosts) + 26
    parts = [*_axis(scale, height)]
    for place, host in enumerate(hosts):
        y = 14 + ROW * place + ROW / 2
        own = [one for one in shown if one.host == host]
        parts.append(f'<text class="host" x="4" y="{y + 4}">{escape(shortened(host))}</text>')
        parts += _dots(own, y, scale)
    return f'<svg class="recoveries" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Recovery times">{"".join(parts)}</svg>'


def _axis(scale: Scale, height: int) -> Iterator[str]:
    for tick in scale.ticks():
        x = scale(tick)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="6" y2="{height - 22}"/>'
        yield f'<text class="tick" x="{x}" y="{height - 6}">{_said(tick, scale)}</text>'


def _said(tick: float, scale: Scale) -> str:
    return f"{tick * 1000:g} ms" if scale.most < 1 else f"{tick:g} s"


def _dots(own: list[Recovery], y: float, scale: Scale) -> Iterator[str]:
    middle = scale(median(one.answered or 0.0 for one in own))
    yield f'<line class="median" x1="{middle}" x2="{middle}" y1="{y - 13}" y2="{y + 13}"/>'
    for number, one in enumerate(own):
        assert one.answered is not None
        told = f"{one.fault or 'crash'} at {one.at:.3f} s: noticed after {span(one.noticed)}, "
        told += "" if one.ready is None else f"ready after {span(one.ready)}, "
        told += f"answered after {span(one.answered)}"
        # A little up and down, so that equal times are seen to be several.
        dy = (number * 7 % 5 - 2) * 3.5
        yield f'<circle class="dot" cx="{scale(one.answered)}" cy="{y + dy:.1f}" r="4.2"><title>{escape(told)}</title></circle>'


def endings(by_plugin: Mapping[str, Counter[Ended]]) -> str:
    """A bar for each plugin: its calls by how they ended."""
    rows = [(name, counts) for name, counts in by_plugin.items() if counts.total()]
    if not rows:
        return ""
    height = ROW * len(rows) + 8
    parts = [piece for place, (name, counts) in enumerate(rows) for piece in _row(name, counts, place)]
    return f'<svg class="endings" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="How calls ended">{"".join(parts)}</svg>'


def _row(name: str, counts: Counter[Ended], place: int) -> Iterator[str]:
    y, x, room = 4 + ROW * place, float(LEFT), WIDTH - LEFT - RIGHT - 110
    yield f'<text class="host" x="4" y="{y + 18}">{escape(shortened(name))}</text>'
    ranked = sorted(counts.items(), key=lambda item: GROUPS.index(group_of(*item[0])))
    for (ending, outcome), count in ranked:
        width = max(2.0, room * count / counts.total())
        yield (
            f'<rect class="{group_of(ending, outcome)}" x="{x:.1f}" y="{y + 4}" width="{width:.1f}" height="20" rx="2">'
            f"<title>{count:,} {escape(ending)}</title></rect>"
        )
        if width > _WIDE:
            yield f'<text class="in-bar" x="{x + 8:.1f}" y="{y + 18}">{count:,} {escape(ending)}</text>'
        x += width + 1.5
    yield f'<text class="note" x="{x + 8:.1f}" y="{y + 18}">{counts.total():,} calls</text>'
