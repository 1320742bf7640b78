"""The server of the official SDK, by which a `BoardServer` is served: it has the transports, the sessions and both eras.

The SDK holds what it serves to its types, and leaves out what these do not know. So a handler's answer goes past it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.shared.exceptions import MCPError
from mcp_types.methods import SPEC_CLIENT_METHODS

from ..hosts.mcp.revision import HANDSHAKES
from ..interop.exact_json import as_utf8
from ..mcp_protocol.params import INITIALIZE, bad_params, params_problem
from ..mcp_protocol.served_client import INVALID_PARAMS, METHOD_NOT_FOUND, OneRequest, Refused
from ..version import __version__

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import ServerRequestContext

    from ..mcp.serving import BoardServer
    from ..mcp_protocol.method import Method

    Context = ServerRequestContext[dict[str, Any]]

Json = dict[str, Any]

_INTRODUCES = ("initialize", "server/discover")


class SdkClient:
    """A client of the SDK's, by one of its requests. A `Client`."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        session = ctx.session
        self.request_id: str | int = "" if ctx.request_id is None else ctx.request_id
        self.revision: str = ctx.protocol_version
        params, said = session.client_params, session.client_capabilities
        self.name: str | None = None if params is None else params.client_info.name
        dumped = None if said is None else said.model_dump(by_alias=True, mode="json", exclude_none=True)
        self.capabilities: Json | None = dumped
        self.identity: object = identity_of(ctx)
        self.takes_text: bool = False
        meta = (ctx.params or {}).get("_meta")
        self.meta: Json = meta if isinstance(meta, dict) else {}

    def can_be_asked(self) -> bool:
        return self._ctx.session.can_send_request

    def has_room(self) -> bool:
        return True  # each answer has a response of its own

    async def room(self) -> None:
        """Return at once: there always is room."""

    async def progress(self, params: Json) -> None:
        if (token := self.meta.get("progressToken")) is not None:
            await self.notify("notifications/progress", {**params, "progressToken": token}, within=True)

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        related = self._ctx.request_id if within else None
        said: Any = _Notification(method, as_utf8(params))
        await self._ctx.session.send_notification(said, related)

    async def ask(self, method: str, params: Json, patience: float) -> Json:
        answer: Json = await self._ctx.session._request_outbound.send_raw_request(  # noqa: SLF001 - what is public holds an answer to its types
            method, as_utf8(params), {"timeout": patience}
        )
        return answer


def identity_of(ctx: Any) -> object:
    """What tells apart which client a request is of."""
    # One for each session of the handshake era, and one over pipes; else a request is known to be its client's by nothing.
    if ctx.request is None:
        return None
    return ctx.session.client_params if ctx.protocol_version in HANDSHAKES else OneRequest()


class _Notification:
    """What the SDK sends as it is; of its own types it would leave out what these do not know."""

    def __init__(self, method: str, params: Json | None) -> None:
        self._said = {"method": method} if params is None else {"method": method, "params": params}

    def model_dump(self, **_: Any) -> Json:
        return self._said


class _Answered(Exception):
    """A handler has answered: this goes to `SdkServer._meet`, past all that the SDK would make of it."""

    def __init__(self, answer: Json | bytes) -> None:
        super().__init__()
        self.answer = answer


class SdkServer(Server[dict[str, Any]]):
    """See the module.

    Args:
        served: what is served.
    """

    def __init__(self, served: BoardServer) -> None:
        super().__init__("callboard", version=__version__, instructions=served.instructions())
        self._served = served
        for method, entry in served.methods.items():
            self.add_request_handler(method, types.RequestParams, _handler(method, entry))
        self.middleware.append(self._meet)

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """What the board's server says, and not what the handlers seem to."""
        return types.ServerCapabilities.model_validate(
            self._served.capabilities(protocol_version or HANDSHAKES[0])
        )

    async def _meet(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        if ctx.method in _INTRODUCES:  # anew: the configuration, and the servers, may have changed
            self.instructions = self._served.instructions()
        self._served.meet(SdkClient(ctx))
        if (problem := self._problem(ctx)) is not None:
            raise MCPError(INVALID_PARAMS, bad_params(as_utf8(problem)), "")
        try:
            answer = await call_next(ctx)
        except _Answered as answered:
            answer = answered.answer
        except Refused as error:
            raise MCPError(error.code, as_utf8(error.message), as_utf8(error.data)) from None
        return as_utf8(answer)  # what cannot be written would end the connection

    def _problem(self, ctx: Any) -> str | None:
        """Return what is wrong with the params of a request; the SDK does not name it."""
        params = {} if ctx.params is None else dict(ctx.params)
        if ctx.method == "initialize":
            return INITIALIZE(params)
        method = self._served.methods.get(ctx.method)
        if method is None:
            return None
        stateless = ctx.protocol_version not in HANDSHAKES
        return params_problem(params, method.required, method.optional, stateless=stateless)


def _handler(method: str, entry: Method) -> Callable[[Context, Any], Awaitable[Any]]:
    async def answer(ctx: Context, _: Any) -> Any:
        params = dict(ctx.params or {})
        if method not in SPEC_CLIENT_METHODS:  # the SDK checks no era for a method that it does not know
            stateless = ctx.protocol_version not in HANDSHAKES
            if not (entry.stateless if stateless else entry.handshake):
                raise Refused(METHOD_NOT_FOUND, "Method not found", method)
        raise _Answered(await entry.handle(SdkClient(ctx), params))

    return answer
