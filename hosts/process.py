"""One life of a host as an operating system process: spawn, write, stop, and how it ended.

Nothing here knows what the bytes mean. Output, exit and disappearance are told through the
callables of `ProcessListener`, all from the one thread that `Pump` runs; `write` and `stop` may
be called from any thread and never block.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .errors import HostGone, HostStartError
from .exit_watch import exit_descriptor
from .ladder import Rung, StopLadder
from .ring import Ring
from .sweep import MARK, created, descendants, end_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .watchdog import Watchdog

_PIPE_BYTES = 256 * 1024
"""Asked of the kernel for stdin and stdout: a large message then takes few changes of process."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to start: program and arguments (no shell), the environment, and the folder.

    The environment is the whole of it, but for the mark by which the host's tree is known.

    Attributes:
        extended: it may know more than version 1 of the protocol, and can be asked.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None = None
    extended: bool = False


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How a process ended.

    Attributes:
        code: its exit status, or ``None`` when a signal ended it.
        signal: the signal's number, or ``None``.
        uptime: seconds it lived.
        stop_reason: why *we* stopped it, or ``None`` when it ended by itself.
        fault: ``stdout_closed`` or ``stdin_closed`` when we stopped it for that: it lived on, but
            there was no talking to it any more.
    """

    code: int | None
    signal: int | None
    uptime: float
    stop_reason: str | None
    fault: str | None = None

    @property
    def signal_name(self) -> str | None:
        """``SIGKILL``; the number as text where the signal has no name; ``None`` without a signal."""
        if self.signal is None:
            return None
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return str(self.signal)

    @property
    def text(self) -> str:
        """``exit code 1`` or ``signal SIGKILL``."""
        return f"exit code {self.code}" if self.signal is None else f"signal {self.signal_name}"


class ProcessListener(Protocol):
    """Who is told of a process's life. Every call comes from the process's pump thread, in order."""

    def on_output(self, data: bytes) -> None:
        """Bytes of stdout."""

    def on_exit(self, exit_: ProcessExit) -> None:
        """It has ended, and all that it wrote has been handed over. Comes once."""

    def on_gone(self, leftovers: list[int]) -> None:
        """Its whole tree has ended, except for these pids. Comes once, last."""


class HostProcess:
    """A running host process. Start one with `spawn`; it tells its listener how it goes.

    Attributes:
        pid, birth, mark: by which it and what it starts are known (see `sweep`).
        stderr: the last that it said there.
        stop_reason: why we are stopping it, or ``None``.
        deaf: it has closed its stdin; known once something was written to it.
    """

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        host: str,
        mark: str,
        wake: tuple[int, int],
        watchdog: Watchdog | None,
    ) -> None:
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        self.host = host
        self.pid = popen.pid
        self.mark = mark
        self.started_at = time.monotonic()
        self.birth = created(popen.pid) or 0.0
        self.popen = popen
        self.stderr = Ring()
        self.stop_reason: str | None = None
        self.deaf = False
        self.exit_reader = -1
        self.wake_reader, self._wake_writer = wake
        self._watchdog = watchdog
        self._stdin: int | None = popen.stdin.fileno()
        self._fault: str | None = None
        self._backlog: deque[memoryview] = deque()
        self._lock = threading.Lock()
        self._rungs: list[tuple[float, Rung]] = []
        self._known: list[tuple[int, float]] = []
        for descriptor in wake:
            os.set_blocking(descriptor, False)
        for stream in (popen.stdin, popen.stdout, popen.stderr):
            os.set_blocking(stream.fileno(), False)
        for stream in (popen.stdin, popen.stdout):
            _widen(stream.fileno())

    @classmethod
    def spawn(cls, command: Command, *, host: str, watchdog: Watchdog | None = None) -> HostProcess:
        """Start the process, in a session of its own and with a mark in its environment.

        Raises:
            HostStartError: it cannot be started; ``permanent`` unless the machine was short of
                something.
        """
        mark = os.urandom(16).hex()
        wake: tuple[int, ...] = ()
        try:
            wake = reader, writer = os.pipe()
            popen = subprocess.Popen(
                command.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=command.cwd,
                env={**command.env, MARK: mark},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            for descriptor in wake:
                os.close(descriptor)
            raise _start_error(host, error) from error
        process = cls(popen, host, mark, (reader, writer), watchdog)
        try:
            process.exit_reader = exit_descriptor(popen.pid)
            if watchdog is not None:
                watchdog.add(process.pid, process.birth, mark)
        except OSError as error:
            process.abort()
            raise _start_error(host, error) from error
        return process

    def write(self, data: bytes) -> None:
        """Send bytes to stdin, without ever blocking: what the pipe does not take now goes later.

        Raises:
            HostGone: stdin is closed. Nothing of ``data`` was sent.
        """
        with self._lock:
            if self._stdin is None:
                raise HostGone(f"host {self.host!r} is not running", host=self.host)
            if self._backlog:
                self._backlog.append(memoryview(data))
                return
            try:
                written = os.write(self._stdin, data)
            except BlockingIOError:
                written = 0
            except OSError as error:
                self._lose_stdin()
                raise HostGone(f"host {self.host!r} has closed its stdin", host=self.host) from error
            if written < len(data):
                self._backlog.append(memoryview(data)[written:])
                self._wake()

    def stop(self, reason: str, ladder: StopLadder, *, fault: str | None = None) -> None:
        """Begin to end the process; a later call can only hasten what an earlier one began.

        Args:
            reason: for people, and for the exit: the first one counts.
            ladder: how.
            fault: see `ProcessExit`.
        """
        now = time.monotonic()
        with self._lock:
            asked = [(now + after, rung) for after, rung in ladder.rungs()]
            if not self._rungs or asked[-1][0] < self._rungs[-1][0]:
                self._rungs = asked
            if self.stop_reason is None:
                self.stop_reason, self._fault = reason, fault
            self._wake()

    def abort(self) -> None:
        """End a process that no pump carries, and wait until it is gone."""
        self.collect()
        self.sweep()
        self.close()

    # What follows is for the pump, in its thread.

    @property
    def stdin_waiting(self) -> int | None:
        """The descriptor of stdin while there is a backlog for it, else ``None``."""
        with self._lock:
            return self._stdin if self._backlog else None

    def flush(self) -> None:
        """Write what the pipe takes of the backlog."""
        with self._lock:
            while self._backlog and self._stdin is not None:
                try:
                    written = os.write(self._stdin, self._backlog[0])
                except BlockingIOError:
                    return
                except OSError:  # those who wait for an answer are told when it ends, as it now has to
                    self._lose_stdin()
                    return
                rest = self._backlog.popleft()[written:]
                if rest:
                    self._backlog.appendleft(rest)

    def climb(self) -> float | None:
        """Do the rungs that are due; return the seconds until the next one, if there is one."""
        while True:
            with self._lock:
                if not self._rungs:
                    return None
                due, rung = self._rungs[0]
                wait = due - time.monotonic()
                if wait > 0:
                    return wait
                self._rungs.pop(0)
            match rung:
                case Rung.CLOSE_STDIN:
                    self._known += descendants(self.pid)
                    with self._lock:
                        self._close_stdin()
                case Rung.TERMINATE:
                    self._signal_group(signal.SIGTERM)
                case Rung.KILL:
                    self._known += descendants(self.pid)
                    self._signal_group(signal.SIGKILL)

    def collect(self) -> ProcessExit:
        """Take the exit status of a process that has ended, and its group with it.

        The group is killed *before* the status is collected: until then nobody else can get the
        pid, so the group cannot be a stranger's.
        """
        self._signal_group(signal.SIGKILL)
        status = self.popen.wait()
        with self._lock:
            self._close_stdin()
            self._rungs.clear()
            return ProcessExit(
                code=status if status >= 0 else None,
                signal=-status if status < 0 else None,
                uptime=time.monotonic() - self.started_at,
                stop_reason=self.stop_reason,
                fault=self._fault,
            )

    def sweep(self) -> list[int]:
        """End what is left of its tree; return what would not end."""
        leftovers = end_session(self.pid, self.birth, self._known, mark=self.mark)
        if self._watchdog is not None and not leftovers:
            self._watchdog.remove(self.pid)
        return leftovers

    def close(self) -> None:
        """Give the descriptors back."""
        with self._lock:
            for stream in (self.popen.stdout, self.popen.stderr):
                assert stream is not None
                stream.close()
            for descriptor in (self.exit_reader, self.wake_reader, self._wake_writer):
                if descriptor >= 0:
                    os.close(descriptor)
            self.exit_reader = self.wake_reader = self._wake_writer = -1

    # With the lock held. Waking is no exception: a descriptor that was closed in between may be
    # somebody else's by now.

    def _wake(self) -> None:
        if self._wake_writer >= 0:
            with suppress(BlockingIOError):  # full: it is awake
                os.write(self._wake_writer, b"!")

    def _lose_stdin(self) -> None:
        self.deaf = True
        self._close_stdin()
        self._wake()

    def _close_stdin(self) -> None:
        self._backlog.clear()
        if self._stdin is not None:
            self._stdin = None
            assert self.popen.stdin is not None
            self.popen.stdin.close()

    # Without it.

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # ended in between, which is as well
            os.killpg(self.pid, number)


_SHORTAGES = {
    errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.ETXTBSY,
}  # fmt: skip


def _start_error(host: str, error: OSError | ValueError) -> HostStartError:
    if isinstance(error, OSError):
        what = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        if error.errno == errno.ENOEXEC:
            what = f"{what}; its first line does not say what runs it, as '#!/usr/bin/perl' does"
        return HostStartError(
            f"cannot start host {host!r}: {what}", host=host, permanent=error.errno not in _SHORTAGES
        )
    return HostStartError(f"cannot start host {host!r}: {error}", host=host, permanent=True)


def _widen(descriptor: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # beyond the user's quota: the usual size serves too
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
