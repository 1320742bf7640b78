"""The server: sockets and threads around a script.

It listens on this machine alone, on a port of the system's choice, and takes any key unless it is told one. What
it heard can be read afterwards, without keys.
"""

from __future__ import annotations

import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

from ...base.frozen import frozen
from ...interop.calls.arguments import parse_arguments
from ...interop.exact_json import json_text
from .chat_telling import tell_chat, whole_chat
from .faults import Fault, Reply, error_reply, spoiled, spoiled_events, stream_reply
from .hearing import hear
from .messages_telling import tell_messages, whole_message
from .responses_telling import tell_responses, whole_response
from .script import Script

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]

_TELLERS: Final = {
    "/chat/completions": (tell_chat, whole_chat),
    "/responses": (tell_responses, whole_response),
    "/messages": (tell_messages, whole_message),
}
_MOST_BYTES: Final = 64 * 2**20


@frozen
class Request:
    """A request that came.

    Attributes:
        path: of the address.
        headers: with lower-case names; without those of keys.
        body: as JSON.
    """

    path: str
    headers: dict[str, str]
    body: Any


class ReplayServer:
    """Answers Chat Completions, Responses and Messages by a script. A context manager.

    Args:
        script: what it says: a `Script`, or its rules as data.
        key: the one key that it takes; any, or none, if ``None``.
        pace: seconds before each event of a stream, as if a model had to think of it.

    Attributes:
        requests: what came, in order.

    Raises:
        ValueError: the script is of another shape.
    """

    def __init__(self, script: Script | Iterable[Json], *, key: str | None = None, pace: float = 0.0) -> None:
        self.script: Script = script if isinstance(script, Script) else Script(script)
        self.requests: list[Request] = []
        self._key = key
        self._pace = pace
        self._coming: deque[Fault | Reply] = deque()
        self._closing = threading.Event()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Listen; the address is known then."""
        self._closing.clear()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.replay = self
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, args=(0.05,), name="callboard-replay", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop listening; answers that hang end."""
        self._closing.set()
        server, self._server = self._server, None
        if server is not None and self._thread is not None:
            server.shutdown()
            server.server_close()
            self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The base address of all three APIs, as OpenAI's clients want it: with ``/v1``."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The address as Anthropic's client wants it: without ``/v1``."""
        if self._server is None:
            raise RuntimeError("the server is not running: start it, or use it in a with statement")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next(self, *coming: Fault | Reply) -> None:
        """Have the next requests go wrong, one each; a `Reply` is sent as it is."""
        self._coming.extend(coming)

    def reply(self, request: Request, key: str | None) -> Reply:
        """Return what answers a request that came with a key."""
        if self._key is not None and key != self._key:
            return error_reply(401, f"Incorrect API key provided: {key}.")
        fault = self._coming.popleft() if self._coming else Fault()
        if isinstance(fault, Reply):
            return fault
        heard = hear(request.path, request.body) if isinstance(request.body, dict) else None
        if heard is None:
            return error_reply(404, f"nobody lives at {request.path}, or the request is no JSON object")
        ending = next(ending for ending in _TELLERS if request.path.rstrip("/").endswith(ending))
        tell, whole = _TELLERS[ending]
        step = self.script.answer(heard)
        if not heard.stream:
            body = json_text(whole(step, heard)).encode()
            return spoiled(Reply(200, {"content-type": "application/json"}, (body,)), fault)
        events = spoiled_events(tell(step, heard), fault)
        return spoiled(stream_reply(events, done=ending == "/chat/completions", pace=self._pace), fault)

    def wait(self, seconds: float | None) -> bool:
        """Wait so long, or for the end; return whether it is there."""
        return self._closing.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    replay: ReplayServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the midst of an answer is nothing to write home about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # many small pieces, none of which is to wait for the next
    server: _Server

    def do_POST(self) -> None:
        length = min(int(self.headers.get("content-length") or 0), _MOST_BYTES)
        headers = {name.lower(): value for name, value in self.headers.items()}
        key = (
            headers.pop("x-api-key", None) or headers.pop("authorization", "").removeprefix("Bearer ") or None
        )
        headers.pop("authorization", None)
        request = Request(self.path, headers, parse_arguments(self.rfile.read(length).decode()).payload)
        self.server.replay.requests.append(request)
        self._send(self.server.replay.reply(request, key))

    def _send(self, reply: Reply) -> None:
        replay = self.server.replay
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for piece in reply.pieces:
            if reply.pace:
                replay.wait(reply.pace)
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        if reply.ending == "close":
            self.wfile.write(b"0\r\n\r\n")
            return
        if reply.ending == "hang":
            replay.wait(None)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Say nothing on standard error."""
