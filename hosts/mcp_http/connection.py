"""What requests to one server go through: a pool of connections, and what can go wrong with them.

Nothing is done that a client in a browser would do: redirects are not followed, cookies are not kept, nothing is compressed. Certificates are
verified, against what the system trusts. The library logs nothing of a request's headers at this level.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

import httpx2

from ..mcp_oauth.scopes import insufficient
from .event_stream import EventTooLong
from .exchange import EVENTS, SESSION, lines_of, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..mcp_oauth.authorization import Authorization
    from .event_stream import EventParser, ServerEvent

CONNECT: Final = 10.0
"""Seconds for a connection."""

_KEPT: Final = 3.0
"""Seconds that an idle connection is kept: most servers end theirs after five, perhaps in the moment of the next request."""


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _challenge(response: httpx2.Response) -> str | None:
    challenge: str | None = response.headers.get("www-authenticate")
    return challenge


class NoConnection(Exception):
    """There was none to the server, so that nothing was sent."""


class NotAnswered(Exception):
    """The connection ended before the answer did; the request may have been read."""


class AnswerTooLong(Exception):
    """The answer has more bytes than are taken."""


class Answer:
    """What has come of an answer: its status and headers; the rest comes as it is read.

    Attributes:
        status: of HTTP.
        kind: its media type; how it is encoded instead, if it is.
        session: the id that the server gives to the session, if it does.
        location: where it redirects to.
        lacks: the scopes that the token lacks for it; ``None`` if it was not refused for that.
    """

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        headers = response.headers
        encoding = headers.get("content-encoding", "identity")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        self.status: int = response.status_code
        self.kind: str = kind if encoding == "identity" else f"{encoding} encoding"
        self.session: str | None = headers.get(SESSION)
        self.location: str | None = headers.get("location")
        refused = response.status_code == HTTPStatus.FORBIDDEN
        self.lacks: tuple[str, ...] | None = insufficient(_challenge(response)) if refused else None

    @property
    def is_stream(self) -> bool:
        """Whether it is a stream of events."""
        return self.status == HTTPStatus.OK and self.kind == EVENTS

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises `NotAnswered`."""
        with _said("the connection ended in the middle of the answer"):
            async for chunk in self._response.aiter_raw():
                yield chunk

    async def events(self, parser: EventParser) -> AsyncIterator[ServerEvent]:
        """The events of a body of such, as they come. Raises `NotAnswered`, `AnswerTooLong`."""
        try:
            async for chunk in self.chunks():
                for event in parser.feed(chunk):
                    yield event
        except EventTooLong as error:
            raise AnswerTooLong from error

    async def lines(self, parser: EventParser) -> AsyncIterator[bytes]:
        """The messages in a body of events, each as a line, as they come. Raises as `events`."""
        async for event in self.events(parser):
            for line in lines_of(event.data):
                yield line

    async def read(self, most: int) -> bytes:
        """The whole body. Raises `NotAnswered`, `AnswerTooLong`."""
        read, size = [], 0
        async for chunk in self.chunks():
            read.append(chunk)
            size += len(chunk)
            if size > most:
                raise AnswerTooLong
        return b"".join(read)


class Connection:
    """See the module. In one event loop.

    Args:
        url: of the server, as an entry says it; requests are to it, or to another address of the same origin.
        headers: of every request.
        auth: has the token that is sent with each request, and a new one when that is refused; ``None`` for nothing but ``headers``.

    Attributes:
        url: of the server.
    """

    def __init__(self, url: str, headers: Mapping[str, str], auth: Authorization | None = None) -> None:
        self.url: str = url
        self._url = httpx2.URL(url)
        self._headers = headers
        self._auth = auth
        secure = self._url.scheme == "https"
        self._pool = httpx2.AsyncHTTPTransport(
            # To make one that knows all authorities takes longer than all else; without TLS none is asked.
            verify=httpx2.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=_KEPT),
            proxy=proxy_for(url),
        )

    @asynccontextmanager
    async def ask(
        self, method: str, headers: Mapping[str, str], body: bytes | None = None, address: str | None = None
    ) -> AsyncGenerator[Answer, None]:
        """Send a request; the answer can be read inside.

        Args:
            method: of HTTP.
            headers: beside those of every request.
            body: of the request.
            address: of the server's origin, where that is not the entry's.

        Raises:
            NoConnection: nothing was sent.
            NotAnswered: the connection ended before an answer began.
        """
        url = self._url if address is None else httpx2.URL(address)
        response = await self._sent(method, url, headers, body)
        try:
            yield Answer(response)
        finally:
            with _said("closing the connection failed"):
                await response.aclose()

    async def _sent(
        self, method: str, url: httpx2.URL, headers: Mapping[str, str], body: bytes | None
    ) -> httpx2.Response:
        token = await self._auth.token() if self._auth is not None else None
        response = await self._send(method, url, headers, body, token)
        if self._auth is None or (renewed := await self._better(self._auth, response, token)) is None:
            return response
        with _said("closing the connection failed"):
            await response.aclose()
        return await self._send(method, url, headers, body, renewed)

    async def _better(self, auth: Authorization, response: httpx2.Response, token: str | None) -> str | None:
        """Another token for a request that was refused with this one, if there is one."""
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            return await auth.renew(token)
        if response.status_code == HTTPStatus.FORBIDDEN and (scopes := insufficient(_challenge(response))):
            return await auth.widen(token, scopes)
        return None

    async def _send(
        self,
        method: str,
        url: httpx2.URL,
        headers: Mapping[str, str],
        body: bytes | None,
        token: str | None,
    ) -> httpx2.Response:
        known = {} if token is None else {"authorization": f"Bearer {token}"}
        request = httpx2.Request(
            method,
            url,
            headers={**self._headers, **known, **headers},
            content=body,
            extensions={"timeout": httpx2.Timeout(None, connect=CONNECT).as_dict()},
        )
        with _said(f"the connection to {shown_url(str(url))} ended before the answer"):
            return await self._pool.handle_async_request(request)

    async def close(self) -> None:
        """Close all connections."""
        await self._pool.aclose()


Open = Callable[[], Connection]
"""Makes the connection of a session, in its event loop."""


@contextmanager
def _said(problem: str) -> Iterator[None]:
    """Say in our words what the library raises."""
    try:
        yield
    except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError) as error:
        raise NoConnection(
            f"there is no connection to the server: {str(error) or type(error).__name__}"
        ) from None
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise NotAnswered(f"{problem}: {str(error) or type(error).__name__}") from None


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for an address (``HTTPS_PROXY``, ``NO_PROXY``); none for one on this machine."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _is_here(host) or proxy_bypass(host):
        return None
    proxies = getproxies_environment()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return found if found is None or "://" in found else f"http://{found}"
