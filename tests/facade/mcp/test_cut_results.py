"""What is cut off of one client's result is no other client's to find."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import pytest
from leaks import no_leaks
from mcp.shared.exceptions import MCPError
from mcp_clients import http_server, over_http, over_pipes, servers, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

LIMIT = 2000


def cutting(folder: Path) -> Path:
    """A configuration with a server whose results are cut early, and with another one."""
    given = servers(words=["tools=echo"], other=["tools=two", "shares"])
    given["mcpServers"]["words"]["result_limit"] = LIMIT
    return written(folder, given)


async def cut_by(client: Client) -> list[str]:
    """The addresses in a result that is too large."""
    await client.list_tools()
    result: Any = await client.call_tool("echo", {"a": "x" * LIMIT})
    return re.findall(r"callboard://[^\s\]]+", result.content[0].text)


async def listed_to(client: Client) -> list[str]:
    found = (await client.list_resources(cache_mode="refresh")).resources
    return [str(each.uri) for each in found if str(each.uri).startswith("callboard:")]


async def read_by(client: Client, address: str) -> str:
    read: Any = await client.read_resource(address)
    return str(read.contents[0].text)


def neighbours_of(address: str) -> list[str]:
    """The addresses before and behind one, if addresses were numbers."""
    begin, name, part = address.rsplit("/", 2)
    number = int(name, 16)
    return [f"{begin}/{near:0{len(name)}x}/{part}" for near in (abs(number - 1), number + 1)]


def test_another_client_neither_lists_nor_guesses_what_was_cut_off(tmp_path: Path) -> None:
    async def talk(server: str) -> None:
        async with over_http(server, "handshake") as mine, over_http(server, "handshake") as others:
            (address,) = await cut_by(mine)
            (another,) = await cut_by(others)
            assert await listed_to(others) == [another]
            assert await listed_to(mine) == [address]
            assert re.fullmatch(r"callboard://results/words/[0-9a-f]{32}/2", address)
            for guess in ("callboard://results/words/1/2", *neighbours_of(another)):
                with pytest.raises(MCPError):
                    await others.read_resource(guess)
            assert (await read_by(mine, address)).endswith('x"}')

    with no_leaks(), http_server(cutting(tmp_path)) as server:
        asyncio.run(talk(server))


def test_a_client_without_a_session_reads_by_the_address_alone(tmp_path: Path) -> None:
    async def talk(server: str) -> tuple[str, list[str]]:
        async with over_http(server, "stateless") as client:
            (address,) = await cut_by(client)
            return await read_by(client, address), await listed_to(client)

    with no_leaks(), http_server(cutting(tmp_path)) as server:
        rest, listed = asyncio.run(talk(server))

    assert rest.endswith('x"}')
    assert listed == []


@pytest.mark.parametrize("era", ["stateless", "handshake"])
def test_the_one_client_of_a_pipe_is_listed_its_results_until_later_ones_take_their_place(
    era: str, tmp_path: Path
) -> None:
    async def talk() -> tuple[list[str], list[str], list[str]]:
        async with over_pipes(cutting(tmp_path), era) as client:
            first = await cut_by(client)
            at_first = await listed_to(client)
            later = [address for _ in range(16) for address in await cut_by(client)]
            with pytest.raises(MCPError):
                await client.read_resource(first[0])
            assert await listed_to(client) == later
            return first, at_first, later

    with no_leaks():
        first, at_first, later = asyncio.run(talk())

    assert at_first == first
    assert len(set(later)) == 16
