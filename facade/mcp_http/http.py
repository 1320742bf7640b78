"""A board served over streamable HTTP, with its health beside it.

`/mcp` is for clients. `/healthz` says whether all plugins take calls, as it is at that moment: 200, or 503, and nothing else. `/status`
says it for each plugin. All but `/healthz` stand behind one guard.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from ..mcp.health import health_of
from ..mcp.serving import BoardServer
from ..mcp_edge.event_bound import BoundedEvents, EventBound
from ..mcp_edge.first_signal import first_signal
from .clear_answers import ClearAnswers
from .connections import BoundedLog, Connection, Connections
from .guard import HEALTH
from .sdk_server import SdkServer, identity_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..mcp.serving import MakeBoard
    from .guard import Guard, Limits

PATH = "/mcp"
_GRACE = 1
"""Seconds for open streams to end by themselves, when the server stops."""

_CLOSE = {"Connection": "close"}
_NO_TOKEN = 401


def serve_http(
    make: MakeBoard,
    listening: socket.socket,
    guard: Guard,
    limits: Limits,
    logs: Path | None = None,
) -> None:
    """Serve on a socket that listens until a signal comes; nothing of the board is left then.

    Args:
        make: makes the board.
        listening: bound by the caller, who knows whether that is beyond this machine.
        guard: who is let in.
        limits: what connections are held to, before the guard, and what they carry.
        logs: where what the plugins' hosts say on stderr is kept; told in the status.

    Raises:
        CallboardError: the board could not be started.
    """
    asyncio.run(
        _serve(make, listening, limits, lambda served: application(served, guard, limits.event, logs))
    )


async def _serve(
    make: MakeBoard, listening: socket.socket, limits: Limits, app_of: Callable[[BoardServer], ASGIApp]
) -> None:
    served = BoardServer(make, many=True)
    config = uvicorn.Config(
        app_of(served),
        http="h11",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=_GRACE,
        server_header=False,
        ws="none",  # an upgrade would be a request that comes past the guard
    )
    logging.getLogger("uvicorn.error").addFilter(BoundedLog())
    server = _Uvicorn(config, listening, limits)
    by_signal = first_signal()
    by_signal.add_done_callback(lambda _: setattr(server, "should_exit", True))
    async with served.running():
        await server.serve()


class _Uvicorn(uvicorn.Server):
    """It takes its connections by `Connections`.

    And it leaves the signals alone: raised again at its end, as it does, they would end the process before the board is stopped.
    """

    def __init__(self, config: uvicorn.Config, listening: socket.socket, limits: Limits) -> None:
        super().__init__(config)
        self._listening = listening
        self._connections = Connections(limits)
        self._accepting: asyncio.Future[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # With no sockets of its own: it would take all that come, until there are no descriptors.
        await super().startup(sockets=[])
        accepting = self._connections.accept(self._listening, self._connection)
        self._accepting = asyncio.ensure_future(accepting)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._accepting is not None:
            self._accepting.cancel()
        await super().shutdown(sockets=[])

    def _connection(self) -> Connection:
        return Connection(
            self._connections,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def application(served: BoardServer, guard: Guard, most: int, logs: Path | None = None) -> ASGIApp:
    """The server as an ASGI application.

    Args:
        served: the board, which the caller runs.
        guard: see `serve_http`.
        most: bytes of one message to a client.
        logs: see `serve_http`.
    """
    server = SdkServer(served)
    server.middleware.insert(0, EventBound(most, identity_of))
    looks = _Looks(served)

    async def healthz(_: Request) -> PlainTextResponse:
        well = (await looks.status())["ok"]
        # Open to everyone, so the connection is not theirs to keep.
        return PlainTextResponse("ok\n" if well else "degraded\n", 200 if well else 503, _CLOSE)

    async def status(_: Request) -> JSONResponse:
        return JSONResponse({**await looks.status(), "logs": None if logs is None else str(logs)})

    app = server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),  # it is the guard's
        custom_starlette_routes=[Route(HEALTH, healthz), Route("/status", status)],
    )
    return _Guarded(ClearAnswers(BoundedEvents(app, most)), guard)


class _Looks:
    """Looks at a board's health: one at a time, for all who ask meanwhile. Anyone may ask, and each look takes a thread."""

    def __init__(self, served: BoardServer) -> None:
        self._served = served
        self._under_way: asyncio.Future[dict[str, Any]] | None = None

    async def status(self) -> dict[str, Any]:
        if self._under_way is None or self._under_way.done():
            self._under_way = asyncio.ensure_future(asyncio.to_thread(self._look))
        return await asyncio.shield(self._under_way)

    def _look(self) -> dict[str, Any]:
        return health_of(self._served.board.status(), starting=self._served.starting)


class _Guarded:
    """An application that gets only those requests that its guard lets in."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":  # of whatever kind a request is
            refused = self._guard.refusal(scope["path"], scope["headers"])
            if refused is not None:
                # What else would be read of the request, or of the connection, is from a stranger.
                headers = _CLOSE if refused.status != _NO_TOKEN else {**_CLOSE, "WWW-Authenticate": "Bearer"}
                await PlainTextResponse(f"{refused.text}\n", refused.status, headers)(scope, receive, send)
                return
        await self._app(scope, receive, send)
