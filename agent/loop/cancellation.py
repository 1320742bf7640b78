"""`Cancellation`: ends a turn from outside, from any thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.locks import Lock
from ...base.validation import require_callable

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancellation:
    """Given to a turn, and cancelled from outside: by a button, a signal handler, another task.

    One can be given to several turns. Cancelled once, it stays so: a turn that is given it then ends at once.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._cancelled = False
        self._listeners: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether it has been cancelled."""
        return self._cancelled

    def cancel(self) -> None:
        """End the turns that were given this; again, it does nothing. Never blocks."""
        with self._lock:
            self._cancelled = True
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have ``listener`` called when it is cancelled, or now if it was; returns what takes that back."""
        require_callable("a listener", listener)
        with self._lock:
            heard = self._cancelled
            if not heard:
                self._listeners.append(listener)
        if heard:
            listener()
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[], None]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
