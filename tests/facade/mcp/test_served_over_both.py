"""A board as an MCP server: the official client, in both eras, over pipes and over HTTP."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import pytest
from leaks import no_leaks, wait_until
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_clients import http_server, over_http, over_pipes, servers, written
from sdks import needs_sdk
from thorough import thorough

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from mcp.client import Client

    Connect = Callable[..., AbstractAsyncContextManager[Client]]

pytestmark = needs_sdk


WAYS = [
    ("pipes", "handshake"),
    ("http", "stateless"),
    pytest.param(("pipes", "stateless"), marks=thorough),
    pytest.param(("http", "handshake"), marks=thorough),
]


@pytest.fixture(params=WAYS, ids=" ".join)
def connect(request: pytest.FixtureRequest) -> Connect:
    way, era = request.param

    @asynccontextmanager
    async def connected(config: Path, **options: Any) -> AsyncIterator[Client]:
        if way == "pipes":
            async with over_pipes(config, era, **options) as client:
                yield client
        else:
            with http_server(config) as address:
                async with over_http(address, era, **options) as client:
                    yield client

    return connected


def test_a_client_lists_calls_and_hears_of_failures(connect: Connect, tmp_path: Path) -> None:
    config = written(tmp_path, servers(words=["misdeclares=listed"]))

    async def talk() -> None:
        steps: list[float] = []

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            assert (total, message) == (3, None)
            steps.append(progress)

        async with connect(config) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            echoed = await client.call_tool("echo", {"a": 1})
            counted = await client.call_tool("count", {})
            await client.call_tool("steps", {}, progress_callback=heard)
            failed = await client.call_tool("fail", {})
            crashed = await client.call_tool("crash", {})
            following = await client.call_tool("count", {})
            odd = await client.call_tool("odd", {})
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("no such tool", {})

        assert "echo" in names
        assert "listed" not in names
        assert _text(echoed) == '{"a": 1}'
        assert counted.structured_content == {"count": 1}
        assert steps == sorted(steps)
        assert len(steps) == 3
        assert (failed.is_error, _text(failed)) == (True, "it failed")
        assert crashed.is_error
        assert _meta(crashed) == {
            "callboard/code": "host_crashed",
            "callboard/outcome": "outcome_unknown",
            "callboard/plugin": "words",
        }
        assert following.structured_content == {"count": 1}
        assert _meta(following) == {"callboard/restarted": True}
        assert (odd.is_error, _meta(odd)["callboard/code"]) == (True, "invalid_result")
        assert unknown.value.error.code == types.INVALID_PARAMS

    with no_leaks():
        asyncio.run(talk())


async def until_listed(client: Client, count: int) -> None:
    """Wait until so many tools are there, and none is to come."""
    async with asyncio.timeout(30):
        listed = await client.list_tools()
        while len(listed.tools) < count or (client.protocol_version >= "2026" and listed.ttl_ms == 0):
            await asyncio.sleep(0.05)
            listed = await client.list_tools(cache_mode="refresh")


@pytest.mark.parametrize("server", [["logs"], ["logs", "modern"]], ids=["handshake", "stateless"])
@pytest.mark.parametrize("asks", [True, False])
def test_what_a_server_logs_in_a_call_is_told_to_its_client(
    connect: Connect, asks: bool, server: list[str], tmp_path: Path
) -> None:
    config = written(tmp_path, servers(words=["tools=echo,level", *server]))
    told: list[Any] = []

    async def heard(params: types.LoggingMessageNotificationParams) -> None:
        told.append(params.model_dump(by_alias=True, exclude_none=True))

    async def talk() -> list[str]:
        options: dict[str, Any] = {"log_level": "info"} if asks else {}
        async with connect(config, logging_callback=heard, **options) as client:
            await client.list_tools()
            unasked = client.protocol_version < "2026"
            if asks and unasked:
                with pytest.warns(MCPDeprecationWarning):
                    await client.set_logging_level("info")
            for level in ("debug", "info", "no level"):
                await client.call_tool("echo", {"log": {"level": level, "logger": "own", "data": [level]}})
            async with asyncio.timeout(30):
                known = not asks
                while not known:
                    known = _text(await client.call_tool("level", {})) == "info"
        return ["info"] if asks else ["debug", "info"] if unasked else []

    with no_leaks():
        wanted = asyncio.run(talk())

    meta = {"callboard/plugin": "words"}
    assert told == [{"level": each, "logger": "own", "data": [each], "_meta": meta} for each in wanted]


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_the_instructions_of_servers_that_are_up_are_given_on_below_their_names(
    era: str, tmp_path: Path
) -> None:
    config = written(
        tmp_path,
        servers(
            a=["tools=one", "instructs=Say one.\nThen two."],
            b=["tools=two", "modern", "instructs=B"],
            c=["tools=three"],
        ),
    )

    async def talk(address: str) -> str | None:
        async with over_http(address, era) as client:
            await until_listed(client, 3)
        async with over_http(address, era) as client:
            return client.instructions

    with no_leaks(), http_server(config) as address:
        assert asyncio.run(talk(address)) == "## a\n\nSay one.\nThen two.\n\n## b\n\nB"


def test_a_list_of_tools_is_fresh_for_five_minutes_once_all_have_started(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    config = written(tmp_path, servers(late=[f"waits={ready}"]))

    async def talk() -> list[int]:
        async with over_pipes(config, "stateless") as client:
            fresh = [(await client.list_tools()).ttl_ms]
            ready.touch()
            await until_listed(client, 1)
            return [*fresh, (await client.list_tools(cache_mode="refresh")).ttl_ms]

    with no_leaks():
        assert asyncio.run(talk()) == [0, 300_000]


@pytest.mark.parametrize(("seconds", "told"), [(0, 0), (1.5, 1500)])
def test_the_configuration_says_for_how_long_a_list_is_fresh(
    seconds: float, told: int, tmp_path: Path
) -> None:
    (tmp_path / "echo.sh").write_text("# @tool Says a word.\necho said\n")
    config = written(tmp_path, {"plugins": [{"bash_tool": {"file": "echo.sh"}}], "list_ttl": seconds})

    async def talk() -> int:
        async with over_pipes(config, "stateless") as client:
            await client.call_tool("echo", {})  # all have started
            return (await client.list_tools()).ttl_ms

    with no_leaks():
        assert asyncio.run(talk()) == told


def test_the_trace_and_the_key_of_a_client_reach_the_server_behind_the_board(
    connect: Connect, tmp_path: Path
) -> None:
    config = written(tmp_path, servers(words=[]))
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    async def talk() -> dict[str, Any]:
        async with connect(config) as client:
            meta = {"traceparent": trace, "callboard/key": "order-17", "other": "x"}
            told = await client.call_tool("meta", {}, meta=meta)
            with pytest.raises(MCPError) as refused:
                await client.call_tool("meta", {}, meta={"callboard/key": 17})
            assert refused.value.error.code == types.INVALID_PARAMS
            return told.structured_content or {}

    with no_leaks():
        told = asyncio.run(talk())

    assert (told["traceparent"], told["callboard/key"]) == (trace, "order-17")
    assert "other" not in told


def test_resources_and_prompts_of_its_servers_are_passed_on(connect: Connect, tmp_path: Path) -> None:
    config = written(
        tmp_path, servers(a=["tools=one", "shares"], b=["tools=two", "shares", "modern"], c=["tools=three"])
    )

    async def talk() -> tuple[list[str], str, list[str], str]:
        async with connect(config) as client:
            resources = [str(each.uri) for each in (await client.list_resources()).resources]
            read: Any = (await client.read_resource("note://one")).contents[0]
            prompts = [each.name for each in (await client.list_prompts()).prompts]
            got: Any = (await client.get_prompt("b__greet", {"who": "Ann"})).messages[0].content
            assert len((await client.list_resource_templates()).resource_templates) == 1
            for wrong in (client.read_resource("note://none"), client.get_prompt("none", {})):
                with pytest.raises(MCPError) as refused:
                    await wrong
                assert refused.value.error.code == types.INVALID_PARAMS
            return resources, read.text, prompts, got.text

    with no_leaks():
        resources, text, prompts, greeting = asyncio.run(talk())

    assert resources == ["note://one", "note://two"]
    assert text == "the first note"
    assert prompts == ["a__greet", "b__greet"]
    assert greeting == "Hello Ann"


def test_a_call_that_is_cancelled_frees_its_tool(connect: Connect, tmp_path: Path) -> None:
    config = written(tmp_path, servers(words=[]))

    async def talk() -> str:
        async with connect(config) as client:
            await client.list_tools()
            hanging = asyncio.ensure_future(client.call_tool("hang", {}))
            await client.call_tool("echo", {})
            hanging.cancel()
            await asyncio.wait([hanging])
            return _text(await client.call_tool("echo", {"b": 2}))

    with no_leaks():
        assert asyncio.run(talk()) == '{"b": 2}'


def test_a_call_that_hangs_holds_up_no_other_server(connect: Connect, tmp_path: Path) -> None:
    config = written(tmp_path, servers(a=["tools=hang"], b=["tools=echo"]))

    async def talk() -> str:
        begun = asyncio.Event()

        async def heard(*_: Any) -> None:
            begun.set()

        async with connect(config) as client:
            await client.list_tools()
            hanging = asyncio.ensure_future(
                client.call_tool("hang", {"begins": True}, progress_callback=heard)
            )
            await begun.wait()
            answered = await client.call_tool("echo", {"b": 2})
            hanging.cancel()
            await asyncio.wait([hanging])
            return _text(answered)

    with no_leaks():
        assert asyncio.run(talk()) == '{"b": 2}'


def test_a_client_is_answered_before_a_server_is_up_and_told_when_it_is(
    connect: Connect, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    given = servers(early=["tools=one"], late=["tools=two", f"waits={ready}"])
    given["mcpServers"]["broken"] = {"command": str(tmp_path / "there is no such program")}
    config = written(tmp_path, given)

    async def talk() -> tuple[list[str], list[str]]:
        news = asyncio.Event()

        async def heard(message: Any) -> None:
            if isinstance(message, types.ToolListChangedNotification):
                news.set()

        async with connect(config, message_handler=heard) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            async with _listening(client, news):
                ready.touch()
                async with asyncio.timeout(30):
                    await news.wait()
                    after = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
                    while "two" not in after:
                        await asyncio.sleep(0.05)
                        after = [tool.name for tool in (await client.list_tools(cache_mode="refresh")).tools]
        return before, after

    with no_leaks():
        before, after = asyncio.run(talk())

    assert before == ["one"]
    assert after == ["one", "two"]


@pytest.mark.parametrize("asks", [True, False])
def test_a_client_that_asks_for_it_is_told_what_has_become_of_a_server(
    connect: Connect, asks: bool, tmp_path: Path
) -> None:
    config = written(tmp_path, servers(words=["tools=crash,echo"]))
    told: list[tuple[str, str, str]] = []

    async def heard(params: types.LoggingMessageNotificationParams) -> None:
        told.append((params.level, params.data["event"], params.data["server"]))

    async def talk() -> None:
        options: dict[str, Any] = {"log_level": "warning"} if asks else {}
        async with connect(config, logging_callback=heard, **options) as client:
            if asks and client.protocol_version < "2026":
                with pytest.warns(MCPDeprecationWarning):
                    await client.set_logging_level("warning")
            await client.list_tools()
            await client.call_tool("crash", {})
            await client.call_tool("echo", {})
            if asks:
                await asyncio.to_thread(wait_until, lambda: len(told) >= 2)

    with no_leaks():
        asyncio.run(talk())

    wanted = [("warning", "host_crashed", "words"), ("warning", "host_ready", "words")]
    assert told == (wanted if asks else [])


@asynccontextmanager
async def _listening(client: Client, news: asyncio.Event) -> AsyncIterator[None]:
    """In the stateless era a client asks to be told."""
    if client.protocol_version < "2026":
        yield
        return
    async with client.listen(tools_list_changed=True) as told:

        async def pass_on() -> None:
            async for _ in told:
                news.set()

        passing = asyncio.ensure_future(pass_on())
        yield
        passing.cancel()


def _text(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


def _meta(result: types.CallToolResult) -> dict[str, Any]:
    return {key: value for key, value in (result.meta or {}).items() if key.startswith("callboard/")}
