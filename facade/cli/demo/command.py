"""`callboard demo`: tools under load while their hosts are killed, to be looked at, and then the numbers."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING

import click

from ...demo.plan import FEWEST_CALLS, Plan
from ...demo.show import Show
from ..ui.background import Performance, watch
from ..ui.exit_codes import FAILED, WELL
from ..ui.options import common, json_option, quiet
from ..ui.options import seconds as as_seconds
from ..ui.streams import Streams
from .demo_live import Picture
from .summary import as_json as summary_json
from .summary import show_summary

if TYPE_CHECKING:
    from rich.console import Console

    from ...demo.show import Outcome

CALLS, KILLS = 10_000, 24

_SECONDS_A_LINE = 2.0


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
    show = Show(Plan(calls, seconds, kills, seed))
    quiet()
    with Streams(as_json=as_json) as out:
        performance = Performance(show.run, show.stop, "callboard-demo")
        if out.terminal:
            watch(performance, Picture(show, out.console.width).draw, out.console)
        else:
            _wait(performance, show, None if as_json else out.console)
        outcome = performance.outcome()
        if as_json:
            out.print_json(summary_json(outcome))
        else:
            show_summary(outcome, out.console)
    return WELL if outcome.ok else FAILED


def _wait(performance: Performance[Outcome], show: Show, console: Console | None) -> None:
    with performance:
        while not performance.wait(_SECONDS_A_LINE):
            if console is not None:
                record = show.record
                console.print(
                    f"{show.elapsed:5.1f} s  {len(record.ended):7,} calls  {len(record.kills):3} kills",
                    soft_wrap=True,
                )
