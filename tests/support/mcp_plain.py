"""A plain client of MCP: it writes requests as lines and keeps what comes back as it came, and knows no SDK.

Over pipes and over HTTP, and in both eras. It answers nothing that a server asks.
"""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, Self

import httpx
from command_line import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

Json = dict[str, Any]

PATIENCE: Final = 120.0
HANDSHAKE: Final = "2025-11-25"
STATELESS: Final = "2026-07-28"
ERAS: Final = ("handshake", "stateless")
ID: Final = '"%ID%"'
TOKEN: Final = '"%TOKEN%"'
_META: Final = "io.modelcontextprotocol/"
_JSON_OR_STREAM: Final = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_CLIENT: Final = {"name": "plain", "version": "1"}


class Heard(NamedTuple):
    """What came back of one request: the notifications before its answer, and the answer.

    Each is the text of a message, with `ID` and `TOKEN` where it says those of the request.
    """

    before: list[str]
    answer: str


class Wire(Protocol):
    """Carries messages."""

    def send(self, message: Json) -> Iterable[str]:
        """Send one; what comes back, message by message, for as long as it is read."""


class Client:
    """A client in one era.

    Args:
        wire: carries its messages.
        era: as `ERAS` has it.
    """

    def __init__(self, wire: Wire, era: str) -> None:
        self._wire = wire
        self._era = era
        self._count = 0

    def begin(self) -> tuple[str, Json, Heard]:
        """Introduce itself: the method, its params and what came back."""
        method, params = ("server/discover", {})
        if self._era == "handshake":
            method = "initialize"
            params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": _CLIENT}
        heard = self.ask(method, params)
        if self._era == "handshake":
            for _ in self._wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"}):
                break
        return method, params, heard

    def ask(self, method: str, params: Json) -> Heard:
        """Send a request, which wants to hear of progress, and wait for its answer."""
        self._count += 1
        request_id, token = f"request-{self._count}", f"progress-{self._count}"
        meta: Json = {"progressToken": token} if method == "tools/call" else {}
        if self._era == "stateless":
            meta |= {
                f"{_META}protocolVersion": STATELESS,
                f"{_META}clientInfo": _CLIENT,
                f"{_META}clientCapabilities": {},
                f"{_META}logLevel": "debug",
            }
        said = {**params, "_meta": meta} if meta else params
        before = []
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": said}
        for text in self._wire.send(request):
            message = json.loads(text)
            said_back = text.replace(f'"{request_id}"', ID).replace(f'"{token}"', TOKEN)
            if message.get("id") == request_id and "method" not in message:
                return Heard(before, said_back)
            before.append(said_back)
        raise AssertionError(f"{method} was not answered; before that came {before}")


class Pipes:
    """A server that was started, and is spoken to over its pipes; it is ended at the end of the block.

    Args:
        command: the words that start it.
        env: variables beside the usual.
        cwd: where it is started.
    """

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**ENVIRONMENT, **(env or {})},
            cwd=cwd,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def write(self, line: bytes) -> None:
        """Write a line as it is."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def answer(self, line: str, request_id: str) -> Json:
        """Write a request as it is, and wait for its answer."""
        self.write(line.encode())
        return next(said for said in map(json.loads, self._heard()) if said.get("id") == request_id)

    def send(self, message: Json) -> Iterable[str]:
        """See `Wire`. A server that says nothing for too long is killed."""
        self.write(json.dumps(message).encode())
        return self._heard() if "id" in message else ()

    def _heard(self) -> Iterable[str]:
        assert self._process.stdout is not None
        late = threading.Timer(PATIENCE, self._process.kill)
        late.start()
        try:
            while line := self._process.stdout.readline():
                if line.lstrip().startswith(b"{"):
                    yield line.decode().rstrip("\r\n")
        finally:
            late.cancel()


class Http:
    """A server at an address, which is spoken to in the handshake era."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._client = httpx.Client(timeout=PATIENCE)
        self._session: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send(self, message: Json) -> Iterable[str]:
        """See `Wire`."""
        if message["method"] == "initialize":
            self._session = {}
        headers = {**_JSON_OR_STREAM, **self._session}
        with self._client.stream("POST", self._address, json=message, headers=headers) as answer:
            if (session := answer.headers.get("mcp-session-id")) is not None:
                self._session = {"mcp-session-id": session, "mcp-protocol-version": HANDSHAKE}
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                rest = b""
                # Not by httpx's lines: a text may hold other signs that end one for it.
                for chunk in answer.iter_bytes():
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        if line.startswith(b"data: {"):
                            yield line.removeprefix(b"data: ").rstrip(b"\r").decode()
            elif text := answer.read().decode():
                yield text
