"""The end of the demonstration: what had to be true, and whether it was; and how every call ended, and why."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

from ...demo.plan import LANES
from ..doctor.finding import counted
from ..ui.text import Text

if TYPE_CHECKING:
    from ...demo.verdict import Verdict
    from ...trial.trial import Plan
    from ..ui.console import SafeConsole

_NAME, _COUNT = 12, 8


def show_summary(found: Verdict, console: SafeConsole) -> None:
    """Show it to people."""
    told = found.told
    console.print()
    for check in found.checks:
        mark = ("✓ ", "green") if check.ok else ("✗ ", "bold red")
        console.print(
            Text.assemble(" ", mark, (f"{check.name:<{_NAME}}  ", "bold"), check.detail), soft_wrap=True
        )
    console.print()
    for one in found.tallied:
        why = f"{one.why} ({one.outcome})" if one.outcome else one.why
        line = Text.assemble(f" {one.count:{_COUNT},}  {one.ending:<{_NAME}}  ", (why, "dim"))
        line.rstrip()
        console.print(line, soft_wrap=True)
    console.print()
    answered, kills = told.endings.total(), counted(found.ended.kills, "host")
    said = f" {answered:,} calls in {told.seconds:.1f} s ({told.rate:,.0f} a second), {kills} killed:\n "
    end = (_answered(found), "bold green") if found.ok else ("the numbers do not add up.", "bold red")
    again = f"\n The same again: callboard demo {options(found.ended.plan)}"
    console.print(Text.assemble(said, end, (again, "dim")), soft_wrap=True)


def _answered(found: Verdict) -> str:
    """What is true of all calls once every number adds up: all have an answer, and not all went well."""
    worked = found.told.endings["success"]
    failed = found.told.endings.total() - worked
    return f"every call was answered, once: {worked:,} succeeded, {failed:,} failed as told above."


def options(plan: Plan) -> str:
    """The plan as the options of ``callboard demo``."""
    much = f"--calls {plan.calls + len(LANES)}" if plan.seconds is None else f"--seconds {plan.seconds:g}"
    return f"{much} --kills {plan.kills} --seed {plan.seed}"


def as_json(found: Verdict) -> dict[str, Any]:
    """The same for programs; times in seconds."""
    told, ended, recoveries = found.told, found.ended, found.told.spans("answered")
    return {
        "ok": found.ok,
        "checks": [{"check": check.name, "ok": check.ok, "detail": check.detail} for check in found.checks],
        "seed": ended.plan.seed,
        "seconds": round(told.seconds, 3),
        "submitted": told.submitted,
        "answered": told.endings.total(),
        "by_result": dict(told.endings),
        "endings": [asdict(one) for one in found.tallied],
        "failed": told.endings.total() - told.endings["success"],
        "by_tool": {lane: dict(endings) for lane, endings in told.by_plugin.items()},
        "sent_again": told.repeated,
        "kills": ended.kills,
        "crashes": found.hosts("crashes").total(),
        "restarts": found.hosts("restarts").total(),
        "recovery": {
            "median": round(median(recoveries), 4) if recoveries else None,
            "max": round(max(recoveries), 4) if recoveries else None,
        },
        "states": ended.states,
        "left": {"processes": list(ended.run.left.processes), "threads": list(ended.run.left.threads)},
    }
