"""The pump where pipes cannot be polled: threads wait, one for each thing there is to wait for, and this one keeps the order.

What was read before the end comes before the end. The rest is waited for, since nobody can say how much there is: until
both pipes have ended, which they do with the process's family, or until nothing has come for a moment.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .pump import Pumping
from .windows_process import Ended, ThreadedProcess

if TYPE_CHECKING:
    from ..process_tree.watchdog import Watchdog
    from .process import Command, ProcessListener

_QUIET = 0.3
"""Seconds without output after which a pipe that somebody else holds is taken to be empty."""

_LEFT = 1024 * 1024
"""Bytes that an ended process may have left in a pipe; who writes more is somebody else."""


class ThreadsPump(Pumping):
    """Carries by threads that block. See `Pumping`."""

    _process: ThreadedProcess

    def __init__(self, process: ThreadedProcess, listener: ProcessListener) -> None:
        super().__init__(process, listener)
        self._open = True

    def start(self) -> None:
        self._process.begin()
        super().start()

    def _carry(self) -> None:
        process = self._process
        timeout: float | None = None
        while not isinstance(news := process.news.take(timeout), Ended):
            if news is not None:
                self._hear(news)
            if process.deaf:
                self._note_fault("stdin_closed")
            timeout = self._timeout(process.climb())
        process.end_family()
        self._hear_the_rest()

    def _hear(self, data: bytes) -> None:
        if data:
            self._hand_on(data)
        else:
            self._open = False
            self._note_fault("stdout_closed")

    def _hear_the_rest(self) -> None:
        left = _LEFT
        quiet_at = time.monotonic() + _QUIET
        while self._open and left > 0 and (wait := quiet_at - time.monotonic()) > 0:
            news = self._process.news.take(wait)
            if isinstance(news, bytes):
                self._hear(news)
                left -= len(news)
                quiet_at = time.monotonic() + _QUIET

    def _hear_last_words(self) -> None:
        _, stderr, _ = self._process.threads
        stderr.join(_QUIET)


def threaded(
    command: Command, listener: ProcessListener, *, host: str, watchdog: Watchdog | None
) -> tuple[ThreadedProcess, ThreadsPump]:
    """Start a process, to be carried by threads. Raises `HostStartError`."""
    process = ThreadedProcess.spawn(command, host=host, watchdog=watchdog)
    return process, ThreadsPump(process, listener)
