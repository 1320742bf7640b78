"""Entries of servers that declare what a file says; see `mcp_declared_server.py`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from leaks import TEST_MARK
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

SERVER = str(PROGRAMS / "python" / "mcp_declared_server.py")


def tool(name: str, **facts: Any) -> dict[str, Any]:
    """A tool as a server declares it."""
    return {"name": name, "inputSchema": {"type": "object"}, **facts}


def declare(folder: Path, name: str, *tools: str | dict[str, Any], **more: Any) -> Path:
    """Write what the server of that name declares; returns the file."""
    file = folder / f"{name}.json"
    file.write_text(
        json.dumps({"tools": [tool(each) if isinstance(each, str) else each for each in tools], **more})
    )
    return file


def declared(
    folder: Path, name: str, *tools: str | dict[str, Any], mcp: Any = None, **more: Any
) -> dict[str, Any]:
    """The entry of a server that declares these tools, and ``more``; ``mcp``: further keys of its entry."""
    file = declare(folder, name, *tools, **more)
    return {
        "mcp": {"command": sys.executable, "args": [SERVER, str(file)], "env": TEST_MARK, **(mcp or {})},
        "name": name,
    }


def asked(folder: Path, name: str, method: str) -> list[Any]:
    """The params of all requests of that method that the server of that name was sent."""
    lines = (folder / f"{name}.asked").read_text().splitlines()
    return [params for kind, params in map(json.loads, lines) if kind == method]
