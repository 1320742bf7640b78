"""Records what hosts say on their lines, at the moment at which they say it: the parts of each call, that it has its answer, and malformed lines.

So a caller can be held to it: one that was told a deadline, or a crash, had no answer yet; one that was told a breach of the protocol had a host that
broke it; and one that has read parts has read those that were emitted, in their order. What goes to the hosts is the `Witness`'s affair.

It reads version 1 of our own protocol, and no other: of MCP servers nothing is recorded. A host that has broken the protocol is not heard any more, by the board
neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.json import load_json
from ...base.locks import Lock
from ...hosts.host import Host
from ...hosts.process.transport import ProcessTransport
from ...hosts.translating_host import TranslatingHost
from ..checker.facts import Malformed, PartsRead, Replied

if TYPE_CHECKING:
    from ...actors.calls.call import Call
    from ...hosts.process.process import Command, ProcessListener
    from ...hosts.process.transport import Carry, Transport
    from ...hosts.process_tree.watchdog import Watchdog
    from ..recorder import Recorder

Json = dict[str, Any]

_LONGEST = 1 << 20
"""Bytes of a line; a longer one may be refused for its size, and proves nothing."""

_MOST = 4096
"""Parts of a call; of more, as in a flood, nothing is proved."""


class LineRecord:
    """The record of all generations of one plugin's host, which it shares with no other. Give it to the plugin as its ``carry``.

    Args:
        plugin: whose.
        carry: what starts a generation; a real process if ``None``.
    """

    def __init__(self, plugin: str, carry: Carry | None = None) -> None:
        self._plugin = plugin
        self._carry = carry or ProcessTransport
        self._recorder: Recorder | None = None
        self._is_ours = False
        self._lock = Lock()
        self._parts: dict[str, list[tuple[str, Any]]] = {}

    def begin(self, recorder: Recorder) -> None:
        """Note in this recording, from now on; what its callers read is held to what is emitted."""
        self._recorder = recorder
        recorder.readers[self._plugin] = self.read

    def __call__(
        self, name: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None
    ) -> Transport:
        if isinstance(listener, Host) and not isinstance(listener, TranslatingHost):
            self._is_ours = True
            # In its place, and not around it: those further in have to know the host too.
            listener.on_output = _Line(self, listener).on_output  # type: ignore[method-assign]
        return self._carry(name, command, listener, watchdog)

    def replied(self, call: str, generation: int) -> None:
        """Note that a valid answer to a call has come."""
        if (recorder := self._recorder) is not None:
            recorder.note(Replied(recorder.now(), self._plugin, call, generation))

    def malformed(self, generation: int) -> None:
        """Note that a line has come for which calls may end with ``protocol_error``."""
        if (recorder := self._recorder) is not None:
            recorder.note(Malformed(recorder.now(), self._plugin, generation))

    def emitted(self, call: str, request_id: str, payload: Any) -> None:
        """Note that a part of a call has come."""
        if self._recorder is not None:
            with self._lock:
                parts = self._parts.setdefault(call, [])
                if len(parts) <= _MOST:
                    parts.append((request_id, payload))

    def read(self, name: str, call: Call) -> PartsRead | None:
        """What the caller reads of a call that has ended; ``None`` where nothing can be said of it."""
        with self._lock:
            emitted = self._parts.pop(name, [])
        if self._is_ours and self._recorder is not None:
            self._recorder.overheard.add(self._plugin)
        if not self._is_ours or call.parts_dropped or len(emitted) > _MOST or self._recorder is None:
            return None
        ending = call.result()
        own = ending["success"] or ending.get("code") in {None, "tool_raised", "host_crashed", "invalid_call"}
        numbers, last = numbered(emitted, list(call.parts()))
        return PartsRead(self._recorder.now(), self._plugin, name, numbers, (last or None) if own else None)


def numbered(emitted: list[tuple[str, Any]], read: list[Any]) -> tuple[tuple[int, ...], int]:
    """Number parts that were read, as they were emitted, and say how many there were in the last request. Pure.

    Args:
        emitted: the id of the request and the part, of each in its order; the numbers of each request begin with 1.
        read: the parts that the caller has read. One that was not emitted has the number 0.
    """
    places: list[int] = []
    last = ""
    for request_id, _ in emitted:
        places.append(places[-1] + 1 if places and request_id == last else 1)
        last = request_id
    payloads = [payload for _, payload in emitted]
    found: list[int] = []
    unread = 0
    for part in read:
        place = _place(payloads, part, unread)
        found.append(0 if place is None else places[place])
        unread = unread if place is None else place + 1
    return tuple(found), places[-1] if places else 0


def _place(payloads: list[Any], part: Any, unread: int) -> int | None:
    """The next place of a part, or any."""
    for places in (range(unread, len(payloads)), range(unread)):
        for place in places:
            if payloads[place] == part:
                return place
    return None


class _Line:
    """The line of one generation; all in the thread that reads it."""

    def __init__(self, record: LineRecord, host: Host) -> None:
        self._record = record
        self._host = host
        self._hear = host.on_output
        self._rest = b""
        self._longest = min(_LONGEST, host.max_line)
        self._broken = False
        self._prints = 0

    def on_output(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if not self._broken:
                self._note(line)
        if len(self._rest) >= self._host.max_line and not self._broken:
            self._broken = True
            self._record.malformed(self._host.generation)
        self._hear(data)

    def _note(self, line: bytes) -> None:
        if not _may_be_a_message(line):
            self._prints += 1
            if self._host.max_stray is None or self._prints <= self._host.max_stray:
                return
        message = _read(line) if len(line) < self._longest else None
        match message:
            case None:
                self._record.malformed(self._host.generation)
            case {"v": 1 as version, "id": str(request_id)} if version is not True:
                if not _has_form(message):
                    self._record.malformed(self._host.generation)
                if (call := self._host.call_of(request_id)) is not None:
                    self._note_of_call(message, request_id, call)
            case {"v": _, "id": _}:
                self._broken = True
                self._record.malformed(self._host.generation)
            case _:
                self._record.malformed(self._host.generation)

    def _note_of_call(self, message: Json, request_id: str, call: str) -> None:
        match message:
            case {"event": {"type": "part", "payload": payload}}:
                self._record.emitted(call, request_id, payload)
            case {"ok": True, "result": {"value": dict(), **more}} if isinstance(more.get("state", {}), dict):
                self._record.replied(call, self._host.generation)


def _may_be_a_message(line: bytes) -> bool:
    """Whether a line is no mere print: it begins an object, and may have a key of a message."""
    return line.lstrip().startswith(b"{") and any(mark in line for mark in _MARKS)


_MARKS = (b'"v"', b'"id"', b"\\")
"""One of these is in each message; a backslash may spell a key."""


def _read(line: bytes) -> Json | None:
    """The object that a line is, or ``None``."""
    try:
        message = load_json(line)
    except JsonValueError:
        return None
    return message if isinstance(message, dict) else None


def _has_form(message: Json) -> bool:
    """Whether a message is an answer, an error or an event, as version 1 has them."""
    match message:
        case {"ok": True, "result": {**result}}:
            return isinstance(result.get("state", {}), dict | None)
        case {"ok": False, "error": {}} | {"event": {"type": str()}}:
            return True
    return False
