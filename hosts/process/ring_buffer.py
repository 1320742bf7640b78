"""The last bytes of a stream: what stderr said before the end."""

from __future__ import annotations

from collections import deque


class RingBuffer:
    """Keeps the last ``limit`` bytes of what it is fed, and counts all of it."""

    def __init__(self, limit: int = 64 * 1024) -> None:
        self.limit = limit
        self.total = 0
        self._chunks: deque[bytes] = deque()
        self._held = 0

    def feed(self, data: bytes) -> None:
        """Append ``data``, dropping the oldest chunks that are no longer needed."""
        self.total += len(data)
        self._chunks.append(data)
        self._held += len(data)
        while self._chunks and self._held - len(self._chunks[0]) >= self.limit:
            self._held -= len(self._chunks.popleft())

    def tail(self, lines: int = 40) -> str:
        """The last ``lines`` lines as text; a first line that was cut is left out."""
        held = b"".join(self._chunks)
        cut = held[-self.limit :]
        text = cut.decode("utf-8", "replace")
        if len(held) < self.total or len(cut) < len(held):
            text = text.partition("\n")[2] or text
        return "\n".join(text.splitlines()[-lines:])
