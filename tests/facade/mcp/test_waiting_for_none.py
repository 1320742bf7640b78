"""A client waits for the server that its request concerns, and for no other."""

from __future__ import annotations

import asyncio
import time

import pytest
from declared_servers import asked, declared
from leaks import TEST_MARK
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_clients import ERAS, PATIENCE, over_pipes, written
from mcp_pipes import call, hello, serving
from sdks import needs_sdk

pytestmark = needs_sdk

LATE = 20.0
"""Seconds that no answer may take which waits for nobody; what waits takes 30 or more."""


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


def dying(name, seconds=60):
    """A server that takes its time to fail, at each start."""
    return {
        "name": name,
        "mcp": {"command": ["sh", "-c", f"sleep {seconds}; exit 1"], "env": TEST_MARK},
        "start_deadline": 120,
    }


def waits(folder, name="notes"):
    file = folder / f"{name}.waits"
    file.touch()
    return file


def config(folder, *entries, **more):
    return written(folder, {"plugins": list(entries), **more})


@pytest.mark.anyio
async def test_a_call_is_answered_as_soon_as_its_own_server_is_up(era, tmp_path):
    started = time.monotonic()
    file = config(tmp_path, dying("never"), declared(tmp_path, "notes", "read"))

    async with over_pipes(file, era) as client:
        answered = await client.call_tool("read", {})
        assert not answered.is_error
        assert time.monotonic() - started < LATE


@pytest.mark.anyio
async def test_a_name_that_no_tool_has_is_refused_at_once_though_a_server_fails_again_and_again(
    era, tmp_path
):
    file = config(tmp_path, dying("never", seconds=0), declared(tmp_path, "notes", "read"))

    async with over_pipes(file, era) as client:
        assert not (await client.call_tool("read", {})).is_error
        started = time.monotonic()
        with pytest.raises(MCPError, match="there is no tool 'raed'"):
            await client.call_tool("raed", {})
        assert time.monotonic() - started < LATE


@pytest.mark.anyio
async def test_a_list_waits_for_a_server_that_does_not_come_up_once_and_for_some_seconds_alone(era, tmp_path):
    file = config(tmp_path, dying("never"), declared(tmp_path, "notes", "read"))

    async with over_pipes(file, era) as client:
        await client.list_tools()
        started = time.monotonic()
        for _ in range(20):
            assert [tool.name for tool in (await client.list_tools()).tools] == ["read"]
        assert time.monotonic() - started < LATE


@pytest.mark.anyio
async def test_a_server_that_is_mute_holds_up_one_list_and_not_those_that_follow(era, tmp_path):
    resource = {"uri": "notes://one", "name": "one"}
    mute = [
        declared(tmp_path, f"mute{number}", "read", mute=["resources/list", "prompts/list"])
        for number in range(3)
    ]
    file = config(tmp_path, *mute, declared(tmp_path, "notes", "write", resources=[resource]))

    started = time.monotonic()
    async with over_pipes(file, era) as client:
        for _ in range(4):
            listed = (await client.list_resources()).resources
            assert [str(each.uri) for each in listed] == ["notes://one"]
        assert time.monotonic() - started < LATE


async def started_once(file, era):
    async with over_pipes(file, era) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.anyio
async def test_a_client_that_lists_once_sees_the_tools_of_a_server_that_is_not_up_yet(era, tmp_path):
    file = config(tmp_path, declared(tmp_path, "notes", "read", instructions="Read before you write."))
    assert await started_once(file, era) == ["read"]
    waiting = waits(tmp_path)

    async with over_pipes(file, era) as client:
        assert "## notes\n\nRead before you write." in (client.instructions or "")
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "read"
        assert tool.meta == {"callboard/remembered": True}
        waiting.unlink()
        assert not (await client.call_tool("read", {})).is_error
        (tool,) = (await client.list_tools()).tools
        assert tool.meta is None


@pytest.mark.anyio
async def test_names_that_a_client_has_listed_stay_where_they_are_when_a_server_comes_up_later(era, tmp_path):
    first, second = declared(tmp_path, "first", "read"), declared(tmp_path, "second", "read", "write")
    file = config(tmp_path, first, second)
    waiting = waits(tmp_path, "first")

    async with over_pipes(file, era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["read", "write"]
        waiting.unlink()
        assert not (await client.call_tool("first__read", {})).is_error
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert sorted(names) == ["first__read", "read", "write"]


def test_a_name_that_was_called_stays_where_it_is_when_a_server_comes_up_later(tmp_path):
    first, second = declared(tmp_path, "first", "read"), declared(tmp_path, "second", "read")
    waiting = waits(tmp_path, "first")

    # The client of the SDK lists before it calls.
    with serving(tmp_path, {"plugins": [first, second]}) as served:
        served.say(hello(), call(1, "read", by="name"))
        served.answers(2)
        waiting.unlink()
        served.say(call(2, "first__read"))
        served.answers(1)
        served.say(call(3, "read", by="name"))
        served.answers(1)
        served.ends()

    assert [each["arguments"] for each in asked(tmp_path, "second", "tools/call")] == [{"by": "name"}] * 2


@pytest.mark.anyio
async def test_a_client_of_a_board_whose_state_another_has_is_told_so(era, tmp_path):
    file = config(tmp_path, declared(tmp_path, "notes", "read"), state=str(tmp_path / "states.sqlite"))
    heard = asyncio.Queue()

    async def hear(params):
        heard.put_nowait(params.data)

    async with over_pipes(file, era) as first:
        assert not (await first.call_tool("read", {})).is_error
        async with over_pipes(file, era, logging_callback=hear) as second:
            assert "is in use by process" in (second.instructions or "")
            if era == "handshake":
                with pytest.warns(MCPDeprecationWarning):
                    await second.set_logging_level("info")
                said = await asyncio.wait_for(heard.get(), PATIENCE)
                assert said["event"] == "board_failed"
            else:
                assert (await second.list_tools()).tools == []
