"""The command line as somebody runs it: a process of its own."""

from __future__ import annotations

import atexit
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from interrupts import interruptible
from leaks import TEST_MARK
from programs import NODE, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EXAMPLES = ROOT / "examples"
ECHO = f"node:{EXAMPLES / 'js-echo-tool'}"
PACED = {
    "node_tool": {
        "file": str(NODE / "paced.mjs"),
        "id": "paced",
    }
}

PATIENCE = 50
_STATES = TemporaryDirectory(prefix="callboard-states-")
"""What the user of these commands trusts is the test run's own."""
ENVIRONMENT = {**os.environ, **TEST_MARK, "COLUMNS": "100", "XDG_STATE_HOME": _STATES.name}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "callboard", *arguments]


def callboard(
    *arguments: str, text: str = "", env: dict[str, str] | None = None, into: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in a process that had no need to import it; see ready_commands.py.

    Its output goes ``into`` a file, and is not read, if one is named.
    """
    with TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        for stream, content in zip(streams, (text, "", ""), strict=True):
            stream.write_text(content)
        given, output, errors = streams
        status = _READY.run(arguments, ENVIRONMENT | (env or {}), [given, into or output, errors])
        said, complained = output.read_text(), errors.read_text()
    return subprocess.CompletedProcess(command(*arguments), status, said, complained)


class _ReadyCommands:
    """The process that has the command line imported; begun with this module, and so before any test looks what is there."""

    def __init__(self) -> None:
        program = Path(__file__).with_name("ready_commands.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        atexit.register(self._process.__exit__, None, None, None)  # closes the pipes, which ends it

    def run(self, arguments: Sequence[str], env: Mapping[str, str], streams: Sequence[Path]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {
            "arguments": arguments,
            "env": dict(env),
            "cwd": str(Path.cwd()),
            "streams": [*map(str, streams)],
        }
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        overdue = threading.Timer(PATIENCE, os.kill, (pid, signal.SIGKILL))
        overdue.start()
        try:
            return int(self._process.stdout.readline())
        finally:
            overdue.cancel()
            overdue.join()


_READY = _ReadyCommands()


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start a command that can be interrupted, with pipes for all its streams."""
    with interruptible():
        return started(command(*arguments))


def started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a command by these words, with pipes for all its streams."""
    return subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )


def on_a_terminal(*arguments: str, columns: int = 80, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a command with a terminal for its output; its exit status and what it showed."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    process = subprocess.Popen(
        command(*arguments),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT | {"TERM": "xterm"} | (env or {}),
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
