"""Several clients call a server that does not say for which call it asks: which client gets its question, and which calls wait."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from leaks import TEST_MARK, no_leaks, wait_until
from mcp_clients import PATIENCE, http_server, over_http, served_over_http, written
from programs import PROGRAMS
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mcp.client.session import ClientRequestContext

pytestmark = needs_sdk

ASKING = str(PROGRAMS / "python" / "mcp_asking_server.py")
LONG = 30.0
"""Seconds that a call may take; a test that waits for that fails."""


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    with no_leaks():
        yield


class Person:
    """Answers a form with a name, and notes what it was asked."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.asked: list[str] = []

    async def form(self, _: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult(action="accept", content={"name": self._name})


def form(message: str, **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
        **more,
    }


def asking(folder: Path, entry: dict[str, Any] | None = None, **calls: Any) -> Path:
    server = {"command": [sys.executable, ASKING], "env": TEST_MARK}
    return written(folder, {"plugins": [{"mcp": server, "name": "asking", **(entry or {})}], "calls": calls})


def name_in(result: types.CallToolResult) -> Any:
    assert isinstance(result.content[0], types.TextContent)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)[0].get("content", {}).get("name")


def code(result: types.CallToolResult) -> tuple[Any, Any]:
    meta = result.meta or {}
    return meta.get("callboard/code"), meta.get("callboard/outcome")


def test_a_client_that_is_asked_and_does_not_come_back_holds_up_nobody_once_its_call_has_ended(
    tmp_path: Path,
) -> None:
    async def talk() -> None:
        ann = Person("ann")
        with http_server(asking(tmp_path, deadline=3.0)) as address:
            async with (
                over_http(address, "handshake", elicitation_callback=ann.form) as one,
                over_http(address, "stateless", elicitation_callback=ann.form) as gone,
            ):
                left: Any = await gone.session.call_tool("ask", form("gone's"), allow_input_required=True)
                asked = await one.call_tool("ask", form("ann's"))
                following = await one.call_tool("pid", {})
                back = await gone.session.call_tool("ask", form("gone's"), request_state=left.request_state)

        assert left.input_requests
        assert code(back) == ("deadline_exceeded", "outcome_unknown")
        assert not following.is_error, following.content
        assert code(asked) in {(None, None), ("deadline_exceeded", "not_sent")}
        assert "gone's" not in ann.asked

    asyncio.run(talk())


def test_thirty_calls_of_a_client_each_get_their_answer(tmp_path: Path) -> None:
    async def talk() -> None:
        ann = Person("ann")
        with http_server(asking(tmp_path)) as address:
            async with over_http(address, "handshake", elicitation_callback=ann.form) as one:
                calls = (one.call_tool("ask", form(f"{number}", together=30)) for number in range(30))
                told = await asyncio.gather(*calls)

        assert [name_in(each) for each in told] == ["ann"] * 30

    asyncio.run(talk())


def kept_that_it_asks(states: Path) -> bool:
    kept = (states / "callboard" / "listings").glob("*.json")
    return any(json.loads(each.read_text()).get("asks_of_any") for each in kept)


def test_a_server_that_has_asked_before_takes_one_client_at_a_time_from_the_start_of_the_next_board(
    tmp_path: Path,
) -> None:
    states, config = tmp_path / "states", asking(tmp_path, {"deadline": LONG}, deadline=2.0)

    async def ask_once() -> None:
        with served_over_http(config, "--no-token", states=states) as (address, _):
            async with over_http(address, "handshake", elicitation_callback=Person("eve").form) as one:
                await one.call_tool("ask", form("first"))
            await asyncio.to_thread(wait_until, lambda: kept_that_it_asks(states), PATIENCE)

    async def the_first_to_end_of_two() -> types.CallToolResult:
        with served_over_http(config, "--no-token", states=states) as (address, _):
            async with over_http(address, "handshake") as one, over_http(address, "stateless") as two:
                calls = [asyncio.ensure_future(each.call_tool("silent", {})) for each in (one, two)]
                ended, going_on = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
                for each in going_on:
                    each.cancel()
                await asyncio.wait(calls)
        return ended.pop().result()

    asyncio.run(ask_once())
    assert code(asyncio.run(the_first_to_end_of_two())) == ("deadline_exceeded", "not_sent")


@pytest.mark.parametrize("eras", [("handshake", "handshake"), ("handshake", "stateless")])
def test_calls_of_two_clients_that_both_ask_at_first_end_soon_and_show_nobody_anothers_question(
    eras: tuple[str, str], tmp_path: Path
) -> None:
    async def talk() -> None:
        ann, bob = Person("ann"), Person("bob")
        with http_server(asking(tmp_path, deadline=LONG)) as address:
            async with (
                over_http(address, eras[0], elicitation_callback=ann.form) as one,
                over_http(address, eras[1], elicitation_callback=bob.form) as two,
            ):
                asks = (
                    one.call_tool("ask", form("a", together=2)),
                    two.call_tool("ask", form("b", together=2)),
                )
                ended = await asyncio.gather(*asks)
                shown = ann.asked + bob.asked
                again = one.call_tool("ask", form("a")), two.call_tool("ask", form("b"))
                told = await asyncio.gather(*again)
                heard = json.loads((await one.call_tool("heard", {})).content[0].text)

        assert [code(each) for each in ended] == [("deadline_exceeded", "outcome_unknown")] * 2
        assert all("Call again" in each.content[0].text for each in ended)
        assert shown == []
        assert [name_in(each) for each in told] == ["ann", "bob"]
        assert (ann.asked, bob.asked) == (["a"], ["b"])
        assert (heard["cancelled"], heard["answers"][:2]) == (2, [{"action": "cancel"}] * 2)

    asyncio.run(talk())


def test_a_question_that_may_be_of_a_call_that_its_client_gave_up_is_shown_to_no_other(
    tmp_path: Path,
) -> None:
    async def talk() -> None:
        ann, bob = Person("ann"), Person("bob")
        with http_server(asking(tmp_path, deadline=LONG)) as address:
            async with over_http(address, "handshake", elicitation_callback=ann.form) as one:
                async with over_http(address, "handshake", elicitation_callback=bob.form) as two:
                    both_wait = asyncio.Event()

                    async def told(*_: Any) -> None:
                        both_wait.set()

                    silent = asyncio.ensure_future(two.call_tool("silent", {}, progress_callback=told))
                    asks = asyncio.ensure_future(one.call_tool("ask", form("whose?", together=2)))
                    await asyncio.wait_for(both_wait.wait(), PATIENCE)
                    silent.cancel()
                    await asyncio.wait([silent])
                asked = await asks

        assert json.loads(asked.content[0].text) == [{"action": "cancel"}]
        assert ann.asked + bob.asked == []

    asyncio.run(talk())


def test_a_server_that_asks_for_a_call_that_was_given_up_asks_no_other_client(tmp_path: Path) -> None:
    async def talk() -> None:
        ann, bob = Person("ann"), Person("bob")
        with http_server(asking(tmp_path, deadline=LONG)) as address:
            async with (
                over_http(address, "handshake", elicitation_callback=ann.form) as one,
                over_http(address, "handshake", elicitation_callback=bob.form) as two,
            ):
                await one.call_tool("ask", form("first"))
                begun = asyncio.Event()

                async def note(*_: Any) -> None:
                    begun.set()

                late = asyncio.ensure_future(
                    two.call_tool("ask", form("bob's", late=True), progress_callback=note)
                )
                await asyncio.wait_for(begun.wait(), PATIENCE)
                waiting = asyncio.ensure_future(one.call_tool("silent", {}))
                await one.list_tools()  # answered after that call has come to the board
                late.cancel()
                heard: list[Any] = []
                async with asyncio.timeout(PATIENCE):
                    while len(heard) < len(["first", "bob's"]):
                        told = await one.call_tool("heard", {})
                        heard = json.loads(told.content[0].text)["answers"]
                waiting.cancel()
                await asyncio.wait([waiting])

        assert ann.asked == ["first"]

    asyncio.run(talk())
