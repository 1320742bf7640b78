"""How long a plugin's host takes to start and to recover, and how its generations ended.

*Starting* is from the start of a generation until calls reach it. *Recovering* is from the end of a generation until
the next one is ready, failed attempts and the waits between them included. A host that waits for an
order by hand is not recovering, and neither is one whose successor takes over from it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ...base.locks import Lock
from .calls import Histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class HostPhases:
    """Tells how long a host was starting and recovering, from its changes of state, in their order.

    Args:
        starting: told each time from a start to ready, in seconds.
        recovering: told each time from an end to ready.
    """

    def __init__(self, starting: Callable[[float], None], recovering: Callable[[float], None]) -> None:
        self._starting = starting
        self._recovering = recovering
        self._started: float | None = None
        self._down_since: float | None = None
        self._up = False

    def change(self, kind: str, facts: Mapping[str, Any], now: float) -> None:
        """The host is in a new state; ``kind`` and ``facts`` are those of the event."""
        match kind:
            case "host_starting":
                self._down(now)
                self._started = now
            case "host_ready":
                self._ready(now)
            case "host_crashed":
                self._up = True  # a generation that failed to start is one to recover from too
                self._down(now)
            case "host_backoff":
                self._down(now)
            case "host_parked" if facts["seconds"] is not None:
                self._down(now)
            case "host_parked" | "host_stopped":  # until an operator revives it
                self._up, self._down_since = False, None
            case "host_replaced":  # the old generation serves until the new one does
                self._up = False

    def _ready(self, now: float) -> None:
        if self._started is not None:
            self._starting(now - self._started)
        if self._down_since is not None:
            self._recovering(now - self._down_since)
        self._started = self._down_since = None
        self._up = True

    def _down(self, now: float) -> None:
        if self._up and self._down_since is None:
            self._down_since = now
        self._up = False


class HostMetrics:
    """The phases of one host in histograms, and its crashes counted. Any thread may look."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._starts = Histogram()
        self._recoveries = Histogram()
        self._crashes: Counter[str] = Counter()
        self._phases = HostPhases(self._starts.add, self._recoveries.add)

    def change(self, kind: str, facts: Mapping[str, Any], now: float) -> None:
        """The host is in a new state, as `ChildSpec.on_change` tells it."""
        with self._lock:
            self._phases.change(kind, facts, now)
            if kind == "host_crashed":
                self._crashes[str(facts["exit"])] += 1

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        with self._lock:
            return {
                "crashes_by_exit": dict(self._crashes),
                "start_time": self._starts.as_dict(),
                "recovery_time": self._recoveries.as_dict(),
            }
