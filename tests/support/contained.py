"""Plugins that do whatever they are told, one in each kind of host, and the calls that tell them."""

from __future__ import annotations

import shutil
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from callboard import Callboard
from programs import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTAINED = PROGRAMS / "contained"
WAYS = ("node", "python", "bash", "command")


def source(way: str, folder: Path) -> dict[str, Any]:
    """The entry of a plugin of a kind, whose files are copied into a folder."""
    shutil.copytree(CONTAINED, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    match way:
        case "node":
            return {"node_tool": {"file": str(folder / "tool.mjs")}}
        case "python":
            (folder / "agent_plugin.json").write_text(
                '{"entries": ["contained_tool.Tool"], "subdirectory": "."}'
            )
            return {"plugin": f"path:{folder}"}
        case "bash":
            return {"bash_tool": {"path": str(folder / "bash")}}
        case _:
            return {
                "host": {
                    "protocol": "thp/1",
                    "command": [sys.executable, "-I", "host.py"],
                    "cwd": str(folder),
                }
            }


def call(name: str, **arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "1", "name": name, "arguments": arguments}


def said(board: Callboard, line: str) -> str:
    """What a line of the shell says, run by the plugin."""
    result = board.execute(call("shell", line=f"{line}\ntrue"))
    assert result["success"], result
    return str(result["result"])


@contextmanager
def contained(way: str, folder: Path, **options: Any) -> Iterator[Callboard]:
    """A board with one plugin, in a sandbox if nothing else is said."""
    with Callboard() as board:
        board.load(source(way, folder), **{"sandbox": "bwrap", "name": "t", **options})
        yield board
