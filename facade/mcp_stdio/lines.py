"""Lines of a client out of what was read of it, in any chunking. Pure.

A line that is too long is not kept: its beginning is handed out once, for who has sent it, and the next line begins behind its newline.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..hosts.protocol.wire import MAX_LINE_BYTES

_KEPT: Final = 1024
_LARGE: Final = 16 * 1024


class TooLong(NamedTuple):
    """The beginning of a line that is longer than any may be."""

    beginning: bytes


class Lines:
    """See the module.

    Args:
        longest: bytes of a line, without its newline.

    Attributes:
        longest: as given.
    """

    def __init__(self, longest: int = MAX_LINE_BYTES) -> None:
        self.longest: int = longest
        self._parts: list[bytes] = []
        self._held = 0
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes | TooLong]:
        """Take the next bytes; return the lines that they complete."""
        found: list[bytes | TooLong] = []
        start = 0
        if len(data) < _LARGE and not self._parts and not self._skipping and data.endswith(b"\n"):
            found += data.split(b"\n")
            found.pop()
            return found if len(data) <= self.longest else [self._bounded(each) for each in found]
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end], found)
            start = end + 1
            if not self._skipping:
                found.append(self._taken())
            self._skipping = False
        if start < len(data):
            self._keep(data[start:] if start else data, found)
        return found

    def end(self) -> list[bytes | TooLong]:
        """Nothing more comes; return what was read of a last line."""
        return [self._taken()] if self._parts else []

    def _keep(self, part: bytes, found: list[bytes | TooLong]) -> None:
        if self._skipping:
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > self.longest:
            found.append(TooLong(self._taken()[:_KEPT]))
            self._skipping = True

    def _taken(self) -> bytes:
        line = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._held = 0
        return line

    def _bounded(self, line: bytes | TooLong) -> bytes | TooLong:
        assert isinstance(line, bytes)
        return line if len(line) <= self.longest else TooLong(line[:_KEPT])
