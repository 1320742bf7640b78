"""A client of MCP that costs as little as one can: lines out, lines in, and no look at what they say but their ids."""

from __future__ import annotations

import itertools
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import orjson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness import Block

_BY_ID: Final = b'"method":'
_CHUNK: Final = 1 << 20


class PipeClient:
    """A client that has started a server, and has shaken hands with it. A context manager.

    Args:
        argv: starts the server.
        tool: the name under which it has ``echo``.
        env: of the server; ours if there is none.
    """

    def __init__(self, argv: Sequence[str], tool: str = "echo", env: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._write, self._read = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._ids = itertools.count(1)
        self._tool = tool
        self._rest = b""
        client = {"name": "bench", "version": "1"}
        self.request(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        )
        self._send(orjson.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + b"\n")
        self.request("tools/list", {})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Its result."""
        said = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        self._send(orjson.dumps(said) + b"\n")
        while True:
            for line in self._lines():
                answer = orjson.loads(line)
                if answer.get("id") == said["id"]:
                    return answer["result"]

    def one_by_one(self, count: int, arguments: dict[str, Any], *, progress: bool = False) -> Block:
        """Seconds of each of ``count`` calls."""
        return [self._together([call], 1) for call in self._calls(count, arguments, progress=progress)]

    def pipelined(self, count: int, arguments: dict[str, Any], window: int) -> Block:
        """Calls a second, with so many in flight."""
        return [count / self._together(self._calls(count, arguments), window)]

    def processor_time(self, count: int, arguments: dict[str, Any], *, progress: bool = False) -> Block:
        """Seconds of CPU of the server's own process, in all of its threads, for each of ``count`` calls, one after another; their mean."""
        before = self._used()
        self.one_by_one(count, arguments, progress=progress)
        return [(self._used() - before) / count]

    def _calls(self, count: int, arguments: dict[str, Any], *, progress: bool = False) -> list[bytes]:
        lines = []
        for _ in range(count):
            number = next(self._ids)
            params: dict[str, Any] = {"name": self._tool, "arguments": arguments}
            if progress:
                params["_meta"] = {"progressToken": number}
            said = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            lines.append(orjson.dumps(said) + b"\n")
        return lines

    def _together(self, calls: list[bytes], window: int) -> float:
        begin = time.perf_counter()
        under_way, sent, answered = 0, 0, 0
        while answered < len(calls):
            if sent < len(calls) and under_way < window:
                more = calls[sent : sent + window - under_way]
                self._send(b"".join(more))
                sent, under_way = sent + len(more), under_way + len(more)
            ended = sum(_BY_ID not in line[:120] for line in self._lines())
            answered, under_way = answered + ended, under_way - ended
        return time.perf_counter() - begin

    def _send(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._write, left) :]

    def _lines(self) -> list[bytes]:
        parts = [self._rest]
        while True:
            data = os.read(self._read, _CHUNK)
            if not data:
                raise EOFError("the server has gone")
            parts.append(data)
            if b"\n" in data:
                *lines, self._rest = b"".join(parts).split(b"\n")
                return lines

    def _used(self) -> float:
        # In nanoseconds, of each thread that lives; the usual count is in hundredths of a second.
        threads = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.stdin.close()  # type: ignore[union-attr]
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
