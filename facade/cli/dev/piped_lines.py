"""Lines of stdin, carried out one after the other, until their end, an interrupt, or the loss of the output's reader."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click

from ..ui.exit_codes import FAILED, WELL, by_signal
from ..ui.line_input import read_lines
from ..ui.signals import Interruption

if TYPE_CHECKING:
    from ..ui.streams import Streams
    from .commands import Work


def carry_out_lines(work: Work, out: Streams, longest: int) -> int:
    """Carry out all lines; returns the exit status.

    Args:
        work: carries them out.
        out: has stdin; if its output is lost, the call under way is given up, and no more is read.
        longest: the most bytes of a line.

    Raises:
        click.Abort: interrupted by SIGINT.
    """
    with Interruption(work.leave) as interruption:
        out.when_lost(interruption.stop)
        for line in read_lines(out.stdin, interruption, longest):
            if work.over:
                break
            work.carry_out(line.text.decode("utf-8", "replace"))
        reason = interruption.reason
    if reason is signal.SIGINT:
        raise click.Abort
    if isinstance(reason, signal.Signals):
        return by_signal(reason)
    return FAILED if work.failed else WELL
