"""A client that takes nothing of what it is told holds up no other client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest
from callboard.mcp.client_news import ClientNews
from callboard.mcp.listening import Listeners, Outboxes
from callboard.mcp.shared_news import SharedNews
from callboard.supervision.runtime.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from callboard.mcp_protocol.served_client import Client

PATIENCE = 30.0
SESSION = "2025-11-25"

Json = dict[str, Any]


class ToldClient:
    """One of the handshake era, as far as it is told something."""

    def __init__(self) -> None:
        self.identity = self
        self.revision = SESSION
        self.meta: Json = {}
        self.told: list[str] = []
        self.turn = asyncio.Event()

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        self.told.append(method)
        self.turn.set()

    async def until_told(self, method: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while method not in self.told:
                self.turn.clear()
                await self.turn.wait()


class MuteClient(ToldClient):
    """It takes nothing, and never has given up when it is looked at."""

    def __init__(self) -> None:
        super().__init__()
        self.gave_up = 0

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.gave_up += 1


def as_client(told: ToldClient) -> Client:
    return cast("Client", told)


def event(kind: str, subject: str = "notes", **facts: Any) -> Event:
    return Event(1, kind, subject, 0.0, facts)


async def told_beside_a_mute_one(
    tell: Callable[[MuteClient, ToldClient], Any], running: Any, method: str
) -> int:
    """How often the mute client was waited for to its end before the other one was told."""
    mute, reader = MuteClient(), ToldClient()
    task = asyncio.ensure_future(running())
    await asyncio.sleep(0)
    await tell(mute, reader)
    await reader.until_told(method)
    task.cancel()
    waited = mute.gave_up
    await asyncio.gather(task, return_exceptions=True)
    return waited


def test_it_holds_up_no_news_of_changed_tools() -> None:
    async def talk() -> int:
        news = ClientNews()

        async def tell(*clients: ToldClient) -> None:
            for client in clients:
                news.note_listing(as_client(client))
            news.hear(event("plugin_removed"))

        return await told_beside_a_mute_one(tell, news.run, "notifications/tools/list_changed")

    assert asyncio.run(talk()) == 0


def test_it_holds_up_no_log() -> None:
    async def talk() -> int:
        news = ClientNews()

        async def tell(*clients: ToldClient) -> None:
            for client in clients:
                await news.set_level(as_client(client), {"level": "debug"})
            news.hear(event("host_parked", why="it crashed"))

        return await told_beside_a_mute_one(tell, news.run, "notifications/message")

    assert asyncio.run(talk()) == 0


@pytest.mark.parametrize("what", ["resources", "prompts"])
def test_it_holds_up_no_news_of_changed_lists(what: str) -> None:
    async def talk() -> int:
        news = SharedNews(Listeners(), Outboxes(print, lambda count: ("lost", {"count": count})))

        async def tell(*clients: ToldClient) -> None:
            for client in clients:
                news.note_listing(as_client(client), what)
            news.hear(event(f"{what}_changed"))

        return await told_beside_a_mute_one(tell, news.run, f"notifications/{what}/list_changed")

    assert asyncio.run(talk()) == 0


def test_it_holds_up_no_news_of_resources() -> None:
    async def talk() -> int:
        news = SharedNews(Listeners(), Outboxes(print, lambda count: ("lost", {"count": count})))

        async def ask(_: Any, uri: str) -> tuple[str, None, None]:
            return "notes", None, None

        news.ask, news.subscribe_at = ask, cast("Any", None)

        async def tell(*clients: ToldClient) -> None:
            for client in clients:
                await news.subscribe(as_client(client), {"uri": "notes://one"})
            news.hear(event("resource_updated", uri="notes://one"))

        return await told_beside_a_mute_one(tell, news.run, "notifications/resources/updated")

    assert asyncio.run(talk()) == 0
