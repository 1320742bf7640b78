"""How many requests of one client go to one server at a time: the others wait here, where each takes the memory of a request and not of an answer.

A client that does not read has none of those that wait begun before it has read.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ..mcp_protocol.served_client import Client

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


class Turns:
    """See the module. In the event loop."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, str | None], _Line] = {}

    @asynccontextmanager
    async def turn(
        self, client: Client, server: str | None, most: int = AT_ONCE, patience: float | None = None
    ) -> AsyncIterator[None]:
        """Wait until a request may begin, in the order in which they come; it ends with the block.

        Args:
            client: whose request it is.
            server: that will answer it; ``None`` for nobody that is known.
            most: requests at a time.
            patience: seconds to wait for other requests; ``None`` for ever. A client that does not read makes itself wait.

        Raises:
            NoTurn: it has waited for that long.
        """
        key = id(client.identity), server
        if (line := self._lines.get(key)) is None:
            line = self._lines[key] = _Line(client.identity, most)
        if line.waiting or line.begun >= line.most:
            await self._wait(key, line, client, patience)
        else:
            line.begun += 1
        try:
            await client.room()
            yield
        finally:
            self._end(key, line)

    async def _wait(
        self, key: tuple[int, str | None], line: _Line, client: Client, patience: float | None
    ) -> None:
        place = asyncio.get_running_loop().create_future()
        line.waiting.append(place)
        try:
            await _given(place, client, line, patience)
        except BaseException:  # too late; or the client has cancelled, or is gone
            if place.done():
                self._end(key, line)
            else:
                line.waiting.remove(place)
            raise

    def _end(self, key: tuple[int, str | None], line: _Line) -> None:
        if line.waiting:
            line.waiting.popleft().set_result(None)
            return
        line.begun -= 1
        if not line.begun:
            del self._lines[key]


async def _given(place: asyncio.Future[None], client: Client, line: _Line, patience: float | None) -> None:
    """Wait for a turn; for longer than the ``patience`` only while the client does not read."""
    while not (await asyncio.wait((place,), timeout=patience))[0]:
        if client.has_room():
            raise NoTurn(f"it waited {patience:g} s for {line.begun} others of its client")
