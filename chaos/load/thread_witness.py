"""Writes down what a plugin of this process is given and answers, as a `Witness` does at the line of a host.

There is no line here: the witness stands between the thread that runs a call and the tool. What it has written down is told
by the witness.
"""

from __future__ import annotations

from contextlib import aclosing, closing
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from ...plugins.results.normalise import NormalisedResult
from .witness import Given, digest

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from ...plugins.adapter.adapter import PluginAdapter
    from ...plugins.contract.invocation import Invocation
    from ...plugins.results.chunks import Chunk
    from .witness import Witness

Json = dict[str, Any]


def overhear(adapter: PluginAdapter, witness: Witness) -> None:
    """Have a witness hear all calls that a plugin of this process runs from now on."""
    heard = _Heard(adapter, witness)
    adapter.execute = heard.execute  # type: ignore[method-assign]
    adapter.execute_async = heard.execute_async  # type: ignore[method-assign]
    adapter.stream = heard.stream  # type: ignore[method-assign]
    adapter.stream_async = heard.stream_async  # type: ignore[method-assign]


class _Heard:
    """The ways in which a plugin runs its tools, overheard."""

    def __init__(self, adapter: PluginAdapter, witness: Witness) -> None:
        self._execute, self._execute_async = adapter.execute, adapter.execute_async
        self._stream, self._stream_async = adapter.stream, adapter.stream_async
        self._witness = witness

    def execute(self, invocation: Invocation, state: Json) -> NormalisedResult:
        given = self._begin(invocation, state)
        result = self._execute(invocation, state)
        _end(given, result, state)
        return result

    async def execute_async(self, invocation: Invocation, state: Json) -> NormalisedResult:
        given = self._begin(invocation, state)
        result = await self._execute_async(invocation, state)
        _end(given, result, state)
        return result

    def stream(self, invocation: Invocation, state: Json) -> Iterator[Chunk]:
        given = self._begin(invocation, state)
        with closing(self._stream(invocation, state)) as chunks:  # type: ignore[type-var] # it is a generator
            for chunk in chunks:
                _end(given, chunk, state)
                yield chunk

    async def stream_async(self, invocation: Invocation, state: Json) -> AsyncGenerator[Chunk, None]:
        given = self._begin(invocation, state)
        async with aclosing(self._stream_async(invocation, state)) as chunks:
            async for chunk in chunks:
                _end(given, chunk, state)
                yield chunk

    def _begin(self, invocation: Invocation, state: Json) -> Given | None:
        now, wire = self._witness.now, invocation.tool_call
        call = wire.get("call_id", wire.get("id")) if isinstance(wire, dict) else None
        if now is None or not isinstance(call, str):
            return None
        given = Given(call, 0, now(), digest(state))
        self._witness.give(given)
        return given


def _end(given: Given | None, chunk: Chunk, state: Json) -> None:
    """The tool has said something; its result is the last."""
    if given is None or not isinstance(chunk, NormalisedResult):
        return
    if chunk.valid:
        given.result = deepcopy(chunk.result)  # the board says more in the one that it is given
        given.new_state = digest(state)
    given.answered = True
