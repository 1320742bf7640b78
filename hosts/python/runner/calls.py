"""Running one call in this thread, from its start to its result. What the tool raises passes through, `SystemExit` too."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from ....plugins.results.chunks import Part, no_final_result

if TYPE_CHECKING:
    from ....base.event_loop import EventLoop
    from ....plugins.adapter.adapter import PluginAdapter
    from ....plugins.contract.invocation import Invocation
    from ....plugins.results.normalise import NormalisedResult
    from .cancellation import Cancellation

Emit = Callable[[Any], None]
"""Told each part as it comes."""

Json = dict[str, Any]


class Way(NamedTuple):
    """How one call is run.

    Attributes:
        stream: its parts are wanted.
        emit: told them.
        loop: runs what is asynchronous.
        cancellation: heeded, if there is one.
    """

    stream: bool
    emit: Emit
    loop: EventLoop
    cancellation: Cancellation | None


def run_tool(adapter: PluginAdapter, invocation: Invocation, state: Json, way: Way) -> NormalisedResult:
    """Run the tool the way it is written, and return its result; ``state`` is the tool's to change.

    Raises:
        HostFault: it was cancelled.
        BaseException: what the tool raises.
    """
    mode = adapter.call_mode(stream=way.stream)
    cancellation = way.cancellation
    if mode.awaits:
        run = _run_async(adapter, invocation, state, streams=mode.streams, emit=way.emit)
        return way.loop.runner().run(run if cancellation is None else _cancellable(run, cancellation))
    if cancellation is not None:
        cancellation.heed()
    if not mode.streams:
        return adapter.execute(invocation, state)
    chunks = adapter.stream(invocation, state)
    with closing(chunks) if isinstance(chunks, Generator) else nullcontext():
        for chunk in chunks:
            if not isinstance(chunk, Part):
                return chunk
            way.emit(chunk.chunk["part"])
            if cancellation is None:
                continue
            cancellation.heed()
    return no_final_result()


async def _cancellable(
    run: Coroutine[Any, Any, NormalisedResult], cancellation: Cancellation
) -> NormalisedResult:
    try:
        with cancellation.of_this_task():
            return await run
    finally:
        run.close()  # of one that was cancelled before it began; else it has ended


async def _run_async(
    adapter: PluginAdapter, invocation: Invocation, state: Json, *, streams: bool, emit: Emit
) -> NormalisedResult:
    if not streams:
        return await adapter.execute_async(invocation, state)
    async for chunk in adapter.stream_async(invocation, state):
        if not isinstance(chunk, Part):
            return chunk
        emit(chunk.chunk["part"])
    return no_final_result()
