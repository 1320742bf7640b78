"""Who sends a request of MCP, as handlers see it, whatever carries it; and how it is refused."""

from __future__ import annotations

from typing import Any, Final, Protocol

from ..hosts.mcp.revision import HANDSHAKES

Json = dict[str, Any]

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603


class Refused(Exception):
    """An error of JSON-RPC, as the client is told it.

    Attributes:
        code, message, data: as there; ``data`` is ``None`` if there are none.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class OneRequest:
    """The identity of a client that cannot be recognised: each of its requests has another one."""


class Client(Protocol):
    """A client, by one of its requests. In the event loop.

    Attributes:
        request_id: of the request.
        revision: that the client speaks.
        meta: of the request: what stands under ``_meta``; empty if nothing does.
        name: how the client calls itself; ``None`` if it does not.
        capabilities: what it can do; ``None`` if it has not said that.
        identity: the same object for all requests of one client, as far as that is known; else a new `OneRequest` for each request.
        takes_text: a result may be the JSON of one, which is written as it is.
    """

    request_id: str | int
    revision: str
    meta: Json
    name: str | None
    capabilities: Json | None
    identity: object
    takes_text: bool

    def can_be_asked(self) -> bool:
        """Whether a request can be sent to it now, within this request of its own."""

    def has_room(self) -> bool:
        """Whether few enough bytes wait for it to read, so that another request may be begun."""

    async def room(self) -> None:
        """Wait until it has room."""

    async def progress(self, params: Json) -> None:
        """Tell it of progress, if it has asked for that; the ``progressToken`` of ``params`` becomes its own."""

    async def notify(self, method: str, params: Json | None = None, *, within: bool = False) -> None:
        """Tell it something.

        Args:
            method: of the notification.
            params: of the notification.
            within: in what carries the answer to this request; else beside all requests, also when this one has been answered.
        """

    async def ask(self, method: str, params: Json, patience: float) -> Json:
        """Send it a request within this one, and return the result.

        Args:
            method: of the request.
            params: of the request.
            patience: seconds that it may take.

        Raises:
            Exception: it refuses, does not answer in time, or is gone.
        """


def is_handshake(client: Client) -> bool:
    """Whether it speaks the era in which servers send requests."""
    return client.revision in HANDSHAKES
