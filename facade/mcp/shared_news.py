"""Subscriptions of clients to resources of the board's MCP servers, and notifications of changed lists.

A client hears of the resources that it has subscribed to, when their own server reports a change. Changed lists are announced as those of tools are: to
a client of the handshake era once it has listed, and to one of the stateless era that listens.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from ..base.foreign import Log
from ..base.locks import Lock
from ..mcp_protocol.served_client import INVALID_PARAMS, Refused, is_handshake
from .listening import PROMPTS, RESOURCES

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable

    from ..hosts.mcp.offers import ResourceSubscription
    from ..hosts.mcp.tool import McpToolPlugin
    from ..mcp_protocol.served_client import Client
    from ..supervision.runtime.events import Event
    from .listening import Listeners, Outboxes

    Ask = Callable[..., Awaitable[Any]]
    Subscribe = Callable[[str], tuple[str, McpToolPlugin, ResourceSubscription]]

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

MOST_OF_CLIENT: Final = 256
"""Resources that one client has subscribed to at a time."""

MOST_OF_ALL: Final = 4096
"""Subscriptions of all clients. Beyond them the oldest ends: of a client over HTTP that has gone nobody says so."""

MOST_NEWS: Final = 1000
"""Resources of which nobody has been told yet that they have changed; beyond them each that is subscribed to is told as changed."""

_LISTS: Final = {"resources_changed": "resources", "prompts_changed": "prompts"}
_BOTH: Final = ("resources", "prompts")
_PLUGINS: Final = frozenset({"plugin_registered", "plugin_removed"})
HEARD: Final = frozenset({"resource_updated", *_LISTS, *_PLUGINS})
"""The events of which anything is told."""

_LISTENED: Final = {"resources": RESOURCES, "prompts": PROMPTS}
_MAX_LISTENERS: Final = 1000


class _Subscribed:
    """One client's subscription to one resource; ``client`` is ``None`` for one that listens in the stateless era."""

    def __init__(
        self,
        uri: str,
        client: Client | None,
        of: tuple[str, McpToolPlugin, ResourceSubscription],
    ) -> None:
        self.uri = uri
        self.client = client
        self.server, self.plugin, self.asked = of


class SharedNews:
    """See the module. `hear` may be called from any thread, all else in the event loop.

    Args:
        listeners: the clients of the stateless era that listen.
        outboxes: tell those of the handshake era.

    Attributes:
        ask: calls a function in a thread; raises `Refused`.
        subscribe_at: asks the server of a resource for its changes; for a thread.
        servers: returns the MCP servers on the board, by name.
    """

    def __init__(self, listeners: Listeners, outboxes: Outboxes) -> None:
        self.ask: Ask
        self.subscribe_at: Subscribe
        self.servers: Callable[[], dict[str, McpToolPlugin]] = dict
        self._listeners = listeners
        self._outboxes = outboxes
        listeners.subscribing = self._listening
        self._subscribed: deque[_Subscribed] = deque()
        self._asking: list[int] = []
        self._turns: dict[tuple[int, str], tuple[asyncio.Lock, int]] = {}
        self._listing: dict[str, deque[Client]] = {each: deque(maxlen=_MAX_LISTENERS) for each in _BOTH}
        self._lock = Lock()
        self._changed: set[str] = set()
        self._registered: set[str] = set()
        self._updated: dict[tuple[str, str], None] | None = {}
        self._background: set[asyncio.Future[None]] = set()
        self._any = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def hear(self, event: Event) -> None:
        """In the thread that tells events."""
        with self._lock:
            if event.kind == "resource_updated":
                self._note_update(event.subject, str(event.facts["uri"]))
            elif event.kind in _PLUGINS:
                self._changed.update(_BOTH)
                self._registered.add(event.subject)
            elif event.kind in _LISTS:
                self._changed.add(_LISTS[event.kind])
            else:
                return
        if (loop := self._loop) is not None:
            try:
                loop.call_soon_threadsafe(self._any.set)
            except RuntimeError:  # the loop has ended since
                return

    def _note_update(self, server: str, uri: str) -> None:
        if not self._subscribed or self._updated is None:
            return
        self._updated[server, uri] = None
        if len(self._updated) > MOST_NEWS:
            self._updated = None

    def note_listing(self, client: Client, what: str) -> None:
        """A client has listed ``resources``, their templates too, or ``prompts``."""
        noted = self._listing[what]
        if is_handshake(client) and all(each.identity is not client.identity for each in noted):
            noted.append(client)

    async def subscribe(self, client: Client, params: Json) -> Json:
        """``resources/subscribe`` of the handshake era."""
        uri = params["uri"]
        async with self._turn(client, uri):
            if self._of(client, uri):
                return {}
            asking = id(client.identity)
            if len(self._of(client)) + self._asking.count(asking) >= MOST_OF_CLIENT:
                raise Refused(INVALID_PARAMS, f"{MOST_OF_CLIENT} resources can be subscribed to")
            self._asking.append(asking)
            try:
                self._subscribed.append(await self._begun(uri, client))
            finally:
                self._asking.remove(asking)
        while len(self._subscribed) > MOST_OF_ALL:
            self._end(self._subscribed.popleft())
        return {}

    async def unsubscribe(self, client: Client, params: Json) -> Json:
        """``resources/unsubscribe`` of the handshake era."""
        uri = params["uri"]
        async with self._turn(client, uri):
            own = self._of(client, uri)
            self._forget(own)
            await asyncio.shield(self._end(*own))
        return {}

    def _forget(self, ended: list[_Subscribed]) -> None:
        self._subscribed = deque(each for each in self._subscribed if each not in ended)

    def _of(self, client: Client, uri: str | None = None) -> list[_Subscribed]:
        """The subscriptions of a client, or that to one resource."""
        return [each for each in self._subscribed if _is_of(each, client) and uri in {None, each.uri}]

    @asynccontextmanager
    async def _turn(self, client: Client, uri: str) -> AsyncGenerator[None, None]:
        """Serve a client's requests about one resource one after the other, in their order."""
        key = id(client.identity), uri
        lock, users = self._turns.get(key, (asyncio.Lock(), 0))
        self._turns[key] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            lock, users = self._turns.pop(key)
            if users > 1:
                self._turns[key] = lock, users - 1

    @asynccontextmanager
    async def _listening(self, uris: list[str]) -> AsyncGenerator[list[str], None]:
        """Subscribe for one that listens, to those that there are."""
        begun: list[_Subscribed] = []
        try:
            for uri in list(dict.fromkeys(uris))[:MOST_OF_CLIENT]:
                try:
                    begun.append(await self._begun(uri, None))
                except Refused as refused:
                    logger.debug("a client does not hear of %.200r: %s", uri, refused)
                else:
                    self._subscribed.append(begun[-1])
            yield [each.uri for each in begun]
        finally:
            for each in begun:
                if each in self._subscribed:  # else it was one too many, and has ended
                    self._subscribed.remove(each)
            self._end(*begun)  # a server may take its time, and the client may be about to end

    async def _begun(self, uri: str, client: Client | None) -> _Subscribed:
        """Have its server asked. If the client gives that up, what is begun all the same is ended."""
        asking = asyncio.ensure_future(self.ask(self.subscribe_at, uri))
        try:
            return _Subscribed(uri, client, await asyncio.shield(asking))
        except asyncio.CancelledError:
            asking.add_done_callback(lambda done: self._end_late(uri, done))
            raise

    def _end_late(self, uri: str, asked: asyncio.Future[Any]) -> None:
        if not asked.cancelled() and asked.exception() is None:
            self._end(_Subscribed(uri, None, asked.result()))

    def _end(self, *several: _Subscribed) -> asyncio.Future[None]:
        """Have the servers of subscriptions told that these have ended, one after the other in the background."""
        return self._in_background(self._end_all(several))

    def _in_background(self, function: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        task = asyncio.ensure_future(function)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def _end_all(self, several: Iterable[_Subscribed]) -> None:
        for each in several:
            try:
                await self.ask(each.asked.close)
            except Refused as refused:  # its server is gone, or does not know it any more
                logger.debug("the subscription to %.200r was not ended: %s", each.uri, refused)

    async def run(self) -> None:
        """Tell all that is heard, until it is cancelled."""
        self._loop = asyncio.get_running_loop()
        self._any.set()  # of what was heard before
        try:
            while True:
                await self._any.wait()
                self._any.clear()
                with self._lock:
                    changed, self._changed = self._changed, set()
                    updated, self._updated = self._updated, {}
                    registered, self._registered = self._registered, set()
                for what in sorted(changed):
                    self._tell_list(what)
                for server in sorted(registered):
                    self._in_background(self._renew(server))
                self._tell_updates(updated)
        finally:
            self._loop = None

    def _tell_list(self, what: str) -> None:
        # A client lists again when it is told, and is noted again then.
        told, self._listing[what] = self._listing[what], deque(maxlen=_MAX_LISTENERS)
        for client in told:
            self._outboxes.tell(client, f"notifications/{what}/list_changed", {})
        self._listeners.changed(_LISTENED[what])

    def _tell_updates(self, updated: dict[tuple[str, str], None] | None) -> None:
        """Tell which resources have changed, each by its server and address; ``None`` if they were too many to be known."""
        if updated is None:
            self._tell([(each, each.uri) for each in self._subscribed])
            return
        for server, uri in updated:
            concerned = [one for one in self._subscribed if one.server == server and _is_part(uri, one.uri)]
            self._tell([(each, uri) for each in concerned])

    def _tell(self, concerned: list[tuple[_Subscribed, str]]) -> None:
        for heard, uri in dict.fromkeys((each.uri, uri) for each, uri in concerned if each.client is None):
            self._listeners.updated(heard, {"uri": uri})
        for each, uri in concerned:
            if each.client is not None:
                self._outboxes.tell(each.client, "notifications/resources/updated", {"uri": uri})

    async def _renew(self, server: str) -> None:
        """A server of that name may be another one now: have it asked for what the one before it was asked for."""
        now = self.servers().get(server)
        if now is None:
            return  # it has left, and may come back
        renewed = []
        for each in [one for one in self._subscribed if one.server == server and now is not one.plugin]:
            try:
                renewal = await self.ask(self.subscribe_at, each.uri)
            except Refused as refused:
                logger.debug("the subscription to %.200r was not renewed: %s", each.uri, refused)
                continue
            if each in self._subscribed and each.plugin is not renewal[1]:
                each.server, each.plugin, each.asked = renewal
                renewed.append((each, each.uri))
            else:  # it has ended meanwhile, or was renewed already
                self._end(_Subscribed(each.uri, None, renewal))
        self._tell(renewed)


def _is_of(one: _Subscribed, client: Client) -> bool:
    return one.client is not None and one.client.identity is client.identity


def _is_part(uri: str, of: str) -> bool:
    """Whether an address is that of a resource, or of a part of it."""
    return uri == of or (uri.startswith(of) and (of.endswith("/") or uri[len(of)] in "/?#"))
