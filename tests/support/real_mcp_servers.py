"""The MCP servers that others have written and `make test-mcp` runs: which, and how to have them.

As a program it installs them, once, below `.venv`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from npm_install import Pinned, node_program, npm_install
from programs import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PLACE = ROOT / ".venv" / "mcp-servers"
NODE = {
    "server-everything": "2026.8.31",
    "server-filesystem": "2026.8.31",
    "server-memory": "2026.8.31",
    "server-sequential-thinking": "2026.8.31",
    "sdk": "1.32.2",
}
"""Packages of `@modelcontextprotocol`."""
PYTHON = {
    "mcp-server-fetch": "2026.10.24",
    "mcp-server-git": "2026.10.19",
    "mcp-server-time": "2026.10.19",
    "fastmcp": "4.2.3",
}
OLDER = {"mcp-server-sqlite": "2025.4.25", "mcp": "1.27.2"}
"""What needs the SDK of the handshake era, in an environment of its own."""


def node_server(name: str) -> list[str]:
    """The words that run a server for Node."""
    return [
        node_program(),
        str(PLACE / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js"),
    ]


def python_server(name: str) -> list[str]:
    """The words that run a server in Python, or Python with those servers."""
    place = PLACE / ("older" if name in OLDER else "python")
    return [str(place / "bin" / name)]


def main() -> None:
    """Install what is not there yet."""
    wanted = f"{NODE} {PYTHON} {OLDER}"
    stamp = PLACE / "installed"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    npm_install(PLACE, {f"@modelcontextprotocol/{name}": Pinned(version) for name, version in NODE.items()})
    pip_install(PLACE / "python", PYTHON)
    pip_install(PLACE / "older", OLDER)
    stamp.write_text(wanted)


def pip_install(place: Path, packages: Mapping[str, str]) -> None:
    """Install packages for Python into an environment of their own."""
    subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
    pip = [place / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, *(f"{name}=={version}" for name, version in packages.items())], check=True)


if __name__ == "__main__":
    main()
