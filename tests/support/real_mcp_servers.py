"""The MCP servers that others have written and `make test-mcp` runs: which, and how to have them.

As a program it installs them, once, below `.venv`.
"""

from __future__ import annotations

import subprocess
import sys

from npm_install import Pinned, node_program, npm_install
from programs import ROOT

PLACE = ROOT / ".venv" / "mcp-servers"
NODE = {
    "server-everything": "2026.8.31",
    "server-filesystem": "2026.8.31",
    "server-memory": "2026.8.31",
}
"""Packages of `@modelcontextprotocol`."""
PYTHON = {"mcp-server-git": "2026.10.19", "mcp-server-time": "2026.10.19"}


def node_server(name: str) -> list[str]:
    """The words that run a server for Node."""
    return [
        node_program(),
        str(PLACE / "node_modules" / "@modelcontextprotocol" / name / "dist" / "index.js"),
    ]


def python_server(name: str) -> list[str]:
    """The words that run a server in Python."""
    return [str(PLACE / "python" / "bin" / name)]


def main() -> None:
    """Install what is not there yet."""
    wanted = f"{NODE} {PYTHON}"
    stamp = PLACE / "installed"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    npm_install(PLACE, {f"@modelcontextprotocol/{name}": Pinned(version) for name, version in NODE.items()})
    subprocess.run([sys.executable, "-m", "venv", "--clear", PLACE / "python"], check=True)
    pip = [
        PLACE / "python" / "bin" / "python",
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "install",
    ]
    subprocess.run([*pip, *(f"{name}=={version}" for name, version in PYTHON.items())], check=True)
    stamp.write_text(wanted)


if __name__ == "__main__":
    main()
