"""Running one call in this thread, from its start to its result. What the tool raises passes through, `SystemExit` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plugins.chunks import Part, no_final_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...plugins.adapter import PluginAdapter
    from ...plugins.calling import Invocation
    from ...plugins.results import NormalisedResult
    from .event_loop import EventLoop

    Emit = Callable[[Any], None]
    """Told each part as it comes."""

Json = dict[str, Any]


def run_tool(
    adapter: PluginAdapter, invocation: Invocation, state: Json, *, stream: bool, emit: Emit, loop: EventLoop
) -> NormalisedResult:
    """Run the tool the way it is written, and return its result; ``state`` is the tool's to change."""
    mode = adapter.call_mode(stream=stream)
    if mode.awaits:
        return loop.runner().run(_run_async(adapter, invocation, state, streams=mode.streams, emit=emit))
    if not mode.streams:
        return adapter.execute(invocation, state)
    for chunk in adapter.stream(invocation, state):
        if not isinstance(chunk, Part):
            return chunk
        emit(chunk.chunk["part"])
    return no_final_result()


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
