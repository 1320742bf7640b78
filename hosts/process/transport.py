"""What a `Host` talks through: something that carries bytes to a host program and back.

`ProcessTransport` is a real process with its pump. A test kit may hand in another one, so that
everything above the bytes can be tried without a process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ..errors import HostStartError
from ..process_tree.watchdog import Watchdog
from .process import Command, ProcessListener

if sys.platform == "win32":
    from .windows_process import threaded as _begin
else:
    from .posix_process import polled as _begin

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from .loop_reader import LoopReader
    from .process import HostProcess
    from .pump import Pumping
    from .stop_ladder import StopLadder


class Transport(Protocol):
    """One generation of a host program, as a thing that takes bytes and gives bytes.

    Attributes:
        pid: its process id; a number of its own if it is no process.
        took: the last data written of which a byte may have left, or may leave yet. It tells after an interrupted `write`.
    """

    pid: int

    @property
    def took(self) -> bytes | None: ...

    def has_ended(self) -> bool:
        """Whether it has ended by itself, though that may not have been told yet: a stop that comes now is too late."""

    @property
    def stderr_tail(self) -> str:
        """The last lines that it said there."""

    def start(self) -> None:
        """Begin to tell the listener. Raises `HostStartError` when that is impossible."""

    def write(self, data: bytes) -> None:
        """Send bytes, without ever blocking. Raises `HostGone` when none of them was sent."""

    def stop(self, reason: str, ladder: StopLadder) -> None:
        """Begin to end it; a later call can only hasten what an earlier one began."""

    def join(self, timeout: float | None = None) -> bool:
        """Wait until it is gone and all is told; True when so."""


Carry = Callable[[str, Command, ProcessListener, Watchdog | None], Transport]
"""Starts the generation of the host of that name. Raises `HostStartError`."""


class Begin(Protocol):
    """Starts a process that is not carried yet."""

    def __call__(
        self, command: Command, listener: ProcessListener, *, host: str, watchdog: Watchdog | None
    ) -> tuple[HostProcess, Pumping]:
        """Raises `HostStartError`."""


class ProcessTransport:
    """A process and the pump that carries its bytes.

    Args:
        host, command, listener, watchdog: see `Carry`.
        begin: starts a process with the kind of pump that it needs; that which the system allows, as a rule.

    Attributes:
        found_by: see `HostProcess`.

    Raises:
        HostStartError: the process cannot be started.
    """

    def __init__(
        self,
        host: str,
        command: Command,
        listener: ProcessListener,
        watchdog: Watchdog | None = None,
        begin: Begin = _begin,
    ) -> None:
        self._process, self._pump = process, _ = begin(command, listener, host=host, watchdog=watchdog)
        self.pid: int = process.pid
        self.found_by: tuple[str, ...] = process.found_by
        self.lead: Callable[[AbstractEventLoop, Callable[[], None]], LoopReader | None] = self._pump.lead
        self.is_led: Callable[[], bool] = self._pump.is_led
        # On the way of every call: no further step in between.
        self.write: Callable[[bytes], None] = process.write

    @property
    def took(self) -> bytes | None:
        return self._process.took

    def has_ended(self) -> bool:
        return self._process.has_ended()

    @property
    def stderr_tail(self) -> str:
        return self._process.stderr.tail()

    def start(self) -> None:
        try:
            self._pump.start()
        except RuntimeError as error:
            self._process.abort()
            host = self._process.host
            raise HostStartError(
                f"cannot start host {host!r}: {error}", host=host, permanent=False
            ) from error

    def stop(self, reason: str, ladder: StopLadder) -> None:
        self._process.stop(reason, ladder)

    def join(self, timeout: float | None = None) -> bool:
        return self._pump.join(timeout)
