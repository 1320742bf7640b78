"""What every pump has: the one thread that tells the listener, and what it does when a process goes.

How bytes come and go is a matter of the system: `Pump` polls, `ThreadsPump` has threads that block.

All pumps of a program share one interpreter lock, and one that always has something to do lets go of it only when it
is made to, which takes 5 ms each time; a small call of another host needs the lock about three times. So what came
all at once is handed on piece by piece, and a pump that has worked for so long rests as long, with the lock in
nobody's hand. The pipe fills up meanwhile and the host waits: a flood is slowed down where it comes from. A small
message is one piece and hardly any work, and a large one is never cut: neither of them waits.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from ...base.foreign import Log, contain
from ...plugins.results.failures import describe
from ..errors import THREAD_FAILED
from .stop_ladder import KILL_NOW

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Iterator

    from .loop_reader import LoopReader
    from .process import HostProcess, ProcessListener


PIECE: Final = 2048
"""Bytes of small messages that are handed on at a time: about as much as can be made of in one turn."""

TURN: Final = 0.0005
"""Seconds of work after which a pump gives way."""

REST: Final = 0.0005
"""Seconds that it rests then. Half of the time was measured to be enough: a neighbour's small call takes 1.2 times
what it takes beside an idle host, and 30 to 50 times without a rest."""


def pieces(data: bytes) -> Iterator[bytes]:
    """Cut output into pieces of whole lines, each of about `PIECE` bytes or of one long line; nothing is left out."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + PIECE - 1) + 1 or len(data)
        yield data[start:end]
        start = end


class Turn:
    """How long a pump has worked since it gave way."""

    def __init__(self) -> None:
        self._worked = 0.0

    def over(self, worked: float) -> bool:
        """Whether it has to give way now, after so many further seconds of work."""
        self._worked += worked
        if self._worked < TURN:
            return False
        self._worked = 0.0
        return True


_PATIENCE = 0.25
"""Seconds that a process may live on after it closed its stdout or stdin, before it is taken for
broken. Most that do so are about to end, and then their own exit says more than ours would."""

FAULTS = {
    "stdout_closed": "it closed its stdout and lived on",
    "stdin_closed": "it closed its stdin and lived on",
}
"""For what a process is stopped that has closed a stream: as `ProcessExit` has it, and for people."""

_Fact = TypeVar("_Fact")

logger: Log = Log("callboard.hosts")


def in_turns(
    hear: Callable[[bytes], None], data: bytes, turn: Turn, rest: Callable[[float], object] = time.sleep
) -> None:
    """Hand on output piece by piece, and give way to others when a turn is over; see the module."""
    for piece in pieces(data):
        began = time.perf_counter()
        hear(piece)
        if turn.over(time.perf_counter() - began):
            rest(REST)


class Pumping(ABC):
    """Carries one process's bytes until its end. `start` returns at once.

    Args:
        rest: how a pump that has worked for a while gives way to others; see the module.
    """

    def __init__(
        self,
        process: HostProcess,
        listener: ProcessListener,
        rest: Callable[[float], object] = time.sleep,
    ) -> None:
        self._process = process
        self._listener = listener
        self._rest = rest
        self._turn = Turn()
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

    def lead(self, _loop: AbstractEventLoop, _returned: Callable[[], None]) -> LoopReader | None:
        """Have an asyncio loop, which runs in this thread, read stdout for a while; ``None`` if that cannot be now.

        Args:
            returned: called in the pump's thread once that reads again.
        """
        return None

    def is_led(self) -> bool:
        """Whether a loop reads at present."""
        return False

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all is told; True when it is."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @abstractmethod
    def _carry(self) -> None:
        """Carry until the process has ended and its output has been told; the status is not taken yet."""

    @abstractmethod
    def _hear_last_words(self) -> None:
        """Take what is left in stderr, now that the process's group has been ended too."""

    def _hand_on(self, data: bytes) -> None:
        """Tell the listener of output, and give way to others where that is a flood."""
        in_turns(self._listener.on_output, data, self._turn, self._rest)

    def _run(self) -> None:
        process = self._process
        try:
            self._carry()
        except BaseException as error:  # noqa: BLE001 - a bug of ours: nobody must wait on a host that nobody reads
            contain(error, logger, "carrying host %r failed; ending it", process.host)
            process.stop(f"the thread that reads it failed: {describe(error)}", KILL_NOW, fault=THREAD_FAILED)
            process.climb()
        exit_ = process.collect()
        self._do(self._hear_last_words)
        self._tell(self._listener.on_exit, exit_)
        self._do(process.close)
        self._tell(self._listener.on_gone, self._sweep())

    def _sweep(self) -> list[int]:
        try:
            return self._process.sweep()
        except BaseException as error:  # noqa: BLE001 - mostly no descriptor to look with; the watchdog knows of the host
            contain(error, logger, "could not look for what host %r has left", self._process.host)
            return []

    def _tell(self, listener: Callable[[_Fact], None], fact: _Fact) -> None:
        self._do(partial(listener, fact))

    def _do(self, step: Callable[[], object]) -> None:
        try:
            step()
        except BaseException as error:  # noqa: BLE001 - a process has to be ended, and descriptors given back, all the same
            contain(error, logger, "a step to the end of host %r failed", self._process.host)

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
        self._process.stop(FAULTS[self._fault], KILL_NOW, fault=self._fault)
        return self._process.climb()
