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
that cannot be believed at all (a wrong version, an endless line, a message that holds too much) comes
out as a fatal `Breach`: what it says after that is not heard, and it should be replaced.

Of a host that floods us with what nobody waits for, prints and dropped messages that follow each other come
out as one; and what need not be read to be dropped is not.
"""

from __future__ import annotations

from collections import Counter, deque
from itertools import groupby
from typing import TYPE_CHECKING, Any, Generic

from ...base.json_size import weight_of
from .peer_events import (
    Answered,
    Begun,
    Breach,
    Dropped,
    Noted,
    Owner,
    PartCame,
    Refused,
    Released,
    Stray,
)
from .wire import (
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    BegunEvent,
    ErrorResponse,
    LineSplitter,
    Malformed,
    PartEvent,
    Response,
    StrayLine,
    Unversioned,
    decode_line,
    decode_short_line,
    is_print,
    seems_a_part_of,
    seems_to_answer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .peer_events import Event
    from .wire import Message

_REMEMBERED = 1024
"""Ended ids kept, to tell a duplicate answer from an unknown one."""

_CROWD = 16
"""Lines that come together and are more than a few."""

_LONG = 4096
"""Bytes of a line from which on it is worth a look at its beginning whether anybody waits for it."""


class Peer(Generic[Owner]):
    """Correlates the messages of one host generation. Not thread-safe: its shell holds a lock.

    Args:
        max_line: the longest line, in bytes.
        max_stray: lines that are no messages and are borne; one more is a breach. ``None`` for any.
        hears: told every line before anything is made of it, but of a flood of prints one for many; on the way of
            every call.
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
        self._last_looked_up: str | None = None
        self._looked_up: frozenset[str] = frozenset()
        self._noisy = False
        self.counts: Counter[str] = Counter()

    def open(self, request_id: str, owner: Owner) -> None:
        """Note that a request is about to be sent; its messages will name ``owner``."""
        self._open[request_id] = owner

    def note(self, request_id: str, hears: Callable[[Any], None]) -> None:
        """Note that a request of the client's own is about to be sent; ``hears`` comes back as `Noted`."""
        self._noted[request_id] = hears

    def owner(self, request_id: str) -> Owner | None:
        """Whose request it is; ``None`` once it has ended."""
        return self._open.get(request_id) or self._abandoned.get(request_id)

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
        lines = self._splitter.feed(data)
        # Sorted only after noise: it costs a part of what messages do.
        events = self._sort(lines) if self._noisy and len(lines) > _CROWD else self._read(lines)
        if self._splitter.overflowed and not self._broken:
            self.counts["line_too_long"] += 1
            limit = self._splitter.max_line
            detail = f"the host sent a line of more than {limit:,} bytes"
            events.append(self._fatal("line_too_long", detail, {"limit": limit}))
        return events

    def _read(self, lines: Iterable[bytes]) -> list[Event[Owner]]:
        events: list[Event[Owner]] = []
        for line in lines:
            if self._hears is not None:
                self._hears(line)
            events.append(self._meaning(line))
            if self._broken:
                break
        return events

    def _sort(self, lines: list[bytes]) -> list[Event[Owner]]:
        """As `_read`, of a host that may be flooding us."""
        self._noisy = False  # until it is again
        events: list[Event[Owner]] = []
        for printed, group in groupby(lines, is_print):
            if printed:
                first, *more = group
                if self._hears is not None:
                    self._hears(first)
                events.append(self._stray(first, more))
            else:
                for line, same in groupby(group):
                    events += self._repeated(line, sum(1 for _ in same))
                    if self._broken:
                        break
            if self._broken:
                break
        return thinned(events) if self._noisy else events

    def _repeated(self, line: bytes, times: int) -> list[Event[Owner]]:
        """What a message means that comes so many times in a row."""
        events = self._read([line])
        if times == 1 or self._broken:
            return events
        (first,) = events
        if type(first) is not Dropped:
            return events + self._read([line] * (times - 1))
        self.counts[first.reason] += times - 1
        return [first._replace(times=times)]

    def _meaning(self, line: bytes) -> Event[Owner]:
        if len(line) <= _LONG:
            message = decode_short_line(line)
        elif (unheard := self._unheard(line)) is not None:
            return unheard
        else:
            message = decode_line(line)
        if type(message) is Response:  # nearly always, and a class pattern takes ten times as long
            owner = self._open.pop(message.id, None)
            if owner is None:
                return self._unawaited(message.id, message.value)
            self._ended.append(message.id)
            return Answered(owner, message.value, message.state)
        return self._meaning_of_others(message, line)

    def _meaning_of_others(self, message: Message, line: bytes) -> Event[Owner]:
        if type(message) is PartEvent:  # a call may have very many
            owner = self._open.get(message.id)
            if owner is not None:
                return PartCame(owner, message.payload, weight_of(line))
            return self._late_part(message.id)
        match message:
            case ErrorResponse(request_id, error):
                owner = self._open.pop(request_id, None)
                if owner is None:
                    return self._unawaited(request_id)
                self._ended.append(request_id)
                return Refused(owner, error)
            case StrayLine(text):
                return self._stray(text)
            case Unversioned(request_id, text):
                awaited = self.owner(request_id) is not None or request_id in self._noted
                breach = Malformed("wrong_shape", _NO_VERSION, request_id)
                return self._breach(breach) if awaited else self._stray(text)
            case Malformed():
                return self._breach(message)
            case _:
                return self._beside(message.id, begun=isinstance(message, BegunEvent))

    def _unheard(self, line: bytes) -> Event[Owner] | None:
        """What becomes of a long line that nobody waits for, without reading it; ``None`` of any other."""
        if (request_id := seems_to_answer(line)) is not None:
            awaited = request_id in self._open or request_id in self._noted
            return None if awaited else self._unawaited(request_id)
        if (request_id := seems_a_part_of(line)) is not None and request_id not in self._open:
            return self._late_part(request_id)
        return None

    def _late_part(self, request_id: str) -> Dropped:
        known = request_id in self._abandoned or self._has_ended(request_id)
        return self._drop("late" if known else "unknown", request_id)

    def _stray(self, text: bytes, more: Sequence[bytes] = ()) -> Event[Owner]:
        self._noisy = True
        self.counts["stray"] += 1 + len(more)
        if self._max_stray is not None and self.counts["stray"] > self._max_stray:
            detail = f"the host printed more than {self._max_stray:,} lines that are no messages"
            return self._fatal("too_many_strays", detail, {"limit": self._max_stray})
        return Stray(text, more)

    def _has_ended(self, request_id: str) -> bool:
        # Noting an end is on the way of every call, so it is a list that is noted in; but to look through that for each
        # of a flood of duplicates takes longer than to read them.
        if self._ended and self._ended[-1] is not self._last_looked_up:
            self._last_looked_up = self._ended[-1]
            self._looked_up = frozenset(self._ended)
        return request_id in self._looked_up

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
        return self._drop("duplicate" if self._has_ended(request_id) else "unknown", request_id)

    def _breach(self, message: Malformed) -> Event[Owner]:
        reason, detail, request_id, facts = message
        self.counts[reason] += 1
        if reason in _FATAL or request_id is None:
            return self._fatal(reason, detail, facts)
        owner = self._open.pop(request_id, None)
        if owner is None:
            return self._unawaited(request_id)
        self._ended.append(request_id)
        return Breach(reason, detail, owner, fatal=False)

    def _fatal(self, reason: str, detail: str, facts: dict[str, int] | None) -> Breach[Owner]:
        self._broken = True
        return Breach(reason, detail, None, fatal=True, facts=facts)

    def _drop(self, reason: str, request_id: str) -> Dropped:
        self._noisy = True
        self.counts[reason] += 1
        return Dropped(reason, request_id)


_FATAL = {"wrong_version", "too_many_values"}
_NO_VERSION = f"the host answered without 'v', the version of the protocol; it has to say {PROTOCOL_VERSION}"


def thinned(events: list[Event[Owner]]) -> list[Event[Owner]]:
    """Make one of the messages in a row that were dropped for one reason."""
    kept: list[Event[Owner]] = []
    for reason, group in groupby(events, lambda event: event.reason if type(event) is Dropped else None):
        if reason is None:
            kept += group
        else:
            alike = [event for event in group if isinstance(event, Dropped)]
            kept.append(alike[-1]._replace(times=sum(event.times for event in alike)))
    return kept
