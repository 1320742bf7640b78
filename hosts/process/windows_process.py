"""A host process whose pipes block, for systems where they cannot be polled: each has a thread that waits for it.

A descriptor is closed by the thread that waits on it, and by nobody else: its number may be somebody else's by the time
that the thread comes back to it. So one that a stranger keeps open is kept as long as the stranger does.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import HostGone
from .channel import Channel
from .exit_watch import await_end
from .process import HostProcess
from .pump import Pumping
from .read import BITE, read_on

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..process_tree.group import Leader
    from ..process_tree.watchdog import Watchdog
    from .process import Command, ProcessListener

_AHEAD = 16
"""Bites of stdout that may wait for the listener."""


class Ended:
    """Comes after the output that was heard of before the end."""


class ThreadedProcess(HostProcess):
    """See the module, and `HostProcess`.

    Attributes:
        news: bites of stdout, empty at its end, and `Ended`.
        threads: those that wait for stdout, stderr and the end.
    """

    def __init__(self, leader: Leader, host: str, watchdog: Watchdog | None) -> None:
        super().__init__(leader, host, watchdog)
        self.news: Channel[bytes | Ended] = Channel(_AHEAD)
        self.threads: list[threading.Thread] = []
        self._takes = True
        self._backlog: deque[memoryview] = deque()
        self._took: bytes | None = None
        self._changed = threading.Condition(self._lock)
        self._writer: threading.Thread | None = None

    def prepare(self) -> None:
        """See `HostProcess`."""

    def begin(self) -> None:
        """Have the threads wait. Raises `RuntimeError`: the machine has no thread left."""
        stdout, stderr = self.popen.stdout, self.popen.stderr
        assert stdout is not None
        assert stderr is not None
        for what, wait in (
            ("stdout", lambda: read_on(stdout, self.news.put)),
            ("stderr", lambda: read_on(stderr, self._hear)),
            ("end", self._await_end),
        ):
            self.threads.append(self._start(what, wait))
        self._writer = self._start("stdin", self._write_on)

    @property
    def took(self) -> bytes | None:
        return self._took

    def write(self, data: bytes) -> None:
        """See `HostProcess`. That stdin was closed is known once something could not be written."""
        with self._lock:
            if not self._takes:
                raise HostGone(f"host {self.host!r} takes no more", host=self.host)
            self._took = data
            self._backlog.append(memoryview(data))
            self._changed.notify()

    def close(self) -> None:
        self.news.close()
        with self._lock:
            self._close_stdin()
        # The streams that no thread waits for.
        for stream in (self.popen.stdout, self.popen.stderr)[len(self.threads) :]:
            assert stream is not None
            stream.close()
        if self._writer is None:
            self._let_go_of_stdin()
        self._group.close()

    # With the lock held.

    def _wake(self) -> None:
        self.news.call()

    def _close_stdin(self) -> None:
        self._takes = False
        self._give_up(self._backlog)
        self._backlog.clear()
        self._changed.notify()

    # Each in its thread.

    def _start(self, what: str, wait: Callable[[], object]) -> threading.Thread:
        thread = threading.Thread(target=wait, name=f"callboard-{what}-{self.host}-{self.pid}", daemon=True)
        thread.start()
        return thread

    def _hear(self, data: bytes) -> bool:
        self.stderr.feed(data)
        return True

    def _await_end(self) -> None:
        await_end(self.popen)
        self.news.put(Ended())

    def _write_on(self) -> None:
        assert self.popen.stdin is not None
        descriptor = self.popen.stdin.fileno()
        while (piece := self._next_piece()) is not None:
            try:
                written = os.write(descriptor, piece)
            except OSError:  # those who wait for an answer are told when it ends, as it now has to
                with self._lock:
                    self._lose_stdin()
                break
            with self._lock:
                if self._backlog:  # else all was given up meanwhile
                    rest = self._backlog.popleft()[written:]
                    if rest:
                        self._backlog.appendleft(rest)
        self._let_go_of_stdin()

    def _next_piece(self) -> memoryview | None:
        with self._lock:
            self._changed.wait_for(lambda: self._backlog or not self._takes)
            return self._backlog[0][:BITE] if self._backlog else None

    def _let_go_of_stdin(self) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError):
            self.popen.stdin.close()


_QUIET = 0.3
"""Seconds without output after which a pipe that another process holds is taken to be empty."""

_LEFT = 1024 * 1024
"""Bytes that an ended process may have left in a pipe; more than that comes from another process."""


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
