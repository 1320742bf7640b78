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
from typing import TYPE_CHECKING, Any, NoReturn, Self

from rich.console import Console

from ..plugins.errors import CallboardError
from ..plugins.json_values import dump_json

if TYPE_CHECKING:
    from collections.abc import Callable

_IN, _OUT, _ERR = 0, 1, 2

_LOGGER = logging.getLogger("callboard")


class OutputLost(CallboardError):  # noqa: N818 - what is lost is the output
    """The output cannot be written: the disk is full, say. A reader that has gone is a `BrokenPipeError` instead."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write the output: {error.strerror}")


class Streams:
    """The streams, from ``with`` to its end.

    Args:
        as_json: the output is not for people, whatever stdout is.

    Attributes:
        stdin, stdout: descriptors that nobody else knows.
        people: stdout is a terminal, and nobody asked for JSON.
        console: for people. No markup is read from what tools say, and nothing in it coloured by guess.
    """

    stdin: int
    stdout: int
    people: bool
    console: Console

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def __enter__(self) -> Self:
        self.stdin, self.stdout = os.dup(_IN), os.dup(_OUT)
        _flush()
        os.dup2(_ERR, _OUT)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, _IN)
        os.close(nothing)
        self.people = os.isatty(self.stdout) and not self._as_json
        raw = io.BufferedWriter(_Out(self.stdout, "w", closefd=False))
        self._file = io.TextIOWrapper(raw, encoding="utf-8", errors="replace")
        self.console = Console(file=self._file, markup=False, highlight=False, emoji=False)
        self._lines = LineWriter(self.stdout, _raise)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(BrokenPipeError):  # whoever read has seen enough
            self._file.close()
        _flush()
        os.dup2(self.stdin, _IN)
        os.dup2(self.stdout, _OUT)
        os.close(self.stdin)
        os.close(self.stdout)

    def print_json(self, value: Any) -> None:
        """Write a value as a line of NDJSON.

        Raises:
            BrokenPipeError: nobody reads any more.
            OutputLost: it cannot be written for another reason.
        """
        self._lines.write(value)


class LineWriter:
    """Writes JSON values to a descriptor, one a line, whole lines only. Thread-safe.

    Without a buffer: a line is out when it is written, and a reader that went away is heard of at
    once. A slow reader makes its callers wait, which is what keeps an endless run within its memory.

    Args:
        descriptor: where to.
        on_broken: told once, with the error, when writing has failed. What is written after that is dropped.
    """

    def __init__(self, descriptor: int, on_broken: Callable[[OSError], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._broken = False

    def write(self, value: Any) -> None:
        """Write one value; returns when all of it is out."""
        line = memoryview(dump_json(value) + b"\n")
        with self._lock:
            while line and not self._broken:
                try:
                    line = line[os.write(self._descriptor, line) :]
                except BlockingIOError:  # somebody who shares the pipe has made it so
                    select.select([], [self._descriptor], [])
                except OSError as error:
                    self._broken = True
                    self._on_broken(error)


def open_missing_streams() -> None:
    """Open what the process was started without: the next file to be opened would be taken for it."""
    for descriptor in (_IN, _OUT, _ERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def complain(sentence: str) -> None:
    """Say what went wrong, on stderr."""
    if sys.stderr is not None:
        sys.stderr.write(f"callboard: {sentence}\n")
        sys.stderr.flush()


def warn_on_stderr() -> None:
    """Have the house's warnings said on stderr, a sentence each."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("callboard: %(message)s"))
    _LOGGER.addHandler(handler)


def tell_progress() -> None:
    """On a terminal, have it told what is fetched, installed and built: it may take minutes."""
    if sys.stderr is not None and sys.stderr.isatty():
        logging.getLogger("callboard.packages").setLevel(logging.INFO)


def warn_no_more() -> None:
    """Say no more warnings: nobody reads the answers, and what is given up for that needs no words."""
    for handler in _LOGGER.handlers:
        handler.setLevel(logging.CRITICAL)


def _flush() -> None:
    """What was printed before goes where it was printed to."""
    if sys.stdout is not None:
        sys.stdout.flush()


class _Out(io.FileIO):
    """Says of what cannot be written that it is the output, whoever prints."""

    def write(self, data: Any) -> Any:
        """Write, as a file does."""
        try:
            return super().write(data)
        except OSError as error:
            _raise(error)


def _raise(error: OSError) -> NoReturn:
    if isinstance(error, BrokenPipeError):
        raise error
    raise OutputLost(error) from error
