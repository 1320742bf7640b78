"""The end of a trial: what had to be true, and whether it was; for people, and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

from ...chaos.checker.standings import MARK, Standing
from ...chaos.report.figures import figures
from ...chaos.report.scale import span
from ..doctor.finding import counted
from ..ui.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ...chaos.report.own_faults import OwnFaults
    from ...trial.trial import Ended
    from ..ui.console import SafeConsole

_NAME = 28
_MOST = 3


def show_summary(ended: Ended, again: str, page: Path | None, console: SafeConsole) -> None:
    """Show it to people."""
    told = figures(ended.run)
    console.print()
    for check in ended.checks:
        mark = (f"{MARK[check.standing]} ", _STYLES[check.standing])
        line = Text.assemble(" ", mark, (f"{check.rule:<{_NAME}}  ", "bold"), check.told)
        console.print(line, soft_wrap=True)
        for violation in check.violations[1:_MOST]:
            console.print(Text(f"     {violation.what}", "red"), soft_wrap=True)
    console.print()
    said = ", ".join(f"{count:,} {ending}" for ending, count in told.endings.most_common())
    console.print(f" Calls      {said or 'none'}", soft_wrap=True)
    done = ", ".join(f"{count} {fault}" for fault, count in told.faults.most_common())
    console.print(f" Faults     {done or 'none'}", soft_wrap=True)
    if spans := told.spans("answered"):
        console.print(
            f" Recovery   {span(median(spans))} from the fault to the next answer, {span(max(spans))} at most",
            soft_wrap=True,
        )
    beside, quiet = told.neighbours
    if beside.p50 is not None and beside.p99 is not None:
        calm = f"; {span(quiet.p50)} otherwise" if quiet.p50 is not None else ""
        console.print(
            f" Floods     half of {counted(beside.calls, 'call')} of other hosts took {span(beside.p50)}, "
            f"99 of 100 {span(beside.p99)}{calm}",
            soft_wrap=True,
        )
    if told.generations:
        console.print(_own_faults(told.own_faults), soft_wrap=True)
    for gap in ended.gaps:
        console.print(Text(f" Not tested {gap}", "yellow"), soft_wrap=True)
    crashes = counted(len(told.recoveries), "crash", "crashes")
    head = f"\n {told.endings.total():,} calls in {told.seconds:.1f} s, {crashes}: "
    end = (_END[ended.standing], _STYLES[ended.standing])
    foot = f"\n The same again: {again}" + (f"\n The whole story: {page}" if page is not None else "")
    console.print(Text.assemble(head, end, (foot, "dim")), soft_wrap=True)


def _own_faults(found: Mapping[str, OwnFaults]) -> Text:
    """The line about faults that the trial has not caused. No rule is about them: the board bore them."""
    if not found:
        return Text(" Own faults none seen that this trial did not cause")
    crashes = counted(sum(one.crashes for one in found.values()), "crash", "crashes")
    protocol = counted(sum(one.protocol for one in found.values()), "protocol fault")
    line = f" Own faults {crashes} and {protocol} that this trial did not cause, in {', '.join(map(repr, found))}; look closer: {_CLOSER}"
    return Text(line, "yellow")


_CLOSER = "pytest --pyargs callboard.chaos.conformance --host-cmd=COMMAND"

_STYLES = {
    Standing.HELD: "bold green",
    Standing.BROKEN: "bold red",
    Standing.NOT_TESTED: "bold yellow",
    Standing.CANNOT_APPLY: "dim",
}
_END = {
    Standing.HELD: "all rules hold.",
    Standing.BROKEN: "not all rules hold.",
    Standing.NOT_TESTED: "nothing was found wrong, and not everything was tested.",
}


def as_json(ended: Ended) -> dict[str, Any]:
    """The same for programs; times in seconds."""
    told = figures(ended.run)
    return {
        "ok": ended.ok,
        "standing": ended.standing.value,
        "not_tested": [
            *ended.gaps,
            *(f"{one.rule}: {one.said}" for one in ended.checks if one.standing is Standing.NOT_TESTED),
        ],
        "config": ended.plan.config,
        "seed": ended.plan.seed,
        **told.as_dict(),
        "checks": [check.as_dict() for check in ended.checks],
        "every_crash": [asdict(one) for one in told.recoveries],
        "schedule": ended.schedule.as_dict(),
        "kills": {"wanted": ended.plan.kills, "came": ended.kills, "missed": ended.missed},
        "left_out": ended.left_out,
        "failed": ended.failed,
        "left": asdict(ended.run.left),
    }
