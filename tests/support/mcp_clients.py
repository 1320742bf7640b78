"""The official client of MCP against `callboard mcp`: a real process, over its pipes or over HTTP, in either era."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from command_line import ENVIRONMENT
from leaks import TEST_MARK
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

SERVER = str(PROGRAMS / "python" / "mcp_server.py")
ERAS = {"handshake": "legacy", "stateless": "auto"}
PATIENCE = 30.0
NOWHERE = Path(os.devnull)


def servers(**words: list[str]) -> dict[str, Any]:
    """A client's file with servers of these names, each with words for `mcp_server.py`."""
    return {
        "mcpServers": {
            name: {"command": sys.executable, "args": [SERVER, *said], "env": TEST_MARK}
            for name, said in words.items()
        }
    }


def written(folder: Path, content: Any) -> Path:
    """A file with this configuration."""
    file = folder / "servers.json"
    file.write_text(json.dumps(content))
    return file


def command(config: Path, *options: str) -> list[str]:
    """The words that serve a configuration."""
    return [sys.executable, "-m", "callboard", "mcp", *options, str(config)]


@asynccontextmanager
async def over_pipes(
    config: Path, era: str, *words: str, said: Path = NOWHERE, **options: Any
) -> AsyncIterator[Client]:
    """A client that has started the server itself, with these words; what that says on stderr is written to ``said``."""
    program, *rest = command(config, *words)
    started = StdioServerParameters(command=program, args=rest, env=ENVIRONMENT)
    with said.open("w") as errors, anyio.fail_after(PATIENCE * 3):
        async with Client(stdio_client(started, errlog=errors), mode=ERAS[era], **options) as client:
            yield client


@contextmanager
def http_server(config: Path, *options: str) -> Iterator[str]:
    """The address of a server that serves over HTTP."""
    with subprocess.Popen(
        command(config, "--http", "127.0.0.1:0", *options),
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r"http://\S+", line)
            assert found, line
            yield found[0]
        finally:
            process.terminate()
            process.wait(PATIENCE)


@asynccontextmanager
async def over_http(address: str, era: str, **options: Any) -> AsyncIterator[Client]:
    """A client of a server that serves over HTTP."""
    with anyio.fail_after(PATIENCE * 3):
        async with Client(address, mode=ERAS[era], **options) as client:
            yield client
