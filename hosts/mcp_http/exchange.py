"""One message of MCP as one request over HTTP: its headers, and what an answer or the lack of one means. Pure.

| the server | known session | no session |
|---|---|---|
| takes no connection | the session is over; nothing was sent | the same |
| 2xx | the answer, as JSON or as events | the same |
| 3xx | an error: redirects are not followed | the same |
| 400, 404 | the session is over, if it says so of a ping too; nothing was run then | an error |
| 401 | the session is over, if it says so of a ping too; nothing was run then. Else an error: that one call wants more | an error |
| 403 | an error | an error |
| 408, 429, 5xx | an error | before the session is open: it is over |
| ends the connection before the answer | of this call nobody knows; the session is over if a ping fails | the same |

A session is here what a generation of the host is; "known" is one to which the server has given an id.
"""

from __future__ import annotations

import base64
import re
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

from ...base.errors import JsonValueError
from ...base.json import dump_json, load_exact_json, load_json
from ...base.json_size import UNCOUNTED, excess
from ..mcp import jsonrpc

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ACCEPT: Final = "application/json, text/event-stream"
EVENTS: Final = "text/event-stream"
JSON: Final = "application/json"

SESSION: Final = "mcp-session-id"
VERSION: Final = "mcp-protocol-version"
LAST_EVENT: Final = "last-event-id"

OURS: Final = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-length", "content-type", "te", "trailer",
        "transfer-encoding", "upgrade", LAST_EVENT, "mcp-method", "mcp-name", VERSION, SESSION,
    }
)  # fmt: skip
"""Headers that are the protocol's, and no entry's."""

_SUCCESS, _REDIRECT, _FAULT = range(200, 300), range(300, 400), range(500, 600)

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?")


def require_headers(headers: Mapping[str, str]) -> None:
    """Refuse what no entry may add to a request. Raises `ValueError`, which names the header and not its value."""
    for name, value in headers.items():
        if TOKEN.fullmatch(name) is None:
            raise ValueError(f"{name!r:.100} is no name of a header")
        if name.lower() in OURS:
            raise ValueError(f"the header {name!r} is the protocol's own; leave it out")
        if _VALUE.fullmatch(value) is None:
            raise ValueError(
                f"the value of the header {name!r} is empty, or has in it what no header can hold"
            )


def require_url(url: str) -> None:
    """Refuse an address that no server can be reached by. Raises `ValueError`, without the address: it may hold a secret."""
    try:
        parts = urlsplit(url)
        found = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        found = False
    if not found or not url.isascii() or not url.isprintable() or " " in url or parts.username is not None:
        raise ValueError("its 'url' is no address of the form 'https://HOST:PORT/PATH'")


_META_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_ENVELOPE: Final = "io.modelcontextprotocol/"

_NAMED: Final = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    **dict.fromkeys(("tasks/get", "tasks/update", "tasks/cancel"), "taskId"),
}
"""Methods whose params name something that is said in a header too."""

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_ENCODED = re.compile(r"=\?base64\?.*\?=")
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")


class Outgoing(NamedTuple):
    """A line that the session has written.

    Attributes:
        line: the message.
        id: of a request; ``None`` of what has no answer.
        method: ``None`` of an answer to the server.
        name: of the tool, prompt or resource that it is about.
        arguments: of a call.
        envelope: what it says of us with each request, in the stateless era; empty before.
        cancels: the id of the request that it cancels.
    """

    line: bytes
    id: str | None
    method: str | None
    name: str | None
    arguments: dict[str, Any]
    envelope: dict[str, Any]
    cancels: str | None

    @property
    def revision(self) -> str | None:
        """The revision that the message itself names."""
        found = self.envelope.get(_META_VERSION)
        return found if isinstance(found, str) else None

    @property
    def is_call(self) -> bool:
        """Whether a tool is called, or the result of its task is waited for."""
        return self.method in {"tools/call", "tasks/result"}


def outgoing(line: bytes) -> Outgoing:
    """What a line of the session's is; it has written it as JSON."""
    message = load_json(line)
    method, request_id = message.get("method"), message.get("id")
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    envelope = {key: meta[key] for key in meta if key.startswith(_ENVELOPE)} if isinstance(meta, dict) else {}
    name, given = params.get(_NAMED.get(method, "")), params.get("arguments")
    cancels = params.get("requestId") if method == "notifications/cancelled" else None
    return Outgoing(
        line.rstrip(b"\n"),
        request_id if method is not None and isinstance(request_id, str) else None,
        method,
        name if isinstance(name, str) else None,
        given if isinstance(given, dict) else {},
        envelope,
        cancels,
    )


def header_text(value: str) -> str:
    """A text as a header may hold it: as it is, or in the form that the protocol has for all others."""
    if _PLAIN.fullmatch(value) and not _ENCODED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def headers_of(message: Outgoing, agreed: str | None, session: str | None) -> dict[str, str]:
    """The protocol's headers of a message.

    Args:
        message: which.
        agreed: the revision that a handshake has come to.
        session: the id that the server has given.
    """
    headers = {"accept": ACCEPT, "accept-encoding": "identity", "content-type": JSON}
    if message.revision is not None:
        headers[VERSION] = message.revision
        if message.method is not None:
            headers["mcp-method"] = message.method
        if message.name is not None:
            headers["mcp-name"] = header_text(message.name)
        return headers
    if message.method != "initialize":
        headers |= session_headers(agreed, session)
    return headers


def session_headers(agreed: str | None, session: str | None) -> dict[str, str]:
    """The headers of what belongs to a session of the handshake era."""
    found = {VERSION: agreed, SESSION: session}
    return {name: value for name, value in found.items() if value is not None}


def stream_headers(agreed: str | None, session: str | None, last_id: str | None) -> dict[str, str]:
    """The headers of a request for a stream, or for the rest of one."""
    headers = {"accept": EVENTS, "accept-encoding": "identity", **session_headers(agreed, session)}
    return headers if last_id is None else headers | {LAST_EVENT: header_text(last_id)}


def is_session_id(value: str) -> bool:
    """Whether a server may give such an id."""
    return _SESSION_ID.fullmatch(value) is not None


NOT_FOR_IT: Final = frozenset({400, 404, 405})
"""What a server answers to a handshake at an address that has only the older transport."""


class Verdict(Enum):
    """What the status of an answer means."""

    ANSWER = "it comes"
    ERROR = "the request is refused; the session goes on"
    DOUBTFUL = "the session may be over, and the request was not run if it is"
    LATER = "there is no session yet, and may be one later"


def verdict_on(status: int, *, known: bool, opened: bool) -> Verdict:
    """What a status means.

    Args:
        status: of an answer to a message.
        known: the message named a session that the server has opened.
        opened: the session is open: requests of the board are sent.
    """
    if status in _SUCCESS:
        return Verdict.ANSWER
    if (status in {400, 404} and known) or (status == HTTPStatus.UNAUTHORIZED and opened):
        return Verdict.DOUBTFUL
    if not opened and (status in {408, 425, 429} or status in _FAULT):
        return Verdict.LATER
    return Verdict.ERROR


OTHER_CREDENTIALS = "the server asks for other credentials"
"""How the refusal of a server begins that wants a login, or another one."""


def is_alive(status: int, *, known: bool) -> bool:
    """Whether an answer with such a status to a ping shows that the session goes on."""
    return status != HTTPStatus.UNAUTHORIZED and not (known and status in {400, 404}) and status not in _FAULT


def why_over(status: int, *, remedy: str) -> str:
    """Why a session is over to whose ping the server gives such an answer, for people; ``remedy`` as for `explained`."""
    if status == HTTPStatus.UNAUTHORIZED:
        return explained(status, remedy=remedy)
    return f"the server knows the session no more (HTTP {status})"


def explained(
    status: int, location: str | None = None, lacks: Sequence[str] | None = None, *, remedy: str
) -> str:
    """A refusal, for people; ``remedy`` says where other credentials come from, and ``lacks`` which scopes the present ones have not."""
    if lacks is not None:
        named = f": {', '.join(map(repr, lacks)):.500}" if lacks else ""
        return f"the server asks for scopes that the present login has not (HTTP {status}){named}; {remedy}"
    if status in _REDIRECT:
        to = "" if location is None else f" to {shown_url(location)}"
        return f"the server redirects{to} (HTTP {status}), which is not followed; write the right 'url'"
    if status in {401, 403}:
        return f"{OTHER_CREDENTIALS} (HTTP {status}); {remedy}"
    return f"the server answers HTTP {status}"


MOST_OF_ADDRESS: Final = 4096
"""Characters."""


def endpoint_in(url: str, said: bytes) -> str | None:
    """Where messages are sent, by what a server of the older transport says; ``None`` unless that is of its own origin.

    Args:
        url: of the server.
        said: an address, which may be relative to that one.
    """
    try:
        text = said.decode("ascii").strip()
        address = urldefrag(urljoin(url, text)).url
        require_url(address)
    except ValueError:
        return None
    own = len(address) <= MOST_OF_ADDRESS and _origin(address) == _origin(url)
    return address if own and text.isprintable() else None


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def shown_url(url: str) -> str:
    """An address without what may be a secret in it: the user, the query, the fragment."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an address that is none"
    host = f"[{host}]" if ":" in host else host
    place = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}" if host else ""
    return f"{place}{parts.path}"[:200]


def error_in(body: bytes) -> dict[str, Any] | None:
    """The error of JSON-RPC that a refusal says, if it says one."""
    try:
        message = load_json(body)
    except JsonValueError:
        return None
    error = message.get("error") if isinstance(message, dict) else None
    return error if isinstance(error, dict) and isinstance(error.get("message"), str) else None


def failed(request_id: str, error: dict[str, Any]) -> bytes:
    """An answer in the server's place: it has refused the request, in words of HTTP or without its id."""
    return dump_json({"jsonrpc": "2.0", "id": request_id, "error": error}) + b"\n"


def refused(request_id: str, problem: str) -> bytes:
    """A line that says so in words of ours; see `tell_fate`."""
    return tell_fate(request_id, Fate.REFUSED, problem)


def lines_of(body: bytes) -> list[bytes]:
    """The messages of a body, each as a line; several stand in a list, in the revision that had such."""
    body = body.strip()
    if body.startswith(b"[") and (len(body) <= UNCOUNTED or excess(body) is None):
        try:
            found = load_exact_json(body)
        except JsonValueError:
            return []
        return [dump_json(each) + b"\n" for each in found if isinstance(each, dict)]
    # What a JSON text has of these stands between its values.
    return [body.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"] if body.startswith(b"{") else []


def answers(line: bytes, request_id: str) -> bool:
    """Whether a line is the answer to that request."""
    match jsonrpc.read(line):
        case jsonrpc.Answer(found):
            return bool(found == request_id)
        case jsonrpc.Unreadable(int()):  # of too many values; who reads it next says so
            return True
    return False


def answered_by(line: bytes) -> str | None:
    """The id of the request of ours that a line answers; ``None`` of what is no answer."""
    match jsonrpc.read(line):
        case jsonrpc.Answer(str() as found):
            return found
    return None


def agreed_in(line: bytes) -> str | None:
    """The revision that the answer to a handshake names."""
    match jsonrpc.read(line):
        case jsonrpc.Answer(_, dict() as result, None):
            found = result.get("protocolVersion")
            return found if isinstance(found, str) and _SESSION_ID.fullmatch(found) else None
    return None


class Fate(Enum):
    """What became of a request that got no answer of JSON-RPC."""

    LOST = "connection_lost"
    TOO_LONG = "line_too_long"
    REFUSED = "refused"


_MARK = b"\0"
"""Stands before a line that no server has written: what comes from one is cut off from it."""


def tell_fate(request_id: str, fate: Fate, detail: str, **facts: int) -> bytes:
    """A line by which the transport tells the session what became of a call."""
    return _MARK + dump_json({"id": request_id, "fate": fate.value, "detail": detail, "facts": facts}) + b"\n"


MISSED: Final = _MARK + b"missed\n"
"""A line by which the transport tells the session that news of the server's may have been lost."""


class Told(NamedTuple):
    """What such a line says."""

    id: str
    fate: Fate
    detail: str
    facts: dict[str, int]


def told_fate(line: bytes) -> Told | None:
    """What a line says, if it is such a line."""
    if not line.startswith(_MARK) or has_missed(line):
        return None
    said = load_json(line[1:])
    return Told(said["id"], Fate(said["fate"]), said["detail"], said["facts"])


def has_missed(line: bytes) -> bool:
    """Whether a line is `MISSED`."""
    return line.rstrip(b"\n") == MISSED.rstrip(b"\n")
