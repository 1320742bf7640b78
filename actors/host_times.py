"""How long a plugin's host takes to start and to recover, and how its lives ended.

*Starting* is from the start of a life until calls reach it. *Recovering* is from the end of a life until
the next one is ready, failed attempts and the waits between them included. A host that waits for an
order by hand is not recovering, and neither is one whose successor takes over from it.
"""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from .histogram import Histogram


class HostTimes:
    """Told of each change of the host's state, as `ChildSpec.on_change` is; any thread may look."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starts = Histogram()
        self._recoveries = Histogram()
        self._crashes: Counter[str] = Counter()
        self._started: float | None = None
        self._down_since: float | None = None
        self._up = False

    def change(self, kind: str, facts: dict[str, Any], now: float) -> None:
        """The host is in a new state; ``kind`` and ``facts`` are those of the event."""
        with self._lock:
            match kind:
                case "host_starting":
                    self._down(now)
                    self._started = now
                case "host_ready":
                    self._ready(now)
                case "host_crashed":
                    self._crashes[str(facts["exit"])] += 1
                    self._up = True  # a life that failed to start is one to recover from too
                    self._down(now)
                case "host_replaced":
                    self._up = False
                case "host_stopped":
                    self._up, self._down_since = False, None
                case "host_backoff" | "host_parked" if facts["seconds"] is not None:
                    self._down(now)
                case "host_parked":
                    self._up, self._down_since = False, None

    def _ready(self, now: float) -> None:
        if self._started is not None:
            self._starts.add(now - self._started)
        if self._down_since is not None:
            self._recoveries.add(now - self._down_since)
        self._started = self._down_since = None
        self._up = True

    def _down(self, now: float) -> None:
        if self._up and self._down_since is None:
            self._down_since = now
        self._up = False

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        with self._lock:
            return {
                "crashes_by_exit": dict(self._crashes),
                "start_time": self._starts.as_dict(),
                "recovery_time": self._recoveries.as_dict(),
            }
