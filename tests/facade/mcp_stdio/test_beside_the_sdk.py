"""The session is held to the official SDK: the same frames go to both, over pipes, and the answers are equal.

Where the SDK answers nothing, or not what JSON-RPC says, that is told in `OURS`.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from callboard import Callboard
from callboard.mcp.serving import BoardServer
from callboard.mcp_http.sdk_server import SdkServer
from callboard.mcp_stdio.connection import Connection
from mcp.server.stdio import stdio_server
from mcp_clients import servers, written
from sdks import needs_sdk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    Serve = Callable[[BoardServer, int, int], Awaitable[None]]

pytestmark = needs_sdk

Json = dict[str, Any]

PATIENCE = 60.0
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"sampling": {}},
    "clientInfo": {"name": "tester", "version": "1"},
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
}
SHAKEN: list[Json] = [
    {"id": 0, "method": "initialize", "params": HELLO},
    {"method": "notifications/initialized"},
]


def asks(method: str, request_id: Any = 1, **params: Any) -> Json:
    return {"id": request_id, "method": method, "params": params}


def modern(method: str, request_id: Any = 1, **params: Any) -> Json:
    return asks(method, request_id, **{"_meta": META, **params})


def without(*keys: str) -> Json:
    return {key: each for key, each in META.items() if not key.endswith(keys)}


CALL = {"name": "echo", "arguments": {"a": [2**70, -0.0, "é"]}}
TALKS: dict[str, list[Json]] = {
    **{f"shakes hands in {each}": [asks("initialize", **{**HELLO, "protocolVersion": each})] for each in ("2024-11-05", "2025-03-26", "2025-11-25", "1999-01-01", "2026-07-28")},
    "shakes hands with nothing": [asks("initialize")],
    "shakes hands with half": [asks("initialize", **{**HELLO, "clientInfo": {"name": "tester"}})],
    "shakes hands twice": [*SHAKEN, asks("initialize", 1, **{**HELLO, "protocolVersion": "2024-11-05"})],
    "asks before the handshake": [asks("ping", 1), asks("tools/list", 2), asks("no/such", 3)],
    "never says that it has shaken hands": [SHAKEN[0], asks("tools/call", **CALL)],
    "says that it has, and had not": [SHAKEN[1], asks("tools/list")],
    "lists": [*SHAKEN, *[asks(f"{each}/list", each) for each in ("tools", "resources", "resources/templates", "prompts")]],
    "lists from nowhere": [*SHAKEN, asks("tools/list", cursor="x")],
    "lists from a number": [*SHAKEN, asks("tools/list", cursor=7)],
    "calls": [*SHAKEN, asks("tools/call", **CALL), asks("tools/call", "1", **CALL), asks("tools/call", "fail", name="fail")],
    "calls with odd ids": [*SHAKEN, asks("tools/call", 2**70, **CALL), asks("tools/call", "", **CALL), asks("tools/call", -1, **CALL)],
    "calls with progress": [*SHAKEN, asks("tools/call", name="steps", arguments={}, _meta={"progressToken": "p"})],
    "calls nothing": [*SHAKEN, asks("tools/call"), asks("tools/call", 2, name="no such"), asks("tools/call", 3, name="echo", arguments=[1])],
    "says what is no method": [*SHAKEN, asks("no/such"), asks("server/discover", 2), asks("subscriptions/listen", 3, notifications={})],
    "speaks of another era": [*SHAKEN, modern("tools/list")],
    "sets levels": [*SHAKEN, asks("logging/setLevel", level="info"), asks("logging/setLevel", 2, level="loud"), asks("logging/setLevel", 3)],
    "reads": [*SHAKEN, asks("resources/read", uri="note://one"), asks("resources/read", 2, uri="no://such"), asks("resources/read", 3)],
    "prompts": [*SHAKEN, asks("prompts/get", name="greet", arguments={"who": "you"}), asks("prompts/get", 2, name="no such"), asks("prompts/get", 3, name="greet", arguments={"who": 7})],
    "pings": [*SHAKEN, asks("ping"), {"id": 2, "method": "ping"}],
    "discovers": [modern("server/discover")],
    "begins with a list": [modern("tools/list"), modern("resources/list", 2), modern("prompts/list", 3), modern("resources/templates/list", 4)],
    "calls by itself": [modern("tools/call", **CALL), modern("tools/call", 2, name="steps", _meta={**META, "progressToken": 9})],
    "calls without a name of its own": [modern("tools/call", **CALL, _meta=without("clientInfo"))],
    "says too little": [modern("tools/list"), asks("tools/list", 2), asks("tools/list", 3, _meta=without("clientCapabilities")), asks("tools/list", 4, _meta=without("protocolVersion"))],
    "says what is no revision": [modern("tools/list"), modern("tools/list", 2, _meta={**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}), modern("tools/list", 3, _meta={**META, "io.modelcontextprotocol/protocolVersion": 7})],
    "begins with what is no revision": [modern("server/discover", 2, _meta={**META, "io.modelcontextprotocol/protocolVersion": "2030-01-01"})],
    "says what is no client": [modern("tools/list"), modern("tools/list", 2, _meta={**META, "io.modelcontextprotocol/clientInfo": {}}), modern("tools/list", 3, _meta={**META, "io.modelcontextprotocol/clientCapabilities": 7})],
    "says what is no level": [modern("tools/list"), modern("tools/list", 2, _meta={**META, "io.modelcontextprotocol/logLevel": "loud"})],
    "shakes hands too late": [modern("server/discover"), asks("initialize", 2, **HELLO), asks("initialize", 3)],
    "asks by itself for what is not there": [modern("server/discover"), modern("ping", 2), modern("logging/setLevel", 3, level="info"), modern("no/such", 4)],
    "comes back with nothing": [modern("tools/call", name="echo", requestState="none", inputResponses={})],
    "comes back with nonsense": [modern("tools/call", name="echo", requestState="none", inputResponses={"1": {"action": "perhaps"}})],
    "listens": [modern("subscriptions/listen", "l", notifications={"toolsListChanged": True, "promptsListChanged": False, "resourceSubscriptions": ["note://one"]})],
    "listens to nothing": [modern("subscriptions/listen", notifications=7), modern("subscriptions/listen", 2)],
    "tells what nobody hears": [*SHAKEN, {"method": "notifications/no/such"}, {"method": "notifications/roots/list_changed"}, {"method": "notifications/cancelled", "params": {"requestId": 77}}, asks("ping")],
    "says ids that are none": [*SHAKEN, {"id": None, "method": "notifications/initialized"}, asks("ping")],
}  # fmt: skip


async def by_the_sdk(served: BoardServer, reading: int, writing: int) -> None:
    server = SdkServer(served)
    with (
        os.fdopen(os.dup(reading), encoding="utf-8", errors="replace") as heard,
        os.fdopen(os.dup(writing), "w", encoding="utf-8") as told,
    ):
        async with stdio_server(anyio.wrap_file(heard), anyio.wrap_file(told)) as streams:
            await server.run(*streams, server.create_initialization_options())


async def by_ours(served: BoardServer, reading: int, writing: int) -> None:
    await Connection(served, reading, writing).run()


class Wire:
    """A client's two ends of the pipes, frame by frame."""

    def __init__(self, write: int, read: int) -> None:
        self._write = write
        self._frames = os.fdopen(read, "rb")
        self.heard: list[Json] = []

    async def say(self, line: bytes) -> None:
        await asyncio.to_thread(os.write, self._write, line + b"\n")

    async def until(self, request_id: Any) -> None:
        """Read until that request is answered."""
        while True:
            frame = json.loads(await asyncio.wait_for(asyncio.to_thread(self._frames.readline), PATIENCE))
            self.heard.append(frame)
            if (
                frame.get("id") == request_id
                or frame.get("method") == "notifications/subscriptions/acknowledged"
            ):
                return

    def close(self) -> None:
        os.close(self._write)

    def end(self) -> None:
        self._frames.close()


@asynccontextmanager
async def connected(serve: Serve, served: BoardServer) -> AsyncIterator[Wire]:
    (theirs, write), (read, ours) = os.pipe(), os.pipe()
    wire = Wire(write, read)
    serving = asyncio.ensure_future(serve(served, theirs, ours))
    try:
        yield wire
    finally:
        wire.close()
        await asyncio.wait_for(serving, PATIENCE)
        os.close(ours)
        os.close(theirs)
        wire.end()


async def heard(serve: Serve, config: Path, lines: list[bytes], ids: list[Any]) -> list[Json]:
    """What a client hears that says these lines, each answer awaited before it goes on."""
    served = BoardServer(lambda hears: Callboard(config, subscribers=(hears,)), many=False)
    async with served.running():
        async with connected(serve, served) as wire:
            for line, request_id in zip(lines, ids, strict=True):
                await wire.say(line)
                if request_id is not ...:
                    await wire.until(request_id)
        # A board that is stopped before leaves its beginning to the end of the process.
        await served._start._up.wait()
        return wire.heard


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return written(tmp_path, servers(words=["tools=echo,steps,fail", "shares"]))


@pytest.mark.parametrize("talk", TALKS)
def test_a_client_hears_what_the_sdk_would_say(
    talk: str, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in TALKS[talk]]
    ids = [each["id"] if each.get("id") is not None else ... for each in TALKS[talk]]

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "ours"))
    ours = asyncio.run(heard(by_ours, config, lines, ids))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))  # else the first's tools are remembered
    theirs = asyncio.run(heard(by_the_sdk, config, lines, ids))

    assert list(map(plain, ours)) == list(map(plain, theirs))


def plain(frame: Json) -> str:
    """A frame as text that tells 1 from 1.0; without what the SDK leaves out or puts in, which says nothing."""
    result = frame.get("result")
    if isinstance(result, dict):
        frame = {**frame, "result": {key: each for key, each in result.items() if key != "isError" or each}}
    return json.dumps(frame, sort_keys=True)


OURS: dict[str, tuple[bytes, Any, int]] = {
    "what is no JSON": (b"{", None, -32700),
    "what has an id, and is no JSON": (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": NaN}}', 7, -32700),
    "what is no message": (b'{"id": 7}', 7, -32600),
    "params that are a list": (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', 7, -32600),
    "an id that is none": (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
    "a batch where there are none": (b"[]", None, -32600),
}  # fmt: skip


@pytest.mark.parametrize("what", OURS)
def test_what_the_sdk_does_not_answer_is_answered(what: str, config: Path) -> None:
    line, request_id, code = OURS[what]
    shaken = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in SHAKEN]

    *_, told = asyncio.run(heard(by_ours, config, [*shaken, line], [0, ..., request_id]))

    assert (told["id"], told["error"]["code"]) == (request_id, code)


def test_a_text_with_half_of_a_pair_reaches_the_tool(config: Path) -> None:
    line = rb'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": "\ud800"}}}'
    shaken = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in SHAKEN]

    *_, told = asyncio.run(heard(by_ours, config, [*shaken, line], [0, ..., 1]))

    assert json.loads(told["result"]["content"][0]["text"]) == {"a": "\ud800"}


def test_several_messages_in_one_line_are_answered_each(config: Path) -> None:
    first = json.dumps(
        {"jsonrpc": "2.0", **asks("initialize", 0, **{**HELLO, "protocolVersion": "2025-03-26"})}
    ).encode()
    batch = json.dumps([{"jsonrpc": "2.0", **asks("ping", each)} for each in (1, 2)]).encode()

    told = asyncio.run(heard(by_ours, config, [first, batch], [0, 2]))

    assert [each["id"] for each in told] == [0, 1, 2]
