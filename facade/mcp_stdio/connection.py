"""The client at the other end of the pipes: its requests as tasks, and what it is told and asked meanwhile. In the event loop."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, Final

from ..base.foreign import Log, contain
from ..hosts.mcp.revision import STATELESS
from ..mcp_protocol.served_client import INTERNAL_ERROR, Refused
from .frames import notification_line, request_line, too_long
from .lines import Lines, TooLong
from .pipes import MUCH, TOO_MUCH, Reading, Writing
from .session import Begin, Cancel, Introduced, Say, Session

if TYPE_CHECKING:
    from ..mcp.serving import BoardServer
    from .frames import Id
    from .session import Answered, Asked, Effect

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

_LAST_WORDS: Final = 1.0
"""Seconds in which a client that has closed its end may read what it is told still."""


class PipeClient:
    """The client, by one of its requests. A `Client`."""

    __slots__ = (
        "_connection", "capabilities", "identity", "meta", "name", "request_id", "revision", "takes_text",
    )  # fmt: skip

    def __init__(self, connection: Connection, asked: Asked) -> None:
        self._connection = connection
        self.request_id: Id = asked.id
        self.revision, self.name, self.capabilities = asked.who
        self.meta: Json = asked.meta
        self.identity: object = connection
        self.takes_text: bool = True

    def can_be_asked(self) -> bool:
        return self.revision != STATELESS

    def has_room(self) -> bool:
        return self._connection.writing.waiting <= TOO_MUCH

    async def room(self) -> None:
        await self._connection.writing.room(TOO_MUCH)

    async def progress(self, params: Json) -> None:
        if (token := self.meta.get("progressToken")) is not None:
            await self.notify("notifications/progress", {**params, "progressToken": token})

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        writing = self._connection.writing
        writing.write(notification_line(method, params))
        if writing.waiting > MUCH:
            await writing.room()

    async def ask(self, method: str, params: Json, patience: float) -> Json:
        return await self._connection.ask(method, params, patience)


class Connection:
    """See the module.

    Args:
        served: what is served.
        reading: the descriptor of what the client says.
        writing: the descriptor of what it is told.

    Attributes:
        writing: what it is told goes there.
    """

    def __init__(self, served: BoardServer, reading: int, writing: int) -> None:
        self.writing: Writing = Writing(writing, self._end)
        self._served = served
        self._session = Session(served.methods, served.introduction)
        self._lines = Lines()
        self._reading = Reading(reading, self._hear)
        self._loop = asyncio.get_running_loop()
        self._tasks: dict[Asked, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[Json]] = {}
        self._able: Json | None = None
        self._over = asyncio.Event()
        self._resuming: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve until the client has gone."""
        self._reading.begin()
        try:
            await self._over.wait()
            self.writing.write(self._session.end())
        finally:
            await self._leave()

    async def _leave(self) -> None:
        self._reading.pause()
        left = {*self._tasks.values(), *self._leaving, *([self._resuming] if self._resuming else [])}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        try:
            await asyncio.wait_for(self.writing.room(0), _LAST_WORDS)
        except TimeoutError:
            logger.debug("the client has not read what it was told last")
        finally:
            self.writing.close()

    def _end(self) -> None:
        self._over.set()

    def _hear(self, data: bytes) -> None:
        for line in self._lines.feed(data) if data else self._lines.end():
            if isinstance(line, TooLong):
                effects = self._session.refuse(too_long(line.beginning, self._lines.longest))
            elif line and not line.isspace():
                effects = self._session.hear(line)
            else:
                continue
            for effect in effects:
                self._carry_out(effect)
        if not self._tasks:
            self.writing.flush()
        if not data:
            self._end()
        elif self.writing.waiting > TOO_MUCH and self._resuming is None:
            self._reading.pause()
            self._resuming = self._loop.create_task(self._resume())

    async def _resume(self) -> None:
        await self.writing.room(TOO_MUCH // 2)
        self._resuming = None
        if not self._over.is_set():
            self._reading.begin()

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Begin):
            asked = effect.asked
            self._tasks[asked] = self._loop.create_task(self._answer(asked))
        elif isinstance(effect, Say):
            self.writing.write(effect.line)
        elif isinstance(effect, Cancel):
            self._give_up(effect.asked)
        elif isinstance(effect, Introduced):
            self._meet(PipeClient(self, effect.asked))
        elif (waiting := self._open.get(effect.number)) is not None:
            _settle(waiting, effect)

    async def _answer(self, asked: Asked) -> None:
        client = PipeClient(self, asked)
        if asked.who.capabilities is not self._able:
            self._meet(client)
        try:
            result = await asked.handle(client, asked.params)
            line = self._session.answered(asked, result)
        except Refused as error:
            line = self._session.refused(asked, error.code, error.message, error.data)
        except Exception as error:  # noqa: BLE001 - a bug of ours: the client waits for an answer
            contain(error, logger, "a request of a client failed")
            line = self._session.refused(asked, INTERNAL_ERROR, "Internal server error")
        finally:
            self._tasks.pop(asked, None)
        if line:
            self.writing.write(line, is_last=not self._tasks)

    def _meet(self, client: PipeClient) -> None:
        self._able = client.capabilities
        self._served.meet(client)

    def _give_up(self, asked: Asked) -> None:
        if (task := self._tasks.pop(asked, None)) is not None:
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
            task.cancel()

    async def ask(self, method: str, params: Json, patience: float) -> Json:
        """See `Client.ask`.

        Raises:
            Refused: the client refuses.
            TimeoutError: it has not answered; it is told that nobody waits any more.
        """
        number = next(self._numbers)
        waiting = self._open[number] = self._loop.create_future()
        self.writing.write(request_line(number, method, params))
        try:
            return await asyncio.wait_for(waiting, patience)
        except (TimeoutError, asyncio.CancelledError):
            told = {"requestId": number, "reason": "nobody waits for the answer any more"}
            self.writing.write(notification_line("notifications/cancelled", told))
            raise
        finally:
            del self._open[number]


def _settle(waiting: asyncio.Future[Json], answer: Answered) -> None:
    if waiting.done():
        return
    if answer.error is None:
        waiting.set_result(answer.result)
        return
    said = answer.error if isinstance(answer.error, dict) else {}
    code, message = said.get("code"), said.get("message")
    waiting.set_exception(
        Refused(code if isinstance(code, int) else INTERNAL_ERROR, str(message or "it does not say why"))
    )
