"""Logging in to a server and renewing a token, by the official SDK: discovery, registration, PKCE and all the rest is its own.

Its provider would hold all requests back while one of them waits for its answer, so that it is given none of ours: it is asked for a
token, and that is put where it belongs.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)

from ...base.errors import CallboardError
from ..mcp import jsonrpc
from ..mcp.revision import HANDSHAKES
from .oauth_client import REGISTERS, OAuthClient
from .older_metadata import as_of_origin
from .reach import Nearness, Reach, TooNear
from .scopes import widened

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from .token_file import Json, TokenFile

PATIENCE: Final = 300.0
"""Seconds that the user has for the page of the authorization."""

TIMEOUT: Final = 10.0
"""Seconds for each step of an exchange with whoever gives tokens."""

MOST_BYTES: Final = 1024 * 1024
"""Of what it answers."""

_DONE = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nYou can close this page.\n"
_LONGEST = 200


class LoginFailed(CallboardError):
    """There is no token to be had."""


class _FixedScopes(OAuthClientMetadata):
    """Asks for the scopes of an entry, whatever the server names."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "scope":
            super().__setattr__(name, value)


class _Storage:
    """The SDK's storage.

    Args:
        kept: what there is; no secret of an entry is ever in it.
        keep: called with all of it at each token: of one that was exchanged for another the old one may be void.
        client: what the entry says of us.
    """

    def __init__(
        self, kept: Json, keep: Callable[[Json], object] = lambda _: None, client: OAuthClient = REGISTERS
    ) -> None:
        self._keep = keep
        self._client = client
        self.kept = kept

    async def get_tokens(self) -> OAuthToken | None:
        return OAuthToken.model_validate(self.kept["tokens"]) if "tokens" in self.kept else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.kept["tokens"] = _as_json(tokens)
        self.kept["expires_at"] = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._keep(self.kept)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        if "client" not in self.kept:
            return None
        own = self._client.client_id is not None and self._client.document is None
        secret = {"client_secret": self._client.client_secret} if own else {}
        return OAuthClientInformationFull.model_validate({**self.kept["client"], **secret})

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.kept["client"] = _as_json(client_info)


def renewed(url: str, file: TokenFile, used: str, client: OAuthClient = REGISTERS) -> str | None:
    """Another token than ``used``, got by the right to renew it; ``None`` if that is gone. One program at a time; it blocks."""
    with file.only_one():
        kept = file.read()
        if kept is None:
            return None
        now: str = kept["tokens"]["access_token"]
        return now if now != used else asyncio.run(_renewed(url, file, kept, client))


async def _renewed(url: str, file: TokenFile, kept: Json, client: OAuthClient) -> str | None:
    storage = _Storage(kept, file.write, client)
    provider = OAuthClientProvider(url, _metadata("http://127.0.0.1/callback", client), storage)
    context = provider.context
    if isinstance(kept.get("server"), dict):
        context.oauth_metadata = OAuthMetadata.model_validate(kept["server"])
    if isinstance(kept.get("resource"), dict):
        context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(kept["resource"])
    context.token_expiry_time = 1.0  # it has ended
    ours, before = _request(url), kept["tokens"]
    # Of a file that an earlier version has written it is not known; it may go on where it was.
    reach = Reach(ours.url, Nearness(kept.get("nearness", Nearness.LOOPBACK)))
    flow = provider.async_auth_flow(ours)
    async with httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=False) as http:
        try:
            await _renew_by(http, flow, ours, reach)
        finally:
            await flow.aclose()
    token: str = storage.kept["tokens"]["access_token"]
    return token if storage.kept["tokens"] is not before else None


async def _renew_by(
    client: httpx2.AsyncClient,
    flow: AsyncGenerator[httpx2.Request, httpx2.Response],
    ours: httpx2.Request,
    reach: Reach,
) -> None:
    request = await anext(flow)
    while request is not ours:
        request = await flow.asend(await _answer(client, request, reach))


def login(
    url: str,
    file: TokenFile,
    show: Callable[[str], object],
    client: OAuthClient = REGISTERS,
    *,
    older: bool = False,
) -> bool:
    """Get a token with the user's help; False if the server asks for none. It blocks, for `PATIENCE` at the most.

    Args:
        url: of the server.
        file: where it is kept.
        show: shows the user the address of the page on which to agree.
        client: what the entry says of us.
        older: the server has the older transport only, so that its stream is what asks for a token.

    Raises:
        LoginFailed: there is none to be had; says why.
        OSError: it cannot be kept.
    """
    if not client.scopes:  # what it has asked for since the last login; an entry that names scopes decides
        client = replace(client, scopes=widened(file.read()))
    try:
        kept = asyncio.run(_login(_request(url, older=older), show, client))
    except (OAuthFlowError, TooNear, httpx2.HTTPError, ValueError) as error:
        raise LoginFailed(f"the login failed: {str(error) or type(error).__name__:.{_LONGEST}}") from error
    except TimeoutError:
        raise LoginFailed(f"the login failed: nobody has agreed within {PATIENCE:g} s") from None
    except OSError as error:  # of a port that the entry names
        raise LoginFailed(
            f"the login failed: nothing can listen on port {client.port}: {error.strerror}"
        ) from error
    if kept is None:
        return False
    with file.only_one():
        file.write(kept)
    return True


async def _login(ours: httpx2.Request, show: Callable[[str], object], client: OAuthClient) -> Json | None:
    came: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def heard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), TIMEOUT)
            target = urlsplit(line.decode("latin-1").split(" ")[1])
            if target.path == "/callback" and not came.done():
                _hear(came, {name: values[0] for name, values in parse_qs(target.query).items()})
            writer.write(_DONE)
            await writer.drain()
        except (IndexError, ValueError, OSError):
            pass  # no browser: a page of another program, which is looking for what listens here
        finally:
            writer.close()

    async def shown(address: str) -> None:
        _settle_proof(provider.context, client)
        reach.require_page(address)
        show(address)

    async def agreed() -> AuthorizationCodeResult:
        return await asyncio.wait_for(came, PATIENCE)

    server = await asyncio.start_server(heard, "127.0.0.1", client.port or 0)
    async with server, httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=False) as http:
        back = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/callback"
        storage = _Storage(_known(client, back), client=client)
        provider = OAuthClientProvider(
            str(ours.url),
            _metadata(back, client),
            storage,
            shown,
            agreed,
            client_metadata_url=client.document,
        )
        reach = Reach(ours.url)
        named = provider.context
        await _carry_through(
            http, provider.async_auth_flow(ours), ours, reach, lambda: named.auth_server_url is None
        )
    if "tokens" not in storage.kept:
        return None
    context = provider.context
    if "client" in _known(client, back) and context.client_info is not None:
        storage.kept["client"]["token_endpoint_auth_method"] = context.client_info.token_endpoint_auth_method
    found = {"server": context.oauth_metadata, "resource": context.protected_resource_metadata}
    parts = {name: _as_json(value) for name, value in found.items() if value is not None}
    return {**storage.kept, **parts, "nearness": int(reach.nearness)}


def _hear(came: asyncio.Future[AuthorizationCodeResult], said: dict[str, str]) -> None:
    if "code" in said:
        came.set_result(
            AuthorizationCodeResult(code=said["code"], state=said.get("state"), iss=said.get("iss"))
        )
    elif "error" in said:
        why = said.get("error_description") or said["error"]
        came.set_exception(OAuthFlowError(f"it was refused: {why:.{_LONGEST}}"))


async def _carry_through(
    client: httpx2.AsyncClient,
    flow: AsyncGenerator[httpx2.Request, httpx2.Response],
    ours: httpx2.Request,
    reach: Reach,
    alone: Callable[[], bool],
) -> None:
    try:
        request = await anext(flow)
        while True:
            answer = await _answer(client, request, reach, body=request is not ours)
            if alone():
                answer = as_of_origin(ours.url, answer)
            request = await flow.asend(answer)
    except StopAsyncIteration:
        if answer.status_code in {401, 403}:
            raise OAuthFlowError(f"the server does not take the token (HTTP {answer.status_code})") from None
    finally:
        await flow.aclose()


async def _answer(
    client: httpx2.AsyncClient, request: httpx2.Request, reach: Reach, *, body: bool = True
) -> httpx2.Response:
    """The whole answer, of which no more than `MOST_BYTES` is taken. Raises `TooNear`."""
    reach.hold(request)
    response = await client.send(request, stream=True)
    try:
        async with asyncio.timeout(TIMEOUT):
            read = await _read(response) if body else b""
    finally:
        await response.aclose()
    left_out = {"content-encoding", "content-length"}  # it has been decoded
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in left_out]
    return httpx2.Response(response.status_code, headers=headers, content=read, request=request)


async def _read(response: httpx2.Response) -> bytes:
    read = b""
    async for chunk in response.aiter_bytes():
        read += chunk
        if len(read) > MOST_BYTES:
            raise OAuthFlowError(f"the authorization answers with more than {MOST_BYTES >> 20} MB")
    return read


def _request(url: str, *, older: bool = False) -> httpx2.Request:
    """A request that says what the server asks for."""
    if older:
        return httpx2.Request("GET", url, headers={"accept": "text/event-stream"})
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": HANDSHAKES[0],
    }
    return httpx2.Request("POST", url, headers=headers, content=jsonrpc.request("1", "ping").rstrip())


def _metadata(back: str, client: OAuthClient) -> OAuthClientMetadata:
    facts = {"client_name": "Callboard", "redirect_uris": [back]}
    if not client.scopes:
        return OAuthClientMetadata.model_validate(facts)
    return _FixedScopes.model_validate({**facts, "scope": " ".join(client.scopes)})


def _known(client: OAuthClient, back: str) -> Json:
    """What is kept of a client that the authorization knows already; nothing of one that has to register."""
    if client.client_id is None or client.document is not None:
        return {}
    return {"client": {"client_id": client.client_id, "redirect_uris": [back]}}


def _settle_proof(context: Any, client: OAuthClient) -> None:
    """Decide how a client of the entry's proves that it is the one: as the authorization says that it may."""
    if client.client_id is None or client.document is not None:
        return
    metadata = context.oauth_metadata
    ways = None if metadata is None else metadata.token_endpoint_auth_methods_supported
    if client.client_secret is None:
        way = "none"
    else:  # where nothing is said, RFC 8414 has it be the first
        known = ("client_secret_basic", "client_secret_post")
        way = next((each for each in known if ways is None or each in ways), known[0])
    context.client_info.token_endpoint_auth_method = way


def _as_json(model: Any) -> Json:
    found: Json = model.model_dump(mode="json", exclude_none=True)
    return found
