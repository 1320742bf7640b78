"""An event loop with a thread of its own, for code that wants one loop from its beginning to its end.

What a module makes while it is set up (a session, a lock) is often bound to the loop it was made in, so its
tools have to run there, and so has its cleaning up. Code that blocks the loop blocks its own module, and no other.
"""

from __future__ import annotations

import threading
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...base.foreign import Log, contain

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

logger: Log = Log("callboard.actors")

Value = TypeVar("Value")


class Raised(NamedTuple):
    """What was raised instead of a value. `SystemExit` too: raised in a loop, it would end the loop."""

    error: BaseException


class LoopThread:
    """See the module. The thread begins at once, and is a daemon.

    Args:
        name: the thread's.
    """

    def __init__(self, name: str) -> None:
        import asyncio  # noqa: PLC0415 - it costs more than the rest of Callboard; who has no such module does without

        self._loop: asyncio.AbstractEventLoop = asyncio.new_event_loop()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, function: Callable[..., Any], *values: Any) -> Future[Any | Raised]:
        """Call ``function`` in the loop, and await what it returns if that can be awaited; never blocks."""
        from asyncio import run_coroutine_threadsafe  # noqa: PLC0415 - see above

        return run_coroutine_threadsafe(_settled(function, values), self._loop)

    def settle(self, function: Callable[..., Any], *values: Any, timeout: float | None) -> Any | Raised:
        """As `begin`, and wait so many seconds; without an end for ``None``.

        Raises:
            TimeoutError: it did not end in time, and has been cancelled.
        """
        future = self.begin(function, *values)
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it was cancelled, or has cancelled itself; all else is no exception here
            return Raised(error)

    async def relay(self, function: Callable[..., Any], *values: Any) -> Any:
        """As `begin`, awaited in another loop; cancelling that cancels it here."""
        from asyncio import wrap_future  # noqa: PLC0415 - see above

        return opened(await wrap_future(self.begin(function, *values)))

    @property
    def runs_here(self) -> bool:
        """Whether this is its thread, in which nothing of the loop's can be waited for."""
        return self._thread is threading.current_thread()

    @property
    def is_open(self) -> bool:
        """Whether it was not closed."""
        return not self._closing

    def close(self) -> None:
        """End the loop, and the thread with it, as soon as it does nothing."""
        self._closing = True
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        import asyncio  # noqa: PLC0415 - see above

        asyncio.set_event_loop(self._loop)
        try:
            while not self._closing:
                try:
                    self._loop.run_forever()
                except BaseException as error:  # noqa: BLE001 - a task of the module's; the others go on
                    contain(error, logger, "%s: a task has exited", self._thread.name)
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()


async def _settled(function: Callable[..., Awaitable[Any] | Any], values: tuple[Any, ...]) -> Any:
    from asyncio import CancelledError  # noqa: PLC0415 - see `LoopThread`

    try:
        answer = function(*values)
        return await answer if isawaitable(answer) else answer
    except CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - see `Raised`
        return Raised(error)


def opened(value: Any) -> Any:
    """The value, or its exception raised."""
    if isinstance(value, Raised):
        raise value.error
    return value
