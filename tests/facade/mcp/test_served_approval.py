"""Rules that ask on a served board: the client of the call is asked where it can show forms; else the start says so, and what is denied says what to do."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from leaks import no_leaks
from mcp_clients import PATIENCE, http_server, over_http, over_pipes, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

WAYS = [("pipes", "handshake"), ("pipes", "stateless"), ("http", "handshake"), ("http", "stateless")]


class Person:
    """Answers each form with the next of these; with ``None`` only after it was told to go."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []
        self.came = asyncio.Event()
        self.go = asyncio.Event()

    async def form(self, _: Any, params: Any) -> Any:
        self.asked.append(params)
        self.came.set()
        answer = self.answers.pop(0)
        if answer is None:
            await asyncio.wait_for(self.go.wait(), PATIENCE)
            return types.ElicitResult(action="cancel")
        return answer


def said(allow: bool) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"allow": allow})


def asking(folder: Path, **rules: Any) -> Path:
    (folder / "echo.sh").write_text(
        "# @tool Says a word.\n# @param word string A word.\n"
        f'echo "$ARG_word" >> "{folder}/said.txt"\necho -n "$ARG_word"\n'
    )
    plugin = {"bash_tool": {"file": "echo.sh"}}
    return written(folder, {"plugins": [plugin], "approval": {"ask": ["ec*", "nothing"], **rules}})


@asynccontextmanager
async def connected(way: str, era: str, config: Path, **options: Any) -> AsyncIterator[Client]:
    if way == "pipes":
        async with over_pipes(config, era, **options) as client:
            yield client
    else:
        with http_server(config) as address:
            async with over_http(address, era, **options) as client:
                yield client


def text_of(result: Any) -> str:
    return str(result.content[0].text)


def code_of(result: Any) -> Any:
    return (result.meta or {}).get("callboard/code")


def test_rules_that_ask_are_named_at_the_start_and_a_denied_call_says_what_to_do(tmp_path):
    (tmp_path / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    rules = {"ask": ["ec*", "nothing"]}
    config = written(tmp_path, {"plugins": [{"bash_tool": {"file": "echo.sh"}}], "approval": rules})

    async def talk() -> Any:
        async with over_pipes(config, "handshake", said=tmp_path / "said") as client:
            await client.list_tools()
            return await client.call_tool("echo", {})

    denied = asyncio.run(talk())

    assert denied.is_error
    assert denied.meta == {
        "callboard/code": "denied",
        "callboard/outcome": "not_sent",
        "callboard/plugin": "echo",
    }
    assert "there is nobody to ask; " in denied.content[0].text
    assert "'approval.ask'" in denied.content[0].text
    (line,) = (line for line in (tmp_path / "said").read_text().splitlines() if "nobody" in line)
    assert "'ec*'" in line
    assert "'nothing'" not in line
    assert "denied" in line


@pytest.mark.parametrize(("way", "era"), WAYS)
def test_the_client_of_the_call_says_yes_or_no_by_a_form_with_one_truth_value(
    way: str, era: str, tmp_path: Path
) -> None:
    nos = [
        said(False),
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
        types.ElicitResult(action="accept", content={}),
        types.ElicitResult(action="accept", content={"allow": "yes"}),
    ]

    async def talk() -> tuple[list[Any], list[Any]]:
        person = Person(said(True), *nos, said(True))
        async with connected(way, era, asking(tmp_path), elicitation_callback=person.form) as client:
            await client.list_tools()
            results = [await client.call_tool("echo", {"word": f"w{number}"}) for number in range(7)]
            return results, person.asked

    with no_leaks():
        (first, *denied, last), asked = asyncio.run(talk())

    assert (text_of(first), text_of(last)) == ("w0", "w6")
    assert [code_of(each) for each in denied] == ["denied"] * 5
    assert [each.is_error for each in denied] == [True] * 5
    assert "said no" in text_of(denied[0])
    assert "declined" in text_of(denied[1])
    assert "without an answer" in text_of(denied[2])
    assert "does not fit" in text_of(denied[3])
    assert (tmp_path / "said.txt").read_text() == "w0\nw6\n"
    assert len(asked) == 7
    (field,) = asked[0].requested_schema["properties"].values()
    assert field["type"] == "boolean"
    assert asked[0].requested_schema["required"] == ["allow"]


def test_the_form_shows_the_tool_and_its_arguments_and_what_is_not_seen_by_its_code(tmp_path: Path) -> None:
    async def talk() -> str:
        person = Person(said(False))
        async with over_pipes(asking(tmp_path), "handshake", elicitation_callback=person.form) as client:
            await client.list_tools()
            await client.call_tool("echo", {"word": 'a", "b": "\u202e\x1b[2J\nc'})
            return str(person.asked[0].message)

    message = asyncio.run(talk())

    assert 'tool: "echo"' in message
    assert 'plugin: "echo"' in message
    assert "'ec*'" in message
    assert r'  "word": "a\", \"b\": \"\u202e\u001b[2J\nc"' in message.splitlines()
    assert "\u202e" not in message


def test_nobody_says_yes_to_more_than_is_shown(tmp_path: Path) -> None:
    async def talk() -> tuple[Any, int]:
        person = Person(said(True))
        async with over_pipes(asking(tmp_path), "handshake", elicitation_callback=person.form) as client:
            await client.list_tools()
            return await client.call_tool("echo", {"word": "x" * 20_000}), len(person.asked)

    denied, asked = asyncio.run(talk())

    assert (code_of(denied), asked) == ("denied", 0)
    assert "at most 16,000 characters" in text_of(denied)


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_without_an_answer_in_time_it_is_a_no_and_a_call_that_is_given_up_asks_nobody_any_more(
    era: str, tmp_path: Path
) -> None:
    async def talk() -> tuple[Any, Any]:
        person = Person(None, None, said(True))
        config = asking(tmp_path, timeout=1.0)
        async with over_pipes(config, era, elicitation_callback=person.form) as client:
            await client.list_tools()
            if era == "stateless":  # its client answers before it comes back
                person.answers[0] = types.ElicitResult(action="cancel")
            late = await client.call_tool("echo", {"word": "late"})
            person.came.clear()
            given_up = asyncio.ensure_future(client.call_tool("echo", {"word": "given up"}))
            await asyncio.wait_for(person.came.wait(), PATIENCE)
            given_up.cancel()
            await asyncio.wait([given_up])
            person.go.set()
            return late, await client.call_tool("echo", {"word": "next"})

    with no_leaks():
        late, following = asyncio.run(talk())

    assert code_of(late) == "denied"
    if era == "handshake":
        assert "nobody answered within 1 s" in text_of(late)
    assert text_of(following) == "next"
    assert (tmp_path / "said.txt").read_text() == "next\n"


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_of_two_clients_each_is_asked_about_its_own_calls_and_at_the_same_time(
    era: str, tmp_path: Path
) -> None:
    async def talk(address: str) -> tuple[Any, Any, list[str]]:
        slow, quick = Person(None), Person(said(True))
        async with (
            over_http(address, era, elicitation_callback=slow.form) as one,
            over_http(address, era, elicitation_callback=quick.form) as other,
        ):
            await one.list_tools()
            waiting = asyncio.ensure_future(one.call_tool("echo", {"word": "one"}))
            await asyncio.wait_for(slow.came.wait(), PATIENCE)
            answered = await other.call_tool("echo", {"word": "other"})
            slow.go.set()
            return await waiting, answered, [each.asked[0].message for each in (slow, quick)]

    with no_leaks(), http_server(asking(tmp_path)) as address:
        denied, answered, messages = asyncio.run(talk(address))

    assert (code_of(denied), text_of(answered)) == ("denied", "other")
    assert ['"one"' in each for each in messages] == [True, False]


def test_where_clients_can_show_forms_the_start_says_that_they_are_asked(tmp_path: Path) -> None:
    async def talk() -> None:
        config = asking(tmp_path)
        person = Person()
        async with over_pipes(
            config, "handshake", said=tmp_path / "said", elicitation_callback=person.form
        ) as client:
            await client.list_tools()

    asyncio.run(talk())

    (line,) = (line for line in (tmp_path / "said").read_text().splitlines() if "nobody" in line)
    assert "nobody but a client that can show forms (elicitation) is asked here" in line
    assert "'ec*'" in line
