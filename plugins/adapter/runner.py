"""Running a plugin's tools: in which mode, and what came of it.

A plugin that offers several hooks is run by the first that it has of a fixed order. For parts: STREAM,
STREAM_ASYNC, EXECUTE, EXECUTE_ASYNC; for the result alone: EXECUTE, EXECUTE_ASYNC, STREAM, STREAM_ASYNC.
Synchronous goes first, since a tool in a thread of its own cannot hold up the others in an event loop.

`ToolRunner` can run any tool from either side, across the bridge if need be. What a tool raises passes
through it, `SystemExit` too: who runs tools has to catch `BaseException` and answer `tool_raised`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from ..contract.call_modes import CallMode, mode_of
from ..contract.hook_table import HOOKS, RUNNING_HOOKS, offered
from ..contract.invocation import CompiledCall, Invocation, compile_call
from ..results.codes import Code, Outcome
from ..results.failures import failure
from ..results.hook_faults import HookFault
from ..results.normalise import NormalisedResult, Unwritten, normalise_result, worded
from .async_bridge import call_in_thread, iterate_in_thread, wait_here
from .streams import chunks_of, chunks_of_async

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator

    from ..results.chunks import Chunk
    from ..results.hook_faults import Report

    Words = Callable[[dict[Any, Any], dict[str, Any]], "str | dict[str, Any] | None"]

Json = dict[str, Any]


_FOR_RESULT = (CallMode.EXECUTE, CallMode.EXECUTE_ASYNC, CallMode.STREAM, CallMode.STREAM_ASYNC)
_FOR_PARTS = (CallMode.STREAM, CallMode.STREAM_ASYNC, CallMode.EXECUTE, CallMode.EXECUTE_ASYNC)
_FOR_RESULT_ASYNC = (CallMode.EXECUTE_ASYNC, CallMode.STREAM_ASYNC, CallMode.EXECUTE, CallMode.STREAM)
_FOR_PARTS_ASYNC = (CallMode.STREAM_ASYNC, CallMode.STREAM, CallMode.EXECUTE_ASYNC, CallMode.EXECUTE)


class ToolRunner:
    """Runs one plugin's tools.

    Args:
        plugin: the plugin object; it offers at least one hook that runs a tool (see `as_tool_plugin`).
        name: its name, for errors.
        report: told of faults that a call survives.
        words: what the plugin says of an answer that is not JSON, given the state; ``None`` for nothing.

    Raises:
        ContractError: one of those hooks cannot be called by the contract.
    """

    def __init__(self, plugin: object, *, name: str, report: Report, words: Words) -> None:
        self._name = name
        self._report = report
        self._words = words
        self._hooks: dict[CallMode, CompiledCall] = {}
        self._named: dict[CallMode, str] = {}
        for hook in RUNNING_HOOKS:
            method = offered(plugin, hook, name=name)
            if method is not None:
                mode = mode_of(hook, method)
                self._hooks[mode] = compile_call(method, HOOKS[hook], plugin=name)
                self._named[mode] = hook
        self.for_result: CallMode = self._first(_FOR_RESULT)
        self.for_parts: CallMode = self._first(_FOR_PARTS)
        self._at_once = None if self.for_result.streams else self._hooks[self.for_result]
        self._for_result_async = self._first(_FOR_RESULT_ASYNC)
        self._for_parts_async = self._first(_FOR_PARTS_ASYNC)

    @property
    def objects_only(self) -> bool:
        """Whether no hook of the plugin can be given a payload that is not an object."""
        return all(hook.legacy for hook in self._hooks.values())

    @property
    def wants_context(self) -> bool:
        """Whether any hook of the plugin is given the context."""
        return any(hook.wants_context for hook in self._hooks.values())

    def execute(self, invocation: Invocation, state: Json) -> NormalisedResult:
        """Run the tool in this thread and wait. Raises what the tool raises."""
        hook = self._at_once
        if hook is None:
            return _final(*deque(self.stream(invocation, state), maxlen=1))
        if not hook.takes(invocation):
            return self._refusal(self.for_result, invocation)
        answer = hook.call(invocation, state)
        while type(answer) is not dict and isinstance(answer, Awaitable):
            answer = wait_here(answer)
        read = normalise_result(answer)
        return read if read.valid else self._worded(read, state)

    async def execute_async(self, invocation: Invocation, state: Json) -> NormalisedResult:
        """Run the tool, awaiting; one that is not asynchronous runs in a worker thread. Raises as `execute`."""
        mode = self._for_result_async
        if mode.streams:
            last: Chunk | None = None
            async for chunk in self.stream_async(invocation, state):
                last = chunk
            return _final(last)
        hook = self._hooks[mode]
        if not hook.takes(invocation):
            return self._refusal(mode, invocation)
        if mode.awaits:
            answer = hook.call(invocation, state)
        else:
            answer = await call_in_thread(hook.call, invocation, state)
        while type(answer) is not dict and isinstance(answer, Awaitable):
            answer = await answer
        return self._worded(normalise_result(answer), state)

    def stream(self, invocation: Invocation, state: Json) -> Iterator[Chunk]:
        """Run the tool in this thread; yield parts and last one result. Raises as `execute`."""
        mode = self.for_parts
        if not mode.streams:
            yield self.execute(invocation, state)
            return
        hook = self._hooks[mode]
        if hook.takes(invocation):
            answer = hook.call(invocation, state)
            yield from chunks_of(answer, self._teller(mode), lambda read: self._worded(read, state))
        else:
            yield self._refusal(mode, invocation)

    async def stream_async(self, invocation: Invocation, state: Json) -> AsyncGenerator[Chunk, None]:
        """Do as `stream`, awaiting; a tool that is not asynchronous runs in worker threads. Raises as `execute`."""
        mode = self._for_parts_async
        if not mode.streams:
            yield await self.execute_async(invocation, state)
            return
        hook = self._hooks[mode]
        if not hook.takes(invocation):
            yield self._refusal(mode, invocation)
        elif mode.awaits:
            answer = hook.call(invocation, state)
            parts = chunks_of_async(answer, self._teller(mode), lambda read: self._worded(read, state))
            async with aclosing(parts) as chunks:
                async for chunk in chunks:
                    yield chunk
        else:
            async with aclosing(iterate_in_thread(self.stream(invocation, state))) as chunks:
                async for chunk in chunks:
                    yield chunk

    def _worded(self, read: NormalisedResult, state: Json) -> NormalisedResult:
        """The result in the plugin's own words, where it is not JSON and the plugin has words for it."""
        if not isinstance(read, Unwritten):
            return read
        said = self._words(read.answer, state)
        return read if said is None else worded(read, said)

    def _first(self, order: tuple[CallMode, ...]) -> CallMode:
        return next(mode for mode in order if mode in self._hooks)

    def _teller(self, mode: CallMode) -> Callable[[str], None]:
        hook = self._named[mode]
        return lambda problem: self._report(
            HookFault(self._name, hook, f"plugin {self._name!r}: {hook} {problem}")
        )

    def _refusal(self, mode: CallMode, invocation: Invocation) -> NormalisedResult:
        kind = invocation.payload_kind or type(invocation.payload).__name__
        error = (
            f"{self._named[mode]} of plugin {self._name!r} takes an object of arguments; "
            f"the payload of this call is of kind {kind!r}"
        )
        refused = failure(Code.INVALID_CALL, error, outcome=Outcome.NOT_SENT, payload_kind=kind)
        return NormalisedResult(refused, valid=False)


def _final(last: Chunk | None) -> NormalisedResult:
    assert isinstance(last, NormalisedResult)  # a stream ends with its result, whatever the tool yields
    return last
