"""A served board that follows its configuration's file: what changed is loaded anew, and nothing else is touched."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from callboard.cli.mcp.watched_board import entry_changes
from callboard.config.configuration import Configuration
from leaks import TEST_MARK, no_leaks, wait_until
from mcp_clients import ERAS, PATIENCE, SERVER, over_pipes
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk


def entry(name: str, *words: str, **more: Any) -> dict[str, Any]:
    server = {"command": sys.executable, "args": [SERVER, *words], "env": TEST_MARK}
    return {"mcp": server, "name": name, **more}


def save(file: Path, *entries: dict[str, Any], **sections: Any) -> None:
    """As editors do: a new file takes the place of the old one."""
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps({"plugins": entries, **sections}))
    beside.replace(file)


async def tools_become(client: Client, names: set[str]) -> None:
    found: set[str] | None = None
    async with asyncio.timeout(PATIENCE):
        while found != names:
            found = {tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools}
            await asyncio.sleep(0.05)


async def text_comes(file: Path, text: str) -> None:
    await asyncio.to_thread(wait_until, lambda: text in file.read_text(), PATIENCE)


@pytest.mark.parametrize("era", ERAS)
def test_only_entries_that_changed_are_loaded_anew(era: str, tmp_path: Path) -> None:
    config, said = tmp_path / "agent.json", tmp_path / "stderr"
    save(config, entry("a", "tools=count"), entry("b", "tools=pid"))

    async def talk() -> tuple[list[Any], list[int]]:
        counts, pids = [], []

        async def count(client: Client) -> None:
            counts.append((await client.call_tool("count", {})).structured_content["count"])

        async def pid(client: Client) -> None:
            result: Any = await client.call_tool("pid", {})
            pids.append(int(result.content[0].text))

        async with over_pipes(config, era, "--watch", said=said) as client:
            await tools_become(client, {"count", "pid"})
            await count(client)
            await pid(client)
            save(config, entry("c", "tools=echo"), entry("b", "tools=pid,other"), entry("a", "tools=count"))
            await tools_become(client, {"count", "pid", "other", "echo"})
            await count(client)
            await pid(client)
            save(config, entry("a", "tools=count"))
            await tools_become(client, {"count"})
            await count(client)
        return counts, pids

    with no_leaks():
        counts, (before, after) = asyncio.run(talk())

    assert counts == [1, 2, 3]
    assert before != after


def test_a_client_is_told_that_a_change_has_brought_tools(tmp_path: Path) -> None:
    config = tmp_path / "agent.json"
    save(config, entry("a", "tools=count"))

    async def talk() -> None:
        news = asyncio.Event()

        async def heard(message: Any) -> None:
            if type(message).__name__ == "ToolListChangedNotification":
                news.set()

        async with over_pipes(config, "handshake", "--watch", message_handler=heard) as client:
            await tools_become(client, {"count"})
            news.clear()
            await client.list_tools(cache_mode="refresh")  # whoever lists is told of the next change
            save(config, entry("a", "tools=count"), entry("b", "tools=pid"))
            async with asyncio.timeout(PATIENCE):
                await news.wait()
            await tools_become(client, {"count", "pid"})

    with no_leaks():
        asyncio.run(talk())


def test_a_file_that_cannot_be_used_is_told_and_changes_nothing(tmp_path: Path) -> None:
    config, said = tmp_path / "agent.json", tmp_path / "stderr"
    save(config, entry("a", "tools=count"))

    async def talk() -> list[Any]:
        async with over_pipes(config, "stateless", "--watch", said=said) as client:
            await tools_become(client, {"count"})
            first = (await client.call_tool("count", {})).structured_content
            config.write_text("{half of a")
            await text_comes(said, "not followed")
            save(config, entry("a", "tools=count"), calls={"deadline": 5})
            await text_comes(said, "'calls'")
            second = (await client.call_tool("count", {})).structured_content
            save(config, entry("a", "tools=count"), entry("b", "tools=pid"))
            await tools_become(client, {"count", "pid"})
            return [first, second, (await client.call_tool("count", {})).structured_content]

    with no_leaks():
        assert asyncio.run(talk()) == [{"count": 1}, {"count": 2}, {"count": 3}]


def test_a_new_server_that_cannot_start_harms_no_other_and_may_be_mended(tmp_path: Path) -> None:
    config, said = tmp_path / "agent.json", tmp_path / "stderr"
    save(config, entry("a", "tools=count"))
    nowhere = {"mcp": {"command": str(tmp_path / "there is none")}, "name": "b", "required": True}

    async def talk() -> Any:
        async with over_pipes(config, "stateless", "--watch", said=said) as client:
            await tools_become(client, {"count"})
            await client.call_tool("count", {})
            save(config, nowhere, entry("c", "tools=echo"), entry("a", "tools=count"))
            await tools_become(client, {"count", "echo"})
            await text_comes(said, "'b'")
            save(config, entry("b", "tools=pid"), entry("c", "tools=echo"), entry("a", "tools=count"))
            await tools_become(client, {"count", "echo", "pid"})
            return (await client.call_tool("count", {})).structured_content

    with no_leaks():
        assert asyncio.run(talk()) == {"count": 2}


@pytest.mark.parametrize(
    ("before", "after", "gone", "come"),
    [
        ((), (), (), ()),
        (("x:a",), ("x:a",), (), ()),
        (("x:a", "x:b"), ("x:b", "x:a"), (), ()),
        (("x:a",), ("x:b",), ("x:a",), ("x:b",)),
        (({"a": 1, "b": 2},), ({"b": 2, "a": 1},), (), ()),
        (({"a": 1},), ({"a": True},), ({"a": 1},), ({"a": True},)),
        (("x:a",), ({"plugin": "x:a"},), ("x:a",), ({"plugin": "x:a"},)),
    ],
)
def test_an_entry_has_changed_if_its_json_has(before: Any, after: Any, gone: Any, come: Any) -> None:
    changes = entry_changes(Configuration(plugins=before), Configuration(plugins=after))

    assert (changes.gone, changes.come, changes.sections) == (gone, come, ())


def test_keys_that_hold_for_all_plugins_are_named() -> None:
    before = Configuration(written={"plugins": [], "calls": {"deadline": 1}, "node": "x"})
    after = Configuration(written={"plugins": ["x:a"], "calls": {"deadline": 2}, "node": "x", "state": {}})

    assert entry_changes(before, after).sections == ("calls", "state")
