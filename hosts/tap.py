"""Hearing all that goes between us and a host, and what the host says on stderr, as it goes.

A tap is a transport around the process: nothing of it is on the way of a host that nobody listens to. It changes nothing
and delays what passes by as long as the listener takes; one that raises is logged and costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..base.foreign import Log, contain
from .host import Host
from .process.process import RingBuffer
from .process.transport import ProcessTransport

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process.process import Command, ProcessExit, ProcessListener
    from .process.transport import Carry, Transport
    from .process_tree.watchdog import Watchdog

logger: Log = Log("callboard.hosts")


class StderrTap(Protocol):
    """Who hears what one generation of a host says on stderr, in the thread of its pump."""

    def said(self, data: bytes) -> None:
        """A piece of stderr, cut anywhere."""

    def ended(self, exit_: ProcessExit) -> None:
        """It has ended, and all that it wrote has been heard."""


class Tap(StderrTap, Protocol):
    """Who hears one generation of a host. `sent` comes from any thread, the others from the generation's pump."""

    def sent(self, line: bytes) -> None:
        """A request, on its way."""

    def received(self, data: bytes) -> None:
        """A piece of stdout, cut anywhere."""


def tapping(listen: Callable[[str, int, Command], Tap]) -> Carry:
    """Carry hosts as processes, each generation with a tap.

    Args:
        listen: makes the tap of a generation, from its host's name, its generation and what is started.
    """

    def carry(
        host: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None = None
    ) -> Transport:
        generation = listener.generation if isinstance(listener, Host) else 1
        return _Tapped(host, command, listener, watchdog, listen(host, generation, command))

    return carry


def overhearing(listen: Callable[[str, int, Command], StderrTap]) -> Carry:
    """Carry hosts as processes, and hear what each generation says on stderr; nothing is on the way of what goes between it and us.

    Args:
        listen: makes the tap of a generation, from its host's name, its generation and what is started.
    """

    def carry(
        host: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None = None
    ) -> Transport:
        generation = listener.generation if isinstance(listener, Host) else 1
        return _Overheard(host, command, listener, watchdog, listen(host, generation, command))

    return carry


class _Overheard(ProcessTransport):
    def __init__(
        self,
        host: str,
        command: Command,
        listener: ProcessListener,
        watchdog: Watchdog | None,
        tap: StderrTap,
    ) -> None:
        super().__init__(host, command, _HeardEnd(listener, tap), watchdog)
        self._process.stderr = _HeardRing(tap)  # before `start`, from when on it is fed


class _HeardEnd:
    """Passes on what a process tells its listener; its output without a step in between."""

    def __init__(self, listener: ProcessListener, tap: StderrTap) -> None:
        self.on_output = listener.on_output
        self.on_gone = listener.on_gone
        self._listener = listener
        self._tap = tap

    def on_exit(self, exit_: ProcessExit) -> None:
        _tell(self._tap.ended, exit_)
        self._listener.on_exit(exit_)


class _Tapped(ProcessTransport):
    def __init__(
        self,
        host: str,
        command: Command,
        listener: ProcessListener,
        watchdog: Watchdog | None,
        tap: Tap,
    ) -> None:
        super().__init__(host, command, _Heard(listener, tap), watchdog)
        self._process.stderr = _HeardRing(tap)  # before `start`, from when on it is fed
        send = self.write

        def write(data: bytes) -> None:
            _tell(tap.sent, data)
            send(data)

        self.write = write


class _Heard:
    """Passes on what a process tells its listener."""

    def __init__(self, listener: ProcessListener, tap: Tap) -> None:
        self._listener = listener
        self._tap = tap

    def on_output(self, data: bytes) -> None:
        _tell(self._tap.received, data)
        self._listener.on_output(data)

    def on_exit(self, exit_: ProcessExit) -> None:
        _tell(self._tap.ended, exit_)
        self._listener.on_exit(exit_)

    def on_gone(self, leftovers: list[int]) -> None:
        self._listener.on_gone(leftovers)


class _HeardRing(RingBuffer):
    def __init__(self, tap: StderrTap) -> None:
        super().__init__()
        self._tap = tap

    def feed(self, data: bytes) -> None:
        super().feed(data)
        _tell(self._tap.said, data)


def _tell(hears: Callable[[Any], None], fact: Any) -> None:
    try:
        hears(fact)
    except BaseException as error:  # noqa: BLE001 - one of the embedder's; the host and its calls go on
        if (interrupt := contain(error, logger, "listening to a host failed")) is not None:
            raise interrupt from None
