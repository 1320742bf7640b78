"""A served board offers names that APIs take where it is told so, and calls by them reach their tools."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard.mcp_edge.strict_names import StrictNames
from leaks import TEST_MARK, no_leaks
from mcp_clients import SERVER, http_server, over_http, over_pipes, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

STRICT = re.compile(r"[a-zA-Z0-9_-]{1,64}")
LONG = "read." + "x" * 120


def config_with(folder: Path, own: list[str], **more: Any) -> Path:
    server = {"command": sys.executable, "args": [SERVER, "tools=" + ",".join(own)], "env": TEST_MARK}
    return written(folder, {"plugins": [{"mcp": server, "name": "words"}], **more})


@pytest.mark.parametrize(("way", "era"), [("pipes", "handshake"), ("http", "stateless")])
def test_a_call_by_the_mapped_name_reaches_the_tool(way: str, era: str, tmp_path: Path) -> None:
    own = ["echo", "git/echo", "git.echo", LONG]
    config = config_with(tmp_path, own, names="strict")

    async def talk(client: Any) -> None:
        early = StrictNames().tools([{"name": "git/echo"}])[0]["name"]
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
