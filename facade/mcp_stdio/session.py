"""One session with a client over a pipe, in the era in which it begins. Pure: messages go in, and what is to be done comes out.

| the client | what comes out |
|---|---|
| asks for something that is served | `Begin`; its answer is written by `Session.answered` |
| cancels that | `Cancel`, and there is no answer |
| begins, pings, or asks for what cannot be answered | `Say` |
| answers a request | `Answered` |

The first request decides the era, once: one that says its revision under ``_meta`` opens the stateless one, and any other, as
``initialize``, the handshake. A request of the other era is refused then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..hosts.mcp.revision import HANDSHAKES, STATELESS
from ..mcp_protocol.params import (
    CAPABILITIES,
    INFO,
    INITIALIZE,
    REVISION,
    bad_params,
    params_problem,
)
from ..mcp_protocol.served_client import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from .frames import (
    INVALID_REQUEST,
    Answer,
    Batch,
    Invalid,
    Notification,
    Request,
    error_line,
    read,
    result_line,
    result_text_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..mcp_protocol.method import Handler, Method
    from ..mcp_protocol.served_client import Client
    from .frames import Id

Json = dict[str, Any]

UNSUPPORTED_REVISION: Final = -32022
CONNECTION_CLOSED: Final = -32000

MOST_UNDER_WAY: Final = 10_000
"""Requests of a client at a time; a further one is refused."""

MOST_HELD: Final = 256 * 1024 * 1024
"""Bytes of the requests that are under way; a further one is refused. Reading is not stopped: what comes next may be a cancel, or an answer."""

_BATCHES: Final = "2025-03-26"
"""The one revision that has them."""

_OTHER_ERA: Final = (
    "this connection serves the handshake protocol era; "
    "requests carrying the 2026-07-28 envelope are not accepted on it"
)
_NO_HANDSHAKE: Final = (
    "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted"
)


class Who(NamedTuple):
    """The client, as far as it has said.

    Attributes:
        revision: that it speaks.
        name: how it calls itself; ``None`` if it does not.
        capabilities: what it can do; ``None`` if it has not said that.
    """

    revision: str
    name: str | None = None
    capabilities: Json | None = None


class Asked:
    """A request that is under way.

    Attributes:
        id: as the client says it.
        handle: answers it.
        params: of the request.
        meta: what stands under ``_meta``.
        who: sent it.
        size: bytes of the line that it came in.
        cancelled: the client waits for no answer.
    """

    __slots__ = ("cancelled", "handle", "id", "meta", "params", "size", "who")

    def __init__(self, request: Request, handle: Handler, meta: Json, who: Who) -> None:
        self.id: Id = request.id
        self.handle = handle
        self.params: Json = request.params
        self.meta = meta
        self.who = who
        self.size: int = 0
        self.cancelled: bool = False


class Begin(NamedTuple):
    """A request is to be answered."""

    asked: Asked


class Cancel(NamedTuple):
    """A request is given up."""

    asked: Asked


class Say(NamedTuple):
    """A line is to be written."""

    line: bytes


class Answered(NamedTuple):
    """The client has answered the request of this number."""

    number: int
    result: Any
    error: Any


class Introduced(NamedTuple):
    """The client has said what it can do, in a request that was answered already."""

    asked: Asked


Effect = Begin | Cancel | Say | Answered | Introduced
Effects = tuple[Effect, ...]


class Session:
    """See the module.

    Args:
        methods: what is served, by name.
        introduce: makes the result of ``initialize`` or ``server/discover`` for a revision.
    """

    def __init__(self, methods: Mapping[str, Method], introduce: Callable[[str], Json]) -> None:
        self._methods = methods
        self._introduce = introduce
        self._stateless: bool | None = None
        self._accepted = False
        self._who = Who(HANDSHAKES[0])
        self._under_way: dict[Id, Asked] = {}
        self._open = 0
        self._held = 0
        self._size = 0

    def hear(self, line: bytes) -> Effects:
        """Take the client's next line."""
        frame = read(line)
        self._size = len(line)
        if isinstance(frame, Request):
            return self._asked(frame)
        return self._several(frame) if isinstance(frame, Batch) else self._heard(frame)

    def refuse(self, invalid: Invalid) -> Effects:
        """The client has sent what was not read."""
        return (Say(error_line(*invalid)),)

    def answered(self, asked: Asked, result: Json | bytes) -> bytes:
        """The line that answers a request; empty if the client waits for none. ``result`` may be JSON already."""
        if not self._over(asked):
            return b""
        if isinstance(result, bytes):
            return result_text_line(asked.id, result)
        return result_line(asked.id, result)

    def refused(self, asked: Asked, code: int, message: str, data: Any = None) -> bytes:
        """As `answered`, with an error."""
        return error_line(asked.id, code, message, data) if self._over(asked) else b""

    def end(self) -> bytes:
        """The client has closed its end: the lines by which what is under way is refused."""
        left = tuple(self._under_way.values())
        return b"".join(self.refused(each, CONNECTION_CLOSED, "Connection closed") for each in left)

    def _over(self, asked: Asked) -> bool:
        if asked.size:
            self._held -= asked.size
            self._open -= 1
            asked.size = 0
        if self._under_way.get(asked.id) is asked:  # else its id was used again
            del self._under_way[asked.id]
        return not asked.cancelled

    def _several(self, batch: Batch) -> Effects:
        if self._who.revision != _BATCHES or self._stateless or not batch.frames:
            return (Say(error_line(None, INVALID_REQUEST, "Invalid Request: there are no batches")),)
        return tuple(
            effect
            for frame in batch.frames
            for effect in (self._asked(frame) if isinstance(frame, Request) else self._heard(frame))
        )

    def _heard(self, frame: Notification | Answer | Invalid) -> Effects:
        if isinstance(frame, Invalid):
            return self.refuse(frame)
        if isinstance(frame, Answer):
            number = _number(frame.id)
            return () if number is None else (Answered(number, frame.result, frame.error),)
        match frame:
            case Notification("notifications/cancelled", params):
                return self._cancelled(params.get("requestId"))
            case Notification("notifications/initialized") if not self._stateless:
                self._accepted = True
        return ()

    def _cancelled(self, request_id: Any) -> Effects:
        if type(request_id) is not str and type(request_id) is not int:
            return ()
        asked = self._under_way.get(request_id)
        if asked is None:  # some clients say the number as a text
            other = _number(request_id) if type(request_id) is str else str(request_id)
            asked = None if other is None else self._under_way.get(other)
        if asked is None:
            return ()
        asked.cancelled = True
        self._over(asked)
        return (Cancel(asked),)

    def _asked(self, request: Request) -> Effects:
        meta = request.params.get("_meta")
        meta = meta if type(meta) is dict else {}
        if self._stateless is None:
            self._stateless = REVISION in meta and request.method != "initialize"
        return self._by_itself(request, meta) if self._stateless else self._in_session(request, meta)

    def _in_session(self, request: Request, meta: Json) -> Effects:
        """A request of the handshake era."""
        name = request.method
        if name == "initialize":
            return self._initialized(request)
        if REVISION in meta:
            return _no(request, INVALID_REQUEST, _OTHER_ERA)
        if name == "ping":
            problem = params_problem(request.params, {}, {}, stateless=False)
            return _yes(request, {}) if problem is None else _bad(request, problem)
        method = self._methods.get(name)
        if method is None or not method.handshake:
            return _no(request, METHOD_NOT_FOUND, "Method not found", name)
        problem = params_problem(request.params, method.required, method.optional, stateless=False)
        if problem is not None or not self._accepted:
            return _bad(request, problem)
        return self._begin(Asked(request, method.handle, meta, self._who))

    def _initialized(self, request: Request) -> Effects:
        params = request.params
        if (problem := INITIALIZE(params)) is not None:
            return _bad(request, problem)
        wanted = params["protocolVersion"]
        revision = wanted if wanted in HANDSHAKES else HANDSHAKES[0]
        self._who = Who(revision, params["clientInfo"]["name"], params["capabilities"])
        self._accepted = True
        return self._introduced(request, {}, self._who)

    def _introduced(self, request: Request, meta: Json, who: Who) -> Effects:
        asked = Asked(request, _answered_already, meta, who)
        return (*_yes(request, self._introduce(who.revision)), Introduced(asked))

    def _by_itself(self, request: Request, meta: Json) -> Effects:
        """A request of the stateless era."""
        name, params = request.method, request.params
        if name == "initialize":
            wanted = params.get("protocolVersion")
            said = {"requested": wanted} if type(wanted) is str else {}
            return _no(request, UNSUPPORTED_REVISION, _NO_HANDSHAKE, {"supported": [STATELESS], **said})
        if (refused := _envelope_problem(request)) is not None:
            return refused
        discovers = name == "server/discover"
        method = None if discovers else self._methods.get(name)
        if not discovers and (method is None or not method.stateless):
            return _no(request, METHOD_NOT_FOUND, "Method not found", name)
        required, optional = ({}, {}) if method is None else (method.required, method.optional)
        if (problem := params_problem(params, required, optional, stateless=True)) is not None:
            return _bad(request, problem)
        info = meta.get(INFO)
        who = Who(STATELESS, None if info is None else info["name"], meta[CAPABILITIES])
        if method is None:
            return self._introduced(request, meta, who)
        return self._begin(Asked(request, method.handle, meta, who))

    def _begin(self, asked: Asked) -> Effects:
        if self._open >= MOST_UNDER_WAY or self._held + self._size > MOST_HELD:
            why = f"{self._open:,} requests of {self._held:,} bytes are under way; wait for some of their answers"
            return (Say(error_line(asked.id, INTERNAL_ERROR, why)),)
        asked.size = self._size
        self._open, self._held = self._open + 1, self._held + self._size
        self._under_way[asked.id] = asked
        return (Begin(asked),)


async def _answered_already(_: Client, params: Json) -> Json:
    return params


def _envelope_problem(request: Request) -> Effects | None:
    """The refusal of a request that does not say what each one says in the stateless era; in the words of the SDK."""
    meta = request.params.get("_meta")
    if type(meta) is not dict:
        needed = f"{REVISION!r} and {CAPABILITIES!r} envelope keys"
        return _no(request, INVALID_PARAMS, f"params._meta must be an object carrying the required {needed}")
    if missing := [key for key in (REVISION, CAPABILITIES) if key not in meta]:
        named = ", ".join(missing)
        return _no(request, INVALID_PARAMS, f"params._meta is missing the required envelope key(s): {named}")
    if type(wanted := meta[REVISION]) is not str:
        return _no(request, INVALID_PARAMS, "the protocol-version envelope value must be a string")
    if wanted != STATELESS:
        data = {"supported": [STATELESS], "requested": wanted}
        return _no(request, UNSUPPORTED_REVISION, "Unsupported protocol version", data)
    return None


def _yes(request: Request, result: Json) -> Effects:
    return (Say(result_line(request.id, result)),)


def _no(request: Request, code: int, message: str, data: Any = None) -> Effects:
    return (Say(error_line(request.id, code, message, data)),)


def _bad(request: Request, problem: str | None) -> Effects:
    return _no(request, INVALID_PARAMS, bad_params(problem), "")


def _number(value: Any) -> int | None:
    """The number that an id says; clients may say ours as a text."""
    if type(value) is int:
        return value
    if type(value) is str and value.isascii() and value.isdecimal() and len(value) <= len(str(1 << 63)):
        return int(value)
    return None
