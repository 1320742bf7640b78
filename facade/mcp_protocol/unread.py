"""Messages that wait for a client that is slow to read: so many bytes; of more the newest are dropped, and counted. Pure."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, Generic, TypeVar

from ..interop.exact_json import json_text

Item = TypeVar("Item")

_EACH: Final = 256
"""Bytes that are counted for a message beside its text."""


def weight_of_message(params: Any) -> int:
    """Bytes that it takes to keep a message, about."""
    return len(json_text(params)) + _EACH


class Unread(Generic[Item]):
    """See the module. One that is dropped is the first of a gap: all are, until those that wait have been read.

    Attributes:
        held: bytes that wait.
    """

    def __init__(self) -> None:
        self._items: deque[tuple[Item, int]] = deque()
        self._lost = 0
        self.held: int = 0

    def __bool__(self) -> bool:
        return bool(self._items) or self._lost > 0

    def add(self, item: Item, size: int, most: int) -> bool:
        """Put an item of so many bytes at the end, unless more than ``most`` would wait then; False if it is dropped."""
        if self._lost or (self._items and self.held + size > most):
            self._lost += 1
            return False
        self._items.append((item, size))
        self.held += size
        return True

    def lose(self, count: int) -> None:
        """Count what was dropped elsewhere."""
        self._lost += count

    def take(self) -> Item | None:
        """The next one; ``None`` if there is none, and then what was dropped comes next: see `gap`."""
        if not self._items:
            return None
        item, size = self._items.popleft()
        self.held -= size
        return item

    def gap(self) -> int:
        """How many were dropped since this was asked last."""
        lost, self._lost = self._lost, 0
        return lost
