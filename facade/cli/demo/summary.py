"""The end of the demonstration: what had to be true, and whether it was; and how every call ended, and why."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...demo.verdict import tallied
from ..doctor.finding import counted

if TYPE_CHECKING:
    from rich.console import Console

    from ...demo.record import Record
    from ...demo.show import Outcome

_NAME, _COUNT = 12, 8


def show_summary(outcome: Outcome, console: Console) -> None:
    """Show it to people."""
    record, after = outcome.record, outcome.after
    console.print()
    for check in outcome.checks:
        mark = ("✓ ", "green") if check.ok else ("✗ ", "bold red")
        console.print(
            Text.assemble(" ", mark, (f"{check.name:<{_NAME}}  ", "bold"), check.detail), soft_wrap=True
        )
    console.print()
    for one in tallied(record):
        why = f"{one.why} ({one.outcome})" if one.outcome else one.why
        line = Text.assemble(f" {one.count:{_COUNT},}  {one.ending:<{_NAME}}  ", (why, "dim"))
        line.rstrip()
        console.print(line, soft_wrap=True)
    console.print()
    rate, kills = len(record.ended) / after.seconds, counted(len(record.kills), "host")
    told = f" {len(record.ended):,} calls in {after.seconds:.1f} s ({rate:,.0f} a second), {kills} killed:\n "
    end = (_answered(record), "bold green") if outcome.ok else ("the numbers do not add up.", "bold red")
    again = f"\n The same again: callboard demo {outcome.plan.options}"
    console.print(Text.assemble(told, end, (again, "dim")), soft_wrap=True)


def _answered(record: Record) -> str:
    """What is true of all calls once every number adds up: all have an answer, and not all went well."""
    worked = record.by_ending()["success"]
    failed = len(record.ended) - worked
    return f"every call was answered, once: {worked:,} succeeded, {failed:,} failed as told above."


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The same for programs; times in seconds."""
    record, after, plan = outcome.record, outcome.after, outcome.plan
    recoveries = record.recoveries()
    hosts = {name: plugin["host"] for name, plugin in after.status["plugins"].items() if "host" in plugin}
    return {
        "ok": outcome.ok,
        "checks": [{"check": check.name, "ok": check.ok, "detail": check.detail} for check in outcome.checks],
        "seed": plan.seed,
        "seconds": round(after.seconds, 3),
        "submitted": record.submitted.total(),
        "answered": len(record.ended),
        "by_result": dict(record.by_ending()),
        "endings": [asdict(one) for one in tallied(record)],
        "failed": len(record.ended) - record.by_ending()["success"],
        "by_tool": {lane: dict(record.by_ending(lane)) for lane in record.submitted},
        "sent_again": record.sent_again(),
        "kills": len(record.kills),
        "crashes": sum(host["crashes"] for host in hosts.values()),
        "restarts": sum(host["restarts"] for host in hosts.values()),
        "recovery": {
            "median": round(median(recoveries), 4) if recoveries else None,
            "max": round(max(recoveries), 4) if recoveries else None,
        },
        "states": after.states,
        "left": {"processes": after.processes, "threads": after.threads},
    }
