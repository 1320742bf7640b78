"""Being told to stop, without an exception that may come up anywhere.

Python turns an interrupt into a `KeyboardInterrupt` at whatever line the main thread has reached, between
taking a call and noting it, say. Here a signal is only noted, and whoever waits is woken: the one who
reads input through a descriptor, others through a callable.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """While it is entered, from the main thread, the first signal is noted; the second one acts as ever.

    Args:
        wake: called when there is a reason to stop; from a signal handler, so it must neither block
            nor take a lock.

    Attributes:
        reason: the signal, or the error, that is the reason to stop; ``None`` when there is none.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self.reason: signal.Signals | Exception | None = None
        self._wake = wake
        self._before: dict[signal.Signals, Any] = {}
        self._reader = self._writer = -1

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if (
                before is not signal.SIG_IGN
            ):  # whoever started us wants it so, a shell in the background for one
                self._before[number] = before
                signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()
        reader, writer = self._reader, self._writer
        self._reader = self._writer = -1
        os.close(reader)
        os.close(writer)

    def fileno(self) -> int:
        """A descriptor that becomes readable, and stays so, when there is a reason to stop."""
        return self._reader

    def stop(self, reason: signal.Signals | Exception) -> None:
        """Give a reason to stop; the first one counts. From any thread, within the ``with``."""
        if self.reason is None and self._writer >= 0:
            self.reason = reason
            os.write(self._writer, b"!")
            self._wake()

    def _on_signal(self, number: int, _: object) -> None:
        self._restore()
        self.stop(signal.Signals(number))

    def _restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
