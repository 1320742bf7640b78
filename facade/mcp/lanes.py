"""In which order clients have their calls of a server that asks, and does not say for which call."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable


class TooLate(Exception):
    """A call has waited for as long as it may for the calls of other clients, and has not begun."""


class Lanes:
    """Whose calls of a plugin may begin: everybody's, but for servers that ask without saying for which call they do. In the event loop.

    Calls of one client of such a server run side by side, and another client's wait until those have ended, in the order in which they came.

    Args:
        under_way: who made the calls of a plugin that are under way.
    """

    def __init__(self, under_way: Callable[[str], Iterable[object]]) -> None:
        self._under_way = under_way
        self._lined_up: set[str] = set()
        self._beginning: list[tuple[str, object]] = []
        self._waiting: dict[str, deque[tuple[object, asyncio.Future[None]]]] = {}

    @property
    def are_lined_up(self) -> bool:
        """Whether there is such a plugin."""
        return bool(self._lined_up)

    def has(self, plugin: str) -> bool:
        """Whether this plugin has the calls of one client at a time."""
        return plugin in self._lined_up

    def line_up(self, plugin: str) -> None:
        """From now on this plugin has the calls of one client at a time."""
        self._lined_up.add(plugin)

    @asynccontextmanager
    async def turn(self, plugin: str | None, client: object, patience: float | None) -> AsyncIterator[None]:
        """Wait until a call of this client may begin; begin it within the block.

        Raises:
            TooLate: it may not, after so many seconds of ``patience``; ``None`` waits for ever.
        """
        if plugin not in self._lined_up:
            yield
            return
        place = plugin, client
        waiting = self._waiting.setdefault(plugin, deque())
        if waiting or not self._may_begin(plugin, client):
            turn = asyncio.get_running_loop().create_future()
            waiting.append((client, turn))
            try:
                async with asyncio.timeout(patience):
                    await turn
            except BaseException as error:  # too late; or the client has cancelled, or is gone
                if not turn.cancelled():  # it had its turn
                    self._beginning.remove(place)
                elif (client, turn) in waiting:
                    waiting.remove((client, turn))
                self.look()
                if isinstance(error, TimeoutError):
                    raise TooLate(
                        f"it waited {patience:g} s for calls of other clients: the server of {plugin!r} asks, and does not say for which call"
                    ) from None
                raise
        else:
            self._beginning.append(place)
        try:
            yield
        finally:
            self._beginning.remove(place)
            self.look()

    def look(self) -> None:
        """A call has ended, or will not begin: others may."""
        for plugin, waiting in self._waiting.items():
            while waiting and self._may_begin(plugin, waiting[0][0]):
                client, turn = waiting.popleft()
                if not turn.done():  # else it was cancelled just now
                    self._beginning.append((plugin, client))
                    turn.set_result(None)

    def _may_begin(self, plugin: str, client: object) -> bool:
        beginning = (each for of, each in self._beginning if of == plugin)
        return all(each is client for each in (*self._under_way(plugin), *beginning))
