"""The stop ladder as data: what is done to a host that has to end, and when.

Ask first, then insist, then make it so; every rung has its time and the last one cannot be
refused. The process shell climbs it; nothing here touches a process.
"""

from __future__ import annotations

from enum import Enum

from ...base.frozen import frozen


class Rung(Enum):
    """One means of ending a host, from the politest to the last."""

    CLOSE_STDIN = "close_stdin"
    TERMINATE = "terminate"
    KILL = "kill"


@frozen
class StopLadder:
    """How long each rung is given, in seconds.

    Attributes:
        polite: from closing stdin until SIGTERM to the group.
        firm: from SIGTERM until SIGKILL to the group.
    """

    polite: float = 1.0
    firm: float = 1.0

    def rungs(self) -> tuple[tuple[float, Rung], ...]:
        """The rungs with their times, in seconds after the stop was asked for, in order."""
        return (
            (0.0, Rung.CLOSE_STDIN),
            (self.polite, Rung.TERMINATE),
            (self.polite + self.firm, Rung.KILL),
        )


KILL_NOW = StopLadder(polite=0.0, firm=0.0)
"""For a host that is not believed any more: no waiting between the rungs."""
