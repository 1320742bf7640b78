"""The one thread that polls a process's pipes and its end, and carries what comes.

One thread and one `poll` instead of a thread each for stdout, stderr, stdin and the exit: then
there is one order of things, and the exit cannot overtake the output that came before it. An event loop may read stdout in
its place for a while (see `LoopReader`).
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
import termios
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ...plugins.results.failures import describe
from .loop_reader import LEASE, LoopReader, is_uninterrupted
from .pump import PIECE, REST, Pumping
from .stop_ladder import KILL_NOW

assert sys.platform != "win32", "pipes cannot be polled on Windows: there it is a `ThreadsPump`"

from .posix_process import PolledProcess  # noqa: E402 - there is none on Windows

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

    from ..process_tree.watchdog import Watchdog
    from .process import Command, ProcessListener

_SMALL, _LARGE = 64 * 1024, 1024 * 1024


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
        self._reading = threading.RLock()
        self._reader: LoopReader | None = None
        self._readable = True
        self._polled = True
        self._reads, self._look_at = 0, 0.0

    def _hear_last_words(self) -> None:
        self._drain(self._stderr)

    def lead(self, loop: AbstractEventLoop, returned: Callable[[], None]) -> LoopReader | None:
        # The lock is held from a read until what was read is told, so that output stays in order.
        if not self._reading.acquire(blocking=False):
            return None
        try:
            if not self._readable or self._reader is not None or not is_uninterrupted():
                return None
            self._reader = LoopReader(
                loop,
                self._stdout,
                lock=self._reading,
                hear=self._listener.on_output,
                wake=self._process.wake,
                failed=self._interrupted,
                returned=returned,
            )
        except (NotImplementedError, OSError):
            return None
        finally:
            self._reading.release()
        self._process.wake()
        return self._reader

    def is_led(self) -> bool:
        return self._reader is not None

    def _interrupted(self, error: BaseException) -> None:
        # What was read may be lost, and what comes next cannot be told from the rest of it.
        self._process.stop(f"reading its output was interrupted: {describe(error)}", KILL_NOW)
        self._process.wake()

    def _carry(self) -> None:
        poll = select.poll()
        try:
            self._carry_by(poll)
        finally:
            with self._reading:
                self._readable = False
            self._take_back()

    def _carry_by(self, poll: select.poll) -> None:
        process = self._process
        for descriptor in (self._stdout, self._stderr, process.exit_reader, process.wake_reader):
            poll.register(descriptor, select.POLLIN)
        writing: int | None = None
        timeout: float | None = None
        while True:
            # Only reading, with no time set: the common case, which has nothing else to look after.
            attend = timeout is not None
            for descriptor, _ in poll.poll(None if timeout is None else max(0.0, timeout) * 1000 + 1):
                if descriptor == process.exit_reader:
                    self._take_back()
                    self._drain(self._stdout)
                    return
                attend = self._serve(poll, descriptor) or attend
            if attend:
                if process.deaf:
                    self._note_fault("stdin_closed")
                timeout = self._timeout(process.climb())
                writing = _follow(poll, writing, process.stdin_waiting)
                timeout = self._look_after_reader(poll, timeout)

    def _look_after_reader(self, poll: select.poll, timeout: float | None) -> float | None:
        """Leave stdout to a loop that reads it, or take it back; returns in how many seconds to look again."""
        reader = self._reader
        if reader is None:
            return timeout
        now = time.monotonic()
        if self._polled:
            poll.unregister(self._stdout)
            self._polled = False
            self._reads, self._look_at = reader.reads, now + LEASE
        if reader.ended or (now >= self._look_at and reader.reads == self._reads):
            self._take_back()
            poll.register(self._stdout, select.POLLIN)
            self._polled = True
            return timeout
        if now >= self._look_at:
            self._reads, self._look_at = reader.reads, now + LEASE
        left = self._look_at - now
        return left if timeout is None else min(timeout, left)

    def _take_back(self) -> None:
        with self._reading:
            reader, self._reader = self._reader, None
            if reader is None:
                return
            reader.ended = reader.gone = True
        reader.leave()
        self._do(reader.returned)

    def _serve(self, poll: select.poll, descriptor: int) -> bool:
        """Do what a descriptor is ready for; True if there is more to look after than reading."""
        if descriptor == self._stdout:
            with self._reading:
                if self._reader is not None or self._read(descriptor):
                    return self._reader is not None
                self._readable = self._polled = False
            poll.unregister(descriptor)
            self._note_fault("stdout_closed")
        elif descriptor == self._stderr:
            if self._read_stderr():
                return False
            poll.unregister(descriptor)
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
