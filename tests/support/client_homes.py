"""A home of its own for a user of MCP clients, and the commands that change what stands there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from command_line import ENVIRONMENT
from programs import PROGRAMS

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 120


class ClientHome:
    """A home, with the files of its clients.

    Args:
        folder: an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """What a command of this user sees."""
        inherited = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("XDG_")}
        return inherited | {"HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state")}

    def write(self, path: str, content: Any) -> Path:
        """Write a file below the home: a text as it is, and anything else as JSON."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content, indent=2) + "\n")
        return file

    def read(self, path: str) -> Any:
        """Read a file of JSON below the home."""
        return json.loads((self.folder / path).read_text())

    def mcp(
        self, *words: str | Path, stdin: str = "", **more: str | None
    ) -> subprocess.CompletedProcess[str]:
        """Run ``callboard mcp`` with these words; variables that are ``None`` are not set."""
        wanted = self.environment | more
        return subprocess.run(
            [sys.executable, "-m", "callboard", "mcp", *map(str, words)],
            input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False,
            env={name: value for name, value in wanted.items() if value is not None},
        )  # fmt: skip

    def files(self) -> dict[str, str]:
        """What stands in each file of the home, but for the state of Callboard."""
        return {
            str(file.relative_to(self.folder)): file.read_text()
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and self.folder / "state" not in file.parents
        }


def serves(*tools: str, after: str = "") -> dict[str, Any]:
    """The entry of a real server of these tools; ``after`` these words of a shell."""
    server = [sys.executable, str(PROGRAMS / "python" / "mcp_server.py"), f"tools={','.join(tools)}"]
    if not after:
        return {"command": server[0], "args": server[1:]}
    return {"command": "sh", "args": ["-c", f'{after}; exec "$@"', "sh", *server]}


def path_of_tests() -> str:
    """Return the PATH of this process."""
    return os.environ.get("PATH", os.defpath)
