"""The token that each request to a server has with it, and a new one when it is no good any more. Nobody is asked anything here.

Who gives tokens is spoken to by the official SDK, which takes a second to import; that, and waiting for another program that is
at the same, is for a thread of its own.
"""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from ...base.foreign import Log, contain
from .scopes import WANTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from .oauth_client import OAuthClient
    from .token_file import TokenFile

EARLY: Final = 30.0
"""Seconds before its end from which on a token is taken for ended."""

logger: Log = Log("callboard.hosts")


class Authorization:
    """See the module. In one event loop.

    Args:
        url: of the server.
        file: what its authorization has given us.
        client: what the entry says of us.
    """

    def __init__(self, url: str, file: TokenFile, client: OAuthClient) -> None:
        self._url = url
        self._client = client
        self._file = file
        kept = file.read()
        self._token: str | None = kept["tokens"]["access_token"] if kept is not None else None
        self._ends = _end_of(kept)
        self._lock = asyncio.Lock()

    async def token(self) -> str | None:
        """What to send, renewed if it is about to end; ``None`` if we have nothing."""
        if self._token is not None and time.time() > self._ends - EARLY:
            await self.renew(self._token)
        return self._token

    async def renew(self, used: str | None) -> str | None:
        """Another token than ``used``, which is no good; ``None`` if there is none to be had without asking the user."""
        async with self._lock:
            if used is None or self._token != used:
                return self._token if self._token != used else None
            renewed = await self._renewed(used)
            if renewed is not None:
                self._token = renewed
                self._ends = _end_of(self._file.read())
            else:
                # Another one is asked for when this one is refused, and not before each request.
                self._ends = float("inf")
            return renewed

    async def widen(self, used: str | None, scopes: tuple[str, ...]) -> str | None:
        """Another token than ``used``, which has not these scopes: of a login since; else they are what the next login asks for."""
        async with self._lock:
            if self._token is None or self._token != used:
                return self._token if self._token != used else None
            token = await self._in_thread(partial(_widened, self._file, used, scopes))
            if token is not None:
                self._token, self._ends = token, _end_of(self._file.read())
            return token

    async def _renewed(self, used: str) -> str | None:
        def renew() -> str | None:
            try:
                from .oauth import renewed  # noqa: PLC0415 - an extra, and it takes a second

                return renewed(self._url, self._file, used, self._client)
            except ModuleNotFoundError as error:
                logger.warning(
                    "a token cannot be renewed without the package %r; run: pip install mcp", error.name
                )
                return None

        return await self._in_thread(renew)

    async def _in_thread(self, function: Callable[[], str | None]) -> str | None:
        """What it returns; nothing if it raises: of the SDK, or of the server, and the token stays as it is."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[str | None] = loop.create_future()

        def run() -> None:
            token = None
            try:
                token = function()
            except BaseException as error:  # noqa: BLE001 - told in the log: a call waits for the answer
                contain(error, logger, "a token could not be renewed")
            with suppress(RuntimeError):  # the session has ended
                loop.call_soon_threadsafe(_tell, told, token)

        threading.Thread(target=run, name="callboard-oauth", daemon=True).start()
        return await told


def _widened(file: TokenFile, used: str | None, scopes: tuple[str, ...]) -> str | None:
    """The token of a login since ``used``; else the scopes are kept for the next login."""
    with file.only_one():
        kept = file.read()
        if kept is None:
            return None
        now: str = kept["tokens"]["access_token"]
        if now != used:
            return now
        if kept.get(WANTED) != [*scopes]:
            file.write({**kept, WANTED: [*scopes]})
        return None


def _tell(told: asyncio.Future[str | None], token: str | None) -> None:
    if not told.done():  # who waited may have been cancelled
        told.set_result(token)


def _end_of(kept: dict[str, object] | None) -> float:
    ends = kept.get("expires_at") if kept is not None else None
    return float(ends) if isinstance(ends, int | float) else float("inf")
