"""What a server asks in the middle of a call reaches the client that made it, whatever eras the two speak, and its answer comes back once."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from callboard.mcp.asked_client import AskedClient
from callboard.mcp.client_questions import audience
from leaks import TEST_MARK, no_leaks
from mcp.shared.exceptions import MCPError
from mcp_clients import ERAS, PATIENCE, http_server, over_http, over_pipes, written
from programs import PROGRAMS
from sdks import needs_sdk
from thorough import thorough

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp.client import Client
    from mcp.client.session import ClientRequestContext

pytestmark = needs_sdk

ASKING = str(PROGRAMS / "python" / "mcp_asking_server.py")
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A visitor",
    "description": "Who comes in",
    "type": "object",
    "additionalProperties": False,
    "x-order": ["name", "age"],
    "properties": {"name": {"type": "string", "minLength": 2}, "age": {"type": "integer", "default": 7}},
    "required": ["name"],
}
FORM = {"method": "elicitation/create", "params": {"message": "Who are you?", "requestedSchema": SCHEMA}}
PAGE = {
    "method": "elicitation/create",
    "params": {"mode": "url", "message": "Log in", "url": "https://example.org/in", "elicitationId": "1"},
}
SAMPLE = {
    "method": "sampling/createMessage",
    "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}],
        "systemPrompt": "Be short",
        "maxTokens": 9,
        "modelPreferences": {"hints": [{"name": "small"}]},
    },
}
WORDS = {"handshake": [], "stateless": ["modern"]}


class Person:
    """Answers what the client is asked; with nothing it waits to be told to go."""

    def __init__(self, *answers: Any) -> None:
        self.answers = itertools.cycle(answers)
        self.asked: list[Any] = []
        self.came = asyncio.Event()
        self.go = asyncio.Event()

    async def form(self, _: ClientRequestContext, params: types.ElicitRequestParams) -> Any:
        return await self._answer(params)

    async def sample(self, _: ClientRequestContext, params: types.CreateMessageRequestParams) -> Any:
        return await self._answer(params)

    async def _answer(self, params: Any) -> Any:
        self.asked.append(params)
        self.came.set()
        answer = next(self.answers)
        if answer is None:
            await asyncio.wait_for(self.go.wait(), PATIENCE)
        return answer


def accepted(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


def asking(folder: Path, era: str, **options: Any) -> Path:
    server = {"command": [sys.executable, ASKING, *WORDS[era]], "env": TEST_MARK}
    return written(folder, {"plugins": [{"mcp": server, "name": "asking", **options}]})


@asynccontextmanager
async def connected(way: str, era: str, config: Path, **options: Any) -> AsyncIterator[Client]:
    if way == "pipes":
        async with over_pipes(config, era, **options) as client:
            yield client
    else:
        with http_server(config) as address:
            async with over_http(address, era, **options) as client:
                yield client


def answers(result: types.CallToolResult) -> Any:
    assert isinstance(result.content[0], types.TextContent)
    assert not result.is_error, result.content[0].text
    return json.loads(result.content[0].text)


@pytest.mark.parametrize(
    ("way", "era", "server"),
    [
        ("pipes", "handshake", "stateless"),
        ("pipes", "stateless", "handshake"),
        ("http", "handshake", "handshake"),
        ("http", "stateless", "stateless"),
        pytest.param("pipes", "handshake", "handshake", marks=thorough),
        pytest.param("pipes", "stateless", "stateless", marks=thorough),
        pytest.param("http", "handshake", "stateless", marks=thorough),
        pytest.param("http", "stateless", "handshake", marks=thorough),
    ],
)
def test_a_form_is_filled_in_by_the_client_that_made_the_call(
    way: str, era: str, server: str, tmp_path: Path
) -> None:
    async def talk() -> None:
        person = Person(accepted(name="Ann", age=3), types.ElicitResult(action="decline"))
        async with connected(way, era, asking(tmp_path, server), elicitation_callback=person.form) as client:
            told = answers(await client.call_tool("ask", {**FORM, "times": 2}))
            following = answers(await client.call_tool("pid", {}))

        assert told == [{"action": "accept", "content": {"name": "Ann", "age": 3}}, {"action": "decline"}]
        assert isinstance(following, int)
        asked = person.asked[0]
        assert (asked.message, len(person.asked)) == ("Who are you?", 2)
        assert json.dumps(asked.requested_schema) == json.dumps(SCHEMA)

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize(("era", "server"), [("handshake", "stateless"), ("stateless", "handshake")])
def test_the_model_of_the_client_answers(era: str, server: str, tmp_path: Path) -> None:
    said = types.CreateMessageResult(
        role="assistant",
        content=types.TextContent(type="text", text="Hi"),
        model="its own",
        stop_reason="endTurn",
    )

    async def talk() -> None:
        person = Person(said)
        async with connected(
            "pipes", era, asking(tmp_path, server), sampling_callback=person.sample
        ) as client:
            (told,) = answers(await client.call_tool("ask", SAMPLE))

        content = {"type": "text", "text": "Hi"}
        assert told == {"role": "assistant", "content": content, "model": "its own", "stopReason": "endTurn"}
        (asked,) = person.asked
        assert (asked.max_tokens, asked.system_prompt) == (9, "Be short")
        assert asked.messages[0].content.text == "Hello"
        assert asked.model_preferences.hints[0].name == "small"

    with no_leaks():
        asyncio.run(talk())


def test_no_client_says_in_our_name_what_stands_beside_its_answer(tmp_path: Path) -> None:
    forged = {"callboard/code": "denied", "own/key": 1}
    content = types.TextContent(type="text", text="Hi", _meta=forged)
    said = types.CreateMessageResult(role="assistant", content=content, model="its own", _meta=forged)

    async def talk() -> None:
        config = asking(tmp_path, "handshake")
        async with connected("pipes", "handshake", config, sampling_callback=Person(said).sample) as client:
            (told,) = answers(await client.call_tool("ask", SAMPLE))

        assert told["content"]["_meta"] == {"own/key": 1}
        assert "callboard/" not in repr(told)

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize(
    ("era", "asked", "said", "told"),
    [
        ("handshake", FORM, accepted(name="A"), {"action": "cancel"}),
        ("stateless", FORM, accepted(nobody="asked for that"), {"action": "cancel"}),
        ("handshake", FORM, types.ErrorData(code=-1, message="no"), {"action": "cancel"}),
        ("handshake", PAGE, types.ElicitResult(action="accept"), {"action": "accept"}),
        ("stateless", PAGE, types.ElicitResult(action="accept"), {"action": "accept"}),
    ],
)
def test_only_what_was_asked_for_comes_back(
    era: str, asked: dict[str, Any], said: Any, told: dict[str, Any], tmp_path: Path
) -> None:
    async def talk() -> None:
        person = Person(said)
        config = asking(tmp_path, "handshake")
        async with connected("pipes", era, config, elicitation_callback=person.form) as client:
            assert answers(await client.call_tool("ask", asked)) == [told]

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize("era", ERAS)
def test_the_server_of_a_client_that_cannot_be_asked_is_told_so(era: str, tmp_path: Path) -> None:
    async def talk() -> None:
        async with connected("pipes", era, asking(tmp_path, "handshake")) as client:
            assert answers(await client.call_tool("can", {})) == {}
            (refused,) = answers(await client.call_tool("ask", FORM))
            assert refused["code"] == types.METHOD_NOT_FOUND

    with no_leaks():
        asyncio.run(talk())


def test_of_two_clients_each_is_asked_for_its_own_call(tmp_path: Path) -> None:
    async def talk() -> None:
        first, second = Person(accepted(name="first")), Person(accepted(name="second"))
        with http_server(asking(tmp_path, "stateless")) as address:
            async with (
                over_http(address, "handshake", elicitation_callback=first.form) as one,
                over_http(address, "stateless", elicitation_callback=second.form) as two,
                over_http(address, "handshake") as third,
            ):
                told = await asyncio.gather(
                    *(each.call_tool("ask", FORM) for each in (one, two, third) for _ in range(3))
                )
        said = [answers(each)[0].get("content") for each in told]
        assert said == [{"name": "first"}] * 3 + [{"name": "second"}] * 3 + [None] * 3
        assert (len(first.asked), len(second.asked)) == (3, 3)

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize("server", ERAS)
@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_goes_away_while_it_is_asked_leaves_nothing(
    era: str, server: str, tmp_path: Path
) -> None:
    async def talk() -> None:
        person = Person(None)
        # In the stateless era nobody says that the client will not come back, and the tool is its call's until that ends.
        config = asking(tmp_path, server, deadline=2.0)
        async with connected("pipes", era, config, elicitation_callback=person.form) as client:
            calling = asyncio.ensure_future(client.call_tool("ask", FORM))
            await asyncio.wait_for(person.came.wait(), PATIENCE)
            calling.cancel()
            await asyncio.wait([calling])
            while (
                following := await client.call_tool("pid", {})
            ).is_error:  # it waited for the tool, and not for ever
                assert (following.meta or {})["callboard/code"] == "deadline_exceeded"
            assert isinstance(answers(following), int)
            person.go.set()

    with no_leaks():
        asyncio.run(talk())


def test_answers_to_what_nobody_waits_for_are_refused(tmp_path: Path) -> None:
    async def talk() -> None:
        person = Person(accepted(name="Ann"))
        async with connected(
            "pipes", "stateless", asking(tmp_path, "handshake"), elicitation_callback=person.form
        ) as client:
            asked: Any = await client.session.call_tool("ask", FORM, allow_input_required=True)
            (name,) = asked.input_requests
            given = {name: accepted(name="Ann")}
            with pytest.raises(MCPError) as other_tool:
                await client.session.call_tool(
                    "pid", {}, input_responses=given, request_state=asked.request_state
                )
            told = await client.session.call_tool(
                "ask", FORM, input_responses=given, request_state=asked.request_state
            )
            with pytest.raises(MCPError) as twice:
                await client.session.call_tool(
                    "ask", FORM, input_responses=given, request_state=asked.request_state
                )

        assert answers(told) == [{"action": "accept", "content": {"name": "Ann"}}]
        assert {other_tool.value.error.code, twice.value.error.code} == {types.INVALID_PARAMS}

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize(
    ("many", "calls", "told"),
    [
        (True, "a", "a"),
        (True, "aa", "a"),
        (True, "ab", "nobody"),
        (True, "a?", "nobody"),
        (True, "?", "nobody"),
        (True, "", "all"),
        (False, "", "all"),
        (False, "?", "all"),
        (False, "?a", "a"),
    ],
)
def test_what_a_server_logs_is_told_to_nobody_whose_call_it_may_not_be_about(
    many: bool, calls: str, told: str
) -> None:
    clients = {name: AskedClient(name, frozenset()) for name in "ab"}

    found = audience([clients.get(call) for call in calls], many=many)

    assert found == clients.get(told, told)
