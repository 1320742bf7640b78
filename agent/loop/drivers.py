"""The two drivers of a turn: one waits for its news, the other awaits them."""

from __future__ import annotations

from contextlib import aclosing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ...plugins.adapter.async_bridge import call_in_thread
from .turn_effects import Reason

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterator

    from ...supervision.runtime.clock import Clock
    from .cancellation import Cancellation
    from .model_reading import Spawn
    from .tool_loop import ToolLoop

Json = dict[str, Any]

_PARTING = 1.0
"""Seconds that a model request which was given up may take to close its connection."""


class Limits:
    """What can end a turn from outside.

    Args:
        clock: the board's.
        cancel: ends the turn when it is cancelled; ``None`` for never.
        deadline: by time, in seconds from its beginning; ``None`` for never.
    """

    def __init__(self, clock: Clock, cancel: Cancellation | None, deadline: float | None) -> None:
        self._clock = clock
        self._cancel = cancel
        self._deadline = deadline

    @contextmanager
    def hold(self, loop: ToolLoop) -> Iterator[None]:
        """Have a turn ended by them; whatever ends the driver ends the turn too."""
        forget = None if self._cancel is None else self._cancel.subscribe(loop.stop)
        timer = None
        if self._deadline is not None:
            at = self._clock.now() + self._deadline
            timer = self._clock.call_at(at, partial(loop.stop, Reason.DEADLINE))
        try:
            yield
        finally:
            if forget is not None:
                forget()
            if timer is not None:
                timer.cancel()
            loop.close()


def drive(loop: ToolLoop, limits: Limits) -> Generator[Json, None, None]:
    """Carry a turn to its end; yield its events. Closing this ends the turn."""
    with limits.hold(loop):
        yield from _events(loop)


def _events(loop: ToolLoop) -> Generator[Json, None, None]:
    loop.open()
    while len(loop.inbox):  # cancelled before it began
        yield from loop.take(loop.inbox.get())
    yield from loop.begin()
    while not loop.over:
        yield from loop.take(loop.inbox.get())


async def drive_async(make: Callable[[Spawn], ToolLoop], limits: Limits) -> AsyncGenerator[Json, None]:
    """Do as `drive`, awaiting.

    Args:
        make: makes the turn, given what starts its tasks in this event loop.
        limits: see `drive`.
    """
    import asyncio  # noqa: PLC0415 - whoever awaits has imported it

    tasks: set[Task[None]] = set()

    def spawn(coroutine: Coroutine[Any, Any, None]) -> Callable[[], object]:
        task = asyncio.get_running_loop().create_task(coroutine)
        tasks.add(task)
        return task.cancel

    loop = make(spawn)
    try:
        with limits.hold(loop):
            async with aclosing(_events_async(loop)) as events:
                async for event in events:
                    yield event
    finally:
        if tasks:
            await asyncio.wait(tasks, timeout=_PARTING)


async def _events_async(loop: ToolLoop) -> AsyncGenerator[Json, None]:
    await call_in_thread(loop.open)
    while len(loop.inbox):
        for event in loop.take(await loop.inbox.get_async()):
            yield event
    for event in loop.begin():
        yield event
    while not loop.over:
        for event in loop.take(await loop.inbox.get_async()):
            yield event
