"""How many requests of one client go to one server at a time: the others wait here, where each takes the memory of a request and not of an answer.

A client that does not read has none of those that wait begun before it has read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from ..mcp_protocol.served_client import Client

    _Key = tuple[int, str | None]

AT_ONCE: Final = 64
"""Requests of a client at one server, unless the server takes more calls side by side."""


class NoTurn(Exception):
    """A request has waited for as long as it may for others of its client, and has not begun."""


class _Line:
    """The requests of one client to one server. It keeps the client, so that no other one can have its id."""

    def __init__(self, client: object, most: int) -> None:
        self.client = client
        self.most = most
        self.begun = 0
        self.waiting: deque[asyncio.Future[None]] = deque()


class _Turn:
    """The turn of one request, which ends with the block. A generator as the manager would cost each call of a tool three times as much."""

    __slots__ = ("_client", "_key", "_line", "_lines", "_most", "_patience")

    def __init__(
        self, lines: dict[_Key, _Line], client: Client, server: str | None, most: int, patience: float | None
    ) -> None:
        self._lines = lines
        self._client = client
        self._key: _Key = id(client.identity), server
        self._most = most
        self._patience = patience

    async def __aenter__(self) -> None:
        client = self._client
        if (line := self._lines.get(self._key)) is None:
            line = self._lines[self._key] = _Line(client.identity, self._most)
        self._line = line
        if line.waiting or line.begun >= line.most:
            await self._wait()
        else:
            line.begun += 1
        try:
            await client.room()
        except BaseException:  # the client has cancelled, or is gone
            self._end()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._end()

    async def _wait(self) -> None:
        line = self._line
        place = asyncio.get_running_loop().create_future()
        line.waiting.append(place)
        try:
            await _given(place, self._client, line, self._patience)
        except BaseException:  # too late; or the client has cancelled, or is gone
            if place.done():
                self._end()
            else:
                line.waiting.remove(place)
            raise

    def _end(self) -> None:
        line = self._line
        if line.waiting:
            line.waiting.popleft().set_result(None)
            return
        line.begun -= 1
        if not line.begun:
            del self._lines[self._key]


class Turns:
    """See the module. In the event loop."""

    def __init__(self) -> None:
        self._lines: dict[_Key, _Line] = {}

    def turn(
        self, client: Client, server: str | None, most: int = AT_ONCE, patience: float | None = None
    ) -> AbstractAsyncContextManager[None]:
        """Wait until a request may begin, in the order in which they come; it ends with the block.

        Args:
            client: whose request it is.
            server: that will answer it; ``None`` for nobody that is known.
            most: requests at a time.
            patience: seconds to wait for other requests; ``None`` for ever. A client that does not read makes itself wait.

        Raises:
            NoTurn: it has waited for that long.
        """
        return _Turn(self._lines, client, server, most, patience)


async def _given(place: asyncio.Future[None], client: Client, line: _Line, patience: float | None) -> None:
    """Wait for a turn; for longer than the ``patience`` only while the client does not read."""
    while not (await asyncio.wait((place,), timeout=patience))[0]:
        if client.has_room():
            raise NoTurn(f"it waited {patience:g} s for {line.begun} others of its client")
