"""Sends news to clients, to each at its own speed: a client that does not read delays no other. In the event loop.

A client of the handshake era gets notifications outside of its requests. One of the stateless era sends ``subscriptions/listen``, a request whose
answer is a stream of news.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from ..base.foreign import Log, contain
from ..mcp_protocol.served_client import INTERNAL_ERROR, Refused
from ..mcp_protocol.unread import Unread

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from contextlib import AbstractAsyncContextManager

    from ..mcp_protocol.served_client import Client

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

TOOLS: Final = "toolsListChanged"
PROMPTS: Final = "promptsListChanged"
RESOURCES: Final = "resourcesListChanged"
_UPDATES: Final = "resourceSubscriptions"

_LISTS: Final = {TOOLS: "tools", PROMPTS: "prompts", RESOURCES: "resources"}

MOST_STREAMS: Final = 1024
"""Open at a time, of all clients."""

MOST_UNREAD: Final = 1024
"""News that one stream holds for a client which does not read them; then the stream ends, and the client listens again."""

MOST_WAITING: Final = 16 * 1024 * 1024
"""Bytes of news that wait for one client of the handshake era."""

_SMALL: Final = 512
"""Bytes that are counted for one of the board's own."""

PATIENCE: Final = 5.0
"""Seconds that a client may take for one notification; after that those that wait for it are dropped."""

_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"


class Outboxes:
    """Sends notifications to clients of the handshake era: in order to each client, and to all clients side by side.

    Args:
        lost: called with a client that has not taken one in time.
        dropped: makes the notification by which a client is told how many were dropped.
    """

    def __init__(self, lost: Callable[[Client], object], dropped: Callable[[int], tuple[str, Json]]) -> None:
        self._lost = lost
        self._dropped = dropped
        self._waiting: dict[int, Unread[tuple[str, Json]]] = {}
        self._telling: dict[int, asyncio.Task[None]] = {}

    def tell(self, client: Client, method: str, params: Json, size: int = 0) -> None:
        """Send a client a notification of so many bytes once it has taken those before; returns at once."""
        number = id(client.identity)
        waiting = self._waiting.get(number)
        if waiting is not None:
            waiting.add((method, params), size or _SMALL, MOST_WAITING)
            return
        waiting = self._waiting[number] = Unread()
        waiting.add((method, params), size or _SMALL, MOST_WAITING)
        self._telling[number] = asyncio.ensure_future(self._tell_all(client, number))

    async def _tell_all(self, client: Client, number: int) -> None:
        # The task holds the client: no other identity has its number meanwhile.
        try:
            await self._tell_in_turn(client, self._waiting[number])
        except Exception as error:  # noqa: BLE001 - a client that is gone, or does not read
            contain(error, logger, "a client could not be told what has happened")
            self._lost(client)
        finally:
            del self._waiting[number], self._telling[number]

    async def _tell_in_turn(self, client: Client, waiting: Unread[tuple[str, Json]]) -> None:
        while waiting:
            async with asyncio.timeout(PATIENCE):
                await client.notify(*(waiting.take() or self._dropped(waiting.gap())))

    def close(self) -> None:
        """Send no more."""
        for task in self._telling.values():
            task.cancel()


class _Stream:
    """One client that listens, and what it wants to hear of."""

    def __init__(self, wanted: Json, uris: list[str]) -> None:
        self.honored: Json = {key: True for key in _LISTS if wanted.get(key)}
        self.uris = uris
        if self.uris:
            self.honored[_UPDATES] = self.uris
        # One place more, for the end.
        self.news: asyncio.Queue[tuple[str, Json] | None] = asyncio.Queue(MOST_UNREAD + 1)

    def tell(self, method: str, params: Json) -> bool:
        """False if it has too much to tell: it ends."""
        if self.news.qsize() < MOST_UNREAD:
            self.news.put_nowait((method, params))
            return True
        with suppress(asyncio.QueueFull):  # it has been told so before
            self.news.put_nowait(None)
        return False


@asynccontextmanager
async def _all_of(uris: list[str]) -> AsyncGenerator[list[str], None]:
    yield uris


class Listeners:
    """The clients that listen.

    Attributes:
        subscribing: has the servers of these resources asked for their changes inside; says of which that could be.
    """

    def __init__(self) -> None:
        self.subscribing: Callable[[list[str]], AbstractAsyncContextManager[list[str]]] = _all_of
        self._streams: set[_Stream] = set()

    async def listen(self, client: Client, params: Json) -> Json:
        """Tell a client what it wants to hear of until its request is cancelled, or it reads too slowly.

        Raises:
            Refused: too many listen.
        """
        if len(self._streams) >= MOST_STREAMS:
            raise Refused(INTERNAL_ERROR, "Subscription limit reached")
        wanted = params["notifications"]
        async with self.subscribing(list(wanted.get(_UPDATES) or ())) as uris:
            return await self._tell_all(client, _Stream(wanted, uris))

    async def _tell_all(self, client: Client, stream: _Stream) -> Json:
        meta = {_SUBSCRIPTION: client.request_id}
        self._streams.add(stream)  # before the acknowledgement: what comes meanwhile is told after it
        try:
            acknowledged = {"notifications": stream.honored, "_meta": meta}
            await client.notify("notifications/subscriptions/acknowledged", acknowledged, within=True)
            await _tell_news(client, stream, meta)
        finally:
            self._streams.discard(stream)
        return {"_meta": meta}

    def changed(self, what: str) -> None:
        """A list is another now: `TOOLS`, `PROMPTS` or `RESOURCES`."""
        method = f"notifications/{_LISTS[what]}/list_changed"
        self._tell([each for each in self._streams if what in each.honored], method, {})

    def updated(self, uri: str, params: Json) -> None:
        """A resource is another now; ``params`` of what its server says."""
        method = "notifications/resources/updated"
        self._tell([each for each in self._streams if uri in each.uris], method, params)

    def _tell(self, streams: list[_Stream], method: str, params: Json) -> None:
        for each in streams:
            if not each.tell(method, params):
                logger.warning("a client that listens has not read %d news; it is told no more", MOST_UNREAD)
                self._streams.discard(each)


async def _tell_news(client: Client, stream: _Stream, meta: Json) -> None:
    while (told := await stream.news.get()) is not None:
        method, said = told
        await client.notify(method, {**said, "_meta": {**said.get("_meta", {}), **meta}}, within=True)
