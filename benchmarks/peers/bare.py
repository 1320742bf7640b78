"""The floor: a Node process spoken to with nothing in between.

No validation, no deadline, no supervision, no actor; it speaks Callboard's wire format, so that the
same bytes are carried. `Direct` writes and reads in the caller's own thread. `Futures` has what a
library cannot do without when several callers share a host: a reader thread, and a future per call.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

import orjson
from callboard.hosts.environment import host_environment
from callboard.hosts.node.find import find_node

HOST = Path(__file__).with_name("bare_host.mjs")

_BITE = 64 * 1024
"""Larger ones are slower: Python takes a whole one from the system for each read, however little comes."""


def node() -> str:
    """The Node that Callboard would take. Raises `HostStartError` when there is none."""
    path = find_node().path
    assert path is not None
    return path


def spawn(argv: list[str]) -> subprocess.Popen[bytes]:
    """Start a process with pipes, in the environment that Callboard gives its hosts.

    The environment matters: some of Node's variables cost it half of its start.
    """
    environment = host_environment(os.environ, {})
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment)


class Direct:
    """One call at a time, in the caller's own thread. A context manager that owns the process."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._process = spawn([node(), str(HOST)])
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()

    def call(self, arguments: dict[str, Any]) -> Any:
        """Echo ``arguments``."""
        self._write(f"1-{next(self._ids)}", arguments)
        chunks = [os.read(self._output, _BITE)]
        while not chunks[-1].endswith(b"\n"):
            chunks.append(os.read(self._output, _BITE))
        return orjson.loads(b"".join(chunks))["result"]["value"]

    def _write(self, request_id: str, arguments: dict[str, Any]) -> None:
        params = {"tool_name": "echo", "arguments": arguments, "state": {}}
        line = orjson.dumps({"v": 1, "id": request_id, "method": "execute_tool", "params": params}) + b"\n"
        while line := line[os.write(self._input, line) :]:
            continue

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.kill()


class Futures(Direct):
    """Any number of calls at a time: a reader thread sets a future for each."""

    def __init__(self) -> None:
        super().__init__()
        self._pending: dict[str, Future[Any]] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def submit(self, arguments: dict[str, Any]) -> Future[Any]:
        """Begin to echo ``arguments``."""
        request_id = f"1-{next(self._ids)}"
        future = self._pending[request_id] = Future()
        self._write(request_id, arguments)
        return future

    def call(self, arguments: dict[str, Any]) -> Any:
        """Echo ``arguments``."""
        return self.submit(arguments).result()

    def _read(self) -> None:
        held = b""
        while data := os.read(self._output, _BITE):
            *lines, held = (held + data).split(b"\n")
            for line in lines:
                answer = orjson.loads(line)
                self._pending.pop(answer["id"]).set_result(answer["result"]["value"])

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._reader.join()
        super().__exit__()
