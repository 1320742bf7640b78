"""The client's half of the tool host protocol, without I/O.

A `Peer` says which request every message of a host belongs to. It owns no pipe, no thread and
no clock: a test feeds it bytes, and any shell can carry it.

    open ──── answer ───▶ ended            (the owner is told)
    open ──── abandon ──▶ abandoned        (its caller has given up; v1 has no cancel)
    abandoned ─ answer ─▶ ended            (the answer is dropped, the slot is free again)

A request that the client notes down is its own, such as one for a description: no call waits for it, it
keeps no host busy, and it is nobody's loss if the host ends before it is answered.

Parts come before the one answer and never after it. An answer to an abandoned request is late,
and so is a part that comes after the end of its request; a second answer is a duplicate, an
answer to an id never asked is unknown: all three are counted and dropped, and harm nobody. A host
that cannot be believed at all (a wrong version, an endless line) comes out as a fatal `Breach`:
what it says after that is not heard, and it should be replaced.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from .wire import (
    MAX_LINE_BYTES,
    BegunEvent,
    ErrorResponse,
    LineSplitter,
    Malformed,
    PartEvent,
    Response,
    StrayLine,
    decode_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Owner = TypeVar("Owner")

_REMEMBERED = 1024
"""Ended ids kept, to tell a duplicate answer from an unknown one."""


class Answered(NamedTuple, Generic[Owner]):
    """The request's answer: its value, and the new state if the host sent one."""

    owner: Owner
    value: Any
    state: dict[str, Any] | None


class Refused(NamedTuple, Generic[Owner]):
    """The request's answer is an error: ``type``, ``detail``, ``stack``."""

    owner: Owner
    error: dict[str, Any]


class PartCame(NamedTuple, Generic[Owner]):
    """A partial result of an open request."""

    owner: Owner
    payload: Any


class Begun(NamedTuple, Generic[Owner]):
    """The tool begins with an open request."""

    owner: Owner


class Released(NamedTuple, Generic[Owner]):
    """An abandoned request has come to its end in the host; nobody wants the answer."""

    owner: Owner


class Noted(NamedTuple):
    """The end of a request that was noted down: the value of its answer, ``None`` if that is an error."""

    hears: Callable[[Any], None]
    value: Any


class Stray(NamedTuple):
    """Output that is no protocol message."""

    text: bytes


class Dropped(NamedTuple):
    """A message nobody waits for: ``late``, ``duplicate`` or ``unknown``."""

    reason: str
    id: str


class Breach(NamedTuple, Generic[Owner]):
    """The host broke the protocol. ``owner`` is whose request it spoiled, if that is known.

    Attributes:
        fatal: nothing that follows can be believed: replace the host.
    """

    reason: str
    detail: str
    owner: Owner | None
    fatal: bool


Event = (
    Answered[Owner]
    | Refused[Owner]
    | PartCame[Owner]
    | Begun[Owner]
    | Released[Owner]
    | Noted
    | Stray
    | Dropped
    | Breach[Owner]
)


class Peer(Generic[Owner]):
    """Correlates the messages of one host life. Not thread-safe: its shell holds a lock.

    Args:
        max_line: the longest line, in bytes.
        max_stray: lines that are no messages and are borne; one more is a breach. ``None`` for any.
        hears: told every line before anything is made of it; on the way of every call.
    """

    def __init__(
        self,
        *,
        max_line: int = MAX_LINE_BYTES,
        max_stray: int | None = None,
        hears: Callable[[bytes], None] | None = None,
    ) -> None:
        self._hears = hears
        self._splitter = LineSplitter(max_line)
        self._max_stray = max_stray
        self._broken = False
        self._open: dict[str, Owner] = {}
        self._abandoned: dict[str, Owner] = {}
        self._noted: dict[str, Callable[[Any], None]] = {}
        self._ended: deque[str] = deque(maxlen=_REMEMBERED)
        self.counts: Counter[str] = Counter()

    def open(self, request_id: str, owner: Owner) -> None:
        """Note that a request is about to be sent; its messages will name ``owner``."""
        self._open[request_id] = owner

    def note(self, request_id: str, hears: Callable[[Any], None]) -> None:
        """Note that a request of the client's own is about to be sent; ``hears`` comes back as `Noted`."""
        self._noted[request_id] = hears

    def abandon(self, request_id: str) -> bool:
        """Give a request up: drop its messages from now on. False if it was not open."""
        owner = self._open.pop(request_id, None)
        if owner is None:
            return False
        self._abandoned[request_id] = owner
        return True

    def withdraw(self, request_id: str) -> bool:
        """Forget a request that could not be sent after all. False if it was not open."""
        self._noted.pop(request_id, None)
        return self._open.pop(request_id, None) is not None

    def lost(self) -> tuple[list[Owner], list[Owner]]:
        """End everything, since the host is gone: the owners of open and of abandoned requests."""
        lost = list(self._open.values()), list(self._abandoned.values())
        self._open.clear()
        self._abandoned.clear()
        return lost

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer; one that was abandoned does not."""
        return bool(self._open)

    @property
    def unfinished(self) -> bytes:
        """The beginning of a line that never ended."""
        return self._splitter.unfinished

    def receive(self, data: bytes) -> list[Event[Owner]]:
        """Take the next bytes of the host's stdout and say what they mean, in order."""
        if self._broken:
            return []
        events: list[Event[Owner]] = []
        for line in self._splitter.feed(data):
            if self._hears is not None:
                self._hears(line)
            event = self._meaning(line)
            events.append(event)
            if isinstance(event, Breach) and event.fatal:
                self._broken = True
                return events
        if self._splitter.overflowed:
            self._broken = True
            self.counts["line_too_long"] += 1
            detail = f"the host sent a line of more than {self._splitter.max_line:,} bytes"
            events.append(Breach("line_too_long", detail, None, fatal=True))
        return events

    def _meaning(self, line: bytes) -> Event[Owner]:
        message = decode_line(line)
        if type(message) is Response:  # nearly always, and a class pattern takes ten times as long
            owner = self._open.pop(message.id, None)
            if owner is None:
                return self._unawaited(message.id, message.value)
            self._ended.append(message.id)
            return Answered(owner, message.value, message.state)
        match message:
            case PartEvent(request_id, payload):
                owner = self._open.get(request_id)
                if owner is not None:
                    return PartCame(owner, payload)
                known = request_id in self._abandoned or request_id in self._ended
                return self._drop("late" if known else "unknown", request_id)
            case ErrorResponse(request_id, error):
                owner = self._open.pop(request_id, None)
                if owner is None:
                    return self._unawaited(request_id)
                self._ended.append(request_id)
                return Refused(owner, error)
            case StrayLine(text):
                self.counts["stray"] += 1
                if self._max_stray is not None and self.counts["stray"] > self._max_stray:
                    detail = f"the host printed more than {self._max_stray:,} lines that are no messages"
                    return Breach("too_many_strays", detail, None, fatal=True)
                return Stray(text)
            case Malformed(reason, detail, request_id):
                return self._breach(reason, detail, request_id)
            case _:
                return self._beside(message.id, begun=isinstance(message, BegunEvent))

    def _beside(self, request_id: str, *, begun: bool) -> Event[Owner]:
        owner = self._open.get(request_id) if begun else None
        return self._drop("ignored", request_id) if owner is None else Begun(owner)

    def _unawaited(self, request_id: str, value: Any = None) -> Event[Owner]:
        hears = self._noted.pop(request_id, None)
        if hears is not None:
            self._ended.append(request_id)
            return Noted(hears, value)
        owner = self._abandoned.pop(request_id, None)
        if owner is not None:
            self.counts["late"] += 1
            self._ended.append(request_id)
            return Released(owner)
        return self._drop("duplicate" if request_id in self._ended else "unknown", request_id)

    def _breach(self, reason: str, detail: str, request_id: str | None) -> Event[Owner]:
        self.counts[reason] += 1
        if reason == "wrong_version" or request_id is None:
            return Breach(reason, detail, None, fatal=True)
        owner = self._open.pop(request_id, None)
        if owner is None:
            return self._unawaited(request_id)
        self._ended.append(request_id)
        return Breach(reason, detail, owner, fatal=False)

    def _drop(self, reason: str, request_id: str) -> Dropped:
        self.counts[reason] += 1
        return Dropped(reason, request_id)
