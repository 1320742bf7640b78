"""Giving a call up when somebody interrupts, without an exception that may come up anywhere.

See `interruption`: a `KeyboardInterrupt` between taking a call and noting it would leave the board in between, too.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from ...actors.calls.call import Call
    from ...authoring.dev_server import DevServer


class Giver:
    """While it is entered, from the main thread, an interrupt gives the watched call up."""

    def __init__(self, bench: DevServer) -> None:
        self._bench = bench
        self._lock = threading.Lock()
        self._call: Call | None = None
        self._asked = False
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is not signal.SIG_IGN:  # whoever started us wants it so
            signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def watch(self, call: Call) -> None:
        """This is the call; it is given up at once if somebody has interrupted before."""
        with self._lock:
            self._call = call
            asked = self._asked
        if asked:
            self._bench.give_up(call)

    def _on_signal(self, *_: object) -> None:
        self.give_up()

    def give_up(self) -> None:
        """Give the call up, or the one that is still to be watched; from any thread, and from a signal handler."""
        # In a thread: a handler runs at whatever line the main thread is at, which may hold any lock.
        threading.Thread(target=self._give_up, name="callboard-giving-up").start()

    def _give_up(self) -> None:
        with self._lock:
            self._asked = True
            call = self._call
        if call is not None:
            self._bench.give_up(call)
