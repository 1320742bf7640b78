"""What goes over HTTP in one session with an MCP server: each line that is written is a request of its own, and its answer is lines.

Requests go out as they come, however many are under way; only what follows the end of a handshake waits until the server has taken
that. What the board has to be told and no server says, what became of a call without an answer, are lines too (`exchange.tell_fate`),
so that all of it comes in its order.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from ..mcp import jsonrpc
from . import exchange
from .connection import AnswerTooLong, NoConnection, NotAnswered
from .event_stream import EventParser
from .exchange import Verdict
from .fates import Fates
from .news import PAUSE, News
from .param_headers import param_headers, places_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any

    from .connection import Answer, Connection
    from .exchange import Outgoing
    from .fates import SessionOwner
    from .param_headers import Places

RESUMPTIONS: Final = 3
"""Tries in a row for the rest of an answer that brought nothing further."""


class HttpSession:
    """See the module. In one event loop.

    Args:
        connection: what requests go through.
        owner: has it.
        most: the most bytes of one message.
        remedy: says where other credentials come from, if the server asks for some.
    """

    def __init__(self, connection: Connection, owner: SessionOwner, most: int, remedy: str) -> None:
        self._connection = connection
        self._owner = owner
        self._max = most
        self._fates = Fates(owner, most, remedy, self._ping)
        self._news = News(connection, owner, most)
        self._held: list[Outgoing] | None = None
        self._id: str | None = None
        self._agreed: str | None = None
        self._envelope: dict[str, Any] = {}
        self._places: dict[str, Places] = {}

    @property
    def unmet(self) -> bool:
        """It has ended before anything that speaks MCP was met."""
        return self._fates.unmet

    @property
    def unsent(self) -> bytes:
        """The lines that no server has run, now that it is over: they were not sent, or refused with the session."""
        return b"".join(message.line + b"\n" for message in (*self._fates.unsent, *(self._held or ())))

    def take(self, data: bytes) -> None:
        """Send these lines."""
        for line in data.splitlines():
            message = exchange.outgoing(line)
            if self._held is None:
                self._send(message)
            else:
                self._held.append(message)

    async def say_farewell(self) -> None:
        """Tell the server that the session is over, if it has one."""
        if self._id is not None:
            with suppress(NoConnection, NotAnswered):
                async with self._connection.ask("DELETE", exchange.session_headers(self._agreed, self._id)):
                    pass

    def _send(self, message: Outgoing) -> None:
        if message.cancels is not None:
            # In the stateless era that is all there is to say; before, a stream that ends says nothing, so that the notification follows.
            self._owner.cancel(message.cancels)
            if self._agreed is None:
                return
        if message.envelope:
            self._envelope = message.envelope
            self._fates.opened = self._fates.opened or message.method != "server/discover"
        if message.method == "notifications/initialized":
            self._held, self._fates.opened = [], True
        self._owner.begin(self._post(message), message.id)

    async def _post(self, message: Outgoing) -> None:
        if message.method == "subscriptions/listen":
            await self._news.subscribe(message, exchange.headers_of(message, None, None))
        elif message.method == "notifications/initialized":
            await self._exchange(message)
            held, self._held = self._held or [], None
            self._owner.begin(self._news.hear(self._stream_headers, self._fates.over_because))
            for each in held:
                self._send(each)
        else:
            await self._exchange(message)

    async def _exchange(self, message: Outgoing) -> None:
        """Send a message, and see that what it asks for is answered."""
        headers = exchange.headers_of(message, self._agreed, self._id)
        if message.is_call and (places := self._places.get(message.name or "")):
            headers |= param_headers(places, message.arguments)
        try:
            async with self._connection.ask("POST", headers, message.line) as answer:
                if await self._heard(message, answer, headers):
                    return
            problem = "the connection ended before the answer"
        except NoConnection as error:
            self._fates.not_sent(message, str(error))
            return
        except AnswerTooLong:
            self._fates.too_long(message)
            return
        except NotAnswered as error:
            problem = str(error)
        await self._fates.lost(message, problem)

    async def _heard(self, message: Outgoing, answer: Answer, headers: dict[str, str]) -> bool:
        """Hand on an answer; False if it has ended too early."""
        known = exchange.SESSION in headers
        match exchange.verdict_on(answer.status, known=known, opened=self._fates.opened):
            case Verdict.ANSWER:
                return await self._answered(message, answer)
            case Verdict.LATER:
                self._fates.later(answer)
            case Verdict.DOUBTFUL:
                await self._fates.doubtful(message, answer)
            case _ if message.method == "initialize" and answer.status in exchange.NOT_FOR_IT:
                assert message.id is not None
                self._owner.use_older(message, await self._fates.refusal(message.id, answer))
            case _:
                await self._fates.refused(message, answer)
        return True

    async def _answered(self, message: Outgoing, answer: Answer) -> bool:
        if message.method == "initialize" and answer.session is not None:
            if not exchange.is_session_id(answer.session):
                self._owner.end("the server gives a session id that no header can hold")
                return True
            self._id = answer.session
        if message.id is None:
            return True
        if answer.kind == exchange.EVENTS:
            return await self._answered_by_events(message, answer)
        found = False
        for line in exchange.lines_of(await answer.read(self._max)) if answer.kind == exchange.JSON else []:
            found = self._heard_line(message, line) or found
        if not found:
            what = (
                f"with {answer.kind!r:.60}"
                if answer.kind != exchange.JSON
                else "with JSON that is none to it"
            )
            self._owner.hand_on(
                exchange.refused(message.id, f"the server answers HTTP {answer.status} {what}")
            )
        return True

    def _heard_line(self, message: Outgoing, line: bytes) -> bool:
        """Hand a line on; True if it is the answer to that message."""
        answered = message.id is not None and exchange.answers(line, message.id)
        if answered and message.method == "initialize":
            self._agreed = exchange.agreed_in(line)
        if answered and message.method == "tools/list" and message.revision is not None:
            self._places |= places_in(line)
        self._owner.hand_on(line)
        return answered

    async def _answered_by_events(self, message: Outgoing, answer: Answer) -> bool:
        parser = EventParser(self._max)
        tries = 0
        if await self._heard_events(message, answer, parser):
            return True
        while self._agreed is not None and parser.last_id is not None and tries < RESUMPTIONS:
            # The server may end it on purpose, and say with it when to come back.
            await asyncio.sleep(PAUSE if parser.retry is None else parser.retry)
            before, tries = parser.last_id, tries + 1
            with suppress(NoConnection, NotAnswered):  # the call was sent: this is about its answer
                async with self._connection.ask("GET", self._stream_headers(before)) as rest:
                    if not rest.is_stream:
                        return False
                    if await self._heard_events(message, rest, parser):
                        return True
            if parser.last_id != before:
                tries = 0
        return False

    async def _heard_events(self, message: Outgoing, answer: Answer, parser: EventParser) -> bool:
        """Hand on what comes; True once that is the answer, False if the stream ends before."""
        with suppress(NotAnswered):
            async for line in answer.lines(parser):
                if not self._heard_line(message, line):
                    continue
                return True
        return False

    def _stream_headers(self, last_id: str | None) -> dict[str, str]:
        return exchange.stream_headers(self._agreed, self._id, last_id)

    @asynccontextmanager
    async def _ping(self) -> AsyncGenerator[tuple[Answer, bool], None]:
        ping = exchange.outgoing(
            jsonrpc.request("callboard:ping", "server/discover", {"_meta": self._envelope})
            if self._agreed is None
            else jsonrpc.request("callboard:ping", "ping")
        )
        headers = exchange.headers_of(ping, self._agreed, self._id)
        async with self._connection.ask("POST", headers, ping.line) as answer:
            yield answer, exchange.SESSION in headers
