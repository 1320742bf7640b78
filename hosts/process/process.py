"""One generation of a host as an operating system process: spawn, write, stop, and how it ended.

Nothing here knows what the bytes mean. Output, exit and disappearance are told through the
callables of `ProcessListener`, all from the one thread that `Pump` runs; `write` and `stop` may
be called from any thread and never block.
"""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING, Protocol, Self

from ...base.forking import disown_in_child
from ...base.frozen import frozen
from ...base.locks import Lock
from ..errors import HostStartError
from ..process_tree.group import Leader, ProcessGroup, start
from ..process_tree.tree_kill import HOSTED_SESSIONS, descendants, end_session
from .exit_watch import has_ended
from .stop_ladder import Rung, StopLadder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..process_tree.contained_start import Containment
    from ..process_tree.watchdog import Watchdog


class RingBuffer:
    """Keeps the last ``limit`` bytes of what it is fed, and counts all of it."""

    def __init__(self, limit: int = 64 * 1024) -> None:
        self.limit = limit
        self.total: int = 0
        self._chunks: deque[bytes] = deque()
        self._held = 0

    def feed(self, data: bytes) -> None:
        """Append ``data``, dropping the oldest chunks that are no longer needed."""
        self.total += len(data)
        self._chunks.append(data)
        self._held += len(data)
        while self._chunks and self._held - len(self._chunks[0]) >= self.limit:
            self._held -= len(self._chunks.popleft())

    def tail(self, lines: int = 40) -> str:
        """The last ``lines`` lines as text; a first line that was cut is left out."""
        held = b"".join(self._chunks)
        cut = held[-self.limit :]
        text = cut.decode("utf-8", "replace")
        if len(held) < self.total or len(cut) < len(held):
            text = text.partition("\n")[2] or text
        return "\n".join(text.splitlines()[-lines:])


@frozen
class Command:
    """What to start: program and arguments (no shell), the environment, and the folder.

    The environment is the whole of it, but for the mark by which the host's tree is known.

    Attributes:
        extended: it may know more than version 1 of the protocol, and can be asked.
        contained: how it is started, if the program is bubblewrap, and what is meant runs in its sandbox.
        secrets: what else it is given and nobody is to read in a report.
        after: called once it is gone, or could not be started.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None = None
    extended: bool = False
    contained: Containment | None = None
    secrets: tuple[str, ...] = ()
    after: Callable[[], object] | None = None


_WIDEST = 0xFFFF
"""Codes beyond are made of parts, and are known by their digits in base 16."""


@frozen
class ProcessExit:
    """How a process ended.

    Attributes:
        code: its exit status, or ``None`` when a signal ended it.
        signal: the signal's number, or ``None``.
        uptime: seconds it lived.
        stop_reason: why *we* stopped it, or ``None`` when it ended by itself.
        fault: ``stdout_closed`` or ``stdin_closed`` when we stopped it for that: it lived on, but
            there was no talking to it any more. ``thread_failed`` when the fault was ours: the thread that
            reads it has failed.
        unsent: the lines that had not left whole by then, as far as they were given to be written.
        cause: why, if that is known and no guess is needed: of what is no process.
    """

    code: int | None
    signal: int | None
    uptime: float
    stop_reason: str | None
    fault: str | None = None
    unsent: bytes = b""
    cause: str | None = None

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
        """``exit code 1`` or ``signal SIGKILL``; ``exit code 3221225477 (0xC0000005)`` as Windows tells a crash."""
        if self.signal is not None:
            return f"signal {self.signal_name}"
        if self.code is None:
            return "its session ended"
        return (
            f"exit code {self.code} (0x{self.code:08X})" if self.code > _WIDEST else f"exit code {self.code}"
        )


def unsent_lines(backlog: Iterable[memoryview]) -> bytes:
    """The lines that have not left whole, of what waits to be written: each the rest of some lines, whose beginning has left."""
    unsent = b""
    for rest in backlog:
        lines = rest.obj
        assert isinstance(lines, bytes)
        unsent += lines[lines.rfind(b"\n", 0, len(lines) - len(rest)) + 1 :]
    return unsent


class ProcessListener(Protocol):
    """Who is told of a process's generation. Every call comes from the process's pump thread, in order."""

    def on_output(self, data: bytes) -> None:
        """Bytes of stdout."""

    def on_exit(self, exit_: ProcessExit) -> None:
        """It has ended, and all that it wrote has been handed over. Comes once."""

    def on_gone(self, leftovers: list[int]) -> None:
        """Its whole tree has ended, except for these pids. Comes once, last."""


class HostProcess(ABC):
    """A running host process. Start one with `spawn`; its pump tells a listener how it goes.

    How bytes get into it is a matter of the system: see `PolledProcess` and `ThreadedProcess`.

    Attributes:
        pid, birth, mark, number: by which it and what it starts are known (see `sweep`).
        stderr: the last that it said there.
        stop_reason: why we are stopping it, or ``None``.
        deaf: it has closed its stdin; known once something was written to it.
    """

    def __init__(self, leader: Leader, host: str, watchdog: Watchdog | None) -> None:
        self.host = host
        popen = leader.popen
        self.popen: subprocess.Popen[bytes] = popen
        self.pid: int = popen.pid
        self.birth: float = leader.birth
        self.mark: str = leader.mark
        self.number: int = leader.number
        self.started_at: float = time.monotonic()
        self.stderr: RingBuffer = RingBuffer()
        self.stop_reason: str | None = None
        self.deaf: bool = False
        self._told = leader.told
        self._group = ProcessGroup(popen, contained=leader.contained)
        self._watchdog = watchdog
        self._fault: str | None = None
        self._lock = Lock()
        self._unsent = b""
        self._rungs: list[tuple[float, Rung]] = []
        self._known: list[tuple[int, float]] = []
        HOSTED_SESSIONS.add(self.pid)

    @property
    def found_by(self) -> tuple[str, ...]:
        """By what those whom it has started are found once it has ended: what all these miss is left behind."""
        group = "job" if sys.platform == "win32" else "session"
        return (group, "descent", "environment", *(("limit",) if self.number else ()))

    @classmethod
    def spawn(cls, command: Command, *, host: str, watchdog: Watchdog | None = None) -> Self:
        """Start the process, at the head of a process group of its own and with a mark in its environment.

        Raises:
            HostStartError: it cannot be started; ``permanent`` unless the machine was short of
                something.
        """
        try:
            leader = start(
                command.argv, command.env, command.cwd, stdin=subprocess.PIPE, contained=command.contained
            )
        except (OSError, ValueError) as error:
            raise _start_error(host, error) from error
        process = cls(leader, host, watchdog)
        disown_in_child(process)
        try:
            process.prepare()
            if watchdog is not None:
                watchdog.add(process.pid, process.birth, process.mark, process.number)
        except OSError as error:
            process.abort()
            raise _start_error(host, error) from error
        return process

    @abstractmethod
    def prepare(self) -> None:
        """Open what it takes to carry it. Raises `OSError`: the machine is short of something."""

    @property
    @abstractmethod
    def took(self) -> bytes | None:
        """See `Transport`."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send bytes to stdin, without ever blocking: what the pipe does not take now goes later.

        Raises:
            HostGone: stdin is closed, as far as that is known. Nothing of ``data`` was sent.
        """

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
            if self.stop_reason is None and not self.has_ended():
                self.stop_reason, self._fault = reason, fault
            self._wake()

    def has_ended(self) -> bool:
        """Whether it has ended, though the pump may not have told it yet."""
        return has_ended(self.popen)

    def abort(self) -> None:
        """End a process that no pump carries, and wait until it is gone."""
        self.collect()
        self.sweep()
        self.close()

    # What follows is for the pump, in its thread.

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
                    self._group.ask_to_end()
                case Rung.KILL:
                    self._known += descendants(self.pid)
                    self._group.end()

    def collect(self) -> ProcessExit:
        """Take the exit status of a process that has ended, and end its group with it: before, see `ProcessGroup`."""
        self._group.end()
        HOSTED_SESSIONS.discard(self.pid)
        status = self._told(self.popen.wait())
        with self._lock:
            self._close_stdin()
            self._rungs.clear()
            return ProcessExit(
                code=status if status >= 0 else None,
                signal=-status if status < 0 else None,
                uptime=time.monotonic() - self.started_at,
                stop_reason=self.stop_reason,
                fault=self._fault,
                unsent=self._unsent,
            )

    def end_family(self) -> None:
        """Kill it with all that it has started, as far as the system keeps them together."""
        self._group.end()

    def sweep(self) -> list[int]:
        """End what is left of its tree; return what would not end."""
        leftovers = end_session(self.pid, self.birth, self._known, mark=self.mark, number=self.number)
        if self._watchdog is not None and not leftovers:
            self._watchdog.remove(self.pid)
        return leftovers

    @abstractmethod
    def close(self) -> None:
        """Give the descriptors back."""

    def forked(self, parent: int) -> None:
        """In a child that was forked off: hold none of its pipes, and take it for nobody's child."""
        self._lock = Lock()
        self._rungs = []
        self.popen.returncode = 0  # it is another's to wait for, and no end of the object is worth a warning
        for stream in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if stream is not None:
                stream.close()

    # With the lock held.

    @abstractmethod
    def _wake(self) -> None:
        """Have the pump look after the process, if there is one."""

    def _give_up(self, backlog: Iterable[memoryview]) -> None:
        self._unsent += unsent_lines(backlog)

    @abstractmethod
    def _close_stdin(self) -> None:
        """Let no more go to stdin, not even what waits to."""

    def _lose_stdin(self) -> None:
        self.deaf = True
        self._close_stdin()
        self._wake()


_SHORTAGES = {
    errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.ETXTBSY, errno.EDQUOT,
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
