"""The floor under asyncio: the process of `bare`, spoken to by the event loop alone.

Asyncio's own subprocess and its pipe transports, a protocol that cuts lines, and a future for each call: no thread beside the loop's.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from typing import TYPE_CHECKING, Any, Self

import orjson
from callboard.hosts.environment import host_environment
from peers.bare import HOST, node

if TYPE_CHECKING:
    from collections.abc import Callable


class _Lines(asyncio.SubprocessProtocol):
    """Answers by their ids, and parts before them."""

    def __init__(self) -> None:
        self.pending: dict[str, asyncio.Future[Any]] = {}
        self.parts: dict[str, Callable[[Any], object]] = {}
        self._held = b""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        assert fd == 1
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            answer = orjson.loads(line)
            if "event" in answer:
                self.parts[answer["id"]](answer["event"]["payload"])
                continue
            future = self.pending.pop(answer["id"])
            if not future.done():
                future.set_result(answer["result"]["value"])


class AsyncPipes:
    """Any number of calls at a time, in one event loop. An asynchronous context manager that owns the process."""

    async def __aenter__(self) -> Self:
        self._ids = itertools.count(1)
        self._loop = asyncio.get_running_loop()
        environment = host_environment(os.environ, {})
        self._transport, self._lines = await self._loop.subprocess_exec(
            _Lines, node(), str(HOST), stderr=None, env=environment
        )
        self._stdin: Any = self._transport.get_pipe_transport(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._transport.kill()
        await self._transport._wait()  # type: ignore[attr-defined] # noqa: SLF001 - which asyncio's own Process calls
        self._transport.close()

    async def call(self, arguments: dict[str, Any], name: str = "echo") -> Any:
        """Echo ``arguments``."""
        return await self._submit(arguments, name)[1]

    async def stream(self, count: int) -> int:
        """Have ``count`` parts sent; how many have come when the call ends."""
        queue: asyncio.Queue[Any] = asyncio.Queue()
        request_id, future = self._submit({"parts": count}, "echo")
        self._lines.parts[request_id] = queue.put_nowait
        future.add_done_callback(lambda _: queue.put_nowait(None))
        came = 0
        while await queue.get() is not None:
            came += 1
        del self._lines.parts[request_id]
        return came

    def _submit(self, arguments: dict[str, Any], name: str) -> tuple[str, asyncio.Future[Any]]:
        request_id = f"1-{next(self._ids)}"
        params = {"tool_name": name, "arguments": arguments, "state": {}}
        line = orjson.dumps({"v": 1, "id": request_id, "method": "execute_tool", "params": params}) + b"\n"
        future = self._lines.pending[request_id] = self._loop.create_future()
        self._stdin.write(line)
        return request_id, future
