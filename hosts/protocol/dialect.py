"""Another protocol than ours, which a program speaks: what goes out is written in it, what comes in is read from it.

All above the lines stays as it is. A dialect is asked to write the requests of version 1 of our protocol, and says of the
program's lines which messages of version 1 they are. It may also have something to say of its own: a reply that
the other protocol wants, an answer that nobody over there gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from .peer import Peer, thinned
from .peer_events import Answered, Noted
from .wire import ErrorResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .input_request import SpeaksThrough
    from .listeners import RequestOwner
    from .peer_events import Event
    from .wire import Message


class Aside(NamedTuple):
    """What a program says beside its answers.

    Attributes:
        hears: told it, with the ids of those calls whose requests are open; not under the lock.
        request_ids: of the requests in which it may have been said.
        value: what is said.
    """

    hears: Callable[[tuple[tuple[str, ...], Any]], None]
    request_ids: tuple[str, ...]
    value: Any


class Dialect(Protocol):
    """The protocol of one generation of a host. Not thread-safe: its shell holds a lock, but for ``has_more``.

    Attributes:
        given_up: the requests that were cancelled and not answered, since the program has answered a call; for the board each has ended.
    """

    given_up: set[str]

    @property
    def has_more(self) -> bool:
        """Whether there is anything to `take`."""

    def begin(self, host: SpeaksThrough) -> None:
        """Its host, by which answers to what the program asks come back; once, before all else."""

    def end(self) -> None:
        """The program has ended: nothing that it has asked for is awaited any more."""

    def encode(self, request_id: str, method: str, params: dict[str, Any]) -> bytes:
        """The lines that ask it; none if it is asked later, or nobody over there has to be asked.

        Raises:
            JsonValueError: ``params`` holds something that is not JSON.
        """

    def forget(self, request_id: str) -> None:
        """A request was encoded and is not sent: its lines are too long."""

    def decode(self, line: bytes) -> Sequence[Message | Aside]:
        """What a line means, without its newline; a print is a `StrayLine`. Raises nothing."""

    def take(self) -> tuple[bytes, Sequence[Message]]:
        """What else is to be written, and what else is to be heard, since this was asked last."""


class TranslatingPeer(Peer["RequestOwner"]):
    """A `Peer` of a host that speaks another protocol; its lines are never what ours are, so none is judged unread.

    Args:
        dialect: reads them.

    Attributes:
        dialect: the same.
    """

    def __init__(self, dialect: Dialect, **options: Any) -> None:
        super().__init__(**options)
        self.dialect = dialect

    def take(self) -> tuple[bytes, list[Event[RequestOwner]]]:
        """What the dialect wants written, and what it says by itself, and to whom."""
        lines, messages = self.dialect.take()
        return lines, [self._sorted(message) for message in messages]

    def _sorted(self, message: Message | Aside, line: bytes = b"") -> Event[RequestOwner]:
        if type(message) is not Response:
            if isinstance(message, Aside):
                owners = (self._open.get(each) for each in message.request_ids)
                calls = tuple(owner.call_id for owner in owners if owner is not None)
                return Noted(message.hears, (calls, message.value))
            if type(message) is ErrorResponse and (refused := self._open.get(message.id)) is not None:
                refused.raw = message.raw
            return self._meaning_of_others(message, line)
        owner = self._open.pop(message.id, None)
        if owner is None:
            return self._unawaited(message.id, message.value)
        owner.raw = message.raw
        self._ended.append(message.id)
        return Answered(owner, message.value, message.state)

    def _read(self, lines: Iterable[bytes]) -> list[Event[RequestOwner]]:
        events: list[Event[RequestOwner]] = []
        for line in lines:
            if self._hears is not None:
                self._hears(line)
            for message in self.dialect.decode(line):
                events.append(self._sorted(message, line))  # noqa: PERF401 - in a comprehension of each line it takes longer
            if self._broken:
                break
        return events

    def _sort(self, lines: list[bytes]) -> list[Event[RequestOwner]]:
        self._noisy = False
        events = self._read(lines)
        return thinned(events) if self._noisy else events
