"""The demonstration: a trial of the kit with a fixed configuration, and calls of which the answers are known."""

from __future__ import annotations

from ..hosts.node.find import find_node
from ..trial.trial import Plan, Trial
from .plan import LANES
from .plugins import configuration

PATIENCE = 30.0
"""Seconds for a call, and for the start of a host."""

_AHEAD = 100
"""Calls by which a tool may be ahead of another: none idles while the hosts of others are killed, and all end together."""


def demonstration(calls: int | None, seconds: float | None, kills: int, seed: int) -> Trial:
    """A trial of so many calls, one more to each plugin in the end included, or for so many seconds.

    Raises:
        HostStartError: there is no usable Node.js.
    """
    find_node()  # asked first, because its error is a sentence of its own
    flow = 0 if calls is None else calls - len(LANES)
    plan = Plan(configuration(PATIENCE), flow, kills, seed, kinds=("kill",), seconds=seconds, ahead=_AHEAD)
    return Trial(plan, [lane.source() for lane in LANES])
