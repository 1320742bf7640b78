"""A board served over streamable HTTP, with its health beside it.

`/mcp` is for clients. `/healthz` says whether all plugins take calls, as it is at that moment: 200, or 503. `/status` says it for each
plugin, and is for who has the token, like `/mcp`.
"""

from __future__ import annotations

import asyncio
import hmac
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from .health import health_of
from .serving import BoardServer
from .shutdown import first_signal

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .serving import MakeBoard

PATH = "/mcp"
_GRACE = 1
"""Seconds for open streams to end by themselves, when the server stops."""


def serve_http(
    make: MakeBoard,
    listening: socket.socket,
    token: str | None,
    *,
    behind_proxy: bool,
    logs: Path | None = None,
) -> None:
    """Serve on a socket that listens until a signal comes; nothing of the board is left then.

    Args:
        make: makes the board.
        listening: bound by the caller, who knows whether that is beyond this machine.
        token: what clients have to say as ``Authorization: Bearer``; none is needed if ``None``.
        behind_proxy: another server stands before it, so that its names are not known here.
        logs: where what the plugins' hosts say on stderr is kept; told in the status.

    Raises:
        CallboardError: the board could not be started.
    """
    guarded = token is None and not behind_proxy
    asyncio.run(
        _serve(make, listening, lambda served: application(served, token, guarded=guarded, logs=logs))
    )


async def _serve(make: MakeBoard, listening: socket.socket, app_of: Callable[[BoardServer], ASGIApp]) -> None:
    served = BoardServer(make, many=True)
    config = uvicorn.Config(
        app_of(served),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE,
        server_header=False,
    )
    server = _Uvicorn(config)
    by_signal = first_signal()
    by_signal.add_done_callback(lambda _: setattr(server, "should_exit", True))
    async with served.running():
        await server.serve(sockets=[listening])


class _Uvicorn(uvicorn.Server):
    """It leaves the signals alone: raised again at its end, as it does, they would end the process before the board is stopped."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def application(
    served: BoardServer, token: str | None, *, guarded: bool, logs: Path | None = None
) -> ASGIApp:
    """The server as an ASGI application.

    Args:
        served: the board, which the caller runs.
        token: see `serve_http`.
        guarded: only requests to names of this machine are taken, so that no page in a browser reaches it by a name of its own.
        logs: see `serve_http`.
    """

    async def healthz(_: Request) -> PlainTextResponse:
        well = (await _status(served))["ok"]
        return PlainTextResponse("ok\n" if well else "degraded\n", 200 if well else 503)

    async def status(_: Request) -> JSONResponse:
        return JSONResponse({**await _status(served), "logs": None if logs is None else str(logs)})

    security = None if guarded else TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = served.server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        custom_starlette_routes=[Route("/healthz", healthz), Route("/status", status)],
    )
    return app if token is None else _Guard(app, token)


async def _status(served: BoardServer) -> dict[str, Any]:
    return await asyncio.to_thread(lambda: health_of(served.board.status(), starting=served.starting))


class _Guard:
    """Refuses requests without the token, but for the health."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._wanted = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != "/healthz":
            said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            scheme, _, given = said.partition(b" ")
            if scheme.lower() != b"bearer" or not hmac.compare_digest(given.strip(), self._wanted):
                refused = PlainTextResponse(
                    "the token is missing or wrong\n", 401, {"WWW-Authenticate": "Bearer"}
                )
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)
