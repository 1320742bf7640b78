"""A run as one page of HTML. It needs nothing from elsewhere, and runs no script. Pure."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from statistics import median
from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ..checker.standings import MARK, Standing, together
from .charts import endings, recoveries
from .figures import Figures, Recovery, figures
from .scale import span
from .style import STYLE
from .timeline import timeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..checker.facts import Run
    from ..checker.invariants import Check

SHOWN_VIOLATIONS = 20
NONE = "\N{EN DASH}"


@frozen
class About:
    """What is said of a run as a whole.

    Attributes:
        what: what was tested, such as the configuration's path.
        again: the command that does the same again.
        when: date and time, for people.
        version: of Callboard.
        remarks: sentences that belong to the result.
        gaps: what was not tested beside rules, such as a plugin; each in words.
    """

    what: str
    again: str = ""
    when: str = ""
    version: str = ""
    remarks: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def standing(checks: Sequence[Check], about: About) -> Standing:
    """How the run came out as a whole."""
    return together([*(check.standing for check in checks), *(Standing.NOT_TESTED for _ in about.gaps)])


def page(run: Run, checks: Sequence[Check], about: About) -> str:
    """The page, as text in UTF-8."""
    told = figures(run)
    came = standing(checks, about)
    body = "\n".join(
        [
            _header(checks, told, about),
            _tiles(told),
            _section(
                "What happened",
                "Each lane is a plugin: what was done to its host, the generations of that host, and its calls as they "
                "ended. Point at a thing to read about it.",
                timeline(run) + _LEGEND,
            ),
            _section("How long until it worked again", _recovery_lead(told), recoveries(told)),
            _section("How the calls ended", _endings_lead(told), endings(told.ended)),
            _rules(checks),
            _table(told),
            _footer(about),
        ]
    )
    title = f"{MARK[came]} {about.what}: crash recovery"
    return (
        f'<!doctype html>\n<html lang="en" class="{_CLASSES[came]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _header(checks: Sequence[Check], told: Figures, about: About) -> str:
    came = standing(checks, about)
    seal = f'<svg class="seal" viewBox="0 0 64 64"><circle cx="32" cy="32" r="28"/><path d="{_SEALS[came]}"/></svg>'
    counts = Counter(check.standing for check in checks)
    word = "All rules hold."
    if came is Standing.BROKEN:
        word = f"{counts[Standing.BROKEN]} of {len(checks)} rules do not hold."
    elif untested := counts[Standing.NOT_TESTED]:
        word = f"{untested} of {len(checks)} rules were not tested."
    elif came is Standing.NOT_TESTED:
        word = "Not everything was tested."
    calls, hosts = f"{told.submitted:,} calls", f"{len(told.hosts)} host{'s' * (len(told.hosts) != 1)}"
    done = told.faults.total()
    faults = f"{done:,} fault{'s' * (done != 1)}" if done else f"{len(told.recoveries):,} crashes"
    said = [*(f"Not tested: {gap}." for gap in about.gaps), *about.remarks]
    remarks = "".join(f'<p class="sub">{escape(remark)}</p>' for remark in said)
    return (
        f"<header>{seal}<div><h1>{word}</h1>"
        f'<p class="sub">{escape(about.what)}: {calls} to {hosts} through {faults}, in {span(told.seconds)}.</p>'
        f"{remarks}</div></header>"
    )


def _tiles(told: Figures) -> str:
    answered, worked = told.spans("answered"), told.endings["success"]
    tiles = [
        (f"{told.endings.total():,}", f"of {told.submitted:,} calls answered"),
        (f"{100 * worked / max(1, told.endings.total()):.1f} %", "succeeded"),
        (f"{len(told.recoveries):,}", "crashes noticed"),
        (span(median(answered)) if answered else NONE, "to the next answer, median"),
        (span(max(answered)) if answered else NONE, "to the next answer, at most"),
        (f"{told.rate:,.0f}", "calls a second"),
    ]
    return f'<div class="tiles">{"".join(f"<div class=tile><b>{n}</b><span>{w}</span></div>" for n, w in tiles)}</div>'


def _section(title: str, lead: str, inside: str) -> str:
    return f'<section><h2>{title}</h2><p class="lead">{lead}</p>{inside}</section>' if inside else ""


def _recovery_lead(told: Figures) -> str:
    never = sum(one.answered is None for one in told.recoveries)
    said = "From the fault to the next answer of a tool of that host; a dot for each crash, a line at the median."
    if never:
        said += f" After {never} crash{'es' * (never != 1)} none came, because the next crash or the end was sooner."
    return said


def _endings_lead(told: Figures) -> str:
    again = f", {told.repeated:,} of them after being sent again" if told.repeated else ""
    return f"{told.endings['success']:,} calls succeeded{again}. Every other call was told what became of it."


def _rules(checks: Sequence[Check]) -> str:
    rows = "".join(
        f'<li class="{_STYLES[check.standing]}"><span class="mark">{MARK[check.standing]}</span>'
        f"<div><b>{escape(check.rule)}</b><small>{escape(check.told)}</small></div></li>"
        for check in checks
    )
    return (
        '<section><h2>What had to be true</h2><p class="lead">Checked from what was recorded, call by call and '
        f'generation by generation; no sum of the board itself is believed.</p><ul class="rules">{rows}</ul>'
        f"{''.join(_evidence(checks))}</section>"
    )


_STYLES = {
    Standing.HELD: "yes",
    Standing.BROKEN: "no",
    Standing.NOT_TESTED: "none",
    Standing.CANNOT_APPLY: "off",
}
_CLASSES = {Standing.HELD: "well", Standing.BROKEN: "ill", Standing.NOT_TESTED: "part"}
_SEALS = {
    Standing.HELD: "M18 32l10 10 18-20",
    Standing.BROKEN: "M22 22l20 20m0-20l-20 20",
    Standing.NOT_TESTED: "M20 32h24",
}


def _evidence(checks: Sequence[Check]) -> Iterator[str]:
    for check in checks:
        if check.violations:
            lines = [json.dumps(violation.as_dict(), ensure_ascii=False) for violation in check.violations]
            more = len(lines) - SHOWN_VIOLATIONS
            shown = "\n".join(lines[:SHOWN_VIOLATIONS]) + (f"\n… and {more} more" if more > 0 else "")
            yield (
                f"<details open><summary>{escape(check.rule)}: {len(lines)} violation{'s' * (len(lines) != 1)}, with the facts"
                f"</summary><pre>{escape(shown)}</pre></details>"
            )


def _table(told: Figures) -> str:
    if not told.recoveries:
        return ""
    rows = "".join(_row(one) for one in told.recoveries)
    return (
        '<section><h2>Every crash</h2><div class="scroll"><table><thead><tr><th class="n">at</th><th>host</th>'
        '<th class="n">generation</th><th>what was done</th><th>how it ended</th><th class="n">calls lost</th>'
        '<th class="n">noticed after</th><th class="n">ready after</th><th class="n">answered after</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div></section>"
    )


def _row(one: Recovery) -> str:
    spans = "".join(
        f'<td class="n">{NONE if seconds is None else span(seconds)}</td>'
        for seconds in (one.noticed, one.ready, one.answered)
    )
    return (
        f'<tr><td class="n">{one.at:.3f} s</td><td>{escape(one.host)}</td><td class="n">{one.generation}</td>'
        f"<td>{escape(one.fault) or NONE}</td><td>{escape(one.exit)}</td>"
        f'<td class="n">{one.lost}</td>{spans}</tr>'
    )


def _footer(about: About) -> str:
    again = f"<span>The same again: <code>{escape(about.again)}</code></span>" if about.again else ""
    said = f"Callboard {about.version}".strip()
    return f"<footer>{again}<span>{escape(said)}</span><span>{escape(about.when)}</span></footer>"


_LEGEND = (
    '<div class="legend">'
    '<span><i style="background:var(--start)"></i>starting</span>'
    '<span><i style="background:var(--ready)"></i><i style="background:var(--ready-2)"></i>one generation after another</span>'
    '<span><i style="border:1.2px dashed var(--warn)"></i>waiting to be started again</span>'
    '<span><i style="background:repeating-linear-gradient(45deg, var(--warn) 0 2px, transparent 2px 5px)"></i>parked</span>'
    '<span><b style="color:var(--warn)">▼</b> something was done to it</span>'
    '<span><b style="color:var(--bad)">✕</b> it crashed</span>'
    '<span><i style="background:var(--good-2)"></i>calls that succeeded</span>'
    '<span><i style="background:var(--own)"></i>failed by the tool</span>'
    '<span><i style="background:var(--bad)"></i>outcome unknown</span>'
    '<span><i style="background:var(--warn)"></i>not sent</span></div>'
)
