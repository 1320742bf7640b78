"""A server that has come again is asked anew for what its clients have subscribed to, and holds up nobody meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from callboard.hosts.mcp.offers import ResourceSubscription
from callboard.mcp.listening import Listeners, Outboxes
from callboard.mcp.shared_news import SharedNews
from callboard.supervision.runtime.events import Event

if TYPE_CHECKING:
    from callboard.mcp_protocol.served_client import Client

PATIENCE = 30.0
ONE = {"uri": "notes://one"}

Json = dict[str, Any]


class Reader:
    """A client of the handshake era that takes all that it is told."""

    def __init__(self) -> None:
        self.identity = self
        self.revision = "2025-11-25"
        self.told: asyncio.Queue[str] = asyncio.Queue()

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        self.told.put_nowait(method)


class Server:
    """A server that takes a subscription when it is let; ``begun`` and ``ended`` count them."""

    def __init__(self, *, answers: bool) -> None:
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.begun = self.ended = 0
        if answers:
            self.may_answer.set()

    async def take(self) -> ResourceSubscription:
        self.asked.set()
        await self.may_answer.wait()
        self.begun += 1
        return ResourceSubscription(self._end)

    def _end(self) -> None:
        self.ended += 1


class Board:
    """The present server of each name, and the news of them."""

    def __init__(self, **servers: Server) -> None:
        self.servers: dict[str, Any] = servers
        self.news = SharedNews(Listeners(), Outboxes(print, lambda count: ("lost", {"count": count})))
        self.news.servers = lambda: self.servers
        self.news.ask, self.news.subscribe_at = self._ask, cast("Any", None)

    async def _ask(self, function: Any, *given: str) -> Any:
        if function is not None:
            return function()
        name = given[0].partition(":")[0]
        server = self.servers[name]
        return name, server, await server.take()

    def replace(self, name: str, server: Server) -> None:
        self.servers[name] = server
        self.news.hear(Event(1, "plugin_registered", name, 0.0, {"tools": []}))


def as_client(reader: Reader) -> Client:
    return cast("Client", reader)


def test_a_subscription_that_ends_while_it_is_renewed_is_ended_at_the_new_server_too() -> None:
    async def talk() -> tuple[int, int]:
        board, reader = Board(notes=Server(answers=True)), Reader()
        running = asyncio.ensure_future(board.news.run())
        await board.news.subscribe(as_client(reader), ONE)
        late = Server(answers=False)
        board.replace("notes", late)
        await late.asked.wait()
        await board.news.unsubscribe(as_client(reader), ONE)
        late.may_answer.set()
        for _ in range(20):  # turns of the loop
            await asyncio.sleep(0)
        running.cancel()
        return late.begun, late.ended

    assert asyncio.run(talk()) == (1, 1)


def test_a_server_that_does_not_answer_holds_up_no_news_of_others() -> None:
    async def talk() -> str:
        board, reader = Board(notes=Server(answers=True), log=Server(answers=True)), Reader()
        running = asyncio.ensure_future(board.news.run())
        await board.news.subscribe(as_client(reader), ONE)
        await board.news.subscribe(as_client(reader), {"uri": "log://two"})
        mute = Server(answers=False)
        board.replace("notes", mute)
        await mute.asked.wait()
        board.news.hear(Event(2, "resource_updated", "log", 0.0, {"uri": "log://two"}))
        told = await asyncio.wait_for(reader.told.get(), PATIENCE)
        running.cancel()
        return told

    assert asyncio.run(talk()) == "notifications/resources/updated"
