"""What an MCP server shares beside its tools, resources and prompts, and the news of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Self

from ...base.locks import Lock
from ..errors import RemoteError
from . import jsonrpc
from .listing import MAX_PAGES, MAX_TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]

SHARED: Final = {
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "resources/subscribe": "resources",
    "resources/unsubscribe": "resources",
    "completion/complete": "completions",
    "logging/setLevel": "logging",
}
"""Requests that go to the server as they are, each with what it has to offer for that."""

NOT_OFFERED: Final = "NotOffered"
"""The type of the error of a server that has none of them."""


SUBSCRIBE: Final = ("resources/subscribe", "resources/unsubscribe")
"""Requests for which a server has to say that it takes subscriptions; in the stateless era none of them is sent."""

MAX_SUBSCRIPTIONS: Final = 1000
"""Resources of one server that are subscribed to at a time."""

MAX_ADDRESS: Final = 8192
"""Characters of the address of a resource that is subscribed to, or has changed."""


def not_offered(method: str, offers: Json) -> str | None:
    """What a server does not offer that such a request would need; ``None`` if it offers that."""
    offer = SHARED[method]
    if offer not in offers:
        return offer
    return (
        "subscriptions to resources" if method in SUBSCRIBE and not _has(offers, offer, "subscribe") else None
    )


def _has(offers: Json, offer: str, what: str) -> bool:
    found = offers.get(offer)
    return isinstance(found, dict) and found.get(what) is True


_LISTS: Final = {
    "tools": "toolsListChanged",
    "prompts": "promptsListChanged",
    "resources": "resourcesListChanged",
}

_NEWS: Final = {
    "notifications/resources/list_changed": "resources_changed",
    "notifications/prompts/list_changed": "prompts_changed",
}
"""Notifications without facts, each with the board's event."""


def _ignore(*_: object, **__: object) -> None:
    """Nobody hears of it."""


class ResourceSubscription:
    """A subscription to one resource of a server. As a context manager it is closed at the end.

    Args:
        close: ends it.
    """

    def __init__(self, close: Callable[[], object]) -> None:
        self._close: Callable[[], object] | None = close

    def close(self) -> None:
        """End it; the second time nothing happens. Raises as `Host.ask`."""
        close, self._close = self._close, None
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Subscriptions:
    """What is to be heard of a server's resources and prompts. It outlives the server's generations, and any thread may use it.

    Args:
        name: the server's plugin.

    Attributes:
        on_news: called with the kind of an event of the board, the plugin's name, and the facts. It must not block.
    """

    def __init__(self, name: str) -> None:
        self.on_news: Callable[..., object] = _ignore
        self._name = name
        self._counts: Counter[str] = Counter()
        self._lock = Lock()
        self._met = False

    @property
    def uris(self) -> list[str]:
        """The resources that are subscribed to."""
        with self._lock:
            return sorted(self._counts)

    def add(self, uri: str) -> bool:
        """Subscribe to a resource; whether the server has to be asked for it. Raises `RemoteError` beyond the bounds."""
        with self._lock:
            if uri not in self._counts and (len(self._counts) >= MAX_SUBSCRIPTIONS or len(uri) > MAX_ADDRESS):
                detail = f"{MAX_SUBSCRIPTIONS} resources of a server can be subscribed to, by addresses of {MAX_ADDRESS} characters"
                raise RemoteError({"type": "TooManySubscriptions", "detail": detail}, host=self._name)
            self._counts[uri] += 1
            return self._counts[uri] == 1

    def discard(self, uri: str) -> bool:
        """End one of the subscriptions to a resource; whether it was the last."""
        with self._lock:
            self._counts[uri] -= 1
            self._counts = +self._counts
            return uri not in self._counts

    def begun(self, offers: Json) -> None:
        """A session is open; what an earlier one was not told of may have changed."""
        if self._met:
            self.missed(offers)
        self._met = True

    def missed(self, offers: Json) -> None:
        """News may have been lost: all that can be heard of is told as changed."""
        for offer in ("resources", "prompts"):
            if offer in offers:
                self.on_news(f"{offer}_changed", self._name)
        for uri in self.uris if "resources" in offers else ():
            self.on_news("resource_updated", self._name, uri=uri)

    def heard(self, method: str, params: Json) -> None:
        """The server tells something; what is no news of these is ignored."""
        if (kind := _NEWS.get(method)) is not None:
            self.on_news(kind, self._name)
        elif method == "notifications/resources/updated" and self._counts:
            # Not only of these: it may be a part of one.
            uri = params.get("uri")
            if isinstance(uri, str) and len(uri) <= MAX_ADDRESS:
                self.on_news("resource_updated", self._name, uri=uri)


class Listening:
    """How one session asks for that news, as its era does. Under its host's lock.

    Args:
        subscriptions: what is to be heard.
        request: writes a request of the session.
    """

    def __init__(
        self, subscriptions: Subscriptions, request: Callable[[str, str, Json | None], bytes]
    ) -> None:
        self._subscriptions = subscriptions
        self._request = request
        self._count = 0
        self._present: str | None = None

    def begin(self, offers: Json, *, stateless: bool) -> bytes:
        """The session is open: ask for all that there is to be heard."""
        self._subscriptions.begun(offers)
        if stateless:
            return self.again(offers)
        uris = self._subscriptions.uris if _has(offers, "resources", "subscribe") else []
        return b"".join(
            self._request(f"callboard:subscribe-{number}", SUBSCRIBE[0], {"uri": uri})
            for number, uri in enumerate(uris)
        )

    def again(self, offers: Json) -> bytes:
        """Ask for it in the stateless era, in the place of what is listened to. It is kept open: its answer is the end of the news."""
        wanted: Json = {key: True for offer, key in _LISTS.items() if _has(offers, offer, "listChanged")}
        uris = self._subscriptions.uris
        if uris and _has(offers, "resources", "subscribe"):
            wanted["resourceSubscriptions"] = uris
        before, self._present = self._present, None
        line = b""
        if wanted:
            self._count += 1
            self._present = f"callboard:listen-{self._count}"
            line = self._request(self._present, "subscriptions/listen", {"notifications": wanted})
        if before is not None:
            line += jsonrpc.notification("notifications/cancelled", {"requestId": before})
        return line


class EndlessList(ValueError):
    """A list has no end that could be waited for; says why."""


def whole_list(ask: Callable[[Json], Any], key: str) -> list[Json]:
    """The items of all pages of a list, without what is no item.

    Args:
        ask: asks for the page that these params name; returns the result.
        key: where the items stand in it.

    Raises:
        EndlessList: there are too many pages or items, or a cursor comes twice.
    """
    found: list[Json] = []
    seen: set[str] = set()
    params: Json = {}
    while True:
        page = ask(params)
        items = page.get(key) if isinstance(page, dict) else None
        found += [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
        cursor = page.get("nextCursor") if isinstance(page, dict) else None
        if not isinstance(cursor, str):
            return found
        if cursor in seen:
            raise EndlessList(f"the list of {key} goes in a circle: it has the cursor {cursor!r:.60} twice")
        seen.add(cursor)
        if len(seen) >= MAX_PAGES or len(found) > MAX_TOOLS:
            raise EndlessList(
                f"the list of {key} has no end: more than {MAX_PAGES:,} pages or {MAX_TOOLS:,} items"
            )
        params = {"cursor": cursor}
