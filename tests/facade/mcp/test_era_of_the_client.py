"""A server is spoken to in the era of its one client where it speaks that, and none is given up for a question that it does not know."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from leaks import TEST_MARK
from mcp_clients import ERAS, SERVER, http_server, over_http, over_pipes, servers, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("era", "word", "begins"),
    [
        ("handshake", "ends", ["initialize"]),
        ("handshake", "modern", ["initialize", "server/discover"]),
        ("stateless", "modern", ["server/discover"]),
        ("stateless", "ends", ["server/discover", "initialize"]),
    ],
)
async def test_the_client_s_era_is_tried_first(
    era: str, word: str, begins: list[str], tmp_path: Path
) -> None:
    heard = tmp_path / "heard"
    config = written(tmp_path, {"plugins": [entry(word, f"hears={heard}")]})

    async with over_pipes(config, era) as client:
        assert not (await client.call_tool("pid", {})).is_error

    lines = heard.read_text().splitlines()
    assert [line for line in lines if line in {"initialize", "server/discover"}] == begins


@pytest.mark.anyio
async def test_a_server_that_ends_at_the_handshake_is_asked_for_the_other_era(tmp_path: Path) -> None:
    config = written(tmp_path, servers(notes=["modern", "ends", "tools=pid"]))

    async with over_pipes(config, "handshake") as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["pid"]


@pytest.mark.anyio
@pytest.mark.parametrize("era", ERAS)
async def test_a_server_that_ends_at_a_question_it_does_not_know_is_in_the_first_list(
    era: str, tmp_path: Path
) -> None:
    config = written(tmp_path, {"plugins": [entry("ends", "tools=pid")]})

    with http_server(config) as address:
        async with over_http(address, era) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == ["pid"]
            answer = await client.call_tool("pid", {})

    assert "callboard/restarted" not in (answer.meta or {})


def entry(*words: str, **options: Any) -> dict[str, Any]:
    restart = {"backoff": {"first": 0.05, "min": 0.05}}
    mcp = {"command": [sys.executable, SERVER, *words], "env": TEST_MARK}
    return {"mcp": mcp, "name": "notes", "restart": restart, **options}
