"""A client of `callboard mcp` over pipes that is the test itself, line by line."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from command_line import ENVIRONMENT
from leaks import no_leaks
from mcp_clients import PATIENCE, command, servers, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Json = dict[str, Any]


def line(**members: Any) -> bytes:
    """A message, as it is written."""
    return json.dumps({"jsonrpc": "2.0", **members}).encode() + b"\n"


def hello(revision: str = "2025-11-25") -> bytes:
    """How a client begins."""
    client = {"name": "tester", "version": "1"}
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": client}
    return line(id=0, method="initialize", params=params) + line(method="notifications/initialized")


def call(number: Any, tool: str = "echo", **arguments: Any) -> bytes:
    """A call of a tool."""
    return line(id=number, method="tools/call", params={"name": tool, "arguments": arguments})


class Served:
    """The process, line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self.process = process
        self.stdin: IO[bytes] | None = process.stdin
        self.stdout: IO[bytes] = process.stdout
        self.rest = b""

    def say(self, *lines: bytes) -> None:
        """Write these lines."""
        assert self.stdin is not None
        self.stdin.write(b"".join(lines))
        self.stdin.flush()

    def next(self) -> Json:
        """The next message."""
        said: Json = json.loads(self.stdout.readline())
        return said

    def answers(self, count: int) -> dict[Any, Json]:
        """The next answers by their ids; what is told meanwhile is left out."""
        found = {}
        while len(found) < count:
            said = self.next()
            if "id" in said:
                found[said["id"]] = said
        return found

    def text(self, answer: Json) -> str:
        """The text of a result."""
        (block,) = answer["result"]["content"]
        text: str = block["text"]
        return text

    def ends(self) -> int:
        """Go; returns its exit status."""
        assert self.stdin is not None
        self.stdin.close()
        return self.process.wait(PATIENCE)


@contextmanager
def serving(folder: Path, content: Json | None = None, **streams: Any) -> Iterator[Served]:
    """A board of one server, or of this configuration, served over pipes to a client that is the test itself."""
    config = written(folder, servers(words=["tools=echo,hang,steps,pid"]) if content is None else content)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **streams}
    with no_leaks(), subprocess.Popen(command(config), env=ENVIRONMENT, **pipes) as process:
        guard = threading.Timer(PATIENCE * 3, process.kill)
        guard.start()
        try:
            yield Served(process)
        finally:
            guard.cancel()
            if process.stdout is not None:
                process.stdout.close()
