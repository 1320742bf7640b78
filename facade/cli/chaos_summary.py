"""The end of a trial: what had to be true, and whether it was; for people, and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..chaos.report.figures import figures
from ..chaos.report.scale import span
from .finding import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

    from ..chaos.invariants import Check
    from ..trial import Ended

_NAME = 28
_MOST = 3


def remarks(ended: Ended) -> Iterator[str]:
    """What belongs to the result beside the rules."""
    if ended.held:
        verb = "was" if ended.held == 1 else "were"
        yield f"{counted(ended.held, 'fault')} {verb} held back, since a host's restart budget was spent (--relentless does them all)."
    if ended.plan.kills and not ended.schedule.entries:
        yield "No fault was done: none of the tools that were called runs in a host."
    for source, why in ended.failed.items():
        yield f"{source} could not be loaded: {why}."
    for tool, why in ended.left_out.items():
        yield f"{tool!r} was not called: {why}. Calls to a tool can be given with --call-file."


def show_summary(ended: Ended, again: str, page: Path | None, console: Console) -> None:
    """Show it to people."""
    told = figures(ended.run)
    console.print()
    for check in ended.checks:
        line = Text.assemble(" ", _mark(check), (f"{check.rule:<{_NAME}}  ", "bold"), check.said)
        if not check.looked_at and check.ok:
            line.stylize("dim")
        console.print(line, soft_wrap=True)
        for violation in check.violations[1:_MOST]:
            console.print(Text(f"     {violation.what}", "red"), soft_wrap=True)
    console.print()
    said = ", ".join(f"{count:,} {ending}" for ending, count in told.endings.most_common())
    console.print(f" Calls      {said}", soft_wrap=True)
    done = ", ".join(f"{count} {fault}" for fault, count in told.faults.most_common())
    console.print(f" Faults     {done or 'none'}", soft_wrap=True)
    if spans := told.spans("answered"):
        console.print(
            f" Recovery   {span(median(spans))} from the fault to the next answer, {span(max(spans))} at most",
            soft_wrap=True,
        )
    for remark in remarks(ended):
        console.print(Text(f" {remark}", "yellow"), soft_wrap=True)
    end = ("all rules hold.", "bold green") if ended.ok else ("not all rules hold.", "bold red")
    crashes = counted(len(told.recoveries), "crash", "crashes")
    head = f"\n {told.endings.total():,} calls in {told.seconds:.1f} s, {crashes}: "
    foot = f"\n The same again: {again}" + (f"\n The whole story: {page}" if page is not None else "")
    console.print(Text.assemble(head, end, (foot, "dim")), soft_wrap=True)


def _mark(check: Check) -> tuple[str, str]:
    if not check.ok:
        return "✗ ", "bold red"
    return ("✓ ", "green") if check.looked_at else ("· ", "dim")


def as_json(ended: Ended) -> dict[str, Any]:
    """The same for programs; times in seconds."""
    told = figures(ended.run)
    return {
        "ok": ended.ok,
        "config": ended.plan.config,
        "seed": ended.plan.seed,
        **told.as_dict(),
        "checks": [check.as_dict() for check in ended.checks],
        "every_crash": [asdict(one) for one in told.recoveries],
        "schedule": ended.schedule.as_dict(),
        "held_back": ended.held,
        "left_out": ended.left_out,
        "failed": ended.failed,
        "left": asdict(ended.run.left),
    }
