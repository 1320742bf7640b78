"""The MCP contestant's own process: the official client, and the same measuring loop as ours.

Runs in a virtual environment of its own and knows nothing of Callboard. One line of JSON on stdin is
one turn, one line on stdout is what it came to. Between two turns it waits for the next line and
does nothing, so that it is not in another contestant's way.

Usage: ``mcp_driver.py PROGRAM WORD...``, which start the server
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SERVER = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])

PATIENCE = 60.0
"""Seconds that one turn may take, before it counts as one that never ends."""


@asynccontextmanager
async def connected() -> AsyncIterator[ClientSession]:
    """Give a session with a server of its own."""
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        yield session


async def call(session: ClientSession, text: str) -> None:
    """Echo a text."""
    result = await session.call_tool("echo", {"text": text})
    if len(result.content[0].text) != len(text):
        raise RuntimeError(f"a measured call failed: {result!r:.200}")


async def one_by_one(session: ClientSession, *, count: int, size: int) -> list[float]:
    """Seconds of each of ``count`` calls, one in flight."""
    text, block = "x" * size, []
    for _ in range(count):
        begin = time.perf_counter()
        await call(session, text)
        block.append(time.perf_counter() - begin)
    return block


async def processor_time(session: ClientSession, *, count: int, size: int) -> list[float]:
    """Seconds of CPU of this process for each of ``count`` calls, one in flight; their mean."""
    text, begin = "x" * size, time.process_time()
    for _ in range(count):
        await call(session, text)
    return [(time.process_time() - begin) / count]


async def killed(session: ClientSession, *, seconds: float) -> list[float]:
    """Seconds from the server's death to the next answer; raises what the last call did if there is none in ``seconds``."""
    told = await session.call_tool("pid", {})
    begin = time.perf_counter()
    os.kill(int(told.content[0].text), signal.SIGKILL)
    while True:
        try:
            await asyncio.wait_for(call(session, "x"), seconds)
        except Exception:
            if time.perf_counter() - begin > seconds:
                raise
            await asyncio.sleep(0.05)
        else:
            return [time.perf_counter() - begin]


async def pipelined(session: ClientSession, *, count: int, size: int, window: int) -> list[float]:
    """Calls a second, with ``window`` in flight."""
    text, under_way = "x" * size, deque[asyncio.Task[None]]()
    begin = time.perf_counter()
    for _ in range(count):
        if len(under_way) == window:
            await under_way.popleft()
        under_way.append(asyncio.create_task(call(session, text)))
    while under_way:
        await under_way.popleft()
    return [count / (time.perf_counter() - begin)]


async def starts(*, count: int, size: int) -> list[float]:
    """Seconds from nothing to the first answer; ending the server again is not counted."""
    block = []
    for _ in range(count):
        begin = time.perf_counter()
        async with connected() as session:
            await call(session, "x" * size)
            block.append(time.perf_counter() - begin)
    return block


async def main() -> None:
    """Take turns until stdin ends."""
    turns: dict[str, Any] = {
        "one_by_one": one_by_one, "pipelined": pipelined, "processor_time": processor_time, "killed": killed,
    }  # fmt: skip
    async with connected() as session:
        say([])
        while line := sys.stdin.readline():
            turn = json.loads(line)
            name = turn.pop("turn")
            work = starts(**turn) if name == "starts" else turns[name](session, **turn)
            try:
                say(await asyncio.wait_for(work, PATIENCE))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what the turn came to
                say(f"{type(error).__name__}: {error}")


def say(outcome: list[float] | str) -> None:
    """Hand over a block, or why there is none."""
    print(json.dumps(outcome), flush=True)


asyncio.run(main())
