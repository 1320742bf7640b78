"""``python -m callboard.chaos``: the long tests, from the command line."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from ..direct_calls import own_result, own_result_async
from ..hosts.errors import HostStartError
from ..hosts.node.find import find_node
from ..trial.tampered_board import TamperedBoard
from .campaign.command import add_command as add_campaign
from .checker.exits import READER_GONE
from .checker.outages import outages
from .checker.standings import MARK, STATUS, WORD, Standing
from .commands.argparse_types import report, whole
from .commands.simulate import add_command as add_simulate
from .load.interrupts import POSSIBLE
from .load.soak import Soak, Soaked
from .report.figures import figures
from .report.page import About, page
from .report.scale import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a soak or simulations; returns 0 when every rule was tested and holds; else see `STATUS`, and 130 when interrupted."""
    given = _parser().parse_args(arguments)
    logger = logging.getLogger("callboard")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what goes wrong is what it is about
    try:
        status = int(given.run(given))
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would try again
        return READER_GONE
    finally:
        logger.setLevel(level)
    return status


def _soak(given: argparse.Namespace) -> int:
    seed = SystemRandom().randrange(10_000) if given.seed is None else given.seed
    interrupts = max(20, given.calls // 100) if given.interrupts is None else given.interrupts
    with tempfile.TemporaryDirectory(prefix="callboard-soak-") as folder, _temporary_files_in(folder):
        soak = Soak(
            calls=given.calls,
            hosts=given.hosts,
            faults=given.faults,
            seed=seed,
            folder=Path(folder),
            languages=("node", "python") if _has_node() else ("python",),
            servers=given.servers,
            interrupts=interrupts if POSSIBLE else 0,
            ways={"execute": own_result, "execute async": own_result_async},
        )
        soaked = soak.run()
    again = f"python -m callboard.chaos soak --calls {given.calls} --hosts {given.hosts}"
    again += f" --faults {given.faults} --servers {given.servers} --interrupts {interrupts} --seed {seed}"
    _tell(soaked, again)
    if given.html is not None:
        about = About("soak", again, time.strftime("%Y-%m-%d %H:%M:%S %Z"))
        given.html.write_text(page(soaked.run, soaked.checks, about), encoding="utf-8")
    if given.json is not None:
        told = figures(soaked.run).as_dict() | {"checks": [one.as_dict() for one in soaked.checks]}
        given.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return STATUS[soaked.standing]


@contextmanager
def _temporary_files_in(folder: str) -> Iterator[None]:
    """Have what this process makes for a while stand in there, where the soak counts it."""
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield
    finally:
        tempfile.tempdir = before


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m callboard.chaos",
        description="Tests that take long, with hosts that go wrong on schedule.",
    )
    commands = parser.add_subparsers(required=True)
    soak = commands.add_parser("soak", help="very many calls, and faults of every kind")
    soak.add_argument("--calls", type=whole(1), default=100_000, help="how many calls (100000)")
    soak.add_argument("--hosts", type=whole(1), default=8, help="how many hosts (8)")
    soak.add_argument(
        "--faults", type=whole(0), default=1_000, help="how many faults have to come true (1000)"
    )
    soak.add_argument("--servers", type=whole(0), default=1, help="how many MCP servers beside the hosts (1)")
    soak.add_argument(
        "--interrupts",
        type=whole(0),
        help="how many callers are interrupted by signals (one for 100 calls, 20 at least; none on Windows)",
    )
    soak.add_argument("--seed", type=int, help="of everything that is drawn")
    soak.add_argument("--html", type=report, help="write a page with the timeline")
    soak.add_argument("--json", type=report, help="write the report as JSON")
    soak.set_defaults(run=_soak)
    add_simulate(commands)
    add_campaign(commands, TamperedBoard, _has_node)
    return parser


def _has_node() -> bool:
    try:
        find_node()
    except HostStartError:
        return False
    return True


def _tell(soaked: Soaked, again: str) -> None:
    told = figures(soaked.run)
    for one in soaked.checks:
        _say(f" {MARK[one.standing]} {one.rule:<28}  {one.told}")
        for violation in one.violations[1:5]:
            _say(f"     {violation.what}")
    _say()
    _say(f" Calls      {', '.join(f'{count:,} {ending}' for ending, count in told.endings.most_common())}")
    for which, said in (("ready", "ready again"), ("answered", "answered again")):
        if spans := sorted(told.spans(which)):
            median, late, most = (span(spans[int(len(spans) * share)]) for share in (0.5, 0.99, 0.9999))
            _say(f" Recovery   {said} after {median} (median), {late} (99 %), {most} (at most)")
    if (told_of := outages(soaked.run)) and told_of[0].failed:
        _say(f" Longest    {told_of[0]}")
    _say()
    for line in soaked.tally.lines():
        _say(f"   {line}")
    word = WORD[soaked.standing]
    if not soaked.tally.enough and soaked.standing is Standing.NOT_TESTED:
        word = f"TOO FEW FAULTS CAME TRUE: {', '.join(soaked.tally.missing) or 'not as many as were wanted'}"
    _say(f"\n {told.submitted:,} calls in {span(told.seconds)} ({told.rate:,.0f} a second), "
         f"{len(told.recoveries):,} crash{'' if len(told.recoveries) == 1 else 'es'}, {told.generations:,} generations: {word}.")  # fmt: skip
    _say(f" The same again: {again}")


def _say(text: str = "") -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
