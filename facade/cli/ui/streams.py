"""The standard streams of a command: stdout is the command's alone, and so is stdin.

A Python tool runs in this process, and one `print` of it in the middle of NDJSON would cost a line. So
the descriptors are taken away before any plugin is loaded: what prints to stdout prints to stderr then,
and what reads from stdin reads nothing.
"""

from __future__ import annotations

import io
import logging
import os
import select
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from ...base.errors import CallboardError
from ...base.json import dump_json
from ...base.locks import Lock
from ...plugins.hooks.visible_text import is_plain
from .console import LogFormat, SafeConsole, one_sentence
from .text import escaped

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

_IN, _OUT, _ERR = 0, 1, 2

_LOGGER = logging.getLogger("callboard")


_WIDE = 10_000
"""Columns of a line that is not for a terminal: nothing in it is cut."""


class OutputLost(CallboardError):
    """The output cannot be written: the disk is full, say."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write the output: {error.strerror}")


class ReaderGone(CallboardError):
    """The reader of the output is gone, as after ``| head``: there is nothing left to do or to say."""

    def __init__(self) -> None:
        super().__init__("nobody reads the output any more")


class Streams:
    """The streams, from ``with`` to its end.

    Output that cannot be written raises `ReaderGone` or `OutputLost` in the main thread, at the latest at the end of
    the ``with``. In any other thread it is dropped: a host that is heard there is not to suffer for it.

    Args:
        as_json: the output is NDJSON; else it is text, whatever stdout is.

    Attributes:
        stdin, stdout: descriptors that no other code knows.
        people: text is written.
        terminal: text is written, and to a terminal: a picture may be drawn, and lines fit its width.
        console: for people; it cleans what it writes.
    """

    stdin: int
    stdout: int
    people: bool
    terminal: bool
    console: SafeConsole

    def __init__(self, *, as_json: bool) -> None:
        self.people = not as_json
        self._when_lost: Callable[[CallboardError], None] = lambda _: None
        self._lost: CallboardError | None = None

    def __enter__(self) -> Self:
        self.stdin, self.stdout = os.dup(_IN), os.dup(_OUT)
        _flush()
        os.dup2(_ERR, _OUT)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, _IN)
        os.close(nothing)
        self.terminal = self.people and os.isatty(self.stdout)
        raw = io.BufferedWriter(_Out(self.stdout, self._lose))
        self._file = io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
        width = None if self.terminal or os.environ.get("COLUMNS") else _WIDE
        self.console = SafeConsole(self._file, width=width)
        self._lines = LineWriter(self.stdout, self._lose)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        with suppress(ReaderGone, OutputLost):  # which is noted
            self._file.close()
        _flush()
        os.dup2(self.stdin, _IN)
        os.dup2(self.stdout, _OUT)
        os.close(self.stdin)
        os.close(self.stdout)
        if error is None and self._lost is not None:
            raise self._lost

    def print_json(self, value: Any) -> None:
        """Write a value as a line of NDJSON.

        Raises:
            ReaderGone: the reader is gone.
            OutputLost: it cannot be written for another reason.
        """
        self._lines.write(value)
        if self._lost is not None:
            self._lose(None)

    def when_lost(self, hears: Callable[[CallboardError], None]) -> None:
        """Have it told, once and from any thread, that output cannot be written; for who waits for something else."""
        self._when_lost = hears
        if self._lost is not None:
            hears(self._lost)

    def _lose(self, error: OSError | None) -> None:
        """Note that nothing can be written any more."""
        if self._lost is None and error is not None:
            self._lost = ReaderGone() if isinstance(error, BrokenPipeError) else OutputLost(error)
            self._when_lost(self._lost)
        if self._lost is not None and threading.current_thread() is threading.main_thread():
            raise self._lost


class LineWriter:
    """Writes JSON values to a descriptor, one a line, whole lines only. Thread-safe.

    The lines are exact, and clean: what would give a terminal orders is escaped as JSON has it.

    Without a buffer: a line is out when it is written, and a reader that went away is heard of at
    once. A slow reader makes its callers wait, which is what keeps an endless run within its memory.

    Args:
        descriptor: where to.
        on_broken: told once, with the error, when writing has failed. What is written after that is dropped.
    """

    def __init__(self, descriptor: int, on_broken: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._lock = Lock()
        self._broken = False

    def write(self, value: Any) -> None:
        """Write one value; returns when all of it is out."""
        line = memoryview(_clean(dump_json(value)) + b"\n")
        failed = None
        with self._lock:  # across the writing: a line is whole, whichever thread writes it
            while line and not self._broken:
                try:
                    line = line[os.write(self._descriptor, line) :]
                except BlockingIOError:  # a program that shares the pipe has made it so
                    select.select([], [self._descriptor], [])
                except OSError as error:
                    self._broken, failed = True, error
        if failed is not None:  # after the lock: what is told may write itself
            self._on_broken(failed)


def _clean(line: bytes) -> bytes:
    """A JSON text without what a terminal would take as an order; JSON itself has escaped all of C0."""
    if line.isascii() and b"\x7f" not in line:
        return line
    text = line.decode()
    return line if is_plain(text) else escaped(text).encode()


def open_missing_streams() -> None:
    """Open what the process was started without: the next file to be opened would be taken for it."""
    for descriptor in (_IN, _OUT, _ERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def drop_unread() -> None:
    """Drop what cannot be written: Python would try again as it ends, complain, and end with a status of its own."""
    for descriptor, stream in ((_OUT, sys.stdout), (_ERR, sys.stderr)):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, descriptor)
            os.close(nothing)


def complain(sentence: str) -> None:
    """Say what went wrong, on stderr, as the log is written; without a reader it is lost."""
    if sys.stderr is not None:
        log_format = _LOGGER.handlers[0].formatter if _LOGGER.handlers else None
        record = logging.LogRecord("callboard", logging.ERROR, "", 0, "%s", (sentence,), None)
        line = one_sentence(sentence) if log_format is None else log_format.format(record)
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def warn_on_stderr() -> None:
    """Have Callboard's warnings said on stderr, a sentence each."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormat())
    _LOGGER.addHandler(handler)


def log_as_json() -> None:
    """Have warnings, and what `complain` is told, said as JSON, an object a line."""
    from ...exporters.json_log import JsonFormatter  # noqa: PLC0415 - most commands write no such log

    for handler in _LOGGER.handlers:
        handler.setFormatter(JsonFormatter())


def tell_progress() -> None:
    """On a terminal, have it told what is fetched, installed and built: it may take minutes."""
    if sys.stderr is not None and sys.stderr.isatty():
        logging.getLogger("callboard.packages").setLevel(logging.INFO)


def warn_no_more() -> None:
    """Say no more warnings: the reader of the answers is gone, and what is cancelled for that needs no words."""
    for handler in _LOGGER.handlers:
        handler.setLevel(logging.CRITICAL)


def _flush() -> None:
    """What was printed before goes where it was printed to."""
    if sys.stdout is not None:
        sys.stdout.flush()


class _Out(io.RawIOBase):
    """A descriptor; who gave it is told what cannot be written, and that is dropped unless he raises."""

    def __init__(self, descriptor: int, on_broken: Callable[[OSError], None]) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._on_broken = on_broken

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """So that `isatty` can be asked."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write, as a file does."""
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:  # a program that shares the pipe has made it so
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._on_broken(error)
                return len(data)
