"""A server's side of a `Session`, as a table: what it answers to each line, and what the session makes of that."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callboard.hosts.mcp.session import Session
from mcp_types import methods

if TYPE_CHECKING:
    from callboard.hosts.protocol.wire import Message

Json = dict[str, Any]
Answers = Callable[[Json], list[Json]]

CLIENT = {"name": "callboard", "version": "1"}
TOOL = {"name": "echo", "inputSchema": {"type": "object"}}
MODERN = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {}},
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "2"}},
}
OLD = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "old", "version": "1"},
}


def answer(asked: Json, result: Any) -> Json:
    return {"jsonrpc": "2.0", "id": asked["id"], "result": result}


def refusal(asked: Json, code: int = -32601, message: str = "no such method") -> Json:
    return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": message}}


def old(asked: Json) -> list[Json]:
    """A server of the handshake era."""
    match asked["method"]:
        case "initialize":
            return [answer(asked, OLD)]
        case "tools/list":
            return [answer(asked, {"tools": [TOOL]})]
        case "tools/call":
            return [answer(asked, {"content": [{"type": "text", "text": asked["params"]["name"]}]})]
        case "ping":
            return [answer(asked, {})]
    return [refusal(asked)] if "id" in asked else []


def modern(asked: Json) -> list[Json]:
    """A server of the stateless era, which refuses a handshake."""
    match asked["method"]:
        case "server/discover":
            return [answer(asked, MODERN)]
        case "tools/list":
            listed = {"tools": [TOOL], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
            return [answer(asked, listed)]
        case "tools/call":
            told = {"content": [{"type": "text", "text": asked["params"]["name"]}], "resultType": "complete"}
            return [answer(asked, told)]
    return [refusal(asked, -32602, "bad envelope")] if "id" in asked else []


class Talk:
    """A session and a server, line by line; every line of the session's is held to the SDK's types of its revision.

    Attributes:
        sent: what the session has written.
        heard: what it has said to the board.
    """

    def __init__(self, answers: Answers, **options: Any) -> None:
        self.session = Session(CLIENT, **options)
        self.sent: list[Json] = []
        self.heard: list[Message] = []
        self._answers = answers
        self._count = 0

    def ask(self, method: str, **params: Any) -> str:
        """Have the board ask something; the id of the request."""
        self._count += 1
        request_id = f"1-{self._count}"
        self._write(self.session.encode(request_id, method, params))
        self._take()
        return request_id

    def say(self, *messages: Json) -> None:
        """Have the server say something."""
        for message in messages:
            self.heard += self.session.decode(json.dumps(message).encode())
            self._take()

    def of(self, request_id: str) -> list[Message]:
        """What the board has heard of a request."""
        return [each for each in self.heard if getattr(each, "id", None) == request_id]

    def open(self) -> Talk:
        """Begin, and list the tools."""
        self.ask("describe")
        self.ask("init", config={})
        self.ask("get_tool_schemas", state={})
        return self

    def _take(self) -> None:
        lines, messages = self.session.take()
        self.heard += messages
        self._write(lines)

    def _write(self, lines: bytes) -> None:
        for line in lines.splitlines():
            message = json.loads(line)
            self.sent.append(message)
            self._validate(message)
            if "method" in message:
                self.say(*self._answers(message))

    def _validate(self, message: Json) -> None:
        if "method" not in message or message["method"].startswith("tasks/"):  # of which the SDK has no rows
            return
        discovering = message["method"] == "server/discover"
        revision = "2026-07-28" if discovering else self.session.revision or "2025-11-25"
        if "id" in message:
            methods.validate_client_request(message["method"], revision, message.get("params"))
        else:
            methods.validate_client_notification(message["method"], revision, message.get("params"))
