"""The model requests of a turn, one at a time: each is read where it holds up no other, and becomes news for the driver.

It is read on a helper thread; or on a task of the driver's event loop, if the driver has one and the provider is
asynchronous. Of a request that is given up no news comes any more, whatever its provider still does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine
from contextlib import aclosing, closing
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ..requests.exchange import exchange, exchange_async
from .answer import Answer

if TYPE_CHECKING:
    from ..requests.active_provider import ModelRequest
    from ..threads import WorkerPool
    from .inbox import Inbox

Json = dict[str, Any]
Spawn = Callable[[Coroutine[Any, Any, None]], Callable[[], object]]
"""Starts a coroutine as a task of an event loop; what it returns cancels the task."""


class Reading:
    """One request under way.

    Attributes:
        messages: what the model was sent.
        answer: what it has said so far.
        given_up: the rest is not wanted.
        stop: ends the task that reads, if one does.
    """

    def __init__(self, messages: tuple[Json, ...]) -> None:
        self.messages = messages
        self.answer: Answer = Answer()
        self.given_up: threading.Event = threading.Event()
        self.stop: Callable[[], object] = lambda: None


class Hearer(Protocol):
    """Who is told, in the driver's thread."""

    def heard(self, reading: Reading, event: Json) -> None:
        """The provider yielded something."""

    def answered(self, reading: Reading, request: ModelRequest) -> None:
        """It has come to its end."""

    def failed(self, error: BaseException) -> None:
        """It could not be asked, or broke off; the last that comes of it."""


class ModelReader:
    """See the module. For the driver's thread, but for what the helpers do.

    Args:
        compose: settles a request; called on a helper thread for each.
        hearer: told what is read.
        helpers: where it is read.
        inbox: where news is put.
        spawn: starts a coroutine as a task of the driver's event loop; ``None`` if the driver has none.
    """

    def __init__(
        self,
        compose: Callable[[], ModelRequest],
        hearer: Hearer,
        *,
        helpers: WorkerPool,
        inbox: Inbox[Callable[[], None]],
        spawn: Spawn | None,
    ) -> None:
        self._compose = compose
        self._hearer = hearer
        self._helpers = helpers
        self._inbox = inbox
        self._spawn = spawn
        self._present: Reading | None = None

    def ask(self, messages: tuple[Json, ...]) -> None:
        """Begin to ask the model."""
        reading = self._present = Reading(messages)
        self._helpers.do(partial(self._read, reading))

    def give_up(self) -> None:
        """Hear no more of the request under way, if there is one."""
        reading, self._present = self._present, None
        if reading is not None:
            reading.given_up.set()
            reading.stop()

    def _read(self, reading: Reading) -> None:
        """On a helper thread: settle the request, and read the answer unless the event loop does."""
        try:
            request = self._compose()
            if reading.given_up.is_set():
                return
            if self._spawn is not None and request.stack.provider.offers("send_request_stream_async"):
                self._put(reading, partial(self._read_in_loop, reading, request))
                return
            stack, state, context = request.stack, request.state, request.request.context
            with closing(exchange(stack, reading.messages, state, context=context)) as events:
                for event in events:
                    if reading.given_up.is_set():
                        return
                    self._put(reading, partial(self._hearer.heard, reading, event))
        except BaseException as error:  # noqa: BLE001 - a provider's code; the turn has to end whatever it raises
            self._put_last(reading, partial(self._hearer.failed, error))
        else:
            self._put_last(reading, partial(self._hearer.answered, reading, request))

    def _read_in_loop(self, reading: Reading, request: ModelRequest) -> None:
        assert self._spawn is not None
        reading.stop = self._spawn(self._read_awaiting(reading, request))

    async def _read_awaiting(self, reading: Reading, request: ModelRequest) -> None:
        stack, state, context = request.stack, request.state, request.request.context
        try:
            async with aclosing(exchange_async(stack, reading.messages, state, context=context)) as events:
                async for event in events:
                    self._put(reading, partial(self._hearer.heard, reading, event))
        except BaseException as error:  # who reads waits for an end, whatever that is
            self._put_last(reading, partial(self._hearer.failed, error))
            if not isinstance(error, Exception | SystemExit):
                raise  # this task was cancelled, by the turn or by the provider itself
        else:
            self._put_last(reading, partial(self._hearer.answered, reading, request))

    def _put(self, reading: Reading, news: Callable[[], None]) -> None:
        """Put news of a request in; they count for nothing once it has been given up."""
        self._inbox.put(lambda: news() if self._present is reading else None)

    def _put_last(self, reading: Reading, news: Callable[[], None]) -> None:
        def last() -> None:
            self._present = None
            news()

        self._put(reading, last)
