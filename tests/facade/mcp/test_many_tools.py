"""A server may list very many tools: a served board lists them all, and a list without an end costs that server alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from callboard import Callboard
from callboard.actors.catalog.catalog import MAX_TOOLS
from callboard.hosts.mcp.listing import MAX_BYTES, Endless, ToolList
from leaks import no_leaks
from mcp_clients import command
from mcp_law import joined
from mcp_plain import Client, Heard, Pipes
from mcp_records import Exchange, Record, board_of
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

HELLO = '{"jsonrpc":"2.0","id":"%ID%","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"many","version":"1"}}}'
DONE = '{"jsonrpc":"2.0","id":"%ID%","result":{"content":[{"type":"text","text":"done"}]}}'


def listing(folder: Path, count: int, last: str) -> Path:
    """A board with a server that lists so many tools, and answers a call of the last one."""
    tools = [{"name": f"tool{number}", "inputSchema": {"type": "object"}} for number in range(count)]
    listed = f'{{"jsonrpc":"2.0","id":"%ID%","result":{{"tools":{json.dumps(tools)}}}}}'
    exchanges = [
        Exchange("initialize", {}, Heard([], HELLO)),
        Exchange("tools/list", {}, Heard([], listed)),
        Exchange("tools/call", {"name": last}, Heard([], DONE)),
    ]
    record = Record("many", "handshake", "", exchanges)
    record.write(folder)
    return board_of(folder, [record], folder)


def test_a_served_board_lists_all_tools_of_a_server_and_calls_them(tmp_path: Path) -> None:
    config = listing(tmp_path, MAX_TOOLS, f"tool{MAX_TOOLS - 1}")

    with no_leaks(), Pipes(command(config)) as pipes:
        client = Client(pipes, "handshake")
        client.begin()
        listed = joined("tools/list", lambda page: client.ask("tools/list", page).answer)
        heard = client.ask("tools/call", {"name": f"tool{MAX_TOOLS - 1}"})

    assert [tool["name"] for tool in listed["result"]["tools"]] == [f"tool{n}" for n in range(MAX_TOOLS)]
    assert "done" in heard.answer


def test_a_server_with_more_tools_than_a_plugin_may_have_says_so(tmp_path: Path) -> None:
    with no_leaks(), Callboard(listing(tmp_path, MAX_TOOLS + 1, "tool0")) as board:
        assert f"more than {MAX_TOOLS:,} tools" in str(board.status())


def test_a_list_of_many_pages_is_bounded_in_bytes() -> None:
    tools = ToolList()

    told = [tools.add({"tools": [], "nextCursor": str(page)}, MAX_BYTES // 4) for page in range(5)]

    assert isinstance(told[4], Endless)
    assert f"{MAX_BYTES:,} bytes" in told[4].problem
    assert not any(isinstance(each, Endless) for each in told[:4])
