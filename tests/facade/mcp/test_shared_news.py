"""What the servers of a board tell of their resources and prompts comes to the clients that want to hear of it, and to no others."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from subprocess import PIPE
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from leaks import TEST_MARK, no_leaks
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_clients import begun, command, http_server, over_http, over_pipes, written
from programs import PROGRAMS
from sdks import needs_sdk
from thorough import each_once

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

SERVER = str(PROGRAMS / "python" / "mcp_news_server.py")
PATIENCE = 60.0
WAYS = each_once(["handshake", "stateless"], ["pipes", "http"], [[], ["modern"]])


def config_of(folder: Path, **words: list[str]) -> Path:
    """A configuration with servers of these names."""
    plugins = [
        {
            "mcp": {
                "command": [sys.executable, SERVER, f"name={name}", *said],
                "env": TEST_MARK,
                "prefix": True,
            },
            "name": name,
            "restart": {"backoff": {"first": 0.05, "min": 0.05}},
        }
        for name, said in words.items()
    ]
    return written(folder, {"plugins": plugins})


class Heard:
    """What a client is told, of which some can be awaited."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str | None]] = []
        self._any = asyncio.Event()

    def hear(self, method: str, uri: str | None) -> None:
        self.told.append((method, uri))
        self._any.set()

    async def until(self, *wanted: tuple[str, str | None]) -> list[tuple[str, str | None]]:
        async with asyncio.timeout(PATIENCE):
            while not set(wanted) <= set(self.told):
                self._any.clear()
                await self._any.wait()
        told, self.told = self.told, []
        return told


@asynccontextmanager
async def clients(
    config: Path, era: str, way: str, count: int = 1
) -> AsyncIterator[list[tuple[Client, Heard]]]:
    """Clients of one board, and what each is told; over pipes there is one."""
    heards = [Heard() for _ in range(count)]

    def listening(heard: Heard) -> Any:
        async def hear(message: Any) -> None:
            said = getattr(message, "root", message)
            if isinstance(said, types.ResourceUpdatedNotification):
                heard.hear("updated", str(said.params.uri))
            elif isinstance(said, types.ResourceListChangedNotification):
                heard.hear("resources", None)
            elif isinstance(said, types.PromptListChangedNotification):
                heard.hear("prompts", None)

        return hear

    async with AsyncExitStack() as stack:
        if way == "pipes":
            begun = [
                await stack.enter_async_context(over_pipes(config, era, message_handler=listening(heards[0])))
            ]
        else:
            address = stack.enter_context(http_server(config))
            begun = [
                await stack.enter_async_context(over_http(address, era, message_handler=listening(heard)))
                for heard in heards
            ]
        yield list(zip(begun, heards, strict=True))


async def list_anew(client: Client) -> None:
    """One of the handshake era is told once that a list has changed, and again when it has listed."""
    await client.list_resources(cache_mode="refresh")
    await client.list_prompts(cache_mode="refresh")


@asynccontextmanager
async def told_of(client: Client, *uris: str) -> AsyncIterator[None]:
    """Inside, the client hears of these resources, and of the lists."""
    await list_anew(client)
    if client.protocol_version < "2026":
        for uri in uris:
            await subscribe(client, uri)
        yield
        return
    async with client.listen(
        resource_subscriptions=list(uris), resources_list_changed=True, prompts_list_changed=True
    ):
        yield


async def subscribe(client: Client, uri: str) -> None:
    with pytest.warns(MCPDeprecationWarning):
        await client.subscribe_resource(uri)


async def unsubscribe(client: Client, uri: str) -> None:
    with pytest.warns(MCPDeprecationWarning):
        await client.unsubscribe_resource(uri)


async def at_once(*requests: Callable[[str], Awaitable[Any]]) -> None:
    with pytest.warns(MCPDeprecationWarning):  # they warn as they are called
        await asyncio.gather(*[request("a://one") for request in requests])


async def say(client: Client, tool: str, **arguments: Any) -> Any:
    return await client.call_tool(tool, arguments)


async def subscribed(client: Client, server: str) -> list[str]:
    content: Any = (await say(client, f"{server}__subscribed")).content
    found: list[str] = json.loads(content[0].text)
    return found


@pytest.mark.parametrize(("era", "way", "words"), WAYS)
def test_a_client_is_told_of_what_it_has_subscribed_to_and_of_nothing_else(
    era: str, way: str, words: list[str], tmp_path: Path
) -> None:
    config = config_of(tmp_path, a=words, b=["lies", *words])

    async def talk() -> None:
        async with clients(config, era, way) as ((client, heard),), told_of(client, "a://one", "b://one"):
            assert await subscribed(client, "a") == ["a://one"]
            assert await subscribed(client, "b") == ["b://one"]
            heard.told.clear()
            await say(client, "a__touch", uri="a://two")
            await say(client, "b__touch", uri="a://one")  # it is another server's
            await say(client, "b__touch", uri="b://one")
            updated = await heard.until(("updated", "b://one"))
            await say(client, "a__touch", uri="a://one")
            updated += await heard.until(("updated", "a://one"))
            await list_anew(client)
            await say(client, "a__change", kind="resources")
            await say(client, "b__change", kind="prompts")
            await heard.until(("resources", None), ("prompts", None))

        assert updated == [("updated", "b://one"), ("updated", "a://one")]

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize(("era", "way", "words"), WAYS)
def test_after_a_restart_of_its_server_a_client_is_told_that_all_may_have_changed(
    era: str, way: str, words: list[str], tmp_path: Path
) -> None:
    config = config_of(tmp_path, a=words)

    async def talk() -> None:
        async with clients(config, era, way) as ((client, heard),), told_of(client, "a://one"):
            await list_anew(client)
            heard.told.clear()
            await say(client, "a__crash")
            await heard.until(("updated", "a://one"), ("resources", None), ("prompts", None))
            assert await subscribed(client, "a") == ["a://one"]
            await say(client, "a__touch", uri="a://one")
            await heard.until(("updated", "a://one"))

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize("way", ["pipes", "http"])
def test_what_a_client_asks_at_once_about_one_resource_happens_in_its_order(way: str, tmp_path: Path) -> None:
    config = config_of(tmp_path, a=[])

    async def talk() -> None:
        async with clients(config, "handshake", way) as ((client, heard),):
            await at_once(client.subscribe_resource, client.unsubscribe_resource)
            assert await subscribed(client, "a") == []
            await at_once(*[client.subscribe_resource] * 3)
            assert await subscribed(client, "a") == ["a://one"]
            heard.told.clear()
            await say(client, "a__touch", uri="a://one")
            told = await heard.until(("updated", "a://one"))
            await subscribed(client, "a")  # what is told twice comes before its answer
            assert [*told, *heard.told] == [("updated", "a://one")]

    with no_leaks():
        asyncio.run(talk())


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_each_of_several_clients_hears_its_own(era: str, tmp_path: Path) -> None:
    config = config_of(tmp_path, a=[])

    async def talk() -> None:
        async with (
            clients(config, era, "http", 2) as ((first, heard), (second, other)),
            told_of(first, "a://one"),
        ):
            async with told_of(second, "a://one", "a://all/two"):
                assert await subscribed(first, "a") == ["a://all/two", "a://one"]
                heard.told.clear()
                other.told.clear()
                await say(first, "a__touch", uri="a://all/two")
                await other.until(("updated", "a://all/two"))
                await say(first, "a__touch", uri="a://one")
                await other.until(("updated", "a://one"))
                assert await heard.until(("updated", "a://one")) == [("updated", "a://one")]
                if era == "handshake":
                    for uri in ("a://one", "a://all/two"):
                        await unsubscribe(second, uri)
            async with asyncio.timeout(PATIENCE):
                left = await subscribed(first, "a")
                while left != ["a://one"]:
                    await asyncio.sleep(0.05)
                    left = await subscribed(first, "a")

    with no_leaks():
        asyncio.run(talk())


def test_what_no_server_tells_of_cannot_be_subscribed_to(tmp_path: Path) -> None:
    config = config_of(tmp_path, a=["plain"], b=[])

    async def talk() -> None:
        async with clients(config, "handshake", "pipes") as ((client, _),):
            for uri in ("a://one", "c://one", "b://none"):
                with pytest.raises(MCPError) as refused:
                    await subscribe(client, uri)
                assert refused.value.error.code == types.INVALID_PARAMS
            await unsubscribe(client, "c://one")

    with no_leaks():
        asyncio.run(talk())


def test_a_server_that_does_not_end_its_subscriptions_keeps_no_client_from_its_end(tmp_path: Path) -> None:
    config = config_of(tmp_path, a=["mute"])
    uris = ["a://one", *(f"a://all/{number}" for number in range(4))]
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    }
    params = {"notifications": {"resourceSubscriptions": uris}, "_meta": meta}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}

    with no_leaks(), begun(command(config), stdin=PIPE, stdout=PIPE) as board:
        board.stdin.write(json.dumps(listen).encode() + b"\n")
        board.stdin.flush()
        acknowledged = json.loads(board.stdout.readline())
        board.stdin.close()
        code = board.wait(PATIENCE)
        board.stdout.close()

    assert acknowledged["params"]["notifications"]["resourceSubscriptions"] == uris
    assert code == 0


@pytest.mark.parametrize(("era", "way", "words"), WAYS)
def test_what_can_be_done_is_announced_before_any_server_is_up_and_arguments_are_completed(
    era: str, way: str, words: list[str], tmp_path: Path
) -> None:
    config = config_of(tmp_path, a=words, b=words)

    async def talk() -> None:
        async with clients(config, era, way) as ((client, _),):
            can = client.server_capabilities
            assert can is not None
            assert can.completions is not None
            assert (can.resources.subscribe, can.resources.list_changed, can.prompts.list_changed) == (
                True,
            ) * 3
            argument = {"name": "word", "value": "x-"}
            prompt = types.PromptReference(type="ref/prompt", name="a")
            first = (await client.complete(prompt, argument)).completion
            template = types.ResourceTemplateReference(type="ref/resource", uri="b://all/{word}")
            second = (await client.complete(template, argument, {"other": "y"})).completion
            with pytest.raises(MCPError) as unknown:
                await client.complete(types.PromptReference(type="ref/prompt", name="c"), argument)

        assert (first.values, first.total, first.has_more) == (["x-a"], 20, True)
        assert second.values == ["x-b://all/{word}", "y"]
        assert unknown.value.error.code == types.INVALID_PARAMS

    with no_leaks():
        asyncio.run(talk())
