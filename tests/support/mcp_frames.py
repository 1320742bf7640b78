"""What the official client of MCP receives, frame by frame, before it makes anything of it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import mcp_types as types
from mcp.shared.message import SessionMessage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Answers = list[types.JSONRPCResponse | types.JSONRPCError]


@asynccontextmanager
async def noting(transport: Any, answers: Answers) -> AsyncIterator[tuple[Any, Any]]:
    """The transport as it is; each answer that comes over it is appended."""
    async with transport as (reader, writer):
        yield _Noting(reader, answers), writer


class _Noting:
    """A stream whose messages are looked at as they pass."""

    def __init__(self, reader: Any, answers: Answers) -> None:
        self._reader = reader
        self._answers = answers

    async def receive(self) -> Any:
        item = await self._reader.receive()
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._answers.append(message)
        return item

    async def aclose(self) -> None:
        await self._reader.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except Exception as error:
            if type(error).__name__ == "EndOfStream":
                raise StopAsyncIteration from None
            raise

    async def __aenter__(self) -> Self:
        await self._reader.__aenter__()
        return self

    async def __aexit__(self, *ended: object) -> Any:
        return await self._reader.__aexit__(*ended)
