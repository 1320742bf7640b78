"""One session with an MCP server, as a dialect of the host protocol. Pure: no clock, no I/O.

Requests of the board go in and lines of JSON-RPC come out, and the other way round. Which requests of MCP stand for those of
the board:

| board | MCP |
|---|---|
| ``init`` | ``server/discover``, and ``initialize`` where that is not known |
| ``get_tool_schemas`` | ``tools/list``, all pages |
| ``execute_tool`` | ``tools/call``; its progress comes as parts |
| ``cancel`` | ``notifications/cancelled``; a server need not answer then, so the answer is given here |
| ``describe`` | of a session that is open: ``ping``, or ``server/discover`` where there is none |

The two ways to begin are never tried at once: a server that has answered a discovery refuses a handshake. Between a request
and its answer a server may send whatever it likes.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from ...base.json_size import MAX_VALUES
from ..protocol.description import PROTOCOL
from ..protocol.wire import ErrorResponse, Malformed, PartEvent, Response, StrayLine
from . import jsonrpc
from .jsonrpc import Answer, Notification, Request, Unreadable
from .listing import Endless, NextPage, ToolList
from .results import COMPLETE, tool_result
from .revision import (
    HANDSHAKES,
    REVISIONS,
    STATELESS,
    agreed_by_discovery,
    envelope,
    initialize_params,
    server_name,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..protocol.wire import Message

Json = dict[str, Any]

_DISCOVER, _INITIALIZE, _LIST = "callboard:discover", "callboard:initialize", "callboard:list"
"""Ids of requests that no request of the board stands behind; those of the board begin with a number."""

_METHODS = ("init", "get_tool_schemas", "execute_tool")


class Stage(Enum):
    """How far a session has come."""

    NEW = "new"
    DISCOVERING = "discovering"
    SHAKING_HANDS = "shaking hands"
    OPEN = "open"
    REFUSED = "refused"


class Session:
    """See the module.

    Args:
        client: who we are: ``name`` and ``version``.
        revision: the revision to speak; found out if ``None``.
        roots: addresses of folders that the server may work in, if it asks.

    Attributes:
        stage: how far it has come.
        revision: what is spoken, once that is agreed.
        server: the server's name and version.
    """

    def __init__(self, client: Json, *, revision: str | None = None, roots: Sequence[str] = ()) -> None:
        self.stage = Stage.NEW
        self.revision = revision
        self.server = ("", "")
        self._client = client
        self._roots = [{"uri": uri} for uri in roots]
        self._capabilities: Json = {"roots": {}} if roots else {}
        self._envelope = envelope(client, self._capabilities)
        self._offers: Json = {}
        self._describes: str | None = None
        self._begins: str | None = None
        self._lists: str | None = None
        self._list = ToolList()
        self._running: set[str] = set()
        self._probing: set[str] = set()
        self._lines: list[bytes] = []
        self._messages: list[Message] = []

    @property
    def left_out(self) -> dict[str, str]:
        """Tools that are not offered, by name, and why."""
        return self._list.left_out

    # What the board asks

    def encode(self, request_id: str, method: str, params: Json) -> bytes:
        match method:
            case "execute_tool" if self.stage is Stage.OPEN:
                line = self._call(request_id, params)
                self._running.add(request_id)
                return line
            case "describe":
                return self._described(request_id)
            case "init" if self.stage is Stage.NEW:
                self._begins = request_id
                return self._begin()
            case "get_tool_schemas" if self.stage is Stage.OPEN and self._lists is None:
                self._list = ToolList()
                if "tools" in self._offers:
                    self._lists = request_id
                    return self._request(_LIST, "tools/list")
                self._messages.append(Response(request_id, [], None))
                return b""
            case "cancel":
                return self._cancel(request_id, params)
        self._refuse(request_id, "MethodNotFound", f"MCP knows nothing like {method!r}")
        return b""

    def forget(self, request_id: str) -> None:
        self._running.discard(request_id)

    def _call(self, request_id: str, params: Json) -> bytes:
        call: Json = {"name": params.get("tool_name"), "arguments": params.get("arguments", {})}
        meta: Json = {} if params.get("stream") is False else {"progressToken": request_id}
        if self.revision == STATELESS:
            meta |= self._envelope
        if meta:
            call["_meta"] = meta
        return jsonrpc.request(request_id, "tools/call", call)

    def _begin(self) -> bytes:
        if self.revision is None or self.revision == STATELESS:
            self.stage = Stage.DISCOVERING
            return jsonrpc.request(_DISCOVER, "server/discover", {"_meta": self._envelope})
        return self._shake_hands(self.revision)

    def _shake_hands(self, revision: str) -> bytes:
        self.stage = Stage.SHAKING_HANDS
        params = initialize_params(revision, self._client, self._capabilities)
        return jsonrpc.request(_INITIALIZE, "initialize", params)

    def _described(self, request_id: str) -> bytes:
        if self.stage is not Stage.OPEN:
            self._describes = request_id  # it is said with the answer to `init`
            return b""
        self._probing.add(request_id)
        return self._request(request_id, "server/discover" if self.revision == STATELESS else "ping")

    def _cancel(self, request_id: str, params: Json) -> bytes:
        cancelled = str(params.get("id"))
        known = cancelled in self._running
        self._messages.append(Response(request_id, known, None))
        if not known:
            return b""
        self._running.discard(cancelled)
        reason = str(params.get("reason", ""))
        self._refuse(cancelled, "Cancelled", reason or "it was cancelled")
        return jsonrpc.notification("notifications/cancelled", {"requestId": cancelled, "reason": reason})

    def _request(self, request_id: str, method: str, params: Json | None = None) -> bytes:
        if self.revision == STATELESS:
            params = {**(params or {}), "_meta": self._envelope}
        return jsonrpc.request(request_id, method, params)

    # What the server says

    def decode(self, line: bytes) -> Sequence[Message]:
        match jsonrpc.read(line):
            case Answer(str(request_id), result, error) if request_id in self._running:
                self._running.discard(request_id)
                return (self._answer_of(request_id, result, error),)
            case Answer(request_id, result, error):
                return self._answered(request_id, result, error)
            case Notification("notifications/progress", params):
                return self._progressed(params)
            case Notification():
                return ()
            case Request() as asked:
                self._lines.append(self._reply(asked))
                return ()
            case Unreadable(values):
                return (StrayLine(line) if values is None else _too_many(line, values),)

    def take(self) -> tuple[bytes, Sequence[Message]]:
        if not self._lines and not self._messages:
            return b"", ()
        taken = b"".join(self._lines), tuple(self._messages)
        self._lines.clear()
        self._messages.clear()
        return taken

    def _answer_of(self, request_id: str, result: Any, error: Json | None) -> Message:
        if error is not None:
            return ErrorResponse(request_id, _error("McpError", error))
        if not isinstance(result, dict):
            return ErrorResponse(
                request_id, {"type": "InvalidResult", "detail": "the result is no object", "stack": ""}
            )
        kind = result.get("resultType", COMPLETE)
        if kind == COMPLETE:
            return Response(request_id, tool_result(result), None)
        asked = result.get("inputRequests")
        wanted = (
            sorted({str(each.get("method")) for each in asked.values() if isinstance(each, dict)})
            if isinstance(asked, dict)
            else []
        )
        detail = f"the server answers with {kind!r:.40}, and no result"
        if wanted:
            detail = f"the server asks for input ({', '.join(wanted):.200}), which is not to be had here"
        return ErrorResponse(request_id, {"type": "InputRequired", "detail": detail, "stack": ""})

    def _answered(self, request_id: Any, result: Any, error: Json | None) -> Sequence[Message]:
        match request_id:
            case str() if request_id == _DISCOVER and self.stage is Stage.DISCOVERING:
                self._on_discovered(result, error)
            case str() if request_id == _INITIALIZE and self.stage is Stage.SHAKING_HANDS:
                self._on_initialized(result, error)
            case str() if request_id == _LIST and self._lists is not None:
                self._on_page(result, error)
            case str() if request_id in self._probing:
                self._probing.discard(request_id)
                return (Response(request_id, self._description(), None),)
            case _:
                return (Response(request_id, None, None),) if isinstance(request_id, str) else ()
        return ()

    def _on_discovered(self, result: Any, error: Json | None) -> None:
        agreed = None if error is not None else agreed_by_discovery(result)
        if agreed == STATELESS:
            self._open(STATELESS, result)
        elif self.revision == STATELESS:
            said = _said(error) if error is not None else "it speaks other revisions only"
            self._fail(f"the server does not speak {STATELESS}, which 'revision' asks for: {said}")
        elif agreed is not None or error is not None:
            self._lines.append(self._shake_hands(agreed or HANDSHAKES[0]))
        else:
            self._fail("the server speaks no revision of MCP that Callboard knows")

    def _on_initialized(self, result: Any, error: Json | None) -> None:
        if error is not None:
            self._fail(f"the server refuses the handshake: {_said(error)}")
            return
        agreed = result.get("protocolVersion") if isinstance(result, dict) else None
        if agreed not in HANDSHAKES:
            self._fail(f"the server speaks MCP {agreed!r:.40}; known are {', '.join(REVISIONS)}")
            return
        self._lines.append(jsonrpc.notification("notifications/initialized"))
        self._open(agreed, result)

    def _open(self, revision: str, result: Json) -> None:
        self.stage, self.revision, self.server = Stage.OPEN, revision, server_name(result)
        offers = result.get("capabilities")
        self._offers = offers if isinstance(offers, dict) else {}
        if self._describes is not None:
            self._messages.append(Response(self._describes, self._description(), None))
        assert self._begins is not None
        self._messages.append(Response(self._begins, {}, {}))

    def _fail(self, problem: str) -> None:
        self.stage = Stage.REFUSED
        if self._describes is not None:
            self._messages.append(Response(self._describes, self._description(), None))
        assert self._begins is not None
        self._refuse(self._begins, "McpError", problem, phase="load")

    def _description(self) -> Json:
        name, version = self.server
        return {
            "protocol": PROTOCOL,
            "host": {"name": name or "mcp", "version": version},
            "features": ["cancel"],
            "methods": [*_METHODS],
            "version": version,
            "objects_only": True,
        }

    def _on_page(self, result: Any, error: Json | None) -> None:
        assert self._lists is not None
        match Endless(_said(error)) if error is not None else self._list.add(result):
            case NextPage(cursor):
                self._lines.append(self._request(_LIST, "tools/list", {"cursor": cursor}))
                return
            case Endless(problem):
                self._refuse(self._lists, "McpError", f"the tools cannot be listed: {problem}")
            case None:
                self._messages.append(Response(self._lists, self._list.tools, None))
        self._lists = None

    def _progressed(self, params: Json) -> Sequence[Message]:
        token = params.get("progressToken")
        if not isinstance(token, str):
            return ()
        payload = {
            key: params[key] for key in ("progress", "total", "message") if params.get(key) is not None
        }
        return (PartEvent(token, payload),)  # of one that has ended it is dropped, and counted

    def _reply(self, asked: Request) -> bytes:
        if asked.method == "ping":
            return jsonrpc.result(asked.id, {})
        if asked.method == "roots/list" and self._roots:
            return jsonrpc.result(asked.id, {"roots": self._roots})
        return jsonrpc.error(
            asked.id, jsonrpc.METHOD_NOT_FOUND, f"{asked.method[:100]} is not offered by this client"
        )

    def _refuse(self, request_id: str, kind: str, detail: str, **more: Any) -> None:
        self._messages.append(
            ErrorResponse(request_id, {"type": kind, "detail": detail, "stack": "", **more})
        )


def _error(kind: str, error: Json) -> Json:
    code = error.get("code")
    return {
        "type": kind,
        "detail": _said(error),
        "stack": "",
        "code": str(code) if isinstance(code, int) else "",
    }


def _said(error: Json) -> str:
    message = error.get("message")
    return message if isinstance(message, str) and message else "it does not say why"


def _too_many(line: bytes, values: int) -> Malformed:
    detail = f"the server sent a message of {len(line):,} bytes with more than {MAX_VALUES:,} values in it"
    return Malformed(
        "too_many_values", detail, None, {"bytes": len(line), "values": values, "limit": MAX_VALUES}
    )
