"""Real host processes for tests: tiny Python programs, and ears for what is told of them."""

from __future__ import annotations

import fcntl
import sys
import termios
import threading
from collections import Counter
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from callboard.hosts.host import Host
from callboard.hosts.process.posix_process import polled
from callboard.hosts.process.process import Command, HostProcess, ProcessExit
from callboard.hosts.process.stop_ladder import KILL_NOW, StopLadder
from callboard.hosts.process.windows_process import threaded
from leaks import TEST_MARK
from programs import EVIL_PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from callboard.hosts.process.transport import Begin
    from callboard.hosts.report.crash_report import CrashReport


PATIENCE = 20.0
"""Seconds after which something that a test waits for is taken never to come."""


BOTH_WAYS = (polled, threaded)
"""How a process may be carried: by poll, and by threads where nothing can be polled."""

UNHURRIED = StopLadder(polite=PATIENCE, firm=PATIENCE)

REQUEST = b'{"v":1,"id":"1","method":"go","params":{}}\n'
ANSWER = '{"v":1,"id":"ID","ok":true,"result":{"value":"fine"}}'
PART = '{"v":1,"id":"ID","event":{"type":"part","payload":"so far"}}'


def evil(program: str, *arguments: str) -> Command:
    """The command line of one of the tiny programs."""
    path = EVIL_PYTHON / f"{program}.py"
    return Command((sys.executable, "-I", str(path), *arguments), dict(TEST_MARK))


def says(*lines: str) -> Command:
    """A host that answers each request with these lines, the request's id put in for ``ID``."""
    return evil("says", *lines)


def bytes_in(pipe: IO[bytes]) -> int:
    """How much was written to a pipe and not read yet; either end can tell."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


class Log:
    """What was told, in order, by any thread; can be waited for."""

    def __init__(self) -> None:
        self.entries: list[tuple[Any, ...]] = []
        self._changed = threading.Condition()

    def add(self, *entry: Any) -> None:
        with self._changed:
            self.entries.append(entry)
            self._changed.notify_all()

    def of(self, kind: str) -> list[tuple[Any, ...]]:
        with self._changed:
            return [entry[1:] for entry in self.entries if entry[0] == kind]

    def kinds(self) -> list[str]:
        with self._changed:
            return [entry[0] for entry in self.entries]

    def wait(self, kind: str, count: int = 1) -> list[tuple[Any, ...]]:
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.of(kind)) >= count, PATIENCE)
        assert came, f"waited in vain for {kind!r}; there came: {self.entries}"
        return self.of(kind)


class ProcessEar(Log):
    """A `ProcessListener`: ``output``, ``exit`` and ``gone``."""

    def on_output(self, data: bytes) -> None:
        self.add("output", data)

    def on_exit(self, exit_: ProcessExit) -> None:
        self.add("exit", exit_)

    def on_gone(self, leftovers: list[int]) -> None:
        self.add("gone", leftovers)

    def exit(self) -> ProcessExit:
        """Wait for the exit, and say how it was told."""
        ((exit_,),) = self.wait("exit")
        assert isinstance(exit_, ProcessExit)
        return exit_

    @property
    def output(self) -> bytes:
        return b"".join(data for (data,) in self.of("output"))


class Ended(NamedTuple):
    exit: ProcessExit
    report: CrashReport
    breach: str | None


class HostEar(Log):
    """A `HostListener`: ``stray``, ``ended`` and ``gone``."""

    def __init__(self) -> None:
        super().__init__()
        self.strays = 0
        self.dropped: Counter[str] = Counter()
        self.told: Counter[str] = Counter()

    def on_stray(self, text: str, count: int) -> None:
        self.add("stray", text)
        self.strays += count

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        if told:
            self.add("dropped", reason, request_id)
        self.dropped[reason] += count
        self.told[reason] += told

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        self.add("ended", Ended(exit_, report, breach))

    def on_gone(self, leftovers: list[int]) -> None:
        self.add("gone", leftovers)

    def ended(self) -> Ended:
        """Wait for the end, and say how it was told."""
        ((ended,),) = self.wait("ended")
        return ended


class OwnerEar(Log):
    """A `RequestOwner`: ``part``, ``answer``, ``refused``, ``breach``, ``lost`` and ``released``."""

    def __init__(self, call_id: str = "call-1", hook: Callable[[str], None] = lambda _kind: None) -> None:
        super().__init__()
        self.call_id = call_id
        self.request_id: str | None = None
        self._hook = hook

    def add(self, *entry: Any) -> None:
        super().add(*entry)
        self._hook(entry[0])

    def on_part(self, payload: Any, size: int) -> None:
        self.add("part", payload)

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        self.add("answer", value, state)

    def on_refused(self, error: dict[str, Any]) -> None:
        self.add("refused", error)

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        self.add("breach", reason, detail)
        self.facts = facts

    def on_lost(self, report: CrashReport) -> None:
        self.add("lost", report)

    def on_released(self) -> None:
        self.add("released")

    def on_begun(self) -> None:
        self.add("begun")


@contextmanager
def carried(
    program: str, *arguments: str, begin: Begin = polled, ear: ProcessEar | None = None
) -> Iterator[tuple[HostProcess, ProcessEar]]:
    """A process with its pump, and what is told of it; it is gone afterwards, whatever it does."""
    ear = ProcessEar() if ear is None else ear
    process, pump = begin(evil(program, *arguments), ear, host="evil", watchdog=None)
    pump.start()
    try:
        yield process, ear
    finally:
        process.stop("the test is over", KILL_NOW)
        assert pump.join(PATIENCE)


@contextmanager
def running(command: Command, **options: Any) -> Iterator[tuple[Host, HostEar]]:
    """A started host and its listener; it is gone afterwards, whatever it does."""
    ear = HostEar()
    host = Host("evil", command, ear, **options)
    host.start()
    try:
        yield host, ear
    finally:
        host.stop("the test is over", KILL_NOW)
        assert host.join(PATIENCE)


def sent(host: Host, *call_ids: str) -> list[OwnerEar]:
    """Send a request for each of the names, and return their owners."""
    owners = [OwnerEar(call_id) for call_id in call_ids]
    for owner in owners:
        host.send("execute_tool", {}, owner)
    return owners
