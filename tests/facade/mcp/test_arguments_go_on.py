"""A served board hands arguments on to an MCP server as they come: the server holds them to its schema, in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from declared_servers import declared, tool
from mcp_clients import over_pipes, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "scale": {"type": "string", "default": "css"}},
    "required": ["count", "scale"],
}
LOOSE = {"count": "5"}


async def answer_of(folder: Path, options: dict[str, Any], **keys: Any) -> Any:
    entry = {**declared(folder, "shop", tool("count", inputSchema=SCHEMA)), **options}
    async with over_pipes(written(folder, {"plugins": [entry], **keys}), "handshake") as client:
        return await client.call_tool("count", LOOSE)


@pytest.mark.anyio
async def test_arguments_that_do_not_fit_the_schema_reach_the_server(tmp_path: Path) -> None:
    answer = await answer_of(tmp_path, {})

    assert not answer.is_error


@pytest.mark.anyio
@pytest.mark.parametrize(("options", "keys"), [({"validate": True}, {}), ({}, {"calls": {"validate": True}})])
async def test_they_are_held_to_it_by_a_board_that_is_to_do_so(
    options: dict[str, Any], keys: dict[str, Any], tmp_path: Path
) -> None:
    answer = await answer_of(tmp_path, options, **keys)

    assert answer.meta["callboard/code"] == "invalid_call"
    assert answer.meta["callboard/outcome"] == "not_sent"
