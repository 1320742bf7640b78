"""Over HTTP no message is larger than what the SDK's client takes by default; what is cut off can be read, in parts."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from leaks import TEST_MARK, no_leaks
from mcp.shared.exceptions import MCPError
from mcp_clients import http_server, over_http, over_pipes, written
from programs import PROGRAMS
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client import Client

pytestmark = needs_sdk

SERVER = str(PROGRAMS / "python" / "mcp_large_server.py")
MEGABYTE = 1 << 20
ERAS = pytest.mark.parametrize("era", ["handshake", "stateless"])


def large(folder: Path, *words: str, **options: Any) -> Path:
    entry = {"command": sys.executable, "args": [SERVER, *words], "env": TEST_MARK, **options}
    return written(folder, {"mcpServers": {"large": entry}})


def long(text: str, size: int) -> dict[str, Any]:
    """What the server is asked for a text of about so many bytes with."""
    return {"repeat": text, "times": size // len(text.encode())}


def addresses(result: Any) -> list[str]:
    """All addresses that a result names, those between two of them too."""
    note = result.content[-1].text
    found = []
    for begin, end in re.findall(r"(callboard://\S+?)(?: to (callboard://[^\s,]+))?[,\]]", note):
        base, first = begin.rsplit("/", 1)
        last = end.rsplit("/", 1)[1] if end else first
        found += [f"{base}/{number}" for number in range(int(first), int(last) + 1)]
    return found


async def read(client: Client, uris: list[str]) -> list[Any]:
    return [(await client.read_resource(uri)).contents[0] for uri in uris]


TEXTS = ["x", "\n", "ä", "😀", '"\\', "\x01"]


@ERAS
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_of_megabytes_is_cut_and_the_rest_is_read_in_parts(
    era: str, text: str, tmp_path: Path
) -> None:
    config = large(tmp_path, result_limit=32 * MEGABYTE)
    asked = {"content": [{"type": "text", "text": long(text, 3 * MEGABYTE), "annotations": {"priority": 1}}]}

    async def talk(server: str) -> tuple[Any, list[Any]]:
        async with over_http(server, era) as client:
            result = await client.call_tool("large", asked)
            return result, await read(client, addresses(result))

    with no_leaks(), http_server(config) as server:
        result, rest = asyncio.run(talk(server))

    begin = result.content[0]
    assert begin.annotations.priority == 1
    assert len(begin.text.encode()) > MEGABYTE // 8
    assert begin.text + "".join(each.text for each in rest) == text * asked["content"][0]["text"]["times"]


@ERAS
def test_an_image_of_megabytes_is_read_in_parts_and_a_smaller_one_stays(era: str, tmp_path: Path) -> None:
    small, image = (
        {"type": "image", "mimeType": "image/png", "data": long("AAAA", size)}
        for size in (300_000, 4 * MEGABYTE)
    )
    asked = {"content": [image, small, {"type": "text", "text": long("x", 2 * MEGABYTE)}]}

    async def talk(server: str) -> tuple[Any, list[Any], list[str]]:
        async with over_http(server, era) as client:
            result: Any = await client.call_tool("large", asked)
            uris = [each for each in addresses(result) if "/block/1/" in each]
            listed = [str(each.uri) for each in (await client.list_resources()).resources]
            return result, await read(client, uris), listed

    with no_leaks(), http_server(large(tmp_path, result_limit=32 * MEGABYTE)) as server:
        result, parts, listed = asyncio.run(talk(server))

    assert [each.type for each in result.content] == ["image", "text", "text"]
    assert "image of 3,145,728 bytes" in result.content[-1].text
    assert "--max-event" in result.content[-1].text
    whole = b"".join(base64.b64decode(each.blob, validate=True) for each in parts)
    assert whole == b"\0" * (3 * MEGABYTE)
    assert {each.mime_type for each in parts} == {"image/png"}
    assert ({str(each.uri) for each in parts} <= set(listed)) is (era == "handshake")


@ERAS
@pytest.mark.parametrize("mirrored", [True, False])
def test_structured_content_keeps_its_shape_and_the_whole_is_read_in_parts(
    era: str, mirrored: bool, tmp_path: Path
) -> None:
    row = {"number": 1.5, "text": "ü" * 100}
    rows = [row] * 10_000
    asked = {"structuredContent": {"rows": {"repeat": row, "times": len(rows)}}}
    asked |= {"mirrored": True} if mirrored else {"content": [{"type": "text", "text": "many rows"}]}

    async def talk(server: str) -> tuple[Any, list[Any]]:
        async with over_http(server, era) as client:
            result: Any = await client.call_tool("large", asked)
            return result, await read(client, [each for each in addresses(result) if "/structured/" in each])

    with no_leaks(), http_server(large(tmp_path, result_limit=32 * MEGABYTE)) as server:
        result, parts = asyncio.run(talk(server))

    cut = result.structured_content["rows"]
    assert len(cut) > 500
    assert cut[:-1] == rows[: len(cut) - 1]
    assert json.loads("".join(each.text for each in parts)) == {"rows": rows}
    text = result.content[0].text
    assert (json.loads(text) == result.structured_content) if mirrored else text == "many rows"


def test_of_a_text_that_was_cut_before_one_note_names_both_rests(tmp_path: Path) -> None:
    asked = {"content": [{"type": "text", "text": long("x", 3 * MEGABYTE)}]}

    async def talk(server: str) -> Any:
        async with over_http(server, "handshake") as client:
            result: Any = await client.call_tool("large", asked)
            (note,) = result.content[-1].text.splitlines()
            found = [result.content[0].text]
            waiting = addresses(_Ends(note))
            while waiting:  # a part of the first cut may be too large itself
                text, *note = (await client.read_resource(waiting.pop(0))).contents
                found.append(text.text)
                waiting = [*(uri for each in note for uri in addresses(_Ends(each.text))), *waiting]
            return "".join(found)

    with no_leaks(), http_server(large(tmp_path)) as server:
        whole = asyncio.run(talk(server))

    assert whole == "x" * 3 * MEGABYTE


def test_of_a_structure_that_was_cut_before_one_note_names_the_whole(tmp_path: Path) -> None:
    row = {"number": 1.5, "text": "x" * 1000}
    asked = {"structuredContent": {"rows": {"repeat": row, "times": 3000}}, "mirrored": True}

    async def talk(server: str) -> tuple[Any, list[Any]]:
        async with over_http(server, "handshake") as client:
            result: Any = await client.call_tool("large", asked)
            (note,) = result.content[-1].text.splitlines()
            found: list[Any] = []
            whole = note.partition(". The whole: ")[2].partition("; what was left: ")[0]
            for uri in addresses(_Ends(f"{whole}]")):
                part, *ends = (await client.read_resource(uri)).contents
                found += [
                    part,
                    *await read(client, [more for each in ends for more in addresses(_Ends(each.text))]),
                ]
            return result, found

    with no_leaks(), http_server(large(tmp_path)) as server:
        result, parts = asyncio.run(talk(server))

    assert json.loads(result.content[0].text) == result.structured_content
    assert json.loads("".join(each.text for each in parts)) == {"rows": [row] * 3000}


class _Ends:
    """A result with this note."""

    def __init__(self, note: str) -> None:
        self.content = [self]
        self.text = note


def test_an_error_keys_beside_the_content_and_many_blocks_are_cut_too(tmp_path: Path) -> None:
    many = {"content": [{"type": "text", "text": "y" * 500}] * 5000, "isError": True}
    beside = {"content": [{"type": "text", "text": "well"}], "_meta": {"large": long("z", 2 * MEGABYTE)}}

    async def talk(server: str) -> tuple[Any, Any, str]:
        async with over_http(server, "handshake") as client:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("large", {"refuses": long("r", 2 * MEGABYTE)})
            return (
                await client.call_tool("large", many),
                await client.call_tool("large", beside),
                str(refused.value),
            )

    with no_leaks(), http_server(large(tmp_path, result_limit=32 * MEGABYTE)) as server:
        blocks, meta, refused = asyncio.run(talk(server))

    assert blocks.is_error
    assert 1000 < len(blocks.content) < 5000
    assert meta.content[0].text == "well"
    assert "what stands beside the content" in meta.content[-1].text
    assert refused.startswith("rrr")
    assert "cut" in refused


@ERAS
def test_a_resource_is_cut_and_lists_come_in_more_pages(era: str, tmp_path: Path) -> None:
    config = large(tmp_path, f"shared={2 * MEGABYTE}", "tools=300", "padding=10000")

    async def talk(server: str) -> None:
        async with over_http(server, era) as client:
            tools, cursor = [], None
            while cursor is not None or not tools:
                page = await client.list_tools(cursor=cursor)
                cursor, tools = page.next_cursor, [*tools, *page.tools]
            assert len({each.name for each in tools}) == len(tools) == 300
            found: list[Any] = []
            while cursor is not None or not found:
                listed = await client.list_resources(cursor=cursor)
                cursor, found = listed.next_cursor, [*found, *listed.resources]
            assert len({each.uri for each in found}) == len(found) == 1000
            first, note = (await client.read_resource("note://1")).contents
            rest = await read(client, addresses(_Ends(note.text)))
            assert "".join(each.text for each in (first, *rest)) == "\n" * 2 * MEGABYTE

    with no_leaks(), http_server(config) as server:
        asyncio.run(talk(server))


def test_what_is_told_in_a_call_is_shortened_and_the_result_comes(tmp_path: Path) -> None:
    told: list[str] = []

    async def heard(params: Any) -> None:
        told.append(str(params.data))

    async def progressed(_: float, __: float | None, message: str | None) -> None:
        told.append(str(message))

    async def talk(server: str) -> Any:
        async with over_http(server, "handshake", logging_callback=heard) as client:
            asked = {"notes": 2 * MEGABYTE, "content": [{"type": "text", "text": "well"}]}
            return await client.call_tool("large", asked, progress_callback=progressed)

    with no_leaks(), http_server(large(tmp_path)) as server:
        result = asyncio.run(talk(server))

    assert result.content[0].text == "well"
    assert len(told) == 2
    assert all("n" * 500 in each and "cut" in each and len(each) < 2000 for each in told)


def test_the_option_lets_a_client_that_takes_more_have_it_whole(tmp_path: Path) -> None:
    from mcp.client import Client as SdkClient  # noqa: PLC0415 - as above
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - one test needs it

    asked = {"content": [{"type": "image", "mimeType": "image/png", "data": long("AAAA", 9 * MEGABYTE)}]}

    async def talk(server: str) -> Any:
        transport = streamable_http_client(server, max_sse_event_size=None)
        async with SdkClient(transport, mode="legacy") as client:
            return await client.call_tool("large", asked)

    with no_leaks(), http_server(large(tmp_path), "--max-event", str(16 * MEGABYTE)) as server:
        result = asyncio.run(talk(server))

    assert len(result.content[0].data) == 9 * MEGABYTE


@ERAS
def test_over_pipes_an_image_of_ten_megabytes_comes_as_it_is(era: str, tmp_path: Path) -> None:
    data = long("AAAA", 10 * MEGABYTE * 4 // 3)
    image = {"type": "image", "mimeType": "image/png", "data": data, "_meta": {"kept": True}}
    asked = {"content": [{"type": "text", "text": "look"}, image]}

    async def talk() -> Any:
        async with over_pipes(large(tmp_path), era) as client:
            return await client.call_tool("large", asked)

    with no_leaks():
        result = asyncio.run(talk())

    assert result.content[1].data == "AAAA" * data["times"]
    assert result.content[1].meta == {"kept": True}
