"""Names that APIs refuse are mapped there and back, never onto one another, and never later to another tool."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard.mcp_edge.strict_names import StrictNames
from command_line import callboard
from hypothesis import given
from hypothesis import strategies as st
from leaks import TEST_MARK, no_leaks
from mcp_clients import SERVER, http_server, over_http, over_pipes, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

STRICT = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG = "read." + "x" * 120
NAMES = st.lists(st.text(min_size=1, max_size=80) | st.sampled_from(["a.b", "a/b", "a_b", LONG]), max_size=12)


def tools(names):
    return [{"name": name, "inputSchema": {"type": "object"}} for name in dict.fromkeys(names)]


@given(st.lists(NAMES, max_size=4))
def test_each_name_is_strict_stands_for_one_tool_and_keeps_it(lists):
    strict, known = StrictNames(), {}

    for names in lists:
        said = [tool["name"] for tool in strict.tools(tools(names))]
        assert all(map(STRICT.fullmatch, said))
        for own, name in zip(dict.fromkeys(names), said, strict=True):
            assert strict.meant(name) == own
            assert known.setdefault(own, name) == name
    assert len(set(known.values())) == len(known)


@given(NAMES)
def test_names_are_the_same_in_another_process_whatever_the_order(names):
    one, other = StrictNames().tools(tools(names)), StrictNames().tools(tools(reversed(names)))

    assert {each["name"] for each in one} == {each["name"] for each in other}


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_tool_that_is_called_as_another_is_said_does_not_take_its_calls(order, at_once):
    strict = StrictNames()
    alias = StrictNames().tools(tools(["a.b"]))[0]["name"]
    names = ["a.b", alias][::order]

    if not at_once:
        strict.tools(tools(["a.b"]))
    said = {
        tool.get("_meta", {}).get("callboard/name", tool["name"]): tool["name"]
        for tool in strict.tools(tools(names))
    }

    assert said["a.b"] == alias
    assert strict.meant(alias) == "a.b"
    assert strict.meant(said[alias]) == alias


def test_a_call_that_comes_before_the_first_list_reaches_its_tool():
    (told,) = StrictNames().tools(tools(["a.b"]))

    assert StrictNames(offered=lambda: ["a.b", "c"]).meant(told["name"]) == "a.b"


def config_with(folder: Path, own: list[str], **more: Any) -> Path:
    server = {"command": sys.executable, "args": [SERVER, "tools=" + ",".join(own)], "env": TEST_MARK}
    return written(folder, {"plugins": [{"mcp": server, "name": "words"}], **more})


@needs_sdk
@pytest.mark.parametrize(("way", "era"), [("pipes", "handshake"), ("http", "stateless")])
def test_a_call_by_the_mapped_name_reaches_the_tool(way: str, era: str, tmp_path: Path) -> None:
    own = ["echo", "git/echo", "git.echo", LONG]
    config = config_with(tmp_path, own, names="strict")

    async def talk(client: Any) -> None:
        early = StrictNames().tools(tools(["git/echo"]))[0]["name"]
        assert (await client.call_tool(early, {"a": 1})).content[0].text == '{"a": 1}'
        listed = (await client.list_tools()).tools
        assert all(STRICT.fullmatch(each.name) for each in listed)
        assert len({each.name for each in listed}) == len(listed)
        assert [(each.meta or {}).get("callboard/name", each.name) for each in listed] == own
        assert listed[0].name == "echo"
        for each in (*(tool.name for tool in listed), *own):
            assert json.loads((await client.call_tool(each, {"a": each})).content[0].text) == {"a": each}

    async def over_each() -> None:
        if way == "pipes":
            async with over_pipes(config, era) as client:
                await talk(client)
        else:
            with http_server(config) as address:
                async with over_http(address, era) as client:
                    await talk(client)

    with no_leaks():
        asyncio.run(over_each())


@needs_sdk
def test_without_the_key_names_stay_and_rules_hold_for_the_tools_own_name_with_it(tmp_path: Path) -> None:
    own = ["git/echo", LONG]

    async def talk(config: Path) -> tuple[list[str], Any]:
        async with over_pipes(config, "handshake") as client:
            names = [each.name for each in (await client.list_tools()).tools]
            return names, await client.call_tool(names[0], {})

    with no_leaks():
        names, answered = asyncio.run(talk(config_with(tmp_path, own)))
        strict, denied = asyncio.run(
            talk(config_with(tmp_path, own, names="strict", approval={"deny": ["git/*"]}))
        )

    assert names == own
    assert not answered.is_error
    assert strict[0].startswith("git_echo_")
    assert denied.meta["callboard/code"] == "denied"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"names": "short"', "as_declared, strict"),
        ('"list_ttl": -1', "0 to 86,400"),
        ('"nmaes": "strict"', "'names'"),
    ],
)
def test_check_says_the_line_and_what_to_write(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "callboard.json").write_text('{\n  "plugins": [],\n  ' + line + "\n}\n")

    checked = callboard("check", str(tmp_path / "callboard.json"))

    assert checked.returncode != 0
    told = checked.stdout + checked.stderr
    assert "3" in told
    assert said in told
