"""What a server says without being asked, and the stream that is kept open for it: one of its own, or that of a subscription."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final, Protocol

from . import exchange
from .connection import AnswerTooLong, NoConnection, NotAnswered
from .event_stream import EventParser

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .connection import Answer, Connection
    from .exchange import Outgoing

PAUSE: Final = 0.1
"""Seconds before a stream that has ended is asked for again, if the server has not said how many."""

LONGEST_PAUSE: Final = 30.0
"""Seconds to which that grows while such streams end at once."""


class Listener(Protocol):
    """Who is told of it."""

    def hand_on(self, line: bytes) -> None:
        """A line of the server's."""

    def end(self, cause: str | None) -> None:
        """The session is over."""


class Reason(Protocol):
    """Why a session is over."""

    @property
    def cause(self) -> str:
        """For people."""


class News:
    """See the module. In one event loop.

    Args:
        connection: what requests go through.
        listener: who is told.
        most: the most bytes of one message.
    """

    def __init__(self, connection: Connection, listener: Listener, most: int) -> None:
        self._connection = connection
        self._listener = listener
        self._max = most

    async def subscribe(self, message: Outgoing, headers: dict[str, str]) -> None:
        """Keep a subscription open, in the stateless era; one that ends is asked for anew, for none can be resumed."""
        pause = PAUSE
        while True:
            began, parser = time.monotonic(), EventParser(self._max)
            try:
                async with self._connection.ask("POST", headers, message.line) as answer:
                    if not answer.is_stream:
                        return
                    if await self._heard(answer, parser, message.id):
                        return  # the server has ended it
            except NoConnection as error:
                self._listener.end(str(error))
                return
            except (AnswerTooLong, NotAnswered):
                pass  # as if it had ended
            pause = _next_pause(pause, began, parser)
            await asyncio.sleep(pause)
            self._listener.hand_on(exchange.MISSED)  # for they may have, meanwhile

    async def hear(
        self,
        headers: Callable[[str | None], dict[str, str]],
        over_because: Callable[[], Awaitable[Reason | None]],
    ) -> None:
        """Keep the stream of the handshake era open, if the server has one.

        Args:
            headers: of the request for it, or for what follows the event of that id.
            over_because: asks the server whether the session goes on.
        """
        pause, parser, been_open = PAUSE, EventParser(self._max), False
        while True:
            began = time.monotonic()
            try:
                async with self._connection.ask("GET", headers(parser.last_id)) as answer:
                    if answer.is_stream:
                        if been_open and parser.last_id is None:
                            self._listener.hand_on(exchange.MISSED)  # for they may have, meanwhile
                        been_open = True
                        await self._heard(answer, parser, None)
                    elif not been_open:
                        return
                    elif answer.status in {400, 401, 404} and (over := await over_because()) is not None:
                        self._listener.end(over.cause)
            except NoConnection as error:
                self._listener.end(str(error))
                return
            except (AnswerTooLong, NotAnswered):
                pass  # as if it had ended
            parser = parser.again()
            pause = _next_pause(pause, began, parser)
            await asyncio.sleep(pause)

    async def _heard(self, answer: Answer, parser: EventParser, request_id: str | None) -> bool:
        """Hand on what comes; True if the answer to that request is among it."""
        async for line in answer.lines(parser):
            self._listener.hand_on(line)
            if request_id is not None and exchange.answers(line, request_id):
                return True
        return False


def _next_pause(pause: float, began: float, parser: EventParser) -> float:
    if parser.retry is not None:
        return max(parser.retry, PAUSE)
    return PAUSE if time.monotonic() - began > LONGEST_PAUSE else min(pause * 2, LONGEST_PAUSE)
