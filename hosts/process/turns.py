"""How a pump that has much to carry gives way to the others. Pure.

All pumps of a program share one interpreter lock, and one that always has something to do lets go of it only when it
is made to, which takes 5 ms each time; a small call of another host needs the lock about three times. So what came
all at once is handed on piece by piece, and a pump that has worked for so long rests as long, with the lock in
nobody's hand. The pipe fills up meanwhile and the host waits: a flood is slowed down where it comes from.

A small message is one piece and hardly any work, and a large one is never cut: neither of them waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE: Final = 2048
"""Bytes of small messages that are handed on at a time: about as much as can be made of in one turn."""

TURN: Final = 0.0005
"""Seconds of work after which a pump gives way."""

REST: Final = 0.0005
"""Seconds that it rests then. Half of the time was measured to be enough: a neighbour's small call takes 1.2 times
what it takes beside an idle host, and 30 to 50 times without a rest."""


def pieces(data: bytes) -> Iterator[bytes]:
    """Cut output into pieces of whole lines, each of about `PIECE` bytes or of one long line; nothing is left out."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + PIECE - 1) + 1 or len(data)
        yield data[start:end]
        start = end


class Turn:
    """How long a pump has worked since it gave way."""

    def __init__(self) -> None:
        self._worked = 0.0

    def over(self, worked: float) -> bool:
        """Whether it has to give way now, after so many further seconds of work."""
        self._worked += worked
        if self._worked < TURN:
            return False
        self._worked = 0.0
        return True
