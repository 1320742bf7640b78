"""Reading a call's parts in an event loop; and what becomes of the call when the reader is cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

from .waiting import running_task, soon_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.results.call_result import CallResult

Json = dict[str, Any]


class Readable(Protocol):
    """A `Call`, as those who read its parts need it."""

    def done(self) -> bool:
        """See `Call.done`."""

    def result(self) -> CallResult:
        """See `Call.result`."""

    def cancel(self) -> bool:
        """See `Call.cancel`."""

    def hold(self) -> Callable[[], None]:
        """See `Call.hold`."""

    def abandon(self) -> None:
        """See `Call.abandon`."""

    def take_chunk(self) -> Json | None:
        """See `Call.take_chunk`."""

    async def news(self, cancelled: Callable[[], None]) -> None:
        """See `Call.news`."""


class PartReader:
    """What ``async for part in call`` iterates over. The call is awaited by it until it is left.

    A loop that is left by ``break`` cancels nothing. One whose task is cancelled does, if nothing else awaits the
    call, be it while it waits for the next part or within its body: in both cases there will be no reader.
    """

    __slots__ = ("_call", "_release", "_task")

    def __init__(self, call: Readable) -> None:
        self._call = call
        self._release: Callable[[], None] | None = None
        self._task: Any = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        call = self._call
        if self._release is None:
            self._release, self._task = call.hold(), running_task()
        while True:
            ended = call.done()  # before the look: the end comes last
            if (chunk := call.take_chunk()) is not None:
                return chunk["part"]
            if ended:
                self.close()
                raise StopAsyncIteration
            await call.news(self._cancelled)

    def _cancelled(self) -> None:
        self.close()
        self._call.abandon()

    def close(self) -> None:
        """Read no more. From a finalizer too: it takes no lock."""
        release, self._release = self._release, None
        if release is not None:
            release()

    async def aclose(self) -> None:
        """As `close`: the call goes on."""
        self.close()

    def __del__(self) -> None:
        # At once when a loop is left, however that is. Its body may have been cancelled, which only its task can tell.
        if getattr(self, "_release", None) is not None:  # an interrupt may have come before it was made
            self.close()
            soon_if_cancelled(self._task, self._call.abandon)
