"""A host process whose pipes never block: who writes does so himself, and its pump reads.

The pump is one thread and one `poll`, instead of a thread each for stdout, stderr, stdin and the exit: then there is one order of
things, and the exit cannot overtake the output that came before it. The process's end is a readable descriptor like the
others, so a grandchild that holds stdout open delays nothing. Waking the pump is a pipe too, so that one `poll` waits for all
there is to wait for. An event loop may read stdout in its place for a while (see `Lending`).
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
import termios
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.foreign import is_interrupt
from ...base.forking import close_own, own
from ...plugins.results.failures import describe
from ..errors import HostGone
from .loop_reader import Lending
from .outbox import Outbox
from .process import HostProcess
from .pump import PIECE, REST, Pumping
from .stop_ladder import KILL_NOW

assert sys.platform != "win32", "pipes cannot be polled on Windows: there it is a `ThreadedProcess`"

from .exit_watch import exit_descriptor  # noqa: E402 - there are none on Windows

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from ..process_tree.group import Leader
    from ..process_tree.watchdog import Watchdog
    from .loop_reader import LoopReader
    from .process import Command, ProcessListener

_SMALL, _LARGE = 64 * 1024, 1024 * 1024

_PIPE_BYTES = 256 * 1024
"""Asked of the kernel for stdin and stdout: a large message then takes few changes of process."""


class PolledProcess(HostProcess):
    """See the module, and `HostProcess`."""

    def __init__(self, leader: Leader, host: str, watchdog: Watchdog | None) -> None:
        super().__init__(leader, host, watchdog)
        popen = leader.popen
        assert popen.stdin is not None
        assert popen.stdout is not None
        assert popen.stderr is not None
        self.exit_reader: int = -1
        self.wake_reader: int = -1
        self._wake_writer = -1
        self._stdin: int | None = popen.stdin.fileno()
        self._outbox = Outbox()
        for stream in (popen.stdin, popen.stdout, popen.stderr):
            os.set_blocking(stream.fileno(), False)
        for stream in (popen.stdin, popen.stdout):
            _widen(stream.fileno())

    def prepare(self) -> None:
        self.wake_reader, self._wake_writer = map(own, os.pipe())
        for descriptor in (self.wake_reader, self._wake_writer):
            os.set_blocking(descriptor, False)
        self.exit_reader = exit_descriptor(self.pid)

    @property
    def took(self) -> bytes | None:
        return self._outbox.took

    def write(self, data: bytes) -> None:
        with self._lock:
            self._put(data)

    def _put(self, data: bytes) -> None:
        if self._stdin is None:
            raise HostGone(f"host {self.host!r} is not running", host=self.host)
        try:
            self._outbox.send(data, self._stdin)
        except OSError as error:
            if is_interrupt(error):  # a time limit of the program's may be one, and is no broken pipe
                raise
            self._lose_stdin()
            raise HostGone(f"host {self.host!r} has closed its stdin", host=self.host) from error
        finally:  # an interrupt may have come between a write and the end of its entry
            if self._outbox:
                self._wake()

    # What follows is for the pump, in its thread.

    @property
    def stdin_waiting(self) -> int | None:
        """The descriptor of stdin while there is a backlog for it, else ``None``."""
        with self._lock:
            return self._stdin if self._outbox else None

    def flush(self) -> None:
        """Write what the pipe takes of the backlog."""
        with self._lock:
            if self._stdin is not None:
                try:
                    self._outbox.flush(self._stdin)
                except OSError:  # those who wait for an answer are told when it ends, as it now has to
                    self._lose_stdin()

    def close(self) -> None:
        with self._lock:
            for stream in (self.popen.stdout, self.popen.stderr):
                assert stream is not None
                stream.close()
            for descriptor in (self.exit_reader, self.wake_reader, self._wake_writer):
                if descriptor < 0:
                    continue
                close_own(descriptor)
            self._group.close()
            self.exit_reader = self.wake_reader = self._wake_writer = -1

    def forked(self, parent: int) -> None:
        super().forked(parent)
        self._stdin = None
        self.exit_reader = self.wake_reader = self._wake_writer = -1

    def wake(self) -> None:
        """Have the pump look after what has changed; from any thread."""
        with self._lock:
            self._wake()

    # With the lock held. Waking is no exception: a descriptor that was closed in between may be
    # somebody else's by now.

    def _wake(self) -> None:
        if self._wake_writer >= 0:
            with suppress(BlockingIOError):  # full: it is awake
                os.write(self._wake_writer, b"!")

    def _close_stdin(self) -> None:
        self._give_up(self._outbox.give_up())
        if self._stdin is not None:
            self._stdin = None
            assert self.popen.stdin is not None
            self.popen.stdin.close()


def _widen(descriptor: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError):  # beyond the user's quota: the usual size serves too
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class Pump(Pumping):
    """Carries by `poll`. See `Pumping`."""

    _process: PolledProcess

    def __init__(
        self,
        process: PolledProcess,
        listener: ProcessListener,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        assert process.popen.stdout is not None
        assert process.popen.stderr is not None
        super().__init__(process, listener, rest)
        self._stdout = process.popen.stdout.fileno()
        self._stderr = process.popen.stderr.fileno()
        self._size = _SMALL
        self._poll = select.poll()
        self._lending = Lending(
            self._stdout,
            poll=self._poll_stdout,
            do=self._do,
            hear=listener.on_output,
            wake=process.wake,
            failed=self._interrupted,
        )

    def _hear_last_words(self) -> None:
        self._drain(self._stderr)

    def lead(self, loop: AbstractEventLoop, returned: Callable[[], None]) -> LoopReader | None:
        return self._lending.lead(loop, returned)

    def is_led(self) -> bool:
        return self._lending.reader is not None

    def _poll_stdout(self, on: bool) -> None:
        if on:
            self._poll.register(self._stdout, select.POLLIN)
        else:
            self._poll.unregister(self._stdout)

    def _interrupted(self, error: BaseException) -> None:
        # What was read may be lost, and what comes next cannot be told from the rest of it.
        self._process.stop(f"reading its output was interrupted: {describe(error)}", KILL_NOW)
        self._process.wake()

    def _carry(self) -> None:
        try:
            self._carry_on()
        finally:
            self._lending.end()

    def _carry_on(self) -> None:
        process, poll = self._process, self._poll
        for descriptor in (self._stdout, self._stderr, process.exit_reader, process.wake_reader):
            poll.register(descriptor, select.POLLIN)
        writing: int | None = None
        timeout: float | None = None
        while True:
            # Only reading, with no time set: the common case, which has nothing else to look after.
            attend = timeout is not None
            for descriptor, _ in poll.poll(None if timeout is None else max(0.0, timeout) * 1000 + 1):
                if descriptor == process.exit_reader:
                    self._lending.end()  # before what is left is read: nobody else may read it meanwhile
                    self._drain(self._stdout)
                    return
                attend = self._serve(descriptor) or attend
            if attend:
                if process.deaf:
                    self._note_fault("stdin_closed")
                timeout = self._timeout(process.climb())
                writing = _follow(poll, writing, process.stdin_waiting)
                timeout = self._lending.look_after(timeout)

    def _serve(self, descriptor: int) -> bool:
        """Do what a descriptor is ready for; True if there is more to look after than reading."""
        if descriptor == self._stdout:
            lending = self._lending
            with lending.lock:
                lending.telling = True
                if lending.reader is not None or self._read(descriptor):
                    lending.telling = False
                    return lending.reader is not None
                lending.end()
            self._poll.unregister(descriptor)
            self._note_fault("stdout_closed")
        elif descriptor == self._stderr:
            if self._read_stderr():
                return False
            self._poll.unregister(descriptor)
        elif descriptor == self._process.wake_reader:
            _empty(descriptor)
        else:
            self._process.flush()
        return True

    def _read(self, descriptor: int) -> bool:
        """Take one bite of stdout; False at its end."""
        size = self._size
        try:
            data = os.read(descriptor, size)
        except BlockingIOError:
            return True
        # A read that came back full, and no line has ended in it: a large message is under way, so take larger
        # bites of it. Of many small ones larger bites would be no help.
        self._size = _LARGE if len(data) == size and b"\n" not in data else _SMALL
        if len(data) > PIECE:
            self._hand_on(data)
        elif data:
            self._listener.on_output(data)
        return bool(data)

    def _read_stderr(self) -> bool:
        began = time.perf_counter()
        try:
            data = os.read(self._stderr, _SMALL)
        except BlockingIOError:
            return True
        self._process.stderr.feed(data)
        # Keeping it is next to no work; reading without end is, and takes a processor from those who have some.
        if len(data) == _SMALL and self._turn.over(time.perf_counter() - began):
            self._rest(REST)
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
                self._hand_on(data)


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


def polled(
    command: Command, listener: ProcessListener, *, host: str, watchdog: Watchdog | None
) -> tuple[PolledProcess, Pump]:
    """Start a process, to be carried by poll. Raises `HostStartError`."""
    process = PolledProcess.spawn(command, host=host, watchdog=watchdog)
    return process, Pump(process, listener)
