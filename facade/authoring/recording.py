"""What goes between Callboard and its hosts, as values that can be written a line each and read again.

The first line says that it is a recording. Each later one is an `Entry`: a message, a line of stderr, or the beginning or the end
of a life. Secrets are taken out before anybody sees an entry, as from crash reports.
"""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from ..hosts.environment import secrets_of
from ..hosts.redaction import Redactor
from ..plugins.errors import CallboardError, JsonValueError
from ..plugins.json_values import load_json
from ..version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..hosts.process import Command, ProcessExit

Json = dict[str, Any]

VERSION: Final = 1
STARTED, SENT, RECEIVED, STDERR, ENDED = KINDS = ("started", "sent", "received", "stderr", "ended")


class NoRecording(CallboardError):  # noqa: N818 - the state is the message
    """A file is not what `callboard inspect --record` writes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was heard.

    Attributes:
        at: seconds since the recording began.
        host: whose.
        generation: which of its lives.
        kind: one of `KINDS`.
        message: of what was sent or received, if it is JSON; ``None`` otherwise.
        text: what else it is: a line of stderr, a stray line, how the life ended.
    """

    at: float
    host: str
    generation: int
    kind: str
    message: Json | None = None
    text: str = ""

    @property
    def as_json(self) -> Json:
        """The entry, without what is empty."""
        return {key: value for key, value in asdict(self).items() if value not in (None, "")}


def header(source: str) -> Json:
    """The first line of a recording of what is at ``source``."""
    return {"recording": VERSION, "callboard": __version__, "source": source}


def is_recording(line: bytes) -> bool:
    """Whether a file that begins with this line is one."""
    try:
        first = load_json(line)
    except JsonValueError:
        return False
    return isinstance(first, dict) and "recording" in first


def read_recording(lines: Iterable[bytes]) -> list[Entry]:
    """Read a recording.

    Raises:
        NoRecording: it is none, is of a later version, or has a line that is no entry; names the line.
    """
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        if number == 1:
            _check_header(line)
            continue
        try:
            entries.append(_entry(load_json(line)))
        except (JsonValueError, TypeError, ValueError) as error:
            raise NoRecording(f"line {number} is no part of a recording: {error}") from error
    if not entries:
        raise NoRecording("nothing was recorded; 'callboard inspect CONFIG --record FILE' makes recordings")
    return entries


def _check_header(line: bytes) -> None:
    if not is_recording(line):
        raise NoRecording("it is no recording; 'callboard inspect CONFIG --record FILE' makes them")
    version = load_json(line)["recording"]
    if version != VERSION:
        raise NoRecording(f"it is of version {version!r:.20}; this Callboard reads version {VERSION}")


def _entry(value: Any) -> Entry:
    entry = Entry(**value)
    if entry.kind not in KINDS:
        raise ValueError(f"there is no kind {entry.kind!r:.40}")
    if entry.message is not None and not isinstance(entry.message, dict):
        raise ValueError("a message is an object")
    return entry


class Recorder:
    """Makes entries of what taps hear.

    Args:
        hears: given each entry, one at a time, from the threads that hear it.
        now: the time, in seconds.
    """

    def __init__(self, hears: Callable[[Entry], None], now: Callable[[], float]) -> None:
        self._hears = hears
        self._now = now
        self._began = now()
        self._lock = threading.Lock()

    def tap(self, host: str, generation: int, command: Command) -> _LifeTap:
        """The tap of one life."""
        return _LifeTap(self, host, generation, Redactor(secrets_of(command.env)))

    def note(self, host: str, generation: int, kind: str, message: Json | None, text: str) -> None:
        """Make an entry."""
        with self._lock:
            at = round(self._now() - self._began, 6)
            self._hears(Entry(at, host, generation, kind, message, text))


class _LifeTap:
    def __init__(self, recorder: Recorder, host: str, generation: int, redactor: Redactor) -> None:
        self._recorder = recorder
        self._life = host, generation
        self._redactor = redactor
        self._output = b""
        self._errors = b""
        self._note(STARTED)

    def sent(self, line: bytes) -> None:
        """See `Tap`."""
        self._frame(SENT, line)

    def received(self, data: bytes) -> None:
        """See `Tap`."""
        *lines, self._output = (self._output + data).split(b"\n")
        for line in lines:
            self._frame(RECEIVED, line)

    def said(self, data: bytes) -> None:
        """See `Tap`."""
        *lines, self._errors = (self._errors + data).split(b"\n")
        for line in lines:
            self._note(STDERR, self._redactor.text(line.decode("utf-8", "replace")))

    def ended(self, exit_: ProcessExit) -> None:
        """See `Tap`."""
        if self._output:
            self._frame(RECEIVED, self._output)
        if self._errors:
            self._note(STDERR, self._redactor.text(self._errors.decode("utf-8", "replace")))
        self._note(ENDED, exit_.text)

    def _frame(self, kind: str, line: bytes) -> None:
        text = self._redactor.frame(line.decode("utf-8", "replace").rstrip("\r\n"))
        try:
            message = load_json(text)
        except JsonValueError:
            message = None
        if isinstance(message, dict):
            self._recorder.note(*self._life, kind, message, "")
        else:
            self._recorder.note(*self._life, kind, None, text)

    def _note(self, kind: str, text: str = "") -> None:
        self._recorder.note(*self._life, kind, None, text)
