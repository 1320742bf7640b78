"""A board served over this process's stdin and stdout, until the client closes its end or a signal comes."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ..mcp.serving import BoardServer
from ..mcp_edge.first_signal import first_signal
from .connection import Connection

if TYPE_CHECKING:
    from ..mcp.serving import MakeBoard


def serve_stdio(make: MakeBoard) -> None:
    """Serve until the client has gone, or a signal comes; nothing of the board is left then.

    A signal ends the process as it would have without a handler, but for the stop before it: threads that wait for servers would keep it
    for as long as these take.

    Raises:
        CallboardError: the board could not be started.
    """
    asyncio.run(_serve(make))


async def _serve(make: MakeBoard) -> None:
    served = BoardServer(make, many=False)
    ending = asyncio.ensure_future(_end_by_signal(served))
    try:
        async with served.running():
            await Connection(served, *_wire()).run()
    finally:
        ending.cancel()


async def _end_by_signal(served: BoardServer) -> None:
    number = await first_signal()
    await served.stop()
    os._exit(128 + number)


def _wire() -> tuple[int, int]:
    """The pipes to the client, out of the way of whatever runs in this process: what a tool prints goes to stderr, and it reads nothing."""
    reading, writing, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reading, writing
