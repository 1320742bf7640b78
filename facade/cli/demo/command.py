"""`callboard demo`: tools under load while their hosts are killed, to be looked at, and then the numbers."""

from __future__ import annotations

from random import SystemRandom

import click

from ...demo.demonstration import demonstration
from ...demo.plan import FEWEST_CALLS
from ...demo.verdict import verdict
from ..chaos.chaos_live import perform
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, json_option, quiet
from ..ui.options import seconds as as_seconds
from ..ui.streams import Streams
from .demo_live import Picture
from .summary import as_json as summary_json
from .summary import show_summary

CALLS, KILLS = 10_000, 24


@click.command(short_help="Tools under load while their hosts are killed, and the proof.")
@click.option(
    "--calls",
    type=click.IntRange(FEWEST_CALLS),
    metavar="N",
    help=f"How many calls are made.  [default: {CALLS}]",
)
@click.option(
    "--seconds",
    type=as_seconds,
    metavar="S",
    help="How long, instead of how many calls.",
)
@click.option(
    "--kills", type=click.IntRange(0), metavar="N", default=KILLS, show_default=True,
    help="How often a host is killed with SIGKILL.",
)  # fmt: skip
@click.option("--seed", type=int, metavar="N", help="Of all chance, to see the same again.")
@json_option
@common
def demo(calls: int | None, seconds: float | None, kills: int, seed: int | None, as_json: bool) -> int:
    """Watch tools answer while their hosts are killed.

    Two Python tools and three Node tools are called as fast as they answer, while their hosts get SIGKILL. At the
    end every call is accounted for, every crash, every restart, and the tools' state; exit status 1 if a number
    does not add up.
    """
    if calls is not None and seconds is not None:
        raise click.UsageError("give --calls or --seconds, not both")
    if calls is None and seconds is None:
        calls = CALLS
    seed = SystemRandom().randrange(10_000) if seed is None else seed
    quiet()
    with Streams(as_json=as_json) as out:
        trial = demonstration(calls, seconds, kills, seed)
        found = verdict(perform(trial, out, Picture(trial, out.console.width).draw, as_json=as_json))
        if as_json:
            out.print_json(summary_json(found))
        else:
            show_summary(found, out.console)
    return WELL if found.ok else FAILED
