"""Signals, in one place: they are noted or cancel a call, and never raise at whatever line the main thread has reached.

Python turns an interrupt into a `KeyboardInterrupt` at any line, between taking a call and noting it, say. Here a
handler only notes the signal and wakes what waits: a read through a descriptor, others through a callable. A signal
that is ignored stays ignored: the program that started this one wants it so, a shell in the background for one.

Two places beside this are none of its business: `__main__` has an interrupt end the program while it is imported, and a second
one while it ends; and Ctrl-C at a prompt is a key.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Self

from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from ...actors.calls.call import Call

    Handler = Callable[[int, FrameType | None], object]


class _Handlers:
    """Handlers of signals, from `set` on, which is for the main thread, until `restore`."""

    def __init__(self, *numbers: signal.Signals) -> None:
        self._numbers = numbers
        self._before: dict[signal.Signals, Any] = {}

    def set(self, handler: Handler) -> None:
        """Have a handler called instead of those that there are."""
        for number in self._numbers:
            before = signal.getsignal(number)
            if before is not signal.SIG_IGN:
                self._before[number] = before
                signal.signal(number, handler)

    def restore(self) -> None:
        """Have those called that there were. Twice is no error."""
        for number, handler in self._before.items():
            signal.signal(number, handler)


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
        self._handlers = _Handlers(signal.SIGINT, signal.SIGTERM)
        self._reader = self._writer = -1

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        self._handlers.set(self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        self._handlers.restore()
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
            os.write(self._writer, b"!")  # the self-pipe trick: a poll that has just begun sees it too
            self._wake()

    def _on_signal(self, number: int, _: object) -> None:
        # First of all, so that a second signal ends a program whose stop hangs.
        self._handlers.restore()
        self.stop(signal.Signals(number))


class CancelOnInterrupt:
    """While it is entered, from the main thread, an interrupt cancels the watched call.

    Args:
        cancel: cancels a call; it is called in a thread of its own.
    """

    def __init__(self, cancel: Callable[[Call], None]) -> None:
        self._cancel = cancel
        self._handlers = _Handlers(signal.SIGINT)
        self._lock = Lock()
        self._call: Call | None = None
        self._asked = False

    def __enter__(self) -> Self:
        self._handlers.set(lambda *_: self.cancel())
        return self

    def __exit__(self, *_: object) -> None:
        self._handlers.restore()

    def watch(self, call: Call) -> None:
        """This is the call; it is cancelled at once if there was an interrupt before."""
        with self._lock:
            self._call = call
            asked = self._asked
        if asked:
            self._cancel(call)

    def cancel(self) -> None:
        """Cancel the call, or the one that is still to be watched; from any thread, and from a signal handler."""
        # In a thread: a handler runs at whatever line the main thread is at, which may hold any lock.
        threading.Thread(target=self._cancel_watched, name="callboard-cancelling").start()

    def _cancel_watched(self) -> None:
        with self._lock:
            self._asked = True
            call = self._call
        if call is not None:
            self._cancel(call)


def takes_interrupts() -> bool:
    """Whether an interrupt is one at all: the program that started this one may have it ignored."""
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def interrupt() -> None:
    """Interrupt this program, as Ctrl-C does where it is no key."""
    signal.raise_signal(signal.SIGINT)
