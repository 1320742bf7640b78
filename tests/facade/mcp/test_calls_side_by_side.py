"""An MCP server takes many calls at a time behind a served board, and one bad call costs the others nothing."""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from callboard import Callboard
from leaks import TEST_MARK, no_leaks, wait_until
from mcp_clients import http_server, over_http, over_pipes, written
from programs import PROGRAMS
from sdks import needs_sdk
from tools import tool_call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

SERVER = str(PROGRAMS / "python" / "mcp_threads.py")
PATIENCE = 30.0
BOUND = 64


def threads(*words: str, **options: Any) -> dict[str, Any]:
    return {
        "mcp": {"command": [sys.executable, SERVER, *words], "env": TEST_MARK},
        "name": "threads",
        **options,
    }


def text_of(result: Any) -> str:
    return "".join(block.text for block in result.content)


async def all_meet(client: Client, number: int) -> list[str]:
    answers = await asyncio.gather(*[client.call_tool("meet", {"n": number}) for _ in range(number)])
    return [text_of(each) for each in answers]


def test_a_client_s_calls_of_one_server_run_side_by_side_in_a_file_of_clients(tmp_path: Path) -> None:
    config = written(
        tmp_path, {"mcpServers": {"threads": {"command": sys.executable, "args": [SERVER], "env": TEST_MARK}}}
    )

    async def talk() -> list[str]:
        async with over_pipes(config, "handshake") as client:
            await client.list_tools()
            return await all_meet(client, BOUND)

    with no_leaks():
        assert asyncio.run(talk()) == ["well"] * BOUND


def test_a_server_that_a_change_of_the_file_has_brought_takes_as_many(tmp_path: Path) -> None:
    config = written(tmp_path, {"plugins": []})

    async def talk() -> list[str]:
        there = asyncio.Event()

        async def heard(message: Any) -> None:
            if type(message).__name__ == "ToolListChangedNotification":
                there.set()

        async with over_pipes(config, "handshake", "--watch", message_handler=heard) as client:
            await client.list_tools()
            written(tmp_path, {"plugins": [threads()]})
            async with asyncio.timeout(PATIENCE):
                while not (await client.list_tools(cache_mode="refresh")).tools:
                    await there.wait()
                    there.clear()
            return await all_meet(client, BOUND)

    with no_leaks():
        assert asyncio.run(talk()) == ["well"] * BOUND


@pytest.mark.parametrize(
    ("calls", "options", "most"),
    [({"concurrency": 2}, {}, 2), ({}, {"concurrency": 3}, 3), ({"concurrency": 2}, {"concurrency": 3}, 3)],
)
def test_the_file_and_each_entry_may_set_another_bound(
    calls: dict[str, Any], options: dict[str, Any], most: int, tmp_path: Path
) -> None:
    config = written(tmp_path, {"calls": calls, "plugins": [threads(**options)]})

    async def talk() -> str:
        async with over_pipes(config, "handshake") as client:
            await client.list_tools()
            await asyncio.gather(*[client.call_tool("meet", {"n": most}) for _ in range(4 * most)])
            return text_of(await client.call_tool("most", {}))

    with no_leaks():
        assert asyncio.run(talk()) == str(most)


def test_a_board_of_an_agent_s_own_calls_a_server_once_at_a_time_unless_its_entry_says_more() -> None:
    with no_leaks(), Callboard({"plugins": [threads()]}) as board:
        for call in [board.submit(tool_call("meet", n=1)) for _ in range(8)]:
            assert call.result(PATIENCE)["success"]
        assert board.execute(tool_call("most"))["result"] == "1"


def test_a_call_that_is_cancelled_costs_no_neighbour(tmp_path: Path) -> None:
    config = written(tmp_path, {"calls": {"grace": 1.0}, "plugins": [threads()]})

    async def talk() -> tuple[list[str], bool]:
        async with over_http(address, "stateless") as client:
            await client.list_tools()
            before = text_of(await client.call_tool("pid", {}))
            begun = asyncio.Event()

            async def heard(*_: Any) -> None:
                begun.set()

            neighbours = [
                asyncio.ensure_future(client.call_tool("meet", {"n": BOUND - 1})) for _ in range(BOUND - 2)
            ]
            hanging = asyncio.ensure_future(client.call_tool("hang", {}, progress_callback=heard))
            await begun.wait()
            hanging.cancel()
            await asyncio.wait([hanging])
            await client.call_tool("pid", {})  # what is asked of the server after that has been answered
            last = client.call_tool("meet", {"n": BOUND - 1})
            answers = await asyncio.gather(*neighbours, last)
            return [text_of(each) for each in answers], text_of(await client.call_tool("pid", {})) == before

    with no_leaks(), http_server(config) as address:
        assert asyncio.run(talk()) == (["well"] * (BOUND - 1), True)


def hung(board: Callboard, name: str = "hang", **options: Any) -> Any:
    """A call that is under way in the server, and is not answered."""
    call = board.submit(tool_call(name), **options)
    next(call.parts())
    return call


def pid_of(board: Callboard) -> str:
    answer: str = board.execute(tool_call("pid"))["result"]
    return answer


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("ends", ["cancel", "deadline"])
def test_a_server_that_answers_nothing_any_more_is_replaced_after_the_grace(
    ends: str, concurrency: int
) -> None:
    with (
        no_leaks(),
        Callboard({"calls": {"grace": 0.1}, "plugins": [threads(concurrency=concurrency)]}) as board,
    ):
        before = pid_of(board)
        stalled = hung(board, "stall", **({"deadline": 2.0} if ends == "deadline" else {}))
        if ends == "cancel":
            stalled.cancel()
        assert stalled.result(PATIENCE)["code"] in {"cancelled", "deadline_exceeded"}

        assert pid_of(board) != before


@pytest.mark.parametrize(("words", "concurrency", "hang", "replaced"), [
    ((), 4, 3, False),
    ((), 4, 4, True),
    (("polite",), 4, 4, False),  # it answers each of them after all
    ((), 1, 1, False),
    ((), 1, 2, True),
])  # fmt: skip
def test_a_server_is_replaced_when_as_many_calls_hang_as_it_may_have(
    words: tuple[str, ...], concurrency: int, hang: int, replaced: bool
) -> None:
    ends: list[str] = []
    with (
        no_leaks(),
        Callboard({"calls": {"grace": 1.0}, "plugins": [threads(*words, concurrency=concurrency)]}) as board,
    ):
        before = pid_of(board)
        board.subscribe(lambda event: ends.append(event.kind), ["host_ready"])
        for _ in range(hang):
            call = hung(board)
            call.cancel()
            assert call.result(PATIENCE)["code"] == "cancelled"
        if replaced:
            wait_until(lambda: bool(ends))

        assert (pid_of(board) != before) is replaced


def test_an_answer_between_them_shows_that_calls_that_were_given_up_keep_a_server_from_nothing() -> None:
    with no_leaks(), Callboard({"calls": {"grace": 1.0}, "plugins": [threads(concurrency=2)]}) as board:
        before = pid_of(board)
        for _ in range(6):
            hung(board).cancel()
            assert pid_of(board) == before


def test_a_crash_with_many_calls_under_way_is_one_failure_for_the_breaker() -> None:
    breaker = {"failures": 2, "reset": 60.0}
    entry = threads(concurrency=8, breaker=breaker, quarantine=False)
    with no_leaks(), Callboard({"plugins": [entry]}) as board:
        lost = [hung(board) for _ in range(5)]
        board.execute(tool_call("crash"))
        assert {call.result(PATIENCE)["code"] for call in lost} == {"host_crashed"}

        following = hung(board)  # which a breaker that is open refuses
        following.cancel()

        assert following.result(PATIENCE)["code"] == "cancelled"


def test_arguments_that_were_beside_others_at_each_crash_are_not_blamed() -> None:
    entry = threads(concurrency=8, quarantine={"crashes": 2})
    with no_leaks(), Callboard({"plugins": [entry]}) as board:
        for _ in range(3):
            beside = hung(board)
            board.execute(tool_call("crash"))
            beside.result(PATIENCE)

        assert board.status()["plugins"]["threads"]["quarantine"] == []
        assert board.execute(tool_call("most"))["success"]


class Person:
    """Fills in what a client is asked."""

    def __init__(self, name: str) -> None:
        self.asked = 0
        self._name = name

    async def form(self, _context: Any, _params: Any) -> types.ElicitResult:
        self.asked += 1
        return types.ElicitResult(action="accept", content={"name": self._name})


@asynccontextmanager
async def two_clients(config: Path) -> AsyncIterator[tuple[Client, Client, Person, Person]]:
    one, two = Person("one"), Person("two")
    with http_server(config) as address:
        async with (
            over_http(address, "handshake", elicitation_callback=one.form) as first,
            over_http(address, "handshake", elicitation_callback=two.form) as second,
        ):
            await first.list_tools()
            yield first, second, one, two


async def begun(client: Client, tool: str, **arguments: Any) -> asyncio.Future[Any]:
    """A call that is under way in the server."""
    there = asyncio.Event()

    async def heard(*_: Any) -> None:
        there.set()

    call = asyncio.ensure_future(client.call_tool(tool, arguments, progress_callback=heard))
    async with asyncio.timeout(PATIENCE):
        await there.wait()
    return call


def test_a_question_that_may_be_another_client_s_waits_until_the_calls_of_that_one_are_over(
    tmp_path: Path,
) -> None:
    config = written(tmp_path, {"plugins": [threads()]})

    async def talk() -> None:
        async with two_clients(config) as (first, second, one, two):
            over = tmp_path / "over"
            hanging = await begun(first, "hang", until=str(over))
            asking = await begun(second, "ask")
            assert (one.asked, two.asked) == (0, 0)
            over.touch()
            await hanging
            assert text_of(await asking) == "two"
            assert (one.asked, two.asked) == (0, 1)

    with no_leaks():
        asyncio.run(talk())


def test_where_a_server_has_asked_so_the_calls_of_one_client_wait_for_those_of_another(
    tmp_path: Path,
) -> None:
    config = written(tmp_path, {"plugins": [threads()]})

    async def talk() -> None:
        async with two_clients(config) as (first, second, one, two):
            over = tmp_path / "over"
            before = await begun(first, "hang", until=str(over))
            asking = await begun(second, "ask")
            over.touch()
            await before
            await asking

            hanging = await begun(first, "hang")
            beside = await begun(first, "ask")
            waiting = asyncio.ensure_future(second.call_tool("pid", {}))
            assert text_of(await beside) == "one"
            assert not waiting.done()
            hanging.cancel()
            assert text_of(await waiting)
            assert (one.asked, two.asked) == (1, 1)

    with no_leaks():
        asyncio.run(talk())
