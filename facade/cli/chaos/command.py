"""`callboard chaos`: one's own configuration under load, while faults are done to its hosts."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

import click

from ...base.errors import CallboardError, JsonValueError
from ...base.json import load_json
from ...chaos.checker.standings import STATUS
from ...chaos.report.page import About, page
from ...trial.faults import MAKE, USUAL
from ...trial.trial import MOST_KILLS, Plan, Trial
from ...version import __version__
from ..ui.exit_codes import FAILED
from ..ui.files import Report, write_report
from ..ui.options import common, config_argument, json_option, quiet, seconds
from ..ui.streams import OutputLost, ReaderGone, Streams
from ..ui.trust import admit
from .chaos_live import Picture, perform
from .summary import as_json as summary_json
from .summary import show_summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...trial.trial import Ended

CALLS, DEADLINE = 1_000, 10.0


@click.command(short_help="Your own tools while their hosts are killed, and the proof.")
@config_argument
@click.option(
    "--calls", type=click.IntRange(1), default=CALLS, show_default=True, metavar="N",
    help="How many calls are made.",
)  # fmt: skip
@click.option(
    "--kills", type=click.IntRange(0), metavar="K",
    help=f"How often a host is killed; what does not kill comes beside.  [default: {MOST_KILLS}, or what the restart budgets bear; none without hosts]",
)  # fmt: skip
@click.option("--seed", type=int, metavar="S", help="Of all chance, to see the same again.")
@click.option(
    "--faults", metavar="KINDS", default=",".join(dict.fromkeys(USUAL)), show_default=True,
    help=f"What is done, separated by commas: {', '.join(MAKE)}.",
)  # fmt: skip
@click.option(
    "--call-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="Make these calls, one a line in any format, instead of drawing them from the tools' schemas.",
)  # fmt: skip
@click.option(
    "--deadline", type=seconds, default=DEADLINE, show_default=True, metavar="SECONDS",
    help="How long each call may take.",
)  # fmt: skip
@click.option(
    "--relentless", is_flag=True,
    help="Go on when a host's restart budget is spent, so that it is parked.",
)  # fmt: skip
@click.option(
    "--html", type=Report(), metavar="FILE",
    help="Write a page with the timeline, to be looked at in a browser.",
)  # fmt: skip
@click.option(
    "--json-file", type=Report(), metavar="FILE",
    help="Write the whole report as JSON: figures, rules, and every crash.",
)  # fmt: skip
@json_option
@common
def chaos(
    *, config: str, calls: int, kills: int | None, seed: int | None, faults: str, call_file: Path | None,
    deadline: float, html: Path | None, json_file: Path | None, relentless: bool, as_json: bool,
) -> int:  # fmt: skip
    """Call the tools of CONFIG while their hosts are killed, stopped and corrupted, and check every answer.

    The hosts get real signals, and some of their answers are spoilt on the way. What your tools do, they do: give
    calls that do no harm with --call-file, or have them drawn from the tools' schemas. At the end every call is
    accounted for, every crash and every restart. Exit status: 0 every rule that applies was tested and holds, 1 one
    is broken, 77 something was not tested: a plugin is missing, fewer kills came true, a rule had nothing to look at.
    """
    kinds = _kinds(faults)
    plan = Plan(
        config, calls, kills, SystemRandom().randrange(10_000) if seed is None else seed, kinds, deadline,
        _read_calls(call_file), relentless,
    )  # fmt: skip
    trial = Trial(plan)
    quiet()
    with Streams(as_json=as_json) as out, _told_again(trial, call_file, faults):
        trial.board.configuration = admit(trial.board.configuration, config, out.stdin)
        ended = perform(trial, out, Picture(trial, out.console.width).draw, as_json=as_json)
        again = _again(ended.plan, call_file, faults)
        drawn = write_report(html, page(ended.run, ended.checks, _about(ended, again)))
        written = write_report(json_file, json.dumps(summary_json(ended), indent=2) + "\n")
        if as_json:
            out.print_json(summary_json(ended))
        else:
            show_summary(ended, again, html if drawn else None, out.console)
    return STATUS[ended.standing] if drawn and written else FAILED


@contextmanager
def _told_again(trial: Trial, call_file: Path | None, faults: str) -> Iterator[None]:
    """Say how to have a trial again that came to no end: its seed is as good as any other."""
    try:
        yield
    except CallboardError as error:
        if not isinstance(error, ReaderGone | OutputLost):
            error.add_note(f"the same again: {_again(trial.plan, call_file, faults)}")
        raise


def _kinds(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in MAKE:
            raise click.BadParameter(
                f"there is no fault {name!r}; there are: {', '.join(MAKE)}", param_hint="'--faults'"
            )
    if not names:
        raise click.BadParameter("no fault is named; --kills 0 is for none", param_hint="'--faults'")
    return USUAL if set(names) == set(USUAL) else tuple(names)


def _read_calls(file: Path | None) -> tuple[dict[str, Any], ...]:
    if file is None:
        return ()
    wires = []
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                wire = load_json(line)
            except JsonValueError as error:
                raise click.BadParameter(f"line {number} is {error}", param_hint="'--call-file'") from error
            if not isinstance(wire, dict):
                raise click.BadParameter(f"line {number} is no call", param_hint="'--call-file'")
            wires.append(wire)
    if not wires:
        raise click.BadParameter("there is no call in it", param_hint="'--call-file'")
    return tuple(wires)


def _again(plan: Plan, call_file: Path | None, faults: str) -> str:
    words = ["callboard", "chaos", str(plan.config), "--seed", str(plan.seed)]
    words += ["--calls", str(plan.calls)]
    words += [] if plan.kills is None else ["--kills", str(plan.kills)]
    words += [] if plan.kinds == USUAL else ["--faults", faults]
    words += [] if call_file is None else ["--call-file", str(call_file)]
    words += [] if plan.deadline == DEADLINE else ["--deadline", f"{plan.deadline:g}"]
    words += ["--relentless"] if plan.relentless else []
    return shlex.join(words)


def _about(ended: Ended, again: str) -> About:
    when = time.strftime("%Y-%m-%d %H:%M:%S %Z")
    return About(str(ended.plan.config), again, when, __version__, gaps=ended.gaps)
