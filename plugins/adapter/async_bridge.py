"""From asynchronous to synchronous code and back, for tools that are written the other way than they are run.

A board runs tools the way they are written (`CallMode`), and needs none of this. It is there so that every
tool can be run both ways, by programs and in tests.

asyncio is imported where it is used: it costs more than all the rest of this room, and most programs that
need none of these functions do without it.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator

_Value = TypeVar("_Value")

_END: Any = object()

_INSIDE_A_LOOP = (
    "asynchronous code cannot be waited for inside an event loop; "
    "await execute_async, stream_async or prepare_async; for a provider, asend_request_stream"
)


def wait_here(awaitable: Awaitable[_Value]) -> _Value:
    """Await in an event loop of its own, in this thread, until it is done.

    Raises:
        RuntimeError: this thread runs an event loop already; await there instead.
    """
    import asyncio  # noqa: PLC0415 - see above

    if _a_loop_runs_here():
        if hasattr(awaitable, "close"):
            awaitable.close()  # a coroutine that is dropped unclosed warns
        raise RuntimeError(_INSIDE_A_LOOP)

    async def settle() -> _Value:
        return await awaitable

    with asyncio.Runner() as runner:
        return runner.run(settle())


def settled_here(value: Any) -> Any:
    """Await a value in this thread, and what that gives, until it is nothing to await. Raises as `wait_here`."""
    while isinstance(value, Awaitable):
        value = wait_here(value)
    return value


async def settled(value: Any) -> Any:
    """Do as `settled_here`, in this event loop."""
    while isinstance(value, Awaitable):
        value = await value
    return value


def iterate_here(source: AsyncIterable[_Value]) -> Iterator[_Value]:
    """Iterate in an event loop of its own, in this thread; closing the iterator closes the source.

    Raises:
        RuntimeError: this thread runs an event loop already; iterate there instead.
    """
    import asyncio  # noqa: PLC0415 - see above

    if _a_loop_runs_here():
        raise RuntimeError(_INSIDE_A_LOOP)
    iterator = aiter(source)

    async def step() -> _Value:
        return await anext(iterator, _END)

    async def close() -> None:
        if hasattr(iterator, "aclose"):
            await iterator.aclose()

    with asyncio.Runner() as runner:
        try:
            while True:
                value = runner.run(step())
                if value is _END:
                    return
                yield value
        finally:
            runner.run(close())


async def call_in_thread(function: Callable[..., _Value], *values: Any) -> _Value:
    """Call in a worker thread, so that the event loop goes on."""
    import asyncio  # noqa: PLC0415 - see above

    return await asyncio.to_thread(function, *values)


async def iterate_in_thread(source: Iterator[_Value]) -> AsyncGenerator[_Value, None]:
    """Take each value in a worker thread, so that the event loop goes on; closing this closes the source."""
    try:
        while True:
            value = await call_in_thread(next, source, _END)
            if value is _END:
                return
            yield value
    finally:
        if hasattr(source, "close"):
            await call_in_thread(source.close)


def _a_loop_runs_here() -> bool:
    import asyncio  # noqa: PLC0415 - see above

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
