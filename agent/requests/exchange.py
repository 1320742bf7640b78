"""One model request, from the messages of a session to the messages that answer it.

`exchange` and its twin are the only ones who know the order of a request. They yield what the provider
yields, and end with the ``message``s that came of it. A provider that fails is told by an ``error`` event, which
comes before the message of what had been said until then. Why any other answer stopped, if its provider says so, is told
by an ``answer_ended`` event with its `Stop`, for whoever decides what comes next. A refused answer, and one that its length cut off, are incomplete.
"""

from __future__ import annotations

from contextlib import aclosing, asynccontextmanager, closing
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...interop.default_registry import get_registry_from_context
from ...plugins.adapter.async_bridge import call_in_thread, iterate_here, iterate_in_thread
from ..attachments import any_compact
from ..errors import ProviderError
from .injections import with_injections
from .partial_answer import as_incomplete, broken_calls, gather, message_of, with_marks
from .provider_answers import gathered, kept, told
from .provider_hooks import SENDING_HOOKS
from .stop_reasons import stop_of, why_cut_off, why_refused

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence

    from .provider_stack import ProviderStack

Json = dict[str, Any]

_PLAIN, _AWAITED = SENDING_HOOKS
_INCOMPLETE = {"refused": why_refused, "length": why_cut_off}
"""Reasons to stop that leave an answer incomplete, and the sentences that say so."""


def exchange(
    stack: ProviderStack, messages: Sequence[Mapping[str, Any]], state: Json, *, context: Json | None = None
) -> Generator[Json, None, None]:
    """Send the messages; yield the events of the answer. Closing this closes the connection.

    Args:
        stack: whom to ask.
        messages: core messages, in order; they are not changed.
        state: from `ProviderStack.init`, for this request alone.
        context: the request's context, with ``tool_interop``.

    Raises:
        HookError: a hook raised something that is no `ProviderError`, such as that a tool's schema, a call or
            a result cannot be said to this provider.
        ContractError: a hook answered with something of another shape.
    """
    request = _Request(stack, messages, state, context)
    try:
        with closing(request.stream()) as events:
            for event in events:
                yield request.heard(event)
    except ProviderError as error:
        request.trouble = error
    yield from request.ending()


async def exchange_async(
    stack: ProviderStack, messages: Sequence[Mapping[str, Any]], state: Json, *, context: Json | None = None
) -> AsyncGenerator[Json, None]:
    """Do as `exchange`, awaiting; a provider that is not asynchronous runs in worker threads."""
    request = _Request(stack, messages, state, context)
    try:
        async with aclosing(request.stream_async()) as events:
            async for event in events:
                yield request.heard(event)
    except ProviderError as error:
        request.trouble = error
    for event in request.ending():
        yield event


class _Request:
    """What is known of a request while it goes on."""

    def __init__(
        self,
        stack: ProviderStack,
        messages: Sequence[Mapping[str, Any]],
        state: Json,
        context: Json | None,
    ) -> None:
        self._stack = stack
        self._messages = with_injections(messages)
        self._turn = len(messages)  # without them, so that ids that are made up are the same as everywhere
        self._state = state
        self._context = context
        self._native: list[Any] = []
        self._gathered: Json = {}
        self.trouble: ProviderError | None = None

    def stream(self) -> Generator[Json, None, None]:
        self._initialize()
        provider = self._stack.provider
        hook = _PLAIN if provider.offers(_PLAIN) else _AWAITED
        try:
            answer = provider.send(hook, self._native, self._state, self._context)
            yield from answer if hook is _PLAIN else iterate_here(answer)
        except (CallboardError, GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # one that exits, or was cancelled in a loop of its own, has failed
            raise provider.failed(hook, error) from error

    async def stream_async(self) -> AsyncGenerator[Json, None]:
        if any_compact(self._messages):  # what they lead to is read, which would hold up the event loop
            await call_in_thread(self._initialize)
        else:
            self._initialize()
        provider = self._stack.provider
        hook = _AWAITED if provider.offers(_AWAITED) else _PLAIN
        try:
            answer = provider.send(hook, self._native, self._state, self._context)
            source = answer if hook is _AWAITED else iterate_in_thread(iter(answer))
            async with _closing(source):
                async for event in source:
                    yield event
        except CallboardError:
            raise
        except (Exception, SystemExit) as error:  # the provider's hook; a cancel of the task passes
            raise provider.failed(hook, error) from error

    def heard(self, event: Any) -> Json:
        heard = told(self._stack.name, event)
        gather(self._gathered, heard)
        return heard

    def ending(self) -> Iterator[Json]:
        """The events that end the request."""
        trouble = self.trouble
        if trouble is not None:
            yield trouble.event()
        messages = self._answer()
        stop = stop_of(self._state["partial"])
        if trouble is not None:
            messages = [as_incomplete(message, str(trouble), trouble.code) for message in messages]
        elif stop.reason is not None:
            yield {"type": "answer_ended", "stop": stop}
            if stop.reason in _INCOMPLETE:
                why = _INCOMPLETE[stop.reason](stop)
                messages = [as_incomplete(message, why, stop.reason) for message in messages]
        for message in messages:
            yield {"type": "message", "message": message}

    def _initialize(self) -> None:
        native = self._stack.to_native_messages(self._messages, self._state, self._context)
        self._native, self._state = self._stack.initialize_request(native, self._state, self._context)

    def _answer(self) -> list[Json]:
        registry = get_registry_from_context(self._context)
        name = self._stack.name
        partial = self._state["partial"] = gathered(name, self._state.get("partial"), self._gathered)
        calls = partial.get("tool_calls") or ()
        if self.trouble is not None and not calls and not partial.get("content"):
            return []  # nothing had been said yet
        broken = broken_calls(calls, registry)
        before = len(self._native)
        final, native, state = self._stack.finalize(self._native, self._state, self._context)
        if not final and len(native) > before:
            final = self._stack.from_native_messages(native[before:], state, self._context) or []
        if not final:
            message = message_of(state.get("partial"), registry, turn=self._turn)
            final = [] if message is None else [message]
        return [with_marks(message, broken) for message in kept(name, final)]


@asynccontextmanager
async def _closing(source: AsyncIterator[Json]) -> AsyncIterator[None]:
    """Close an iterator in the end, if it can be closed."""
    try:
        yield
    finally:
        if hasattr(source, "aclose"):
            await source.aclose()
