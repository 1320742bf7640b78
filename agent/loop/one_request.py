"""One model request without the loop: its events, as those of a turn. Calls are told, and not run."""

from __future__ import annotations

from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any

from ..requests.exchange import exchange, exchange_async
from .answer import Answer, events_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterator

    from ..requests.active_provider import ModelRequest
    from ..sessions.session import Session

Json = dict[str, Any]


def one_request(session: Session, request: ModelRequest) -> Generator[Json, None, None]:
    """Send a session; yield the events of the answer. Raises as `exchange`."""
    answer = Answer()
    messages = session.settled().messages
    with closing(exchange(request.stack, messages, request.state, context=request.request.context)) as events:
        yield from filter(answer.take, events)
    yield from _ending(answer, len(messages), request)


async def one_request_async(session: Session, request: ModelRequest) -> AsyncGenerator[Json, None]:
    """Do as `one_request`, awaiting."""
    answer = Answer()
    messages = session.settled().messages
    sent = exchange_async(request.stack, messages, request.state, context=request.request.context)
    async with aclosing(sent) as events:
        async for event in events:
            if not answer.take(event):
                continue
            yield event
    for event in _ending(answer, len(messages), request):
        yield event


def _ending(answer: Answer, turn: int, request: ModelRequest) -> Iterator[Json]:
    steps, told = answer.steps(request.request.registry.inspect_call, turn=turn, lane=request.plugin_of)
    yield from told
    for step in steps:
        yield from events_of(step.message)
        for message in step.answers.values():
            yield from events_of(message)
