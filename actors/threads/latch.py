"""How many parts of a host are not gone yet: generations that run, standbys that wait, trees that are being swept.

A host has ended when the supervisor has forgotten it *and* nothing of it is left. The two are not the
same: with a standby the next generation takes over at the end of the process, while its tree is still being swept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable


class Latch:
    """Counts, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._then: Callable[[], None] | None = None

    @property
    def count(self) -> int:
        """How many there are."""
        return self._count

    def more(self) -> None:
        """There is one more."""
        with self._lock:
            self._count += 1

    def less(self) -> None:
        """One is gone; the last one notifies what waits for that."""
        with self._lock:
            self._count -= 1
            then = None if self._count else self._then
        if then is not None:
            then()

    def when_none(self, then: Callable[[], None]) -> None:
        """Have ``then`` called when nothing is left, now or later."""
        with self._lock:
            self._then = then
            now = not self._count
        if now:
            then()
