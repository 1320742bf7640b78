"""What becomes of messages that a server over HTTP does not answer, and whether its session goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from . import exchange
from .connection import NoConnection, NotAnswered
from .exchange import Fate

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from .connection import Answer
    from .exchange import Outgoing

PROBE: Final = 10.0
"""Seconds for a ping that is to show whether the session goes on."""


class Over(NamedTuple):
    """Why a session is over; ``forgotten``: its server says that it knows it no more, and so has run nothing in it since."""

    cause: str
    forgotten: bool = False


class SessionOwner(Protocol):
    """Who has a session: what runs it, and is told of it. All of it in one event loop."""

    def hand_on(self, line: bytes) -> None:
        """A line for the board."""

    def end(self, cause: str | None) -> None:
        """It is over; nothing more can be written. What is ready to run may yet hand something on."""

    def begin(self, task: Coroutine[Any, Any, None], request_id: str | None = None) -> None:
        """Run something until its end or that of the session; under an id it can be cancelled."""

    def cancel(self, request_id: str) -> None:
        """Cancel what runs under that id, if it does."""

    def use_older(self, message: Outgoing, refusal: bytes) -> None:
        """The server refuses the handshake as one does that has only the older transport; ``refusal`` is its answer if it is none."""


class Fates:
    """See the module. In one event loop.

    Args:
        owner: of the session.
        most: the most bytes of one message.
        remedy: says where other credentials come from, if the server asks for some.
        ping: sends a ping; the answer is read inside. Raises as `Connection.ask`.

    Attributes:
        opened: the session is open: requests of the board are sent.
        unmet: the session has ended before anything that speaks MCP was met.
        unsent: what no server has run, now that the session is over: it was not sent, or refused with the session.
    """

    def __init__(
        self,
        owner: SessionOwner,
        most: int,
        remedy: str,
        ping: Callable[[], AbstractAsyncContextManager[tuple[Answer, bool]]],
    ) -> None:
        self.opened: bool = False
        self.unmet: bool = False
        self.unsent: list[Outgoing] = []
        self._owner = owner
        self._max = most
        self._remedy = remedy
        self._ping = ping
        self._probing: asyncio.Future[Over | None] | None = None

    def not_sent(self, message: Outgoing, cause: str) -> None:
        """The session is over, and the message was not run."""
        self.unmet = self.unmet or not self.opened
        self.unsent.append(message)
        self._owner.end(cause)

    def later(self, answer: Answer) -> None:
        """There is no session yet, and may be one later."""
        self.unmet = True
        self._owner.end(exchange.explained(answer.status, remedy=self._remedy))

    async def doubtful(self, message: Outgoing, answer: Answer) -> None:
        """The session may be over; the message was not run if it is."""
        over = await self.over_because()
        if over is None:
            await self.refused(message, answer)
        elif over.forgotten:
            self.not_sent(message, over.cause)
        else:
            self._owner.end(over.cause)

    async def refused(self, message: Outgoing, answer: Answer) -> None:
        """The server refuses that message alone."""
        if message.id is not None:
            self._owner.hand_on(await self.refusal(message.id, answer))

    async def refusal(self, request_id: str, answer: Answer) -> bytes:
        """A refusal as a line: what the server says, or what its status means. Raises `NotAnswered`, `AnswerTooLong`."""
        error = exchange.error_in(await answer.read(self._max)) if answer.kind == exchange.JSON else None
        if error is not None:
            return exchange.failed(request_id, error)
        explained = exchange.explained(answer.status, answer.location, answer.lacks, remedy=self._remedy)
        return exchange.refused(request_id, explained)

    def too_long(self, message: Outgoing) -> None:
        """The answer has more bytes than are taken."""
        if message.id is None:
            return
        problem = too_long(self._max)
        if message.is_call:
            self._owner.hand_on(exchange.tell_fate(message.id, Fate.TOO_LONG, problem, limit=self._max))
        else:
            self._owner.hand_on(exchange.refused(message.id, problem))

    async def lost(self, message: Outgoing, problem: str) -> None:
        """Nobody knows what became of the message."""
        over = await self.over_because() if self.opened else Over(problem)
        if over is not None:
            self._owner.end(over.cause)
        elif message.id is not None:
            self._owner.hand_on(
                exchange.tell_fate(message.id, Fate.LOST, problem)
                if message.is_call
                else exchange.refused(message.id, problem)
            )

    async def over_because(self) -> Over | None:
        """Ping the server, once for all who ask at a time; why the session is over, or ``None`` if it goes on.

        Who asks ends it, and not this: that would cancel those who ask before they could say what became of their requests.
        """
        if self._probing is None:
            self._probing = asyncio.get_running_loop().create_future()
            self._owner.begin(self._probe(self._probing))
        # Not with who asks: that may be cancelled, and others wait for it.
        return await asyncio.shield(self._probing)

    async def _probe(self, told: asyncio.Future[Over | None]) -> None:
        try:
            told.set_result(await self._pinged())
        finally:
            self._probing = None
            told.cancel()

    async def _pinged(self) -> Over | None:
        try:
            async with asyncio.timeout(PROBE), self._ping() as (answer, known):
                if exchange.is_alive(answer.status, known=known):
                    return None
                return Over(exchange.why_over(answer.status, remedy=self._remedy), forgotten=True)
        except (NoConnection, NotAnswered) as error:
            return Over(str(error))
        except TimeoutError:
            return Over(f"the server answers no ping within {PROBE:g} s")


def too_long(most: int) -> str:
    """What is said of a message of the server that is longer than that."""
    return (
        f"the server answers with more than {most:,} bytes, the limit for one message; raise 'max_line_bytes'"
    )
