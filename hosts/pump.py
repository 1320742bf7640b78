"""The one thread of a host process: reads, writes what had to wait, climbs the ladder, sees the end.

One thread and one `poll` instead of a thread each for stdout, stderr, stdin and the exit: then
there is one order of things, and the exit cannot overtake the output that came before it. The
process's end is a readable descriptor like the others (a pidfd on Linux; elsewhere a thread
waits and writes to a pipe), so a grandchild that holds stdout open delays nothing.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from .ladder import KILL_NOW

if TYPE_CHECKING:
    from .process import HostProcess, ProcessListener

_SMALL, _LARGE = 64 * 1024, 1024 * 1024
_AFTER_EOF = 0.25
"""Seconds that a process may live on after it closed its stdout, before it is taken for broken."""

logger = logging.getLogger("callboard.hosts")


class Pump:
    """Carries one process's bytes until its end. `start` returns at once."""

    def __init__(self, process: HostProcess, listener: ProcessListener) -> None:
        assert process.popen.stdout is not None
        assert process.popen.stderr is not None
        self._process = process
        self._listener = listener
        self._stdout = process.popen.stdout.fileno()
        self._stderr = process.popen.stderr.fileno()
        self._exit = _exit_descriptor(process)
        self._size = _SMALL
        self._eof_at: float | None = None
        self._thread = threading.Thread(
            target=self._run, name=f"callboard-host-{process.host}-{process.pid}", daemon=True
        )

    def start(self) -> None:
        """Begin to carry; the listener hears from the pump's thread."""
        self._thread.start()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all is told; True when it is."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        process, listener = self._process, self._listener
        try:
            self._carry()
        except Exception:
            # A bug of ours must not leave callers waiting on a host that nobody reads any more.
            logger.exception("carrying host %r failed; ending it", process.host)
            process.stop("internal error", KILL_NOW)
            process.climb()
        exit_ = process.collect()
        self._drain(self._stderr)
        listener.on_exit(exit_)
        leftovers = process.sweep()
        os.close(self._exit)
        process.close()
        listener.on_gone(leftovers)

    def _carry(self) -> None:
        process = self._process
        poll = select.poll()
        for descriptor in (self._stdout, self._stderr, self._exit, process.wake_reader):
            poll.register(descriptor, select.POLLIN)
        writing: int | None = None
        timeout: float | None = None
        while True:
            for descriptor, _ in poll.poll(None if timeout is None else max(0.0, timeout) * 1000 + 1):
                if descriptor == self._stdout:
                    if not self._read_stdout():
                        poll.unregister(self._stdout)
                        self._eof_at = time.monotonic()
                elif descriptor == self._exit:
                    self._drain(self._stdout)
                    return
                elif descriptor == self._stderr:
                    if not self._read(self._stderr):
                        poll.unregister(self._stderr)
                elif descriptor == writing:
                    process.flush()
                else:
                    _empty(process.wake_reader)
            timeout = self._timeout(process.climb())
            waiting = process.stdin_waiting
            if waiting != writing:
                if writing is not None:
                    with suppress(KeyError, OSError):  # it was closed meanwhile
                        poll.unregister(writing)
                if waiting is not None:
                    poll.register(waiting, select.POLLOUT)
                writing = waiting

    def _timeout(self, next_rung: float | None) -> float | None:
        if self._eof_at is None:
            return next_rung
        patience = self._eof_at + _AFTER_EOF - time.monotonic()
        if patience <= 0:
            self._eof_at = None
            self._process.stop("closed its stdout", KILL_NOW)
            return self._process.climb()
        return patience if next_rung is None else min(patience, next_rung)

    def _read_stdout(self) -> bool:
        try:
            data = os.read(self._stdout, self._size)
        except BlockingIOError:
            return True
        # A read that came back full: a large message is under way, so take larger bites of it.
        self._size = _LARGE if len(data) == self._size else _SMALL
        if data:
            self._listener.on_output(data)
        return bool(data)

    def _drain(self, descriptor: int) -> None:
        """Read what a process that has ended left in a pipe, which others may still hold open."""
        with suppress(BlockingIOError):
            while self._read(descriptor):
                continue

    def _read(self, descriptor: int) -> bool:
        data = os.read(descriptor, _SMALL)
        if descriptor == self._stderr:
            self._process.stderr.feed(data)
        elif data:
            self._listener.on_output(data)
        return bool(data)


def _empty(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, 512):
            continue


def _exit_descriptor(process: HostProcess) -> int:
    """A descriptor that becomes readable when the process ends."""
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(process.pid)
    reader, writer = os.pipe()  # pragma: no cover - systems without pidfd

    def wait() -> None:  # pragma: no cover
        # WNOWAIT: the status is left for `collect`, and the pid with it.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # type: ignore[attr-defined,unused-ignore]
        os.close(writer)

    threading.Thread(
        target=wait, name=f"callboard-wait-{process.pid}", daemon=True
    ).start()  # pragma: no cover
    return reader  # pragma: no cover
