"""Messages that wait for a client are bounded by bytes, and a client is told once how many were dropped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from callboard.mcp import client_questions
from callboard.mcp.asked_client import AskedClient
from callboard.mcp.client_news import ClientNews
from callboard.mcp.client_questions import ClientQuestions
from callboard.mcp.listening import MOST_WAITING
from callboard.mcp.running_call import RunningCall
from callboard.mcp_protocol.unread import Unread
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from callboard.actors.calls.call import Call
    from callboard.mcp_protocol.served_client import Client

PATIENCE = 60.0
MOST = 10

Json = dict[str, Any]


@given(st.lists(st.none() | st.integers(1, 12)))
def test_each_message_is_taken_in_order_or_counted_where_it_is_missing(steps: list[int | None]) -> None:
    unread, told, added = Unread[int](), list[tuple[str, int]](), 0
    for size in [*steps, *[None] * len(steps)]:
        if size is not None:
            unread.add(added, size, MOST)
            added += 1
            assert unread.held <= max(MOST, 12)
        elif unread:
            item = unread.take()
            told.append(("lost", unread.gap()) if item is None else ("told", item))

    expected = 0
    for kind, number in told:
        assert number == expected if kind == "told" else number > 0
        expected += 1 if kind == "told" else number
    assert expected == added
    assert unread.held == 0


class Reader:
    """A client of the handshake era, which reads once it is let."""

    def __init__(self) -> None:
        self.identity = self
        self.revision = "2025-11-25"
        self.meta: Json = {}
        self.capabilities = None
        self.told: list[Json] = []
        self.reads = asyncio.Event()
        self.lost = asyncio.Event()

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        await self.reads.wait()
        self.told.append(params or {})
        if self.told[-1].get("logger") == "callboard":
            self.lost.set()

    async def until_told_of_lost(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.lost.wait()


def as_client(reader: Reader) -> Client:
    return cast("Client", reader)


def log(size: int, number: int) -> Json:
    return {"level": "error", "data": [number, "x" * size]}


def numbers_of(told: list[Json]) -> list[int]:
    return [each["data"][0] for each in told]


def test_outside_of_calls_a_client_that_does_not_read_is_told_how_many_it_missed() -> None:
    async def talk() -> list[Json]:
        news, reader = ClientNews(), Reader()
        questions = ClientQuestions(news, many=False)
        running = asyncio.ensure_future(news.run())
        reader.reads.set()
        await news.set_level(as_client(reader), {"level": "debug"})
        reader.reads.clear()
        await asyncio.sleep(0)
        for number in range(10):
            questions.log("server", (), log(MOST_WAITING // 4, number))
        questions.hand_out_logs()
        reader.reads.set()
        await reader.until_told_of_lost()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return reader.told

    *told, last = asyncio.run(talk())

    assert 0 < len(told) < 10
    assert numbers_of(told) == list(range(len(told)))
    assert (last["level"], last["data"]["dropped"]) == ("warning", 10 - len(told))


class EndedCall:
    """A call that has its result."""

    id = "call"

    def done(self) -> bool:
        return True

    def take_chunk(self) -> None:
        return None

    def nudge(self) -> None:
        """Nobody waits for its parts."""


def test_in_a_call_a_client_that_does_not_read_is_told_how_many_it_missed() -> None:
    async def talk() -> list[Json]:
        news, reader = ClientNews(), Reader()
        questions = ClientQuestions(news, many=False)
        asked = AskedClient(reader.identity, frozenset())
        call = cast("Call", questions.enter(EndedCall, asked))
        for number in range(10):
            questions.log("server", ("call",), log(client_questions.CLIENT_LOGS // 4, number))
        reader.reads.set()
        await RunningCall(call, asked, questions, news).ends(as_client(reader))
        return reader.told

    *told, last = asyncio.run(talk())

    assert 0 < len(told) < 10
    assert numbers_of(told) == list(range(len(told)))
    assert (last["level"], last["data"]["dropped"]) == ("warning", 10 - len(told))
