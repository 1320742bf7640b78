"""Making a recording: what is heard of hosts, as entries without secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.errors import JsonValueError
from ..base.json import load_json
from ..base.locks import Lock
from ..hosts.report.crash_report import redactor_of
from ..version import __version__
from .recording_format import ENDED, RECEIVED, SENT, STARTED, STDERR, VERSIONS, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..hosts.process.process import Command, ProcessExit
    from ..hosts.report.redaction import Redactor

Json = dict[str, Any]


def header(source: str) -> Json:
    """The first line of a recording of what is at ``source``."""
    return {"recording": VERSIONS.newest, "callboard": __version__, "source": source}


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
        self._lock = Lock()

    def tap(self, host: str, generation: int, command: Command) -> _GenerationTap:
        """The tap of one generation."""
        return _GenerationTap(self, host, generation, redactor_of(command))

    def note(self, host: str, generation: int, kind: str, message: Json | None, text: str) -> None:
        """Make an entry."""
        with self._lock:  # across the listener: entries reach it in the order of their times
            at = round(self._now() - self._began, 6)
            self._hears(Entry(at, host, generation, kind, message, text))


class _GenerationTap:
    def __init__(self, recorder: Recorder, host: str, generation: int, redactor: Redactor) -> None:
        self._recorder = recorder
        self._generation = host, generation
        self._redactor = redactor
        self._output = b""
        self._errors = b""
        self._note(STARTED)

    def sent(self, line: bytes) -> None:
        self._frame(SENT, line)

    def received(self, data: bytes) -> None:
        *lines, self._output = (self._output + data).split(b"\n")
        for line in lines:
            self._frame(RECEIVED, line)

    def said(self, data: bytes) -> None:
        *lines, self._errors = (self._errors + data).split(b"\n")
        for line in lines:
            self._note(STDERR, self._redactor.text(line.decode("utf-8", "replace")))

    def ended(self, exit_: ProcessExit) -> None:
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
            self._recorder.note(*self._generation, kind, message, "")
        else:
            self._recorder.note(*self._generation, kind, None, text)

    def _note(self, kind: str, text: str = "") -> None:
        self._recorder.note(*self._generation, kind, None, text)
