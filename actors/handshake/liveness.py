"""Whether a host still answers, when one of its requests does not come back, though others may.

A request that waits for something leaves the host free to answer others. One that computes for ever does not,
and then nobody outside can tell which of them it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...hosts.errors import HostError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.host import Host
    from ...supervision.runtime.clock import Clock

SILENCE = 0.5
"""Seconds without an answer after which a host is taken to be kept from its work."""


def probe(host: Host, clock: Clock, hears: Callable[[bool], object], patience: float = SILENCE) -> None:
    """Ask a host something that every host can answer, be it that it cannot.

    Args:
        host: that.
        clock: where the waiting is put.
        hears: told once: True when it answers, or False when it has had the time to.
        patience: that time, in seconds.
    """
    answered: list[Any] = []

    def hear(answer: Any) -> None:
        answered.append(answer)
        hears(True)

    def stop_waiting() -> None:
        if not answered:
            hears(False)

    with suppress(HostError):  # it has ended, which is told elsewhere
        host.note("describe", {}, hear)
    clock.call_at(clock.now() + patience, stop_waiting)
