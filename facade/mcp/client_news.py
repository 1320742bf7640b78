"""What clients are told unasked: that the tools have changed, and what has become of a host.

Both eras have their ways. A session of the handshake era is told of changed tools once it has listed them, and of hosts once it has set a
level of logging. In the stateless era a client listens for changed tools, and of hosts it is told within a call of its own which asks for
logging: nothing else may be said there, and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.foreign import Log, contain
from ..interop.exact_json import as_utf8
from ..mcp_protocol.params import LOG_LEVEL
from ..mcp_protocol.served_client import is_handshake
from ..mcp_protocol.shapes import LEVELS, LOG
from .listening import PATIENCE, TOOLS, Listeners, Outboxes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..actors.catalog.catalog import ToolDescriptor
    from ..mcp_protocol.served_client import Client
    from ..supervision.runtime.events import Event

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

_CHANGES = frozenset({"plugin_removed", "plugin_unavailable", "host_reloaded"})
HEARD = _CHANGES | {"plugin_registered", "tools_changed", "host_crashed", "host_ready", "host_parked"}
"""Kinds of events that `ClientNews.hear` makes something of."""

_MAX_LISTENERS = 1000
_MAX_NEWS = 100
"""Of hosts, which no client has been told yet; the oldest are dropped."""

_MAX_CAUSE = 300
_MESSAGE = "notifications/message"


class ServerLog(NamedTuple):
    """What a server logs.

    Attributes:
        plugin: the server's.
        params: of the notification, as the server says them.
        size: bytes that it takes to keep it, about.
    """

    plugin: str
    params: Json
    size: int

    def for_clients(self) -> Json | None:
        """The same with the server's name; ``None`` if it is not what the protocol says."""
        said: Json = as_utf8(self.params)
        if LOG(said) is not None:
            return None
        return {**said, "_meta": {**(said.get("_meta") or {}), "callboard/plugin": self.plugin}}


class ClientNews:
    """See the module. `hear` may be called from any thread, all else in the event loop.

    Attributes:
        listeners: tells clients of the stateless era of changes.
        outboxes: sends notifications to clients of the handshake era.
        level: the least grave level of which a client is told; ``None`` while none is. Any thread may look.
        on_level: told of each new one.
    """

    def __init__(self) -> None:
        self.on_level: Callable[[str], object] | None = None
        self.listeners: Listeners = Listeners()
        self.outboxes: Outboxes = Outboxes(self._forget, lambda count: (_MESSAGE, lost_logs(count)))
        self._listing: deque[Client] = deque(maxlen=_MAX_LISTENERS)
        self._logging: deque[tuple[Client, str]] = deque(maxlen=_MAX_LISTENERS)
        self._to_tell: deque[Json] = deque(maxlen=_MAX_NEWS)
        self._standing: list[Json] = []
        self._names: dict[str, list[str]] = {}
        self._been_ready: set[str] = set()
        self.level: str | None = None
        self._tools_changed = False
        self._any = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def hear(self, event: Event) -> None:
        """In the thread that tells events."""
        news = log_of(event) if event.kind != "host_ready" or event.subject in self._been_ready else None
        if event.kind == "host_ready":
            self._been_ready.add(event.subject)
        if news is not None:
            self._to_tell.append(_params(*news))
        changes = self._changes_tools(event)
        if news is not None or changes:
            self._tools_changed = self._tools_changed or changes
            self._wake()

    def _changes_tools(self, event: Event) -> bool:
        """Whether a list of tools is another one since. What comes in place of a remembered list may be the same."""
        match event.kind:
            case "plugin_registered":
                before, self._names[event.subject] = self._names.get(event.subject), event.facts["tools"]
                return bool(before != event.facts["tools"])
            case "tools_changed":
                return any(event.facts[each] for each in ("added", "removed", "changed"))
            case "plugin_removed":
                self._names.pop(event.subject, None)
        return event.kind in _CHANGES

    def hear_log(self, log: ServerLog) -> None:
        """A server logs something outside of all calls."""
        if (said := log.for_clients()) is not None:
            self._tell_server_log(said, log.size)

    def lose_logs(self, count: int) -> None:
        """Tell that so many messages that were logged outside of all calls are lost."""
        self._tell_server_log(lost_logs(count), 0)

    def _tell_server_log(self, params: Json, size: int) -> None:
        if self._loop is None:
            self._to_tell.append(params)
            return
        self._tell_logs()  # what was heard before
        self._tell_all(params, size)

    def note_level(self, client: Client) -> None:
        """A client of the stateless era calls a tool, and may say of which level it is told meanwhile."""
        if not is_handshake(client):
            self._lower(client.meta.get(LOG_LEVEL))

    def _lower(self, wanted: Any) -> None:
        if wanted in LEVELS and (self.level is None or LEVELS.index(wanted) < LEVELS.index(self.level)):
            self.level = wanted
            if self.on_level is not None:
                self.on_level(wanted)

    def stand(self, level: str, data: Json) -> None:
        """Tell what has happened and stays so, also to clients that ask for logging later."""
        self._standing.append(_params(level, data))
        self._to_tell.append(self._standing[-1])
        self._any.set()

    def know(self, tools: Iterable[ToolDescriptor]) -> None:
        """These are listed now: an event that tells of them later is no news."""
        names: dict[str, list[str]] = {}
        for tool in tools:
            names.setdefault(tool.plugin_name, []).append(tool.tool_name)
        self._names |= names

    def note_listing(self, client: Client) -> None:
        """A client has listed the tools."""
        if is_handshake(client) and all(each.identity is not client.identity for each in self._listing):
            self._listing.append(client)

    async def set_level(self, client: Client, params: Json) -> Json:
        """``logging/setLevel`` of the handshake era."""
        others = [each for each in self._logging if each[0].identity is not client.identity]
        self._logging = deque([*others, (client, params["level"])], maxlen=_MAX_LISTENERS)
        self._lower(params["level"])
        for standing in self._standing:
            if _is_wanted(standing["level"], params["level"]):
                await _in_time(client.notify(_MESSAGE, standing))
        return {}

    async def tell_within(self, client: Client, level: str, data: Json) -> None:
        """Tell a client of the stateless era in the answer to its request, if that asks for it."""
        if not is_handshake(client) and _is_wanted(level, client.meta.get(LOG_LEVEL)):
            await _in_time(client.notify(_MESSAGE, _params(level, data), within=True))

    def _wants(self, client: Client, level: str) -> bool:
        if not is_handshake(client):
            return _is_wanted(level, client.meta.get(LOG_LEVEL))
        # Servers of that era log unasked, and decide what.
        levels = (wanted for each, wanted in self._logging if each.identity is client.identity)
        return _is_wanted(level, next(levels, LEVELS[0]))

    async def tell_log(self, client: Client, log: ServerLog) -> None:
        """Tell a client what a server logs in its call, if it wants to be told, within the answer to its request."""
        said = log.for_clients()
        if said is not None and self._wants(client, said["level"]):
            await _in_time(client.notify(_MESSAGE, said, within=True))

    async def tell_lost(self, client: Client, count: int) -> None:
        """Tell a client that so many log messages of its call are lost."""
        if self._wants(client, "warning"):
            await _in_time(client.notify(_MESSAGE, lost_logs(count), within=True))

    async def run(self) -> None:
        """Tell all that is heard, until it is cancelled."""
        self._loop = asyncio.get_running_loop()
        try:
            while True:
                await self._any.wait()
                self._any.clear()
                if self._tools_changed:
                    self._tools_changed = False
                    self._tell_changes()
                self._tell_logs()
        finally:
            self._loop = None
            self.outboxes.close()

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(self._any.set)
            except RuntimeError:  # the loop has ended since
                return

    def _tell_changes(self) -> None:
        # A client lists again when it is told, and is noted again then.
        told, self._listing = self._listing, deque(maxlen=_MAX_LISTENERS)
        for client in told:
            self.outboxes.tell(client, "notifications/tools/list_changed", {})
        self.listeners.changed(TOOLS)

    def _tell_logs(self) -> None:
        while self._to_tell:
            self._tell_all(self._to_tell.popleft())

    def _tell_all(self, params: Json, size: int = 0) -> None:
        for client, wanted in self._logging:
            if _is_wanted(params["level"], wanted):
                self.outboxes.tell(client, _MESSAGE, params, size)

    def _forget(self, client: Client) -> None:
        """A client was not told in time: it gets no more log messages."""
        left = [each for each in self._logging if each[0].identity is not client.identity]
        self._logging = deque(left, maxlen=_MAX_LISTENERS)


def log_of(event: Event) -> tuple[str, Json] | None:
    """Return the log message of an event as level and data; ``None`` for most events. Each ``host_ready`` is a restart here: the caller leaves out a host's first. Pure."""
    name, facts = event.subject, event.facts
    match event.kind:
        case "host_crashed":
            cause = str(facts.get("cause") or "it does not say why")[:_MAX_CAUSE]
            return "warning", log_data(event.kind, name, f"{name} has ended: {cause}")
        case "host_ready":
            return "warning", restarted(name)
        case "host_parked":
            why = str(facts.get("why") or "")[:_MAX_CAUSE]
            return "error", log_data(event.kind, name, f"{name} is not started again for now: {why}")
    return None


def restarted(name: str) -> dict[str, Any]:
    """What a client is told of a host that was started again."""
    return log_data("host_ready", name, f"{name} was started again; what it kept in memory is gone")


def log_data(event: str, name: str, message: str) -> dict[str, Any]:
    """The data of a log message."""
    return {"message": message, "server": name, "event": event}


def lost_logs(count: int) -> Json:
    """The params of the log message that stands for some that were dropped."""
    said = "1 message was" if count == 1 else f"{count:,} messages were"
    return _params(
        "warning", {"message": f"{said} dropped here: too many waited for this client", "dropped": count}
    )


def _params(level: str, data: Json) -> Json:
    return {"level": level, "logger": "callboard", "data": data}


def _is_wanted(level: str, wanted: Any) -> bool:
    return wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted)


async def _in_time(telling: Awaitable[None]) -> None:
    """Notify a client within its own request. One that does not read is answered all the same, after `PATIENCE`."""
    try:
        async with asyncio.timeout(PATIENCE):
            await telling
    except Exception as error:  # noqa: BLE001 - a client that is gone, or does not read
        contain(error, logger, "a client could not be told what has happened")
