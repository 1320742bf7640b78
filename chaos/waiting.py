"""Waiting for something to come true; nobody sleeps."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Waiter:
    """Waits in real time, and looks when it is nudged."""

    def __init__(self) -> None:
        self._changed = threading.Condition()

    def wait(self, condition: Callable[[], bool], within: float) -> bool:
        """Wait until it holds; False if it does not ``within`` seconds."""
        until = time.monotonic() + within
        with self._changed:
            while not condition():
                left = until - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def nudge(self) -> None:
        """Something has happened: look again. From any thread."""
        with self._changed:
            self._changed.notify_all()
