"""Running one call of a plugin in this thread, from its start to its answer, whatever the tool does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...plugins.results.chunks import Part
from ...plugins.results.failures import tool_raised
from ...plugins.results.normalise import NormalisedResult, invalid_result

if TYPE_CHECKING:
    from asyncio import Runner
    from collections.abc import Callable

    from ...plugins.adapter.adapter import PluginAdapter
    from .run import ThreadRun

State = dict[str, Any]


def perform(
    adapter: PluginAdapter, run: ThreadRun, state: State, runner: Callable[[], Runner]
) -> NormalisedResult:
    """Run the call and return its answer; raises nothing. Parts go to the call as they come.

    Args:
        adapter: the plugin.
        run: the call; asynchronous tools can be cancelled through it.
        state: the plugin's state, the tool's to change.
        runner: gives this thread's event loop, for asynchronous tools.
    """
    mode = adapter.call_mode(stream=run.call.streaming)
    try:
        if mode.awaits:
            return runner().run(_perform_async(adapter, run, state, streams=mode.streams))
        if mode.streams:
            return _read_stream(adapter, run, state)
        return adapter.execute(run.invocation, state)
    except BaseException as error:  # noqa: BLE001 - SystemExit, KeyboardInterrupt and CancelledError end in here too
        return NormalisedResult(tool_raised(error), valid=False)


def _read_stream(adapter: PluginAdapter, run: ThreadRun, state: State) -> NormalisedResult:
    chunks = adapter.stream(run.invocation, state)
    for chunk in chunks:
        if not isinstance(chunk, Part):
            return chunk
        run.call.add_chunk(chunk.chunk, chunk.size)
        if run.stopping:
            break
    return _unwanted()


async def _perform_async(
    adapter: PluginAdapter, run: ThreadRun, state: State, *, streams: bool
) -> NormalisedResult:
    from asyncio import current_task, get_running_loop  # noqa: PLC0415 - see `Workers`

    task, loop = current_task(), get_running_loop()
    assert task is not None
    run.cancel = partial(loop.call_soon_threadsafe, task.cancel)
    if run.stopping:
        return _unwanted()
    if not streams:
        return await adapter.execute_async(run.invocation, state)
    async for chunk in adapter.stream_async(run.invocation, state):
        if not isinstance(chunk, Part):
            return chunk
        run.call.add_chunk(chunk.chunk, chunk.size)
    return _unwanted()


def _unwanted() -> NormalisedResult:
    """The end of a run whose call has its result already; this one is dropped."""
    return invalid_result("the call was given up")
