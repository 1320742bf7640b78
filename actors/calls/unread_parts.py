"""Parts that wait for their reader: so many, and so many bytes; of more the oldest go, and are counted. Pure."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any, Final

MAX_UNREAD_PARTS: Final = 65_536
"""Parts kept for a caller that does not read them; past that the oldest are dropped and counted."""

MAX_UNREAD_BYTES: Final = 64 * 1024 * 1024
"""Bytes of parts kept, as they came, with 64 more for each array and object of a long one. One part is always kept."""


class UnreadParts(deque[dict[str, Any]]):
    """Chunks in their order. One thread at a time may `keep`; readers take from the left whenever they like."""

    __slots__ = ("_held", "_sizes")

    def __init__(self) -> None:
        super().__init__()
        self._sizes: deque[int] = deque()
        self._held = 0

    def keep(self, chunk: dict[str, Any], size: int) -> int:
        """Put a chunk at the end; return how many of the oldest had to go for it.

        A reader that takes one at the same moment may cost the next one its place; that is counted like the others.
        """
        # Readers take no lock, and note nothing: how many are left says which sizes are gone.
        while len(self._sizes) > len(self):
            self._held -= self._sizes.popleft()
        self._held += size
        self._sizes.append(size)
        self.append(chunk)
        if self._held <= MAX_UNREAD_BYTES and len(self._sizes) <= MAX_UNREAD_PARTS:
            return 0
        return self._drop_the_oldest()

    def _drop_the_oldest(self) -> int:
        dropped = 0
        while len(self._sizes) > 1 and (self._held > MAX_UNREAD_BYTES or len(self._sizes) > MAX_UNREAD_PARTS):
            if len(self) == len(self._sizes):  # else a reader has taken it
                with suppress(IndexError):  # or takes it now
                    self.popleft()
                    dropped += 1
            self._held -= self._sizes.popleft()
        return dropped
