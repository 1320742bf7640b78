"""What every pump has: the one thread that tells the listener, and what it does when a process goes.

How bytes come and go is a matter of the system: `Pump` polls, `ThreadsPump` has threads that block.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ...base.foreign import Log, contain
from ...plugins.results.failures import describe
from ..errors import THREAD_FAILED
from .stop_ladder import KILL_NOW
from .turns import REST, Turn, pieces

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process import HostProcess, ProcessListener

_PATIENCE = 0.25
"""Seconds that a process may live on after it closed its stdout or stdin, before it is taken for
broken. Most that do so are about to end, and then their own exit says more than ours would."""

_FAULTS = {
    "stdout_closed": "it closed its stdout and lived on",
    "stdin_closed": "it closed its stdin and lived on",
}

_Fact = TypeVar("_Fact")

logger = Log("callboard.hosts")


def in_turns(
    hear: Callable[[bytes], None], data: bytes, turn: Turn, rest: Callable[[float], object] = time.sleep
) -> None:
    """Hand on output piece by piece, and give way to others when a turn is over; see `turns`."""
    for piece in pieces(data):
        began = time.perf_counter()
        hear(piece)
        if turn.over(time.perf_counter() - began):
            rest(REST)


class Pumping(ABC):
    """Carries one process's bytes until its end. `start` returns at once.

    Args:
        rest: how a pump that has worked for a while gives way to others; see `turns`.
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

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all is told; True when it is."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @abstractmethod
    def _carry(self) -> None:
        """Carry until the process has ended and its output has been told; the status is not taken yet."""

    @abstractmethod
    def _hear_last_words(self) -> None:
        """Take what is left in stderr, now that the process's family has been ended too."""

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
        self._process.stop(_FAULTS[self._fault], KILL_NOW, fault=self._fault)
        return self._process.climb()
