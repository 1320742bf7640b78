"""The shell around `ProviderRequest`: connections, clocks, the environment; the same twice, plain and awaited.

The key is read from the environment when a request is sent, by the HTTP client's own hook, and stands nowhere
else: no object of ours holds it, and no error is chained to one of the client's, which hold the request.
Messages of the client and of the server are searched for it all the same.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from contextlib import aclosing
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...base.frozen import frozen
from ...base.locks import Lock
from ...hosts.report.redaction import Redactor
from ..errors import ProviderError
from ..wires.attempts import AttemptFailed, Failure
from .provider_request import MAX_ERROR_BYTES

try:
    import httpx
except ModuleNotFoundError:  # a request says so
    httpx = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator

    from ..wires.options import Options
    from .provider_request import ProviderRequest

Json = dict[str, Any]


@frozen
class KeyHeader:
    """Where a provider wants its key.

    Attributes:
        name: the header.
        prefix: what stands before the key in it.
    """

    name: str
    prefix: str = ""


class HttpShell:
    """Sends requests of one provider. Thread-safe; connections of plain requests are kept open.

    Args:
        key: where the key is sent.
        pause: waits before a request is sent again; tests have it not wait.
        pause_async: the same, awaited.
        clock: seconds that only go up.
        now: the time of day.
        jitter: gives floats in ``[0, 1)``, for the waits.
    """

    def __init__(
        self,
        key: KeyHeader,
        *,
        pause: Callable[[float], object] | None = None,
        pause_async: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._key = key
        self._closed = threading.Event()
        self._pause = pause or self._closed.wait
        self._pause_async = pause_async
        self._clock = clock
        self._now = now
        self.jitter = jitter
        self._lock = Lock()
        self._tls: ssl.SSLContext | None = None
        self._clients: dict[str, Any] = {}

    def close(self) -> None:
        """Close the connections that are kept open; a request that waits to be sent again is not."""
        self._closed.set()
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def stream(self, asking: ProviderRequest, options: Options) -> Generator[Json, None, None]:
        """Send a request until it is answered; yield what the answer says, and of each further attempt.

        Raises:
            ProviderError: it was not answered, or not to the end.
        """
        send = self._prepared(asking, options)
        client = self._client(options)
        while True:
            asking.begin()
            until = self._clock() + options.timeout.total
            try:
                with client.stream(**send, content=asking.body) as response:
                    if asking.accepts(response.status_code, response.headers):
                        yield from self._answer(response, asking, until, options)
                        return
                    said = self._hide(self._error(response, until, options), options)
                    failure = asking.refusal(response.status_code, response.headers, said, self._now())
            except AttemptFailed as failed:
                failure = failed.failure._replace(said=self._hide(failed.failure.said, options))
            except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
                failure = _of_client(error)
            delay, event = asking.after(failure)
            yield event
            if self._pause(delay):
                raise ProviderError(
                    f"provider {options.provider!r} was closed", provider=options.provider, code="unreachable"
                )

    async def stream_async(self, asking: ProviderRequest, options: Options) -> AsyncGenerator[Json, None]:
        """Do as `stream`, awaiting. Connections are not kept: they belong to an event loop, and that may end."""
        send = self._prepared(asking, options)
        async with httpx.AsyncClient(**self._settings(options)) as client:
            while True:
                asking.begin()
                until = self._clock() + options.timeout.total
                try:
                    async with client.stream(**send, content=asking.body) as response:
                        if asking.accepts(response.status_code, response.headers):
                            async with aclosing(
                                self._answer_async(response, asking, until, options)
                            ) as events:
                                async for event in events:
                                    yield event
                            return
                        said = self._hide(await self._error_async(response, until, options), options)
                        failure = asking.refusal(response.status_code, response.headers, said, self._now())
                except AttemptFailed as failed:
                    failure = failed.failure._replace(said=self._hide(failed.failure.said, options))
                except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
                    failure = _of_client(error)
                delay, event = asking.after(failure)
                yield event
                await self._pause_async(delay)

    def _answer(
        self, response: httpx.Response, asking: ProviderRequest, until: float, options: Options
    ) -> Generator[Json, None, None]:
        for data in response.iter_raw():
            yield from asking.feed(data)
            self._in_time(until, options)
        yield from asking.finish()

    async def _answer_async(
        self, response: httpx.Response, asking: ProviderRequest, until: float, options: Options
    ) -> AsyncGenerator[Json, None]:
        async for data in response.aiter_raw():
            for event in asking.feed(data):
                yield event
            self._in_time(until, options)
        for event in asking.finish():
            yield event

    def _error(self, response: httpx.Response, until: float, options: Options) -> str:
        """The beginning of an answer that is an error."""
        body = b""
        for data in response.iter_raw():
            body += data
            if len(body) >= MAX_ERROR_BYTES:
                break
            self._in_time(until, options)
        return body[:MAX_ERROR_BYTES].decode(errors="replace")

    async def _error_async(self, response: httpx.Response, until: float, options: Options) -> str:
        body = b""
        async for data in response.aiter_raw():
            body += data
            if len(body) >= MAX_ERROR_BYTES:
                break
            self._in_time(until, options)
        return body[:MAX_ERROR_BYTES].decode(errors="replace")

    def _prepared(self, asking: ProviderRequest, options: Options) -> Json:
        """Return the request's parts that are equal in each attempt: all but the body."""
        if httpx is None:
            raise ProviderError(
                f"provider {options.provider!r} needs the package 'httpx', which the extra 'agent' brings; "
                "run: pip install httpx",
                provider=options.provider,
                code="missing_package",
            )
        variable, header = options.api_key_env, self._key
        if variable is not None and not _is_key(os.environ.get(variable, "")):
            raise ProviderError(
                f"provider {options.provider!r} takes its key from the environment variable {variable}, "
                "which is not set, or holds what cannot be a key",
                provider=options.provider,
                code="missing_key",
            )

        def with_key(request: httpx.Request) -> httpx.Request:
            if variable is not None:
                request.headers[header.name] = header.prefix + os.environ.get(variable, "").strip()
            return request

        return {
            "method": "POST",
            "url": asking.url,
            "headers": asking.headers,
            "auth": with_key,
            "timeout": httpx.Timeout(options.timeout.idle, connect=options.timeout.connect),
        }

    def _client(self, options: Options) -> Any:
        with self._lock:  # across the making of a client: it reads certificates, once
            self._closed.clear()
            if options.base_url not in self._clients:
                self._clients[options.base_url] = httpx.Client(**self._settings(options))
            return self._clients[options.base_url]

    def _settings(self, options: Options) -> Json:
        """Of a client. Proxies of the environment are not for what runs on this machine."""
        if not options.base_url.startswith("https:"):
            return {"trust_env": not _is_local(options.base_url), "verify": False}
        if self._tls is None:  # it reads all certificates: once is enough
            self._tls = httpx.create_ssl_context()
        return {"trust_env": not _is_local(options.base_url), "verify": self._tls}

    def _in_time(self, until: float, options: Options) -> None:
        if self._clock() > until:
            said = f"did not come to an end in {options.timeout.total:g} seconds"
            raise AttemptFailed(Failure("timed_out", said, retryable=False, status=200))

    def _hide(self, text: str, options: Options) -> str:
        """Take the key out of what a server says; some quote it."""
        key = os.environ.get(options.api_key_env or "", "").strip()
        return Redactor([key] if key else []).text(text, cut=True)


def _of_client(error: Exception) -> Failure:
    """Return the failure that an error of the HTTP client is. Its own words may quote a header, and are not used."""
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout() | httpx.ConnectError():
            return Failure("unreachable", f"cannot be reached: {_cause(error)}", retryable=True)
        case httpx.TimeoutException():
            return Failure("timed_out", "did not answer in time: nothing came any more", retryable=True)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL() | httpx.LocalProtocolError():
            return Failure(
                "bad_config", f"cannot be asked like this ({type(error).__name__}); look at its options"
            )
        case httpx.ProxyError():
            return Failure(
                "unreachable", "cannot be reached through the proxy of the environment", retryable=True
            )
        case _:
            return Failure(
                "cut_off", f"broke off in the midst of its answer ({type(error).__name__})", retryable=True
            )


def _cause(error: Exception) -> str:
    return "the connection was not made in time" if isinstance(error, httpx.TimeoutException) else str(error)


def _is_key(text: str) -> bool:
    key = text.strip()
    return bool(key) and key.isascii() and key.isprintable()


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
