"""What servers ask in the middle of a call, handed on to the client that made it.

Both eras have their ways, and a server's is not its client's. In the handshake era a client is sent a request of its own, and the call goes on. In the
stateless era the request ends with what is asked, and comes anew with the answers: the call is kept meanwhile, see `RunningCall`.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from ..base.locks import Lock
from ..mcp_protocol.served_client import is_handshake
from ..mcp_protocol.unread import weight_of_message
from ..plugins.results.failures import describe
from .asked_client import FORMS, MODEL, PAGES, AskedClient, Question, abilities
from .client_news import ServerLog
from .lanes import HeldQuestions, Lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..actors.calls.call import Call
    from ..hosts.mcp.sampling import Sampling
    from ..mcp_protocol.served_client import Client
    from ..plugins.hooks.forms import Form
    from .client_news import ClientNews

    Done = Callable[[Any, str], None]

_ALL_LOGS: Final = 64 * 1024 * 1024
"""Bytes of log messages of servers that this thread has not looked at yet."""

_CALL_LOGS: Final = 1024 * 1024
"""Bytes of log messages that wait in one call, whatever waits in others."""

CLIENT_LOGS: Final = 32 * 1024 * 1024
"""Bytes of log messages that wait for one client, in all its calls."""

_MAY_ASK: Final = 1.0
"""Seconds in which a server may still ask for a call that was given up: as long as it has to answer a ping, by default."""

_ALL: Final = frozenset({"elicitation", "sampling"})


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
        self._given_up: list[AskedClient] = []
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
        if left is not None and self.lanes.are_lined_up and not left.was_answered:
            self._given_up.append(left)
            self._loop.call_later(_MAY_ASK, self._ask_no_more, left)
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

    def _ask_no_more(self, left: AskedClient) -> None:
        self._given_up.remove(left)
        self.lanes.look()

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
            asked = (*self._asked.values(), *self._given_up)
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
