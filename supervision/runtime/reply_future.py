"""The future in which an actor of Callboard answers.

`pykka.ThreadingFuture` waits on a `threading.Condition`. An exception that a signal handler raises in there may leave its lock taken, and the
actor would wait for it as it answers, for ever. A `queue.SimpleQueue` is written in C: no handler runs while its lock is held.
"""

from __future__ import annotations

import queue
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import pykka

if TYPE_CHECKING:
    from pykka._types import OptExcInfo

Value = TypeVar("Value")


class _Outcome(NamedTuple):
    value: Any
    error: BaseException | None


class ReplyFuture(pykka.Future[Value]):
    """See the module. Used as any future of pykka: it is set once, and may be read by several threads."""

    def __init__(self) -> None:
        super().__init__()
        self._outcome: _Outcome | None = None
        self._wakes: queue.SimpleQueue[None] = queue.SimpleQueue()

    def get(self, *, timeout: float | None = None) -> Any:
        """Wait for the answer.

        Args:
            timeout: seconds; for ever if ``None``.

        Raises:
            pykka.Timeout: there was none in that time.
            Exception: what the actor raised in place of an answer.
        """
        if self._get_hook is not None:
            return super().get(timeout=timeout)
        until = None if timeout is None else time.monotonic() + timeout
        while (outcome := self._outcome) is None:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                raise pykka.Timeout(f"{timeout} seconds")
            try:
                self._wakes.get(timeout=left)
            except queue.Empty:
                continue
            finally:  # for the others that wait; one too many has a reader look once more
                self._wakes.put(None)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def set(self, value: Any = None) -> None:
        """ReplyFuture. Raises `queue.Full` if that was done before."""
        self._end(_Outcome(value, None))

    def set_exception(self, exc_info: OptExcInfo | None = None) -> None:
        """ReplyFuture by what was raised; that which is being handled if ``None``. Raises as `set`."""
        _, error, traceback = exc_info or sys.exc_info()
        assert error is not None
        self._end(_Outcome(None, error.with_traceback(traceback)))

    def set_get_hook(self, func: Any) -> None:
        """As of `pykka.Future`. Raises as `set`."""
        self._require_unset()
        super().set_get_hook(func)

    def _end(self, outcome: _Outcome) -> None:
        self._require_unset()
        self._outcome = outcome
        self._wakes.put(None)

    def _require_unset(self) -> None:
        if self._outcome is not None or self._get_hook is not None:
            raise queue.Full
