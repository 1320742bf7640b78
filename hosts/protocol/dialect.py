"""Another protocol than ours, which a program speaks: what goes out is written in it, what comes in is read from it.

All above the lines stays as it is. A dialect is asked to write the requests of version 1 of our protocol, and says of the
program's lines which messages of version 1 they are. It may also have something to say of its own: a reply that
the other protocol wants, an answer that nobody over there gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .wire import Message


class Dialect(Protocol):
    """The protocol of one life of a host. Not thread-safe: its shell holds a lock."""

    def encode(self, request_id: str, method: str, params: dict[str, Any]) -> bytes:
        """The lines that ask it; none if it is asked later, or nobody over there has to be asked.

        Raises:
            JsonValueError: ``params`` holds something that is not JSON.
        """

    def decode(self, line: bytes) -> Sequence[Message]:
        """What a line means, without its newline; a print is a `StrayLine`. Raises nothing."""

    def take(self) -> tuple[bytes, Sequence[Message]]:
        """What else is to be written, and what else is to be heard, since this was asked last."""
