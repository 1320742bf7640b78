"""News from any thread for one reader, who waits for it or awaits it."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

from ...actors.calls.waiting import wait_until
from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")


class Inbox(Generic[Item]):
    """See the module. What was put first comes first."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()
        self._lock = Lock()
        self._woken: Callable[[], None] | None = None

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Put an item in. Never blocks; for any thread."""
        with self._lock:
            self._items.append(item)
            woken, self._woken = self._woken, None
        if woken is not None:
            woken()

    def get(self) -> Item:
        """Take the next item; wait until there is one."""
        while not self._items:
            gate = threading.Lock()
            gate.acquire()
            if self._register(gate.release):
                gate.acquire()
        return self._items.popleft()

    async def get_async(self) -> Item:
        """Take the next item; await it."""
        while not self._items:
            await wait_until(self._register, self._forget)
        return self._items.popleft()

    def _register(self, woken: Callable[[], None]) -> bool:
        """False when there is nothing to wait for."""
        with self._lock:
            if self._items:
                return False
            self._woken = woken
            return True

    def _forget(self, woken: Callable[[], None]) -> None:
        with self._lock:
            if self._woken == woken:
                self._woken = None
