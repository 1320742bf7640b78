"""What goes over HTTP in one session with an MCP server that has only the older transport, HTTP+SSE of 2024-11-05.

One stream of events is the session: the server says first where messages are sent, and then all that it has to say, answers
too. Each line that is written is a request of its own, whose answer says no more than that it was taken. The stream cannot be resumed: it ends
the session, and so does a message of the server that is too long.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from ..mcp import jsonrpc
from . import exchange
from .connection import AnswerTooLong, NoConnection, NotAnswered
from .event_stream import EventParser
from .exchange import Verdict
from .fates import Fates, too_long

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from contextlib import AbstractAsyncContextManager

    from .connection import Answer, Connection
    from .event_stream import ServerEvent
    from .exchange import Outgoing
    from .fates import SessionOwner

ENDPOINT: Final = 10.0
"""Seconds that a server may take to say where messages are sent, once its stream is open."""

_PING: Final = "callboard:ping"


class SseSession:
    """See the module. In one event loop.

    Args:
        connection: what requests go through.
        owner: has it.
        most: the most bytes of one message.
        remedy: says where other credentials come from, if the server asks for some.
        refusal: what the server has answered to the newer transport: the answer to the handshake, unless it speaks this one.
    """

    def __init__(
        self,
        connection: Connection,
        owner: SessionOwner,
        most: int,
        remedy: str,
        refusal: bytes | None = None,
    ) -> None:
        self._connection = connection
        self._owner = owner
        self._max = most
        self._remedy = remedy
        self._fates = Fates(owner, most, remedy, self._ping)
        self._held: list[Outgoing] | None = []
        self._address = ""
        self._refusal = refusal
        self._why_refused: str | None = None
        self._awaited: set[str] = set()
        owner.begin(self._listen())

    @property
    def unmet(self) -> bool:
        """It has ended before anything that speaks MCP was met."""
        return self._fates.unmet

    @property
    def unsent(self) -> bytes:
        """The lines that no server has run, now that it is over."""
        return b"".join(message.line + b"\n" for message in (*self._fates.unsent, *(self._held or ())))

    def take(self, data: bytes) -> None:
        """Send these lines, once it is known where to."""
        for line in data.splitlines():
            self._take(exchange.outgoing(line))

    async def say_farewell(self) -> None:
        """The end of the stream is all there is to say."""

    # The stream

    async def _listen(self) -> None:
        headers = exchange.stream_headers(None, None, None)
        try:
            async with self._connection.ask("GET", headers) as answer:
                if answer.is_stream:
                    await self._hear(answer)
                else:
                    self._not_spoken(answer)
        except (NoConnection, NotAnswered) as error:
            self._end(str(error))
        except AnswerTooLong:
            self._end(too_long(self._max))

    async def _hear(self, answer: Answer) -> None:
        events = answer.events(EventParser(self._max))
        try:
            async with asyncio.timeout(ENDPOINT):
                first = await anext(events, None)
        except TimeoutError:
            self._refuse_all(f"the server does not say within {ENDPOINT:g} s where messages are sent")
            return
        if first is None or first.kind != b"endpoint":
            self._refuse_all("the server's stream does not begin with where messages are sent")
            return
        self._refusal = None  # it is spoken here
        address = exchange.endpoint_in(self._connection.url, first.data)
        if address is None:
            self._refuse_all("the server would have messages sent to an address that is not its own")
            return
        self._address = address
        self._release()
        async for event in events:
            self._take_event(event)
        self._end("the server has ended its stream")

    def _take_event(self, event: ServerEvent) -> None:
        for line in exchange.lines_of(event.data) if event.kind == b"message" else []:
            answered = exchange.answered_by(line)
            if answered == _PING:
                continue
            if answered is not None:
                self._awaited.discard(answered)
            self._owner.hand_on(line)

    def _not_spoken(self, answer: Answer) -> None:
        """The server has no such stream."""
        if exchange.verdict_on(answer.status, known=False, opened=False) is Verdict.LATER:
            self._fates.later(answer)
        elif answer.status == HTTPStatus.OK:
            self._refuse_all(f"the server answers with {answer.kind!r:.60} where its stream was asked for")
        else:
            self._refuse_all(exchange.explained(answer.status, answer.location, remedy=self._remedy))

    def _end(self, cause: str) -> None:
        self._fates.unmet = not self._fates.opened
        self._owner.end(cause)

    def _refuse_all(self, why: str) -> None:
        """Answer all requests so: there is no such server at this address."""
        self._why_refused = why
        held, self._held = self._held or [], []
        for message in held:
            self._refuse(message)

    def _refuse(self, message: Outgoing) -> None:
        if message.id is not None:
            refusal, self._refusal = self._refusal, None
            self._owner.hand_on(refusal or exchange.refused(message.id, self._why_refused or ""))

    # Messages

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for message in held:
            self._take(message)

    def _take(self, message: Outgoing) -> None:
        if self._why_refused is not None:
            self._refuse(message)
        elif self._held is None:
            self._send(message)
        else:  # it is not known yet where to, or the end of the handshake is being taken
            self._held.append(message)

    def _send(self, message: Outgoing) -> None:
        if message.cancels is not None:
            self._owner.cancel(message.cancels)
            self._awaited.discard(message.cancels)
        if message.id is not None:
            self._awaited.add(message.id)
        if message.method == "notifications/initialized":
            self._held, self._fates.opened = [], True
        self._owner.begin(self._post(message), message.id)

    async def _post(self, message: Outgoing) -> None:
        try:
            async with self._asked(message) as answer:
                await self._taken(message, answer)
        except NoConnection as error:
            self._fates.not_sent(message, str(error))
            return
        except (NotAnswered, AnswerTooLong) as error:
            if self._is_awaited(message):
                await self._fates.lost(message, str(error))
        if message.method == "notifications/initialized":
            self._release()

    async def _taken(self, message: Outgoing, answer: Answer) -> None:
        match exchange.verdict_on(answer.status, known=True, opened=self._fates.opened):
            case _ if not self._is_awaited(message):
                return  # its answer came before this
            case Verdict.LATER:
                self._fates.later(answer)
            case Verdict.DOUBTFUL:
                await self._fates.doubtful(message, answer)
            case Verdict.ERROR:
                await self._fates.refused(message, answer)

    def _is_awaited(self, message: Outgoing) -> bool:
        return message.id is None or message.id in self._awaited

    def _asked(self, message: Outgoing) -> AbstractAsyncContextManager[Answer]:
        headers = {"accept-encoding": "identity", "content-type": exchange.JSON}
        return self._connection.ask("POST", headers, message.line, self._address)

    @asynccontextmanager
    async def _ping(self) -> AsyncGenerator[tuple[Answer, bool], None]:
        async with self._asked(exchange.outgoing(jsonrpc.request(_PING, "ping"))) as answer:
            yield answer, True
