"""The stream of one call: whatever a stream hook answered, taken chunk by chunk until its final result.

A stream has one end. At the final result the tool's generator is closed, and what it would have yielded
after is never asked for; a stream that ends without a final result gets one that says so. A generator may
also *return* its final result.

The reader gets the final result before the generator is closed, so a tool that takes its time to clean up
keeps no caller waiting.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...base.foreign import blames
from ..results.chunks import Chunk, Part, no_final_result, read_chunk
from ..results.failures import describe
from ..results.normalise import normalise_result
from .async_bridge import iterate_here, wait_here

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator

    from ..results.normalise import NormalisedResult

    Tell = Callable[[str], None]
    """Told of what went wrong beside the chunks, as a sentence without its subject."""

    Settle = Callable[[NormalisedResult], NormalisedResult]
    """Has the last word about a final result."""


def chunks_of(answer: Any, tell: Tell, settle: Settle) -> Iterator[Chunk]:
    """Yield parts and one final result from what a stream hook answered.

    Raises:
        Exception: what the tool raises.
    """
    source = _iterator(answer)
    try:
        while True:
            try:
                chunk = read_chunk(next(source))
            except StopIteration as end:
                yield no_final_result() if end.value is None else settle(normalise_result(end.value))
                return
            if isinstance(chunk, Part):
                _tell_fault(chunk, tell)
                yield chunk
            else:
                yield settle(chunk)
                return
    finally:
        if hasattr(source, "close"):
            try:
                source.close()
            except BaseException as error:  # the generator is the plugin's
                if not blames(error):
                    raise
                tell(f"raised when its stream was closed: {describe(error)}")


async def chunks_of_async(answer: Any, tell: Tell, settle: Settle) -> AsyncGenerator[Chunk, None]:
    """Do as `chunks_of`, awaiting; an iterator that is not asynchronous is stepped in the event loop's thread."""
    while isinstance(answer, Awaitable):
        answer = await answer
    if not isinstance(answer, AsyncIterable):
        for chunk in chunks_of(answer, tell, settle):
            yield chunk
        return
    source = aiter(answer)
    try:
        async for value in source:
            chunk = read_chunk(value)
            if isinstance(chunk, Part):
                _tell_fault(chunk, tell)
                yield chunk
            else:
                yield settle(chunk)
                return
        yield no_final_result()
    finally:
        if hasattr(source, "aclose"):
            try:
                await source.aclose()
            except Exception as error:  # noqa: BLE001 - the call has its answer; the fault is told
                tell(f"raised when its stream was closed: {describe(error)}")


def _iterator(answer: Any) -> Iterator[Any]:
    """Make an iterator of any answer. A mapping or a text is one chunk: its keys or letters are not meant."""
    while isinstance(answer, Awaitable):
        answer = wait_here(answer)
    if isinstance(answer, AsyncIterable):
        return iterate_here(answer)
    if answer is None:
        return iter(())
    if isinstance(answer, Iterable) and not isinstance(answer, Mapping | str | bytes):
        return iter(answer)
    return iter((answer,))


def _tell_fault(part: Part, tell: Tell) -> None:
    if part.fault is not None:
        tell(f"yielded a part that is not JSON: {part.fault}")
