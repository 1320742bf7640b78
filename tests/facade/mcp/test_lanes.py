"""Calls of one client of a server that asks run side by side, and other clients' wait, each for no longer than it may."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from callboard.mcp.lanes import Lanes, TooLate
from sdks import needs_sdk

pytestmark = needs_sdk

PATIENCE = 30.0


class Calls:
    """Calls of one plugin, which begin when they may, and end when that is said."""

    def __init__(self, *, lined_up: bool = True) -> None:
        self.lanes = Lanes(lambda _: self.under_way)
        self.under_way: list[Any] = []
        if lined_up:
            self.lanes.line_up("p")

    async def _begin(self, client: object, plugin: str, patience: float) -> None:
        async with self.lanes.turn(plugin, client, patience):
            self.under_way.append(client)

    async def submit(
        self, client: object, plugin: str = "p", patience: float = PATIENCE
    ) -> asyncio.Future[None]:
        call = asyncio.ensure_future(self._begin(client, plugin, patience))
        for _ in range(5):  # until all that may begin has begun
            await asyncio.sleep(0)
        return call

    async def end(self, client: object) -> None:
        self.under_way.remove(client)
        self.lanes.look()
        for _ in range(5):
            await asyncio.sleep(0)


def test_calls_of_all_clients_begin_at_once_where_the_server_has_not_asked() -> None:
    async def talk() -> list[Any]:
        calls = Calls(lined_up=False)
        for client in "aba":
            await calls.submit(client)
        return calls.under_way

    assert asyncio.run(talk()) == ["a", "b", "a"]


def test_another_client_waits_and_comes_before_those_behind_it() -> None:
    async def talk() -> list[list[Any]]:
        calls, seen = Calls(), []
        for client in "aabab":
            await calls.submit(client)
        for ending in "aabab":
            seen.append(list(calls.under_way))
            await calls.end(ending)
        return seen

    assert asyncio.run(talk()) == [["a", "a"], ["a"], ["b"], ["a"], ["b"]]


def test_a_plugin_that_has_not_asked_waits_for_nobody() -> None:
    async def talk() -> list[Any]:
        calls = Calls()
        await calls.submit("a")
        await calls.submit("b", "other")
        return calls.under_way

    assert asyncio.run(talk()) == ["a", "b"]


@pytest.mark.parametrize("cancelled_when", ["it waits", "it may begin"])
def test_a_client_that_waits_no_longer_holds_up_nobody(cancelled_when: str) -> None:
    async def talk() -> list[Any]:
        calls = Calls()
        await calls.submit("a")
        gone = await calls.submit("b")
        await calls.submit("c")
        if cancelled_when == "it may begin":
            calls.under_way.remove("a")
            calls.lanes.look()
            gone.cancel()
        else:
            gone.cancel()
            await calls.end("a")
        with suppress(asyncio.CancelledError):
            await gone
        await calls.submit("c")
        return calls.under_way

    assert asyncio.run(talk()) == ["c", "c"]


def test_a_call_waits_no_longer_than_it_may() -> None:
    async def talk() -> list[Any]:
        calls = Calls()
        await calls.submit("a")
        late = await calls.submit("b", patience=0.01)
        with pytest.raises(TooLate):
            await late
        await calls.submit("a")
        return calls.under_way

    assert asyncio.run(talk()) == ["a", "a"]
