"""A board served over this process's stdin and stdout, until the client closes its end or a signal comes."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server

from ..mcp.first_signal import first_signal
from ..mcp.serving import BoardServer
from ..mcp_http.sdk_server import SdkServer

if TYPE_CHECKING:
    from ..mcp.serving import MakeBoard


def serve_stdio(make: MakeBoard) -> None:
    """Serve until the client has gone, or a signal comes; nothing of the board is left then.

    A signal ends the process as it would have without a handler, but for the stop before it: the thread that waits for the next line of stdin
    would keep it for as long as the client lives.

    Raises:
        CallboardError: the board could not be started.
    """
    asyncio.run(_serve(make))


async def _serve(make: MakeBoard) -> None:
    served = BoardServer(make, many=False)
    by_signal = first_signal()

    async def end_by_signal() -> None:
        number = await by_signal
        await served.stop()
        os._exit(128 + number)

    async with (
        served.running(),
        stdio_server(*_wire()) as (reader, writer),
        anyio.create_task_group() as group,
    ):
        group.start_soon(end_by_signal)
        server = SdkServer(served)
        await server.run(reader, writer, server.create_initialization_options())
        group.cancel_scope.cancel()


def _wire() -> tuple[anyio.AsyncFile[str], anyio.AsyncFile[str]]:
    """The pipes to the client, out of the way of whatever runs in this process: what a tool prints goes to stderr, and it reads nothing."""
    reading, writing, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    heard = os.fdopen(reading, encoding="utf-8", errors="replace", newline="\n")
    told = os.fdopen(writing, "w", encoding="utf-8", newline="")
    return anyio.wrap_file(heard), anyio.wrap_file(told)
