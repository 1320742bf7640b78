"""Refuses answers over HTTP that can be read in two ways, as pipes do: the SDK would take the last of two keys for what a person has said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse

from ..mcp_protocol.served_client import INVALID_PARAMS
from ..mcp_stdio.frames import INVALID_REQUEST, ambiguity

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MOST: Final = 4 * 1024 * 1024
"""Bytes of a body, beyond which the SDK refuses it."""

_ANSWERS: Final = b"inputResponses"


class ClearAnswers:
    """An ASGI application that hears no answer with a key twice: a request with one is refused, and any other becomes an error."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        heard = await _heard(receive)
        body = b"".join(each.get("body", b"") for each in heard)
        if _may_answer(body) and (why := ambiguity(body)) is not None and (said := _said(body)) is not None:
            request_id, is_request = said
            code, about = (INVALID_PARAMS, "inputResponses: ") if is_request else (INVALID_REQUEST, "")
            error = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": about + why}}
            if is_request:
                await JSONResponse(error, 400)(scope, receive, send)
                return
            heard = [{"type": "http.request", "body": json.dumps(error).encode(), "more_body": False}]

        async def again() -> Message:
            return heard.pop(0) if heard else await receive()

        await self._app(scope, again, send)


async def _heard(receive: Receive) -> list[Message]:
    """The body of a request, as far as the SDK would read it."""
    heard: list[Message] = []
    size = 0
    while True:
        message = await receive()
        heard.append(message)
        size += len(message.get("body", b""))
        if not message.get("more_body", False) or size > _MOST:
            return heard


def _may_answer(body: bytes) -> bool:
    return len(body) <= _MOST and (b'"method"' not in body or _ANSWERS in body or b"\\u" in body)


def _said(body: bytes) -> tuple[Any, bool] | None:
    """The id of an answer, and whether it comes with a request; ``None`` if the body is none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None  # it is refused as it is
    if not isinstance(message, dict):
        return None
    if "method" not in message:
        return message.get("id"), False
    params = message.get("params")
    return (message.get("id"), True) if isinstance(params, dict) and "inputResponses" in params else None
