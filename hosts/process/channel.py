"""What threads that block hand to the one that keeps the order: a short queue that can be ended from either side.

Not the standard library's: whoever waits there for room, or for the next item, cannot be called away.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Generic, TypeVar

from ...base.locks import RLock

_Item = TypeVar("_Item")


class Channel(Generic[_Item]):
    """Items in their order, at most so many at a time. Thread-safe.

    Args:
        limit: how many may wait to be taken.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: deque[_Item] = deque()
        self._changed = threading.Condition(RLock())
        self._called = False
        self._closed = False

    def put(self, item: _Item) -> bool:
        """Hand an item over, once there is room for it; False if nobody takes any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._items) < self._limit)
            if not self._closed:
                self._items.append(item)
                self._changed.notify_all()
            return not self._closed

    def take(self, timeout: float | None) -> _Item | None:
        """The next item; ``None`` after so many seconds without one, or when called away."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._called, timeout)
            self._called = False
            if not self._items:
                return None
            self._changed.notify_all()
            return self._items.popleft()

    def call(self) -> None:
        """Have whoever takes, or is about to, look after something else."""
        with self._changed:
            self._called = True
            self._changed.notify_all()

    def close(self) -> None:
        """Take no more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
