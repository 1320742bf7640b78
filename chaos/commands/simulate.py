"""Very many simulations, one seed after the other: what ``python -m callboard.chaos simulate`` does."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from ..checker.facts import Answered, Broken
from ..checker.standings import MARK, STATUS, WORD, Standing, together
from ..faults import FAULTS
from ..simulation import simulate
from .argparse_types import report, whole

if TYPE_CHECKING:
    import argparse

    from ..simulation import Simulation


def add_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``simulate`` to the commands of a program."""
    parser = commands.add_parser("simulate", help="whole boards in virtual time, one for each seed")
    parser.add_argument("--seeds", type=whole(1), default=1000, help="how many (1000)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed (0)")
    parser.add_argument("--calls", type=whole(1), default=30, help="calls of each (30)")
    parser.add_argument("--hosts", type=int, default=3, choices=range(1, 7), help="hosts of each (3)")
    parser.add_argument("--faults", type=whole(0), default=8, help="faults of each (8)")
    parser.add_argument("--trace", type=report, help="write the trace of the first seed, a line of JSON each")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Simulate; returns 0 when every rule was tested and held in every run; else see `STATUS`."""
    began, broken = time.monotonic(), 0
    endings: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    looked_at: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.seeds):
        simulation = simulate(seed, hosts=given.hosts, calls=given.calls, faults=given.faults)
        for fact in simulation.run.facts:
            if isinstance(fact, Answered):
                endings[fact.ending] += 1
            elif isinstance(fact, Broken) and fact.fault in FAULTS:
                faults[fact.fault] += 1
        for one in simulation.checks:
            looked_at[one.rule] += one.looked_at
            wrong[one.rule] += bool(one.violations)
        if given.trace is not None and seed == given.first:
            given.trace.write_text(simulation.trace, encoding="utf-8")
        if simulation.violations:
            broken += 1
            _tell_broken(simulation, given)
    took = time.monotonic() - began
    for rule, count in looked_at.items():
        came = _standing(count, wrong[rule])
        _say(
            f" {MARK[came]} {rule:<28}  {f'{count:,} looked at' if count else 'not tested'}"
            + f", broken in {wrong[rule]:,} runs" * bool(wrong[rule])
        )
    _say(f"\n Calls      {_list(endings)}")
    _say(f" Faults     {_list(faults)}")
    came = together(_standing(count, wrong[rule]) for rule, count in looked_at.items())
    word = WORD[came] if not broken else f"RULES ARE BROKEN IN {broken:,}"
    _say(
        f"\n {given.seeds:,} simulations in {took:.1f} s ({took / max(1, given.seeds) * 1000:.0f} ms each): {word}."
    )
    return STATUS[came]


def _standing(looked_at: int, broken: int) -> Standing:
    """How one rule came out of all runs: looked at in any of them is tested."""
    if broken:
        return Standing.BROKEN
    return Standing.HELD if looked_at else Standing.NOT_TESTED


def _tell_broken(simulation: Simulation, given: argparse.Namespace) -> None:
    for violation in simulation.violations[:5]:
        _say(f" ✗ seed {simulation.seed}: {violation.rule}: {violation.what}")
    _say(f"   schedule: {json.dumps(simulation.schedule.as_dict())}")
    options = f"--calls {given.calls} --hosts {given.hosts} --faults {given.faults}"
    again = f"python -m callboard.chaos simulate --from {simulation.seed} --seeds 1 {options}"
    _say(f"   The same again: {again} --trace trace.ndjson")


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in counts.most_common())


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
