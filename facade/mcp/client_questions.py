"""What servers ask in the middle of a call, handed on to the client that made it.

Both eras have their ways, and a server's is not its client's. In the handshake era a client is sent a request of its own, and the call goes on. In the
stateless era the request ends with what is asked, and comes anew with the answers: the call is kept meanwhile, see `RunningCall`.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from ..base.foreign import Log
from ..base.locks import Lock
from ..hosts.mcp import elicitation, sampling
from ..hosts.mcp.jsonrpc import without_forged_meta
from ..hosts.mcp.revision import HANDSHAKES
from ..mcp_protocol.served_client import is_handshake
from ..mcp_protocol.shapes import ELICITED, SAMPLED, WISHES
from ..mcp_protocol.unread import Unread, weight_of_message
from ..plugins.hooks.forms import CANCEL, Form, FormAnswer, read_form_answer
from ..plugins.results.codes import Code
from ..plugins.results.failures import describe
from .client_news import ServerLog
from .lanes import HeldQuestions, Lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..actors.calls.call import Call
    from ..hosts.mcp.sampling import Sampling
    from ..mcp_protocol.served_client import Client
    from .client_news import ClientNews

    Done = Callable[[Any, str], None]

Json = dict[str, Any]

logger: Log = Log("callboard.mcp")

FORMS: Final = "forms"
PAGES: Final = "pages"
MODEL: Final = "model"

MODEL_PATIENCE: Final = 300.0
"""Seconds for the client's model to answer."""

_ALL_LOGS: Final = 64 * 1024 * 1024
"""Bytes of log messages of servers that this thread has not looked at yet."""

_CALL_LOGS: Final = 1024 * 1024
"""Bytes of log messages that wait in one call, whatever waits in others."""

CLIENT_LOGS: Final = 32 * 1024 * 1024
"""Bytes of log messages that wait for one client, in all its calls."""

_ALL: Final = frozenset({"elicitation", "sampling"})


def abilities(client: Client) -> frozenset[str]:
    """What the client of a request can be asked for: `FORMS`, `PAGES`, `MODEL`."""
    said = client.capabilities
    if not said or (is_handshake(client) and not client.can_be_asked()):
        return frozenset()
    asks, samples = said.get("elicitation"), said.get("sampling")
    found = {
        FORMS: isinstance(asks, dict)
        and (asks.get("form") is not None or asks.get("url") is None),  # without either it is of forms
        PAGES: isinstance(asks, dict) and asks.get("url") is not None,
        MODEL: isinstance(samples, dict),
    }
    return frozenset(name for name, can in found.items() if can)


class Question:
    """One that is open. In the event loop.

    Args:
        asked: what the server wants to know.
        calls: the ids of the calls of which one has made it ask.
        done: hears the answer, once.

    Attributes:
        asked, calls: as given.
        over: it is answered, or withdrawn.
        given_up: who made those of the calls that have ended without an answer of the server. It may ask for them still.
    """

    def __init__(self, asked: Form | Sampling, calls: tuple[str, ...], done: Done) -> None:
        self.asked = asked
        self.calls = calls
        self.given_up: list[AskedClient] = []
        self.over: asyncio.Event = asyncio.Event()
        self._done = done

    @property
    def patience(self) -> float:
        """Seconds that the answer may take."""
        return self.asked.timeout if isinstance(self.asked, Form) else MODEL_PATIENCE

    def request(self, revision: str, name: str) -> tuple[str, Json]:
        """Its method and params in a client's revision. Raises `ValueError`: it cannot be said so."""
        if not isinstance(self.asked, Form):
            said = sampling.params_of(self.asked, revision)
            if (problem := WISHES(said)) is not None:
                raise ValueError(problem)
            return "sampling/createMessage", said
        said = elicitation.params_of(self.asked, revision)
        if self.asked.url is not None and revision in HANDSHAKES:
            said["elicitationId"] = name
        return "elicitation/create", said

    def hear(self, answer: Any) -> None:
        """The client's answer, which is only handed on if it is one."""
        if (problem := (ELICITED if isinstance(self.asked, Form) else SAMPLED)(answer)) is not None:
            self.fail(f"the client answers something else: {problem}")
        elif not isinstance(self.asked, Form):
            said = {key: each for key, each in answer.items() if key != "_meta" and each is not None}
            self._tell(without_forged_meta(said), "")
        elif (
            read := read_form_answer(FormAnswer(answer["action"], answer.get("content")), self.asked)
        ) is None:
            self.fail("the client's answer does not fit the form")
        else:
            self._tell(read, "")

    def fail(self, why: str) -> None:
        """There is no answer."""
        logger.warning("a client has not answered what %.100s asks: %.300s", self.asked.plugin, why)
        self._tell(FormAnswer(CANCEL, reason=why) if isinstance(self.asked, Form) else None, why)

    def _tell(self, answer: Any, why: str) -> None:
        if not self.over.is_set():
            self.over.set()
            self._done(answer, why)


class AskedClient:
    """The client of one call, and what it is asked. In the event loop, but for `can_answer`.

    Args:
        client: the same for all calls of one client, as far as that is known.
        can: what it can be asked for.

    Attributes:
        client: as given.
        call: its call, once that has begun.
        logs: what was logged in the call, and the client was not told yet.
        parts: how many the call has had.
    """

    def __init__(self, client: object, can: frozenset[str]) -> None:
        self.client = client
        self.call: Call | None = None
        self.logs: Unread[ServerLog] = Unread()
        self.parts: int = 0
        self._can = can
        self._open: list[Question] = []

    def can_answer(self, asked: Form | Sampling) -> bool:
        """Whether it can be asked this; from any thread."""
        if not isinstance(asked, Form):
            return MODEL in self._can
        return (FORMS if asked.url is None else PAGES) in self._can

    @property
    def was_answered(self) -> bool:
        """Whether the server has answered its call, and asks nothing for it any more."""
        call, ended_here = self.call, (Code.DEADLINE_EXCEEDED, Code.CANCELLED)
        return call is not None and call.done() and call.result().get("code") not in ended_here

    def add(self, question: Question) -> None:
        """Have it asked."""
        self._open.append(question)
        self._have_it_look()

    def add_log(self, log: ServerLog, most: int) -> None:
        """Have it told, unless more than so many bytes would wait."""
        self.logs.add(log, log.size, most)
        self._have_it_look()

    def lose_logs(self, count: int) -> None:
        """Have it told that so many are lost."""
        self.logs.lose(count)
        self._have_it_look()

    def _have_it_look(self) -> None:
        if self.call is not None:
            self.call.nudge()

    @property
    def has_questions(self) -> bool:
        """Whether one is open."""
        return bool(self._open) and any(not each.over.is_set() for each in self._open)

    def questions(self) -> Iterator[Question]:
        """Those that are open."""
        self._open = [each for each in self._open if not each.over.is_set()]
        return iter(tuple(self._open))


class _Client:
    """A client as a key: the same only for what is known to be the same object, which is kept as long as the key."""

    def __init__(self, client: object) -> None:
        self._client = client

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Client) and other._client is self._client

    def __hash__(self) -> int:
        return hash(id(self._client))


class ClientQuestions:
    """Has clients asked. It is an `AsksCallers`: `offers`, `asker` and `client_of` may be called from any thread, all else in the event loop.

    Servers of the handshake era are told once, when they start, whether they may ask.

    Args:
        many: clients may come at any time and are not known before; what servers ask is offered in the hope of one who can answer.
        news: tells clients what is logged outside of calls, and knows of which level they are told.

    Attributes:
        lanes: whose calls may begin.
        asks_of_any: says of a plugin whether it asks and does not say for which call.
    """

    def __init__(self, news: ClientNews, *, many: bool) -> None:
        self._news = news
        self._many = many
        self._logs: list[tuple[tuple[str, ...], ServerLog]] = []
        self._logs_held = 0
        self._logs_lost: dict[tuple[str, ...], int] = {}
        self._loop = asyncio.get_running_loop()
        self._offers = _ALL if many else frozenset[str]()
        self._of_handshake = False
        self._asked: dict[str, AskedClient] = {}
        self._held = HeldQuestions[Question](self._asked)
        self.lanes: Lanes = Lanes(self._under_way)
        self.asks_of_any: Callable[[str], bool] = lambda _: True
        self._lock = Lock()
        self._logging = Lock()

    def offers(self) -> frozenset[str]:
        return self._offers

    def of_handshake(self) -> bool:
        return self._of_handshake

    def log_level(self) -> str | None:
        return self._news.level

    def log(self, plugin: str, calls: tuple[str, ...], params: dict[str, Any]) -> None:
        log = ServerLog(plugin, params, weight_of_message(params))
        with self._logging:
            wake = not self._logs
            if self._logs_held > _ALL_LOGS:
                self._logs_lost[calls] = self._logs_lost.get(calls, 0) + 1
            else:
                self._logs.append((calls, log))
                self._logs_held += log.size
        if wake:
            self._soon(self.hand_out_logs)

    def hand_out_logs(self) -> None:
        """Give what servers have logged until now to those who are told it."""
        if not self._logs:
            return
        with self._logging:
            logs, lost = self._logs, self._logs_lost
            self._logs, self._logs_held, self._logs_lost = [], 0, {}
        handed: tuple[tuple[tuple[str, ...], ServerLog | int], ...] = (*logs, *lost.items())
        for calls, log in handed:
            told = audience([self._asked.get(call) for call in calls], many=self._many)
            if isinstance(told, AskedClient):
                if isinstance(log, int):
                    told.lose_logs(log)
                else:
                    told.add_log(log, self._room_for_logs(told, log.size))
            elif told == "all":
                self._news.lose_logs(log) if isinstance(log, int) else self._news.hear_log(log)

    def _room_for_logs(self, client: AskedClient, size: int) -> int:
        """Bytes that may wait in a call."""
        if client.logs.held + size <= _CALL_LOGS:
            return _CALL_LOGS
        others = sum(each.logs.held for each in self._asked.values() if each.client is client.client)
        return max(_CALL_LOGS, CLIENT_LOGS - others + client.logs.held)

    def introduce(self, client: Client) -> None:
        """A client has said what it can do."""
        can = abilities(client)
        self._of_handshake = not self._many and is_handshake(client)
        forms = {"elicitation"} if can & {FORMS, PAGES} else set()
        self._offers |= forms | ({"sampling"} if MODEL in can else set())

    def enter(self, begin: Callable[[], Any], client: AskedClient) -> Any:
        """Begin a call, and note who made it; returns it."""
        with self._lock:  # across the submission: the call may ask before its id is known here
            call = client.call = begin()
            self._asked[call.id] = client
        return call

    async def begin(
        self,
        begin: Callable[[], Any],
        client: AskedClient,
        offering: Callable[[], str | None],
        patience: float | None,
    ) -> Any:
        """As `enter`, when it is the client's turn. Raises as `Lanes.turn`.

        Args:
            begin: as there.
            client: as there.
            offering: finds the plugin of the call's tool.
            patience: seconds that it may wait.
        """
        if not self.lanes.are_lined_up:
            return self.enter(begin, client)
        async with self.lanes.turn(offering(), client.client, patience):
            call = self.enter(begin, client)
        self._watch(call)
        return call

    def _asks(self, plugin: str) -> None:
        """Have the clients of a plugin that has asked take turns, if it does not say for which call it asks."""
        if not self.lanes.has(plugin) and self.asks_of_any(plugin):
            self.lanes.line_up(plugin)
            for each in tuple(self._asked.values()):
                if each.call is not None:
                    self._watch(each.call)

    def _watch(self, call: Call) -> None:
        """Have it leave as soon as it has ended: its client may be away, or read nothing, and others wait."""
        call.add_done_callback(partial(self._soon, self.leave, call.id))

    def leave(self, call_id: str) -> None:
        """A call is over, or nobody waits for it any more. May be told twice. What may have been asked for another one of its client is asked there."""
        left = self._asked.pop(call_id, None)
        self.lanes.look()
        for question in self._held.take():
            if left is not None and call_id in question.calls and not left.was_answered:
                question.given_up.append(left)
            self._have_asked(question)
        for question in left.questions() if left is not None and left.has_questions else ():
            others = (self._asked.get(call) for call in question.calls)
            other = next((each for each in others if each is not None), None)
            if other is None:
                question.fail("the call is over")
            else:
                other.add(question)

    def client_of(self, call: str) -> _Client | None:
        """Who made a call, by its id; ``None`` for nobody of them."""
        with self._lock:
            found = self._asked.get(call)
        return None if found is None else _Client(found.client)

    def asker(
        self, asked: Form | Sampling, calls: tuple[str, ...]
    ) -> Callable[[Done], Callable[[], None]] | None:
        with self._lock:
            found = [self._asked.get(call) for call in calls]
        if not found or None in found:
            return None
        self._soon(self._asks, asked.plugin)
        if _is_of_one(found) and not any(each.can_answer(asked) for each in found if each is not None):
            return None
        return lambda done: self._ask(Question(asked, calls, done))

    def _ask(self, question: Question) -> Callable[[], None]:
        self._soon(self._have_asked, question)
        return lambda: self._soon(question.over.set)

    def _have_asked(self, question: Question) -> None:
        """Ask the client whose calls alone are left of those that may have made the server ask: what may be another's is shown to nobody."""
        found = [self._asked[call] for call in question.calls if call in self._asked]
        if question.over.is_set():
            return
        if found and not _is_of_one(found):
            self._held.hold(question)
        elif found and not _is_of_one([*found, *question.given_up]):
            question.fail("it may be of a call of another client, which has ended without an answer")
        elif (asking := next((each for each in found if each.can_answer(question.asked)), None)) is None:
            question.fail("the client that made the call cannot be asked, or has gone")
        else:
            asking.add(question)

    def _under_way(self, plugin: str) -> list[object]:
        with self._lock:
            asked = tuple(self._asked.values())
        return [each.client for each in asked if each.call is not None and each.call.plugin_name == plugin]

    def _soon(self, function: Callable[..., object], *given: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *given)
        except RuntimeError:  # the loop has ended, and all calls with it
            return


def audience(callers: Sequence[AskedClient | None], *, many: bool) -> AskedClient | Literal["all", "nobody"]:
    """Who is told what a server logs. Where there are many clients, nobody is told what may be another's. Pure.

    Args:
        callers: who made each of the calls that are under way there; ``None`` for no client.
        many: clients come and go; else there is one.
    """
    clients = [each for each in callers if each is not None]
    if clients and (not many or _is_of_one(callers)):
        return clients[0]
    return "nobody" if callers and many else "all"


def _is_of_one(callers: Sequence[AskedClient | None]) -> bool:
    """Whether all calls are of clients, and of one."""
    clients = {id(each.client) for each in callers if each is not None}
    return len(clients) == 1 and None not in callers


async def ask_by_request(client: Client, question: Question, name: str) -> None:
    """Ask a client of the handshake era, within its request."""
    asking = asyncio.ensure_future(_answer(client, question, name))
    withdrawn = asyncio.ensure_future(question.over.wait())
    try:
        await asyncio.wait({asking, withdrawn}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        asking.cancel()
        withdrawn.cancel()


async def _answer(client: Client, question: Question, name: str) -> None:
    try:
        method, params = question.request(client.revision, name)
        answer = await client.ask(method, params, question.patience)
    except Exception as error:  # noqa: BLE001 - whatever has become of the connection, the server has to be answered
        question.fail(describe(error))
    else:
        question.hear(answer)
