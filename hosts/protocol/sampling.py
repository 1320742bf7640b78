"""How much is told of what comes without end: a few in each interval, and the number of the others with the next. Pure."""

from __future__ import annotations

from typing import Final

MOST: Final = 100
"""What is told in each interval."""

INTERVAL: Final = 1.0
"""Seconds."""


class Sample:
    """Thins one kind of news. The numbers that it gives add up to all that there was, once `rest` was asked."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._left = 0
        self._held = 0

    def takes(self, now: float) -> bool:
        """Whether news of this moment is told."""
        if self._began is None or now - self._began >= INTERVAL:
            self._began, self._left = now, MOST
        return self._left > 0

    def take(self, count: int, now: float) -> int:
        """Say how many the news stands for that has just come, ``count`` times; 0 if it is not to be told."""
        told = self.takes(now)
        self._held += count
        if not told:
            return 0
        self._left -= 1
        return self.rest()

    def rest(self) -> int:
        """How many were held back; none are from now on."""
        held, self._held = self._held, 0
        return held
