"""A crash report as people read it: what it cost, the last messages, the last words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..ui.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..ui.console import SafeConsole

Report = dict[str, Any]

MESSAGES = 6
"""Messages shown: the end of a generation is in the last few."""

LINES = 30
"""Lines of stderr shown."""

_NAME = 11
"""Columns of a fact's name: the longest is ``generation``."""
_KEYS = frozenset({"id", "generation", "uptime", "in_flight", "stderr"})
_OUTCOMES = {
    "not_sent": "the tool has not seen the call",
    "outcome_unknown": "the tool may have run, in part or in whole",
}
_NATIVE = re.compile(r"\s*\d+: 0x[0-9a-f]+\s")


def show_crash(report: Mapping[str, Any], outcome: str | None, console: SafeConsole) -> None:
    """Show a crash report, or a short one as it is in a result, below the sentence that sums it up.

    What lacks what a crash report has is none (a tool may put what it likes under that name), and not shown.
    """
    if not report.keys() >= _KEYS:
        return
    for name, value in facts_of(report, outcome):
        console.print(Text.assemble((f"  {name:<{_NAME}}", "dim"), value), soft_wrap=True)
    _show_lines("stderr", words_of(report), console, cut=False)
    _show_lines("messages", messages_of(report), console, cut=True)


def _show_lines(name: str, lines: list[str], console: SafeConsole, *, cut: bool) -> None:
    for line in lines:
        said = Text.assemble((f"  {name:<{_NAME}}│ ", "dim"), line)
        console.print(said, no_wrap=cut, overflow="ellipsis" if cut else None, soft_wrap=not cut)
        name = ""


def facts_of(report: Mapping[str, Any], outcome: str | None) -> Iterator[tuple[str, str]]:
    """What is worth a line of its own, named."""
    if outcome in _OUTCOMES:
        yield "outcome", _OUTCOMES[outcome]
    yield "generation", f"{report['generation']}, {report['uptime']:,.2f} s long"
    yield "id", report["id"]
    if len(report["in_flight"]) > 1:
        yield "with it", f"{len(report['in_flight'])} calls: {', '.join(report['in_flight'])}"
    if report.get("counts"):
        yield "counts", ", ".join(f"{count:,} {name}" for name, count in report["counts"].items())
    if report.get("leftovers"):
        yield "left over", f"processes that would not end: {', '.join(map(str, report['leftovers']))}"


def messages_of(report: Mapping[str, Any]) -> list[str]:
    """The last messages, a line each: when, which way, how large, and how they begin."""
    return [
        f"{frame['at']:9.3f} s {'→' if frame['direction'] == 'sent' else '←'} {frame['size']:>7,} B  {frame['text']}"
        for frame in report.get("frames", ())[-MESSAGES:]
    ]


def words_of(report: Mapping[str, Any]) -> list[str]:
    """The last lines of stderr, without the inside of the runtime: of that a line says how much it was."""
    lines: list[str] = []
    native = 0
    for line in [*str(report["stderr"]).rstrip().splitlines(), ""]:
        if _NATIVE.match(line):
            native += 1
            continue
        if native:
            lines.append(f"… {native} native frames")
            native = 0
        if line.strip():
            lines.append(line)
    left_out = len(lines) - LINES
    return [f"… {left_out} lines", *lines[-LINES:]] if left_out > 0 else lines
