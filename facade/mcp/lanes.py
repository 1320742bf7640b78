"""In which order clients have their calls of a server that asks, and does not say for which call; and its questions while they may be of several clients."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from ..plugins.results.codes import Code

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping

    from ..actors.calls.call import Call
    from ..hosts.mcp.sampling import Sampling
    from ..plugins.hooks.forms import Form


class Held(Protocol):
    """A question, as far as it is held."""

    asked: Form | Sampling
    calls: tuple[str, ...]
    over: asyncio.Event


class Caller(Protocol):
    """Who made a call, the call, and how many parts it has had."""

    call: Call | None
    parts: int


Question = TypeVar("Question", bound=Held)

STUCK_AFTER: Final = 5.0
"""Seconds of silence after which calls end that wait for each other; a quarter of a call's deadline if that is less."""


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


class HeldQuestions(Generic[Question]):
    """Questions that may be of several clients, and are shown to none meanwhile. In the event loop.

    If as many are held as calls that may have asked are under way, each of those calls waits, and nothing tells whose question is whose. The calls are
    ended then, since none of them would end before its deadline.

    Args:
        asked: who made the calls that are under way, by their ids.
    """

    def __init__(self, asked: Mapping[str, Caller]) -> None:
        self._asked = asked
        self._held: list[Question] = []
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def hold(self, question: Question) -> None:
        """Keep a question until `take`."""
        self._held.append(question)
        self._look_later(question.asked.plugin)

    def take(self) -> list[Question]:
        """Those that are held; they are not any more."""
        held, self._held = self._held, []
        return held

    def _look_later(self, plugin: str) -> None:
        if (timer := self._timers.pop(plugin, None)) is not None:
            timer.cancel()
        deadlines = (each.call.seconds for each in self._callers(plugin) if each.call is not None)
        patience = min([STUCK_AFTER, *(seconds / 4 for seconds in deadlines if seconds is not None)])
        loop, parts = asyncio.get_running_loop(), self._parts(plugin)
        self._timers[plugin] = loop.call_later(patience, self._look, plugin, parts)

    def _look(self, plugin: str, parts: int) -> None:
        """End the calls that wait for each other, if none of them has had a part since then."""
        del self._timers[plugin]
        held, callers = self._of(plugin), self._callers(plugin)
        if not held or len(held) < len(callers):
            return
        if self._parts(plugin) != parts:
            self._look_later(plugin)
            return
        # With the last call its questions are answered with `cancel`: after the server was told that the calls are.
        self._held = [each for each in self._held if each not in held]
        why = (
            f"the server of {plugin!r} asks, and does not say for which call: calls of several clients waited there for answers, and "
            "no client is shown another's question. Call again: the server has the calls of one client at a time now"
        )
        for caller in callers:
            if caller.call is not None:
                caller.call.end_early(Code.DEADLINE_EXCEEDED, why)

    def _of(self, plugin: str) -> list[Question]:
        return [each for each in self._held if each.asked.plugin == plugin and not each.over.is_set()]

    def _callers(self, plugin: str) -> list[Caller]:
        calls = {call for question in self._of(plugin) for call in question.calls}
        return [self._asked[call] for call in calls if call in self._asked]

    def _parts(self, plugin: str) -> int:
        return sum(each.parts for each in self._callers(plugin))
