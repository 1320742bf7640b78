"""The one thread of a host process: reads, writes what had to wait, climbs the ladder, sees the end.

One thread and one `poll` instead of a thread each for stdout, stderr, stdin and the exit: then
there is one order of things, and the exit cannot overtake the output that came before it. The
process's end is a readable descriptor like the others, so a grandchild that holds stdout open
delays nothing.
"""

from __future__ import annotations

import fcntl
import logging
import os
import select
import struct
import termios
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from .ladder import KILL_NOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process import HostProcess, ProcessListener

_SMALL, _LARGE = 64 * 1024, 1024 * 1024
_PATIENCE = 0.25
"""Seconds that a process may live on after it closed its stdout or stdin, before it is taken for
broken. Most that do so are about to end, and then their own exit says more than ours would."""

_Fact = TypeVar("_Fact")

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
        self._size = _SMALL
        self._fault: str | None = None
        self._fault_at = 0.0
        self._thread = threading.Thread(
            target=self._run, name=f"callboard-host-{process.host}-{process.pid}", daemon=True
        )

    def start(self) -> None:
        """Begin to carry; the listener hears from the pump's thread.

        Raises:
            RuntimeError: the machine has no thread left.
        """
        self._thread.start()

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all is told; True when it is."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        process = self._process
        try:
            self._carry()
        except Exception:
            # A bug of ours must not leave callers waiting on a host that nobody reads any more.
            logger.exception("carrying host %r failed; ending it", process.host)
            process.stop("internal error", KILL_NOW)
            process.climb()
        exit_ = process.collect()
        self._drain(self._stderr)
        self._tell(self._listener.on_exit, exit_)
        process.close()
        self._tell(self._listener.on_gone, self._sweep())

    def _sweep(self) -> list[int]:
        try:
            return self._process.sweep()
        except OSError:
            # Looking for what is left takes a descriptor. The watchdog still knows of this host.
            logger.exception("could not look for what host %r has left", self._process.host)
            return []

    def _tell(self, listener: Callable[[_Fact], None], fact: _Fact) -> None:
        try:
            listener(fact)
        except Exception:
            # The processes have to be ended and the descriptors given back all the same.
            logger.exception("the listener of host %r failed", self._process.host)

    def _carry(self) -> None:
        process = self._process
        poll = select.poll()
        for descriptor in (self._stdout, self._stderr, process.exit_reader, process.wake_reader):
            poll.register(descriptor, select.POLLIN)
        writing: int | None = None
        timeout: float | None = None
        while True:
            # Only reading, with no time set: the common case, which has nothing else to look after.
            attend = timeout is not None
            for descriptor, _ in poll.poll(None if timeout is None else max(0.0, timeout) * 1000 + 1):
                if descriptor == process.exit_reader:
                    self._drain(self._stdout)
                    return
                attend = self._serve(poll, descriptor) or attend
            if attend:
                if process.deaf:
                    self._note_fault("stdin_closed")
                timeout = self._timeout(process.climb())
                writing = _follow(poll, writing, process.stdin_waiting)

    def _serve(self, poll: select.poll, descriptor: int) -> bool:
        """Do what a descriptor is ready for; True if there is more to look after than reading."""
        if descriptor in {self._stdout, self._stderr}:
            if self._read(descriptor):
                return False
            poll.unregister(descriptor)
            if descriptor == self._stdout:
                self._note_fault("stdout_closed")
        elif descriptor == self._process.wake_reader:
            _empty(descriptor)
        else:
            self._process.flush()
        return True

    def _note_fault(self, fault: str) -> None:
        if self._fault is None:
            self._fault = fault
            self._fault_at = time.monotonic()

    def _timeout(self, next_rung: float | None) -> float | None:
        # One that was told to stop may close what it likes; the ladder has its own times.
        if self._fault is None or self._process.stop_reason is not None:
            return next_rung
        patience = self._fault_at + _PATIENCE - time.monotonic()
        if patience > 0:
            return patience
        self._process.stop(_FAULTS[self._fault], KILL_NOW, fault=self._fault)
        return self._process.climb()

    def _read(self, descriptor: int) -> bool:
        """Take one bite of stdout or stderr; False at its end."""
        size = self._size if descriptor == self._stdout else _SMALL
        try:
            data = os.read(descriptor, size)
        except BlockingIOError:
            return True
        if descriptor == self._stderr:
            self._process.stderr.feed(data)
            return bool(data)
        # A read that came back full: a large message is under way, so take larger bites of it.
        self._size = _LARGE if len(data) == size else _SMALL
        if data:
            self._listener.on_output(data)
        return bool(data)

    def _drain(self, descriptor: int) -> None:
        """Read what a process that has ended left in a pipe.

        What is in there now, and no more: others may hold the pipe and go on writing for ever.
        """
        left = _readable(descriptor)
        while left > 0:
            data = os.read(descriptor, min(left, _LARGE))
            if not data:
                return
            left -= len(data)
            if descriptor == self._stderr:
                self._process.stderr.feed(data)
            else:
                self._listener.on_output(data)


_FAULTS = {
    "stdout_closed": "it closed its stdout and lived on",
    "stdin_closed": "it closed its stdin and lived on",
}


def _follow(poll: select.poll, before: int | None, now: int | None) -> int | None:
    """Watch stdin while there is something to write to it, and only then."""
    if before != now:
        if before is not None:
            poll.unregister(before)
        if now is not None:
            poll.register(now, select.POLLOUT)
    return now


def _readable(descriptor: int) -> int:
    answer = fcntl.ioctl(descriptor, termios.FIONREAD, struct.pack("i", 0))
    return int(struct.unpack("i", answer)[0])


def _empty(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, 512):
            continue
