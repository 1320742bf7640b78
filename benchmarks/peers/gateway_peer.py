"""The proxy of fastmcp, installed on demand beside the build, in an environment of its own: no dependency of anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from peers.mcp_peer import PeerMissing

PROXY = "fastmcp==4.2.3"

HOME = Path(__file__).parents[2] / "build" / "bench-gateway"
_STAMP = HOME / "installed.stamp"
_PYTHON = HOME / "venv" / "bin" / "python"
_PROGRAM = """
import sys
from fastmcp.server import create_proxy
servers = {"echo": {"command": sys.argv[1], "args": sys.argv[2:]}}
create_proxy({"mcpServers": servers}, name="proxy").run(show_banner=False)
"""


def argv(server: tuple[str, ...], *, install: bool) -> tuple[str, ...]:
    """The words that start it in front of a server.

    Raises:
        PeerMissing: it is not installed, and may not be or cannot be.
    """
    if not _STAMP.is_file() or _STAMP.read_text() != PROXY:
        if not install:
            raise PeerMissing("not installed")
        print(f"installing {PROXY} into {HOME} ...", file=sys.stderr)
        HOME.mkdir(parents=True, exist_ok=True)
        for words in (
            [sys.executable, "-m", "venv", "--clear", str(HOME / "venv")],
            [str(_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PROXY],
        ):
            ended = subprocess.run(words, capture_output=True, text=True, check=False)
            if ended.returncode != 0:
                last = (ended.stderr or ended.stdout).strip().splitlines()[-1:]
                raise PeerMissing(f"cannot be installed: {' '.join(last):.200}")
        _STAMP.write_text(PROXY)
    return (str(_PYTHON), "-c", _PROGRAM, *server)
