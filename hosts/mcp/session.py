"""One session with an MCP server, as a dialect of the host protocol. Pure: no clock, no I/O.

Requests of the board go in and lines of JSON-RPC come out, and the other way round. Which requests of MCP stand for those of
the board:

| board | MCP |
|---|---|
| ``init`` | ``server/discover``, and ``initialize`` where that is not known |
| ``get_tool_schemas`` | ``tools/list``, all pages |
| ``execute_tool`` | ``tools/call``; its progress comes as parts. What becomes of a task: see `ServerTasks` |
| ``cancel`` | ``notifications/cancelled``; a server need not answer then, so the answer is given here |
| ``resources/subscribe`` | the same; in the stateless era another ``subscriptions/listen`` in the place of the present one |
| ``poll`` | a look at the task of a call |
| ``answer_input`` | the answer to what the server has asked, see `server_requests` |
| ``describe`` | of a session that is open: ``ping``, or ``server/discover`` where there is none |

The two ways to begin are never tried at once: a server that has answered a discovery refuses a handshake. Between a request
and its answer a server may send whatever it likes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..mcp_tasks.server_tasks import TTL, has_extension, takes_tasks
from ..protocol import input_request
from ..protocol.call_params import KEY, TRACE
from ..protocol.wire import BegunEvent, ErrorResponse, RawAnswer, Response, StrayLine
from . import jsonrpc
from .jsonrpc import ABSENT, Answer, Notification, Request, Unreadable
from .listing import Endless, NextPage, ToolList
from .offers import NOT_OFFERED, SHARED, SUBSCRIBE, Listening, Subscriptions, not_offered
from .result_bound import KeptResults
from .results import message_of, read_of, said_by, too_many
from .revision import (
    HANDSHAKES,
    STATELESS,
    NotOpened,
    Opened,
    ShakeHands,
    Stage,
    after_discovery,
    after_handshake,
    description,
    envelope,
    initialize_params,
    server_name,
)
from .selection import ALL, Selection
from .server_calls import OURS, Running, ServerCalls
from .server_requests import ServerRequests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..protocol.dialect import Aside
    from ..protocol.input_request import InputSource, SpeaksThrough
    from ..protocol.wire import Message
    from .pins import Pins

Json = dict[str, Any]

_DISCOVER, _INITIALIZE, _LIST = "callboard:discover", "callboard:initialize", "callboard:list"


def _ignore(*_: object) -> None:
    """For a session without a board, and a transport that takes any tool."""


class Session:
    """See the module.

    Args:
        client: who we are: ``name`` and ``version``.
        revision: the revision to speak; found out if ``None``, and the client's era preferred.
        asks_first: whether ``server/discover`` is sent first also if the client is of the handshake era.
        roots: addresses of folders that the server may work in, if it asks.
        selection: says of each listing which tools are offered, and under which names.
        results: keeps what is cut off of results that are too large.
        name: the server's plugin.
        source: who answers what the server asks in the middle of a call; ``None`` for nobody.
        unfit: says of a schema why no tool may be offered with it, in the stateless era.
        pins: what the server's tools are held to; ``None`` for nothing.
        on_tools_changed: called when the server says that its list of tools is another now. It must not block.
        own_name: returns the name of a tool by this session's selection, if it is called by another.
        subscriptions: what is to be heard of its resources and prompts.
        ran_as_tasks: see `ServerCalls`; shared by all sessions with the server.

    Attributes:
        stage: how far it has come.
        revision: what is spoken, once that is agreed.
        given_up: as `Dialect`.
        server: the server's name and version.
        instructions: what the server says of how it is used; empty if nothing.
    """

    def __init__(
        self,
        client: Json,
        *,
        revision: str | None = None,
        asks_first: bool = False,
        roots: Sequence[str] = (),
        selection: Callable[[], Selection] = lambda: ALL,
        results: KeptResults | None = None,
        name: str = "mcp",
        source: InputSource | None = None,
        unfit: Callable[[Json], str | None] = _ignore,
        pins: Pins | None = None,
        on_tools_changed: Callable[[], object] = _ignore,
        own_name: Callable[[str], str] = lambda name: name,
        subscriptions: Subscriptions | None = None,
        ran_as_tasks: set[str] | None = None,
    ) -> None:
        self.stage: Stage = Stage.NEW
        self.revision: str | None = revision
        self.server: tuple[str, str] = ("", "")
        self.instructions: str = ""
        self._client, self._name = client, name
        self._requests = ServerRequests(name, roots, source)
        self._asks_first, self._may_discover = asks_first, False
        self._said: tuple[Json, str | None] | None = None
        self._offers: Json = {}
        self._describes: str | None = None
        self._begins: str | None = None
        self._lists: str | None = None
        self._selection, self._unfit, self._pins = selection, unfit, pins
        self._list = self._listing = ToolList()
        self._on_tools_changed, self._own_name = on_tools_changed, own_name
        self._subscriptions = subscriptions or Subscriptions(name)
        self._listening = Listening(self._subscriptions, self._request)
        self._probing = set[str]()
        self._lines: list[bytes] = []
        self._messages: list[Message] = []
        self._calls = ServerCalls(
            self._requests,
            KeptResults(name) if results is None else results,
            self._request,
            self._envelope_now,
            lines=self._lines,
            messages=self._messages,
        )
        if ran_as_tasks is not None:
            self._calls.ran_as_tasks = ran_as_tasks
        self.given_up: set[str] = self._calls.given_up
        self.forget: Callable[[str], None] = self._calls.forget

    @property
    def offered(self) -> ToolList:
        """The server's tools, by the last list of them that was read whole."""
        return self._list

    @property
    def makes_tasks(self) -> bool:
        """Whether the server may answer any call with a task."""
        return self.revision == STATELESS and has_extension(self._offers)

    @property
    def asks_of_any(self) -> bool:
        """Whether the server has asked something, and did not say for which call."""
        return self._calls.asks_of_any

    def begin(self, host: SpeaksThrough) -> None:
        self._requests.host = host

    def end(self) -> None:
        self._requests.end()

    # What the board asks

    def encode(self, request_id: str, method: str, params: Json) -> bytes:
        match method:
            case "execute_tool" if self.stage is Stage.OPEN:
                return self._call(request_id, params)
            case "describe":
                return self._described(request_id)
            case "init" if self.stage is Stage.NEW:
                self._begins = request_id
                return self._begin()
            case "get_tool_schemas" if self.stage is Stage.OPEN and self._lists is None:
                unfit = self._unfit if self.revision == STATELESS else _ignore
                self._requests.note_capabilities(self._pins, self.revision)
                self._listing = ToolList(self._selection(), unfit, self._pins)
                if "tools" in self._offers:
                    self._lists = request_id
                    return self._request(_LIST, "tools/list")
                self._list, self._listing.whole = self._listing, True
                self._messages.append(Response(request_id, [], None))
                return b""
            case "cancel":
                return self._calls.cancel(request_id, str(params.get("id")), str(params.get("reason", "")))
            case input_request.POLL:
                self._messages.append(Response(request_id, None, None))
                return self._calls.look(params["call"])
            case input_request.ANSWER:
                self._calls.follow(self._requests.answered(params["key"], params["value"], params["refusal"]))
                self._messages.append(Response(request_id, None, None))
                return b""
            case _ if self.stage is Stage.OPEN and method in SHARED:
                return self._ask_for_shared(request_id, method, params)
        self._refuse(request_id, "MethodNotFound", f"MCP knows nothing like {method!r}")
        return b""

    def _ask_for_shared(self, request_id: str, method: str, params: Json) -> bytes:
        if (lacking := not_offered(method, self._offers)) is not None:
            self._refuse(request_id, NOT_OFFERED, f"the server offers no {lacking}")
            return b""
        if self.revision == STATELESS and method in SUBSCRIBE:
            self._messages.append(Response(request_id, {}, None))
            return self._listening.again(self._offers)
        self._calls.begin(Running(request_id, read_of, method, params))
        return self._request(request_id, method, params)

    def _call(self, request_id: str, params: Json) -> bytes:
        name = params.get("tool_name")
        wire_name = self._list.wire_name(self._own_name(str(name)), self._name)
        call: Json = {"name": wire_name, "arguments": params.get("arguments", {})}
        quiet, ack = params.get("stream") is False, params.get("ack") is True
        meta: Json = {} if quiet and not ack else {"progressToken": request_id}
        meta |= params.get(TRACE, {})
        if "key" in params:
            meta[KEY] = params["key"]
        if wire_name in self._list.only_as_task and self.revision != STATELESS and takes_tasks(self._offers):
            call["task"] = {"ttl": TTL}
        if self.revision == STATELESS:
            meta |= self._envelope_now()
        if meta:
            call["_meta"] = meta
        line = jsonrpc.request(request_id, "tools/call", call)
        running = Running(request_id, message_of, "tools/call", call, name)
        self._calls.begin(running, quiet=quiet and ack)
        if ack:
            self._messages.append(BegunEvent(request_id))  # it is taken once the line is written
        return line

    def _envelope_now(self) -> Json:
        said = self._requests.capabilities(), self._requests.log_level()
        if said != self._said:
            self._said = said
            self._envelope = envelope(self._client, *said)
        return self._envelope

    def _begin(self) -> bytes:
        if self.revision is None and self._requests.of_handshake and not self._asks_first:
            self._may_discover = True
            return self._shake_hands(HANDSHAKES[0])
        if self.revision is None or self.revision == STATELESS:
            return self._discover()
        return self._shake_hands(self.revision)

    def _discover(self) -> bytes:
        self.stage, self._may_discover = Stage.DISCOVERING, False
        return jsonrpc.request(_DISCOVER, "server/discover", {"_meta": self._envelope_now()})

    def _shake_hands(self, revision: str) -> bytes:
        self.stage = Stage.SHAKING_HANDS
        params = initialize_params(revision, self._client, self._requests.capabilities())
        return jsonrpc.request(_INITIALIZE, "initialize", params)

    def _described(self, request_id: str) -> bytes:
        if self.stage is not Stage.OPEN:
            self._describes = request_id  # it is said with the answer to `init`
            return b""
        self._probing.add(request_id)
        return self._request(request_id, "server/discover" if self.revision == STATELESS else "ping")

    def _request(self, request_id: str, method: str, params: Json | None = None) -> bytes:
        if self.revision == STATELESS:
            params = {**(params or {}), "_meta": self._envelope_now()}
        return jsonrpc.request(request_id, method, params)

    # What the server says

    def decode(self, line: bytes) -> Sequence[Message | Aside]:
        message = jsonrpc.read(line)
        if type(message) is Answer:  # nearly always, and a class pattern takes ten times as long
            request_id, result, error, text = message
            if request_id in self._calls:
                return self._calls.ended(request_id, result, error, RawAnswer(line, text, result))
            return self._answered(request_id, result, error, line)
        match message:
            case Notification("notifications/progress" | "notifications/tasks/status" as method, params):
                return self._calls.told(method, params)
            case Notification("notifications/tools/list_changed"):
                self._on_tools_changed()
            case Notification("notifications/message", params):
                return self._calls.logged(params)
            case Notification("notifications/cancelled", params):
                self._requests.withdrawn(params.get("requestId"))
            case Notification(method, params):
                self._subscriptions.heard(method, params)
            case Request() as asked:
                self._lines.append(self._calls.asked(asked))
            case Unreadable(values):
                return (StrayLine(line) if values is None else too_many(line, values),)
        return ()

    @property
    def has_more(self) -> bool:
        return bool(self._lines or self._messages)

    def take(self) -> tuple[bytes, Sequence[Message]]:
        taken = b"".join(self._lines), tuple(self._messages)
        self._lines.clear()
        self._messages.clear()
        return taken

    def _answered(self, request_id: Any, result: Any, error: Json | None, line: bytes) -> Sequence[Message]:
        match request_id:
            case str() if request_id == _DISCOVER and self.stage is Stage.DISCOVERING:
                handshake = self._requests.of_handshake
                self._go_on(after_discovery(self.revision, result, error, handshake=handshake), result)
            case str() if request_id == _INITIALIZE and self.stage is Stage.SHAKING_HANDS:
                self._go_on(after_handshake(result, error), result)
            case str() if request_id == _LIST and self._lists is not None:
                self._on_page(jsonrpc.tools_of(line) if result is ABSENT else result, error, len(line))
            case str() if request_id in self._probing:
                self._probing.discard(request_id)
                return (Response(request_id, description(self.server), None),)
            case _:
                self._calls.late(request_id, result)
                unknown = isinstance(request_id, str) and not request_id.startswith(OURS)
                return (Response(request_id, None, None),) if unknown else ()
        return ()

    def _go_on(self, step: Opened | ShakeHands | NotOpened, result: Any) -> None:
        match step:
            case Opened(revision):
                self._open(revision, result)
            case ShakeHands(revision):
                self._lines.append(self._shake_hands(revision))
            case NotOpened() if self._may_discover:  # it may speak the other era alone
                self._lines.append(self._discover())
            case NotOpened(problem):
                self._fail(problem)

    def _open(self, revision: str, result: Json) -> None:
        self.stage, self.revision, self.server = Stage.OPEN, revision, server_name(result)
        self._calls.stateless = revision == STATELESS
        self.instructions = said if isinstance(said := result.get("instructions"), str) else ""
        self._offers = offers if isinstance(offers := result.get("capabilities"), dict) else {}
        if revision != STATELESS:
            self._lines.append(jsonrpc.notification("notifications/initialized"))
        if revision != STATELESS and "logging" in self._offers and (level := self._requests.log_level()):
            self._lines.append(jsonrpc.request(f"{OURS}level", "logging/setLevel", {"level": level}))
        self._lines.append(self._listening.begin(self._offers, stateless=revision == STATELESS))
        if self._describes is not None:
            self._messages.append(Response(self._describes, description(self.server), None))
        assert self._begins is not None
        self._messages.append(Response(self._begins, {}, {}))

    def missed(self) -> None:
        """News may have been lost on its way."""
        self._on_tools_changed()
        self._subscriptions.missed(self._offers)

    def _fail(self, problem: str) -> None:
        self.stage = Stage.REFUSED
        if self._describes is not None:
            self._messages.append(Response(self._describes, description(self.server), None))
        assert self._begins is not None
        self._refuse(self._begins, "McpError", problem, phase="load")

    def _on_page(self, result: Any, error: Json | None, size: int) -> None:
        assert self._lists is not None
        match Endless(said_by(error)) if error is not None else self._listing.add(result, size):
            case NextPage(cursor):
                self._lines.append(self._request(_LIST, "tools/list", {"cursor": cursor}))
                return
            case Endless(problem):
                self._refuse(self._lists, "McpError", f"the tools cannot be listed: {problem}")
            case None:
                # Not before: calls go on while it is listed again, under the names that were offered.
                self._list = self._listing
                self._list.hold_to_pins()
                self._messages.append(Response(self._lists, self._list.tools, None))
        self._lists = None

    def _refuse(self, request_id: str, kind: str, detail: str, **more: Any) -> None:
        self._messages.append(
            ErrorResponse(request_id, {"type": kind, "detail": detail, "stack": "", **more})
        )
