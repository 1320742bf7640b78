"""Ending something once, however many threads ask for it: one does it, the others wait until it is done.

A thread that is interrupted in the middle leaves it to the next one that asks.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...base.foreign import Log
from ...base.locks import RLock

if TYPE_CHECKING:
    from collections.abc import Iterator

logger: Log = Log("callboard.actors")


class Once:
    """See the module.

    Args:
        what: is ended, for the log.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        # Reentrant: a signal handler may ask in the thread that is just about it, and would wait for itself.
        self._lock = RLock()
        self._busy = False

    @contextmanager
    def turn(self, patience: float) -> Iterator[bool]:
        """Wait until no other thread is about it; true for the one that does it now, be it to find that it is done.

        False if another thread is not done with it after ``patience`` seconds, and at once in the thread that is
        about it already.
        """
        if not self._lock.acquire(timeout=max(0.0, patience)):
            logger.warning("%s is being stopped by another thread, which has not ended", self._what)
            yield False
            return
        try:
            if self._busy:
                yield False
                return
            self._busy = True
            try:
                yield True
            finally:
                self._busy = False
        finally:
            self._lock.release()
