"""Holds what a served board sends over HTTP to a size: clients refuse a larger message, and lose the whole answer with it.

A result and what a resource holds are cut, with the rest as resources; a list comes in more pages; any other answer becomes an error that says
so. Messages beside answers are shortened where they leave, see `BoundedEvents`.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic_core import to_json

from ..base.foreign import Log
from ..hosts.mcp.result_bound import KeptParts
from ..hosts.mcp.revision import HANDSHAKES
from .bounded_answer import Event, bounded_read, bounded_result
from .cut_results import CutResults

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

_AROUND: Final = 512
"""Bytes around an answer: of JSON-RPC and of the stream."""

_LISTS: Final = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
_MOST_TEXT: Final = 1000
"""Characters that are left of a text in a message that is too large."""

_MOST_KEPT: Final = 256
_MOST_DIGITS: Final = 9


def size_for(revision: str) -> Callable[[Any], int]:
    """What measures a value in an answer, as the SDK writes it in this revision."""
    if revision in HANDSHAKES:
        return lambda value: len(to_json(value))
    return lambda value: len(json.dumps(value, separators=(",", ":")))


class EventBound:
    """A middleware of the SDK's server, see the module. In the event loop.

    Args:
        most: bytes of one message.
        identity_of: the same for all requests of one client, as far as that can be known.
    """

    def __init__(self, most: int, identity_of: Callable[[Any], object]) -> None:
        self._most = most
        self._kept = KeptParts(_MOST_KEPT)
        self._cut = CutResults()
        self._identity_of = identity_of

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        if ctx.request_id is None:
            return await call_next(ctx)
        measure = size_for(ctx.protocol_version)
        event = Event(self._most, self._most - _AROUND - measure(ctx.request_id), measure)
        if ctx.method == "resources/read" and (kept := self._read(ctx)) is not None:
            return kept
        try:
            answer = await call_next(ctx)
        except MCPError as error:
            raise self._bounded_error(error, event) from None
        if not isinstance(answer, dict):
            return answer
        if ctx.method == "resources/list":
            own = self._cut.listed(self._identity_of(ctx), self._kept.resources())
            answer = {**answer, "resources": [*answer["resources"], *own]}
        if ctx.method in _LISTS:
            return await asyncio.to_thread(_paged, ctx.method, ctx.params or {}, answer, event)
        if _is_surely_small(answer, event) or event.measure(answer) <= event.room:
            return answer
        return await self._bounded(ctx, answer, event)

    async def _bounded(self, ctx: Any, answer: Json, event: Event) -> Json:
        made = _BOUNDED.get(ctx.method)
        if made is not None:
            name = str((ctx.params or {}).get("name") or "resource")[:_MOST_TEXT]
            address = self._kept.address(name)
            # It takes milliseconds for each megabyte: others are answered meanwhile.
            answer, parts, size = await asyncio.to_thread(made, answer, address, event)
            if event.measure(answer) <= event.room:
                self._kept.keep(address, parts, size)
                self._cut.add(self._identity_of(ctx), address)
                return answer
        raise MCPError(
            types.INTERNAL_ERROR,
            f"the answer to {ctx.method!r} has {event.measure(answer):,} bytes, more than one message over HTTP may have "
            f"({self._most:,}); raise '--max-event', and what the client takes",
        )

    def _read(self, ctx: Any) -> Json | None:
        """What was cut off, as an answer."""
        kept = self._kept.read(str((ctx.params or {}).get("uri")))
        if kept is None or ctx.protocol_version in HANDSHAKES:
            return kept
        return {**kept, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}

    def _bounded_error(self, error: MCPError, event: Event) -> MCPError:
        size = event.measure({"message": error.message, "data": error.data})
        if size <= event.room - _AROUND:
            return error
        why = (
            f" [cut: the error has {size:,} bytes, more than one message over HTTP may have ({self._most:,})]"
        )
        return MCPError(error.code, error.message[:_MOST_TEXT] + why)


def _is_surely_small(value: Any, event: Event) -> bool:
    """Whether a value has so few parts and characters that it need not be written to be measured."""
    left, waiting = event.room // 8, [value]
    while waiting:
        each = waiting.pop()
        left -= 8 if not isinstance(each, str) else 8 + len(each)
        if isinstance(each, dict):
            waiting += (*each, *each.values())
        elif isinstance(each, list | tuple):
            waiting += each
        elif isinstance(each, int) and each.bit_length() > 64:  # noqa: PLR2004 - more digits than are counted
            return False
        if left < len(waiting):
            return False
    return True


def _bounded_task(answer: Json, address: str, event: Event) -> tuple[Json, dict[str, Json], int]:
    """As `bounded_result`, for a task that holds its result."""
    result = answer.get("result")
    if not isinstance(result, dict):
        return answer, {}, 0
    around = event.measure({key: each for key, each in answer.items() if key != "result"})
    inner = Event(event.most, event.room - around - _AROUND, event.measure)
    bounded, parts, size = bounded_result(result, address, inner)
    return {**answer, "result": bounded}, parts, size


_BOUNDED: Final[dict[str, Any]] = {
    "tools/call": bounded_result,
    "tasks/result": bounded_result,
    "tasks/get": _bounded_task,
    "resources/read": bounded_read,
}


def _paged(method: str, params: Json, answer: Json, event: Event) -> Json:
    """A list as a page of it that fits, and what the next one begins with. An item that fits no page is left out."""
    key = _LISTS[method]
    cursor = params.get("cursor")
    before = (
        int(cursor) if isinstance(cursor, str) and cursor.isdecimal() and len(cursor) <= _MOST_DIGITS else 0
    )
    items, whole = answer[key], method != "tools/list"
    items = items[before:] if whole else items
    room = event.room - event.measure({name: each for name, each in answer.items() if name != key}) - _AROUND
    page: list[Any] = []
    for number, item in enumerate(items):
        size = event.measure(item) + 1
        if size > event.room - _AROUND * 2:
            logger.warning(
                "%s: %.100r of %d bytes is left out, more than one message over HTTP may have; raise '--max-event'",
                method, item.get("name"), size,
            )  # fmt: skip
            continue
        if (room := room - size) < 0:
            return {**answer, key: page, "nextCursor": str(before + number)}
        page.append(item)
    return {**answer, key: page}


class BoundedEvents:
    """An ASGI application whose events are within a bound: a notification that is not is shortened."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def bounded(message: Message) -> None:
            if message["type"] == "http.response.body" and len(message.get("body", b"")) > self._most:
                message = {**message, "body": _shortened(message["body"], self._most)}
            await send(message)

        await self._app(scope, receive, bounded)


def _shortened(event: bytes, most: int) -> bytes:
    """An event of a stream with a notification, with its long texts cut; any other as it is."""
    head, mark, data = event.partition(b"data: ")
    try:
        said = json.loads(data)
    except ValueError:
        return event
    if (
        not head.startswith(b"event: message")
        or not isinstance(said, dict)
        or "id" in said
        or "method" not in said
    ):
        return event
    params = {
        key: each
        if len(json.dumps(each)) <= _MOST_TEXT
        else f"{json.dumps(each, ensure_ascii=False)[:_MOST_TEXT]} [cut: {len(event):,} bytes are more than {most:,}]"
        for key, each in (said.get("params") or {}).items()
    }
    return head + mark + json.dumps({**said, "params": params}).encode() + b"\r\n\r\n"
