"""Parts that wait for whoever reads them: so many, and so many bytes; of more the oldest go, and are counted. Pure."""

from __future__ import annotations

from collections import deque
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
        """Put a chunk at the end; return how many of the oldest had to go for it."""
        dropped = 0
        self._forget_what_was_read()
        while self and (self._held + size > MAX_UNREAD_BYTES or len(self) >= MAX_UNREAD_PARTS):
            try:
                self.popleft()
            except IndexError:  # a reader was quicker
                break
            dropped += 1
            self._forget_what_was_read()
        self.append(chunk)
        self._sizes.append(size)
        self._held += size
        return dropped

    def _forget_what_was_read(self) -> None:
        # Readers take no lock, and note nothing: how many are left says which sizes are gone.
        while len(self._sizes) > len(self):
            self._held -= self._sizes.popleft()
