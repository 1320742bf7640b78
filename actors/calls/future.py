"""The result of a call as a `concurrent.futures.Future`, for those who wait by such means.

The standard library catches what is an `Exception` of a future's callbacks, and no more: another one would keep the
callbacks behind it from being told, and end the thread that has brought the result.
"""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from ...base.foreign import Log, contain

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.results.call_result import CallResult

logger: Log = Log("callboard.actors")


class CallFuture(Future["CallResult"]):
    """See the module. Made by `Call.future`; cancelling it does nothing to the call."""

    def __init__(self) -> None:
        super().__init__()
        self._interrupt: BaseException | None = None
        self.set_running_or_notify_cancel()

    def add_done_callback(self, fn: Callable[[Future[CallResult]], object]) -> None:
        super().add_done_callback(partial(self._tell, fn))

    def settle(self, result: CallResult) -> None:
        """Set the result; raises, when all have been told, an interrupt that came meanwhile (see `is_interrupt`)."""
        self.set_result(result)
        interrupt, self._interrupt = self._interrupt, None
        if interrupt is not None:
            raise interrupt

    def _tell(self, function: Callable[[Future[CallResult]], object], future: Future[CallResult]) -> None:
        try:
            function(future)
        except BaseException as error:  # noqa: BLE001 - one of the caller's; those behind it must hear all the same
            interrupt = contain(error, logger, "a callback of a call's future failed")
            self._interrupt = self._interrupt or interrupt
