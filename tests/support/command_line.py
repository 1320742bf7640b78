"""The command line as somebody runs it: a process of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaks import TEST_MARK

if TYPE_CHECKING:
    from collections.abc import Iterable

EXAMPLES = Path(__file__).parents[2] / "examples"
ECHO = f"node:{EXAMPLES / 'js-echo-tool'}"
PACED = {
    "node_tool": {
        "file": str(Path(__file__).parents[1] / "facade" / "cli_tools" / "paced.mjs"),
        "id": "paced",
    }
}

PATIENCE = 50
ENVIRONMENT = {**os.environ, **TEST_MARK, "COLUMNS": "100"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "callboard", *arguments]


def callboard(
    *arguments: str, text: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command(*arguments),
        input=text,
        env=ENVIRONMENT | (env or {}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a command, with pipes for all its streams."""
    return subprocess.Popen(
        command(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Run a command with a terminal for its output; its exit status and what it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT | {"TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 65536):
            shown += data
    except OSError:  # how a terminal tells its end
        pass
    os.close(ours)
    return process.wait(PATIENCE), shown.decode()


def lines(output: str | bytes) -> list[Any]:
    """NDJSON, read."""
    return [json.loads(line) for line in output.splitlines()]


def ndjson(values: Iterable[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def write_config(folder: Path, *plugins: Any, **more: Any) -> str:
    """Write a configuration; its path."""
    file = folder / "agent.json"
    file.write_text(json.dumps({"plugins": plugins, **more}))
    return str(file)
