"""How each gateway is started in front of servers, and how a tool of one of these is called through it.

The client is the protocol's SDK for Python, in the handshake era, over pipes or as the gateway has it; `mcpo` is asked by plain HTTP.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import socket
import sys
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import httpx2
import psutil
from environments import node, of_node, of_python
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

if TYPE_CHECKING:
    from collections.abc import Callable

Servers = dict[str, list[str]]
FAULTS = str(Path(__file__).with_name("fault_server.py"))
START = 60.0
"""Seconds that a gateway may take until it answers."""


class Said(NamedTuple):
    """An answer to a call."""

    failed: bool
    text: str


class Way:
    """One gateway in front of servers; ``async with`` runs it.

    Args:
        servers: the words of each, by name.
        options: what the gateway is told beside that: ``whole`` for results of any size.
    """

    def __init__(self, servers: Servers, *options: str) -> None:
        self.servers = servers
        self.options = options
        self.folder = Path(tempfile.mkdtemp(prefix="gateway-"))
        self.notices: list[str] = []
        self.processes: list[asyncio.subprocess.Process] = []
        self._stack = AsyncExitStack()
        self._clients: dict[str, Client] = {}
        self._names: dict[tuple[str, str], str] = {}

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """The process that ran this row ends after it; what is left of the gateway is ended by whoever began that."""

    async def start(self) -> None:
        """Start it, and connect."""
        raise NotImplementedError

    def own_pids(self) -> list[int]:
        """The processes of the gateway itself, without its servers'."""
        return [each.pid for each in self.processes]

    async def call(self, server: str, tool: str, arguments: dict[str, Any]) -> Said:
        """Call a tool of a server; raises what the client raises."""
        client = self._clients.get(server) or self._clients[""]
        result: Any = await client.call_tool(await self._name(client, server, tool), arguments)
        return Said(bool(result.is_error), "".join(getattr(each, "text", "") for each in result.content))

    async def listed(self, server: str) -> list[str]:
        """The names of the tools, asked for anew."""
        client = self._clients.get(server) or self._clients[""]
        return [each.name for each in (await client.list_tools(cache_mode="refresh")).tools]

    async def _name(self, client: Client, server: str, tool: str) -> str:
        if (server, tool) not in self._names:
            for _ in range(100):  # some list a server's tools only once it is up
                found = [
                    each.name
                    for each in (await client.list_tools(cache_mode="refresh")).tools
                    if each.name.endswith(tool)
                ]
                own = [
                    name
                    for name in found
                    if name == tool or name.startswith((f"{server}_", f"{server}.", f"{server}-"))
                ]
                if own:
                    self._names[server, tool] = min(own, key=len) if len(found) == 1 else max(own, key=len)
                    break
                await asyncio.sleep(0.1)
            else:
                raise LookupError(f"it offers no {tool} of {server}")
        return self._names[server, tool]

    async def _noted(self, message: Any) -> None:
        self.notices.append(getattr(message, "method", type(message).__name__))

    async def connect(self, transport: Any, server: str = "") -> None:
        """Have a client talk over a transport."""
        client = Client(transport, mode="legacy", message_handler=self._noted)
        self._clients[server] = await self._stack.enter_async_context(client)

    async def over_pipes(self, words: list[str], server: str = "", **env: str) -> None:
        """Start a program and talk to it over its pipes."""
        before = {each.pid for each in psutil.Process().children()}
        errors = (self.folder / "stderr").open("a")
        parameters = StdioServerParameters(command=words[0], args=words[1:], env={**os.environ, **env})
        await self.connect(stdio_client(parameters, errlog=errors), server)
        self._piped = [each.pid for each in psutil.Process().children() if each.pid not in before]

    async def over_http(self, port: int, path: str, server: str = "", *, sse: bool = False) -> None:
        """Talk to what listens there, as soon as it does."""
        address = f"http://127.0.0.1:{port}{path}"
        loop = asyncio.get_running_loop()
        end = loop.time() + START
        while True:
            if any(each.returncode is not None for each in self.processes):
                raise ChildProcessError(f"the gateway has ended: {self._last_words()}")
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                try:
                    await self.connect(
                        sse_client(address)
                        if sse
                        else streamable_http_client(address, max_sse_event_size=None),
                        server,
                    )
                    return  # noqa: TRY300 - the loop goes on otherwise
                except Exception:  # it listens before its servers are up
                    if loop.time() > end:
                        raise
            if loop.time() > end:
                raise TimeoutError(f"nothing listens after {START:g} s: {self._last_words()}")
            await asyncio.sleep(0.1)

    def _last_words(self) -> str:
        lines = (self.folder / "output").read_text(errors="replace").splitlines()
        said = [line.strip(" |") for line in lines if any(map(str.isalpha, line))]
        return said[-1][:200] if said else "it says nothing"

    async def run(self, words: list[str], **env: str) -> None:
        """Start a program whose output nobody reads."""
        output = (self.folder / "output").open("a")
        started = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **env},
            cwd=self.folder,
        )
        self.processes.append(started)

    def written(self, name: str = "servers.json", **more: Any) -> str:
        """A file in the form that most clients of MCP have."""
        entries = {
            server: {"command": words[0], "args": words[1:], **more} for server, words in self.servers.items()
        }
        file = self.folder / name
        file.write_text(json.dumps({"mcpServers": entries}))
        return str(file)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Direct(Way):
    """The SDK's client alone, one for each server."""

    async def start(self) -> None:
        for server, words in self.servers.items():
            with suppress(Exception):  # one that cannot start
                await self.over_pipes(words, server)

    def own_pids(self) -> list[int]:
        return []


class Callboard(Way):
    """`callboard mcp`, over pipes."""

    async def start(self) -> None:
        more = {"result_limit": 64 << 20} if "whole" in self.options else {}
        words = [sys.executable, "-m", "callboard", "mcp", "--trust", self.written(**more)]
        await self.over_pipes(words, XDG_STATE_HOME=str(self.folder))

    def own_pids(self) -> list[int]:
        return self._piped


class CallboardHttp(Way):
    """`callboard mcp --http`."""

    async def start(self) -> None:
        port, more = free_port(), {"result_limit": 64 << 20} if "whole" in self.options else {}
        words = [
            sys.executable,
            "-m",
            "callboard",
            "mcp",
            "--trust",
            "--http",
            f"127.0.0.1:{port}",
            "--no-token",
        ]
        words += ["--max-event", str(64 << 20)] if "whole" in self.options else []
        await self.run([*words, self.written(**more)], XDG_STATE_HOME=str(self.folder))
        await self.over_http(port, "/mcp")


class FastMcp(Way):
    """`fastmcp run`, over pipes."""

    async def start(self) -> None:
        await self.over_pipes([*of_python("fastmcp"), "run", self.written("mcp.json"), "--no-banner"])

    def own_pids(self) -> list[int]:
        return self._piped


class McpProxy(Way):
    """`mcp-proxy`, over streamable HTTP, an address for each server."""

    async def start(self) -> None:
        port = free_port()
        await self.run(
            [*of_python("mcp-proxy"), "--port", str(port), "--named-server-config", self.written()]
        )
        for server in self.servers:
            await self.over_http(port, f"/servers/{server}/mcp", server)


class SuperGateway(Way):
    """`supergateway`, over streamable HTTP, a process for each server."""

    async def start(self) -> None:
        for server, words in self.servers.items():
            port = free_port()
            stdio = [
                "--stdio",
                shlex.join(words),
                "--outputTransport",
                "streamableHttp",
                "--stateful",
                "--port",
                str(port),
            ]
            await self.run([*of_node("supergateway", "dist/index.js"), *stdio])
            try:
                await self.over_http(port, "/mcp", server)
            except Exception:  # noqa: BLE001 - a server that cannot start is its own gateway's affair
                self.processes.pop()


class McpHub(Way):
    """`mcp-hub`, over SSE."""

    async def start(self) -> None:
        port = free_port()
        await self.run(
            [*of_node("mcp-hub", "dist/cli.js"), "--port", str(port), "--config", self.written()],
            **_home(self),
        )
        await self.over_http(port, "/mcp", sse=True)


class McPorter(Way):
    """`mcporter serve`, over pipes, in front of its own daemon."""

    async def start(self) -> None:
        file = self.written(lifecycle="keep-alive")
        await self.over_pipes(
            [*of_node("mcporter", "dist/cli.js"), "--config", file, "serve", "--stdio"], **_home(self)
        )

    def own_pids(self) -> list[int]:
        daemons = [
            each.pid
            for each in psutil.process_iter()
            if str(self.folder) in words_of(each) and "mcporter" in words_of(each)
        ]
        return [*self._piped, *daemons]


class Mcpo(Way):
    """`mcpo`, by plain HTTP."""

    async def start(self) -> None:
        self._port = free_port()
        self._http = httpx2.AsyncClient(timeout=None)
        await self.run(
            [*of_python("mcpo"), "--host", "127.0.0.1", "--port", str(self._port), "--config", self.written()]
        )
        end = asyncio.get_running_loop().time() + START
        while True:
            with suppress(httpx2.TransportError):
                first = next(iter(self.servers))
                if (await self._http.get(self._address(first, "openapi.json"))).status_code == 200:
                    return
            if self.processes[0].returncode is not None or asyncio.get_running_loop().time() > end:
                raise ChildProcessError(f"the gateway does not answer: {self._last_words()}")
            await asyncio.sleep(0.1)

    def _address(self, server: str, path: str) -> str:
        return f"http://127.0.0.1:{self._port}/{server}/{path}"

    async def call(self, server: str, tool: str, arguments: dict[str, Any]) -> Said:
        answer = await self._http.post(self._address(server, tool), json=arguments)
        return Said(answer.status_code != 200, answer.text)

    async def listed(self, server: str) -> list[str]:
        found = (await self._http.get(self._address(server, "openapi.json"))).json()
        return [path.strip("/") for path in found.get("paths", {})]


def _home(way: Way) -> dict[str, str]:
    """A home of its own, and the Node that it is to run with."""
    path = os.pathsep.join([str(Path(node()).parent), os.environ.get("PATH", "")])
    return {"HOME": str(way.folder), "XDG_STATE_HOME": str(way.folder), "PATH": path}


def words_of(process: psutil.Process) -> str:
    """The command line of a process; empty if it has gone."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


WAYS: dict[str, Callable[..., Way]] = {
    "direct": Direct,
    "fastmcp": FastMcp,
    "mcp-proxy": McpProxy,
    "supergateway": SuperGateway,
    "mcp-hub": McpHub,
    "mcpo": Mcpo,
    "mcporter": McPorter,
    "callboard": Callboard,
    "callboard over HTTP": CallboardHttp,
}
