"""Requests of one client to one server begin in their order, so many at a time, and while the client reads."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from callboard.mcp_edge.turns import NoTurn, Turns

PATIENCE = 30.0


class Reader:
    """A client that reads, or does not."""

    def __init__(self) -> None:
        self.identity: object = self
        self._reads = asyncio.Event()
        self._reads.set()

    def reads(self, *, does: bool) -> None:
        (self._reads.set if does else self._reads.clear)()

    def has_room(self) -> bool:
        return self._reads.is_set()

    async def room(self) -> None:
        await self._reads.wait()


class Requests:
    """Requests that begin when they may, and end when that is said."""

    def __init__(self) -> None:
        self.turns, self.begun = Turns(), []
        self._ends: dict[str, asyncio.Event] = {}

    async def _run(self, name: str, client: Any, server: str, patience: float | None) -> None:
        async with self.turns.turn(client, server, 2, patience):
            self.begun.append(name)
            await self._ends[name].wait()

    async def ask(
        self, names: str, client: Any, server: str = "s", patience: float | None = None
    ) -> list[asyncio.Task[None]]:
        asked = []
        for name in names:
            self._ends[name] = asyncio.Event()
            asked.append(asyncio.ensure_future(self._run(name, client, server, patience)))
        await settled()
        return asked

    async def end(self, name: str) -> None:
        self._ends[name].set()
        await settled()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_so_many_begin_at_once_and_the_others_in_their_order() -> None:
    async def talk() -> None:
        requests, client = Requests(), Reader()
        await requests.ask("abcd", client)
        assert requests.begun == ["a", "b"]
        await requests.end("b")
        await requests.ask("e", client)
        assert requests.begun == ["a", "b", "c"]
        for name in "acde":
            await requests.end(name)
        assert requests.begun == ["a", "b", "c", "d", "e"]

    asyncio.run(talk())


def test_another_client_and_another_server_are_not_waited_for() -> None:
    async def talk() -> None:
        requests, client = Requests(), Reader()
        await requests.ask("abc", client)
        await requests.ask("d", client, "another")
        await requests.ask("e", Reader())
        assert requests.begun == ["a", "b", "d", "e"]

    asyncio.run(talk())


def test_nothing_begins_while_the_client_does_not_read() -> None:
    async def talk() -> None:
        requests, client = Requests(), Reader()
        client.reads(does=False)
        await requests.ask("abc", client)
        assert requests.begun == []
        client.reads(does=True)
        await settled()
        assert requests.begun == ["a", "b"]

    asyncio.run(talk())


def test_one_that_is_cancelled_as_it_waits_or_as_it_is_given_its_turn_keeps_nobody() -> None:
    async def talk() -> None:
        requests, client = Requests(), Reader()
        *_, waiting, chosen = await requests.ask("abcd", client)
        waiting.cancel()
        await settled()
        requests._ends["a"].set()
        await asyncio.sleep(0)
        chosen.cancel()
        await settled()
        await requests.ask("e", client)
        assert "e" in requests.begun
        await requests.end("b")
        await requests.end("e")
        await requests.ask("fg", client)
        assert requests.begun[-2:] == ["f", "g"]

    asyncio.run(talk())


def test_one_that_waits_for_others_too_long_is_refused_but_not_if_its_client_does_not_read() -> None:
    async def talk() -> None:
        requests, client = Requests(), Reader()
        (refused,) = (await requests.ask("abc", client, patience=0.01))[2:]
        with pytest.raises(NoTurn, match="for 2 others of its client"):
            await refused
        client.reads(does=False)
        (waiting,) = await requests.ask("d", client, patience=0.001)
        assert not (await asyncio.wait((waiting,), timeout=0.1))[0]
        client.reads(does=True)
        with pytest.raises(NoTurn):
            await waiting

    asyncio.run(asyncio.wait_for(talk(), PATIENCE))
