"""A client of MCP and three servers that others have written, which are killed while it works: without Callboard, and with it.

The client is the protocol's own, the servers are `server-memory`, `server-filesystem` (Node) and `mcp-server-time` (Python); the kills are SIGKILL.
`make demo-mcp` installs them and runs this.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import psutil
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from real_mcp_servers import node_server, python_server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CALLS = 300
KILLS = {50: "server-memory", 120: "mcp-server-time", 190: "server-filesystem", 240: "server-memory"}
PATIENCE = 10.0
"""Seconds after which a call counts as never answered."""

FILES = {"server-memory": "memory", "server-filesystem": "files", "mcp-server-time": "time"}
"""The names of the servers, by what stands in their command lines."""


def servers(folder: str) -> dict[str, list[str]]:
    """The words that run each server."""
    return {
        "memory": node_server("server-memory"),
        "files": [*node_server("server-filesystem"), folder],
        "time": python_server("mcp-server-time"),
    }


def calls(folder: str) -> list[tuple[str, str, dict[str, Any]]]:
    """One call for each: server, tool, arguments."""
    return [
        ("memory", "read_graph", {}),
        ("files", "list_directory", {"path": folder}),
        ("time", "get_current_time", {"timezone": "UTC"}),
    ]


def kill(name: str) -> None:
    """SIGKILL to the server of this name, wherever below this process it runs."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if name in " ".join(process.cmdline()) and "callboard" not in process.cmdline():
                process.send_signal(signal.SIGKILL)


async def work(ask: Callable[[str, str, dict[str, Any]], Awaitable[Any]], folder: str) -> dict[str, Any]:
    """Call the servers in turn while they are killed; what became of the calls."""
    told = {"answered": 0, "failed": 0, "never answered": 0}
    first_after: dict[str, float] = {}
    dead: dict[str, float] = {}
    for number in range(CALLS):
        if (name := KILLS.get(number)) is not None:
            kill(name)
            dead[FILES[name]] = time.monotonic()
        server, tool, arguments = calls(folder)[number % 3]
        try:
            result = await asyncio.wait_for(ask(server, tool, arguments), PATIENCE)
            well = not result.is_error
        except TimeoutError:
            told["never answered"] += 1
            continue
        except Exception:  # noqa: BLE001 - whatever the client makes of a server that is gone
            well = False
        told["answered" if well else "failed"] += 1
        if well and server in dead:
            first_after[server] = time.monotonic() - dead.pop(server)
    return {
        **told,
        "servers that never came back": sorted(dead),
        "longest recovery, s": "never" if dead else f"{max(first_after.values()):.1f}",
    }


async def without(folder: str, nowhere: TextIO) -> dict[str, Any]:
    """The client starts the servers itself, as clients do."""
    stack = AsyncExitStack()
    clients = {}
    for name, (command, *words) in servers(folder).items():
        started = StdioServerParameters(command=command, args=words)
        clients[name] = await stack.enter_async_context(Client(stdio_client(started, errlog=nowhere)))
    try:
        return await work(lambda server, tool, arguments: clients[server].call_tool(tool, arguments), folder)
    finally:
        with suppress(Exception):  # it cannot close what is gone
            await stack.aclose()


async def behind(folder: str, nowhere: TextIO) -> dict[str, Any]:
    """The same client, with one line between it and the same servers."""
    file = Path(folder) / "servers.json"
    entries = {
        name: {"command": command, "args": words} for name, (command, *words) in servers(folder).items()
    }
    file.write_text(json.dumps({"mcpServers": entries}))
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "callboard", "mcp", "--trust", str(file)]
    )
    async with Client(stdio_client(started, errlog=nowhere)) as client:
        await client.list_tools()
        return await work(lambda _, tool, arguments: client.call_tool(tool, arguments), folder)


def main() -> None:
    """Run both, and show what each has lost."""
    with tempfile.TemporaryDirectory() as made, Path(os.devnull).open("w") as nowhere:
        folder = str(Path(made).resolve())
        rows = {}
        for name, run in {"without Callboard": without, "behind Callboard": behind}.items():
            print(f"{CALLS} calls, {len(KILLS)} kills, {name} ...", flush=True)
            rows[name] = asyncio.run(run(folder, nowhere))
    print(f"\n{'':30} " + " ".join(f"{name:>20}" for name in rows))
    for key in next(iter(rows.values())):
        values = (
            ", ".join(row[key]) or "none" if isinstance(row[key], list) else str(row[key])
            for row in rows.values()
        )
        print(f"{key:30} " + " ".join(f"{value:>20}" for value in values))


if __name__ == "__main__":
    main()
