"""What a server asks of its client: a ping, its roots, and input for a call. Pure.

Up to 2025-11-25 a server sends a request of its own for input, in the middle of a call. From 2026-07-28 on it ends the call with what it asks
for, and the client makes the call anew with the answers. Here both are the same: a question is handed to an `InputSource`, and
what its answer makes of the call is said by `answered`.

A question belongs to the calls that were under way when it came, and is withdrawn when the last of them has ended. One that comes when there is
none is refused, for nobody waits for what would come of it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.json import dump_json
from ...plugins.hooks.forms import FormAnswer
from ..protocol.dialect import Aside
from ..protocol.input_request import InputRequest
from . import elicitation, jsonrpc
from .elicitation import NotAsked, form_of
from .revision import STATELESS
from .sampling import sampling_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..protocol.input_request import InputSource, SpeaksThrough
    from .pins import Pins

Json = dict[str, Any]

INPUT_REQUIRED: Final = "input_required"

MOST_QUESTIONS: Final = 16
"""For one call."""

MOST_OPEN: Final = 64
"""Open at a time, or as many as calls are under way: as a rule a call waits for one. How many calls run side by side is the board's bound."""

MOST_ROUNDS: Final = 8
"""How often a call is made anew with what the server has asked for."""

_KINDS: Final = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}
_CAPABILITIES: Final[dict[str, Json]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}

_READERS: Final[dict[str, Callable[[Json, str, str | None], Any]]] = {
    "elicitation": form_of,
    "sampling": sampling_of,
}

_REFUSED: Final = -1
"""The code of a refusal by a person."""


class Again(NamedTuple):
    """A call is to be made anew.

    Attributes:
        call: its id.
        params: what is said beside those of before.
    """

    call: str
    params: Json


class NoInput(NamedTuple):
    """A call ends without the input that it needs.

    Attributes:
        call: its id.
        problem: why there is none.
    """

    call: str
    problem: str


Effect = bytes | Again | NoInput | None
"""What follows from an answer: a line, a call that is made anew, or one that ends."""


class _Question:
    """One that is open: the server's request, or a part of what a call requires."""

    def __init__(self, kind: str, calls: set[str], request_id: Any, name: str | None) -> None:
        self.kind = kind
        self.calls = calls
        self.request_id = request_id
        self.name = name


class _Round:
    """What a call requires before it is made anew.

    Attributes:
        number: how often it did.
        answers: those that are there.
        missing: names of the others.
    """

    def __init__(self) -> None:
        self.number = 0
        self.answers: Json = {}
        self.missing: set[str] = set()
        self.state: str | None = None

    @property
    def params(self) -> Json:
        answers = {"inputResponses": self.answers} if self.answers else {}
        return answers if self.state is None else {**answers, "requestState": self.state}


class ServerRequests:
    """See the module. Of one generation of a server.

    Args:
        plugin: the server's name.
        roots: the folders that it may work in.
        source: who answers; ``None`` for nobody.

    Attributes:
        host: of the server; questions go through it.
        busy: there is a call that the server has asked something for.
    """

    def __init__(self, plugin: str, roots: Sequence[str], source: InputSource | None) -> None:
        self.host: SpeaksThrough | None = None
        self.busy: bool = False
        self._plugin = plugin
        self._roots = {"roots": [{"uri": uri} for uri in roots]} if roots else None
        self._source = source
        self._announced: frozenset[str] = frozenset()
        self._capabilities: Json = {"roots": {}} if roots else {}
        self._asked = 0
        self._open: dict[str, _Question] = {}
        self._rounds: dict[str, _Round] = {}
        self._counts: dict[str, int] = {}

    def capabilities(self) -> Json:
        """What is to be announced; the same object as long as that is the same."""
        offers = frozenset() if self._source is None else self._source.offers()
        if offers != self._announced:
            self._announced = offers
            self._capabilities = {"roots": {}} if self._roots else {}
            self._capabilities |= {kind: _CAPABILITIES[kind] for kind in sorted(offers)}
        return self._capabilities

    @property
    def of_handshake(self) -> bool:
        """Whether all questions go to one client, of the handshake era."""
        return self._source is not None and self._source.of_handshake()

    def note_capabilities(self, pins: Pins | None, revision: str | None) -> None:
        """Note the capabilities for which the server declares its tools: the present ones in the stateless era, else those of the handshake."""
        if pins is not None:
            pins.declared_to(self.capabilities() if revision == STATELESS else self._capabilities)

    def log_level(self) -> str | None:
        """The least grave level of which anybody wants to be told."""
        return None if self._source is None else self._source.log_level()

    def logged(self, params: Json, calls: Iterable[str]) -> tuple[Aside, ...]:
        """What the server logs; nothing if there is nobody to be told."""
        if self._source is None:
            return ()
        return (Aside(partial(self._source.log, self._plugin), tuple(map(call_of, calls)), params),)

    def poll_later(self, call: str, seconds: float) -> None:
        """Have the session look at a call's task after so many seconds."""
        if self._source is not None and self.host is not None:
            self._source.poll_later(call, seconds, self.host)

    def wire_id(self, call: str) -> str:
        """The id by which a call is known to the server: each round is a request of its own."""
        made = self._rounds.get(call)
        return call if made is None or made.number == 0 else f"{call}~{made.number}"

    # What the server asks

    def reply(
        self, asked: jsonrpc.Request, calls: Iterable[str], tool: Callable[[str], str | None], *, alone: bool
    ) -> bytes:
        """What is said to a request at once; nothing if its answer comes later.

        Args:
            asked: the request.
            calls: ids of those under way.
            tool: the tool of a call.
            alone: requests for input are sent by themselves in this era.
        """
        if asked.method == "ping":
            return jsonrpc.result(asked.id, {})
        if asked.method == "roots/list" and self._roots is not None:
            return jsonrpc.result(asked.id, self._roots)
        kind = _KINDS.get(asked.method) if alone else None
        if kind is None or kind not in self._announced:
            problem = f"{asked.method[:100]} is not offered by this client"
            return jsonrpc.error(asked.id, jsonrpc.METHOD_NOT_FOUND, problem)
        question = _Question(kind, set(calls), asked.id, None)
        if not question.calls or not self._may_ask(question.calls):
            return _no_answer(question, "it is asked outside of a call, or too often")
        try:
            self._hand_over(question, asked.params, tool)
        except NotAsked as error:
            return jsonrpc.error(asked.id, jsonrpc.INVALID_PARAMS, str(error))
        return b""

    def withdrawn(self, request_id: Any) -> None:
        """The server does not wait for an answer any more."""
        for key, question in tuple(self._open.items()):
            if question.name is None and question.request_id == request_id:
                self._withdraw(key)

    def required(self, call: str, result: Json, tool: Callable[[str], str | None]) -> Effect:
        """A call ends with what the server asks for; ``None`` if its answers come later."""
        asked, state = result.get("inputRequests", {}), result.get("requestState")
        if not isinstance(asked, dict) or not isinstance(state, str | None) or (not asked and state is None):
            return NoInput(call, "the server asks for input, and what it asks for cannot be read")
        made = self._rounds.setdefault(call, _Round())
        self.busy = True
        if made.number >= MOST_ROUNDS:
            return NoInput(call, f"the server has asked for input {MOST_ROUNDS} times, and asks again")
        made.number += 1
        made.state, made.answers, made.missing = state, {}, set()
        problem = self._ask_all(call, made, asked, tool)
        if problem is not None:
            return NoInput(call, problem)
        return None if made.missing else Again(call, made.params)

    def _ask_all(self, call: str, made: _Round, asked: Json, tool: Callable[[str], str | None]) -> str | None:
        """Ask for all of it; why that cannot be, if it cannot."""
        made.missing = set(asked)
        for name, each in asked.items():
            method = each.get("method") if isinstance(each, dict) else None
            if method == "roots/list" and self._roots is not None:
                made.answers[name] = self._roots
                made.missing.discard(name)
                continue
            kind = _KINDS.get(method) if isinstance(method, str) else None
            if kind is None or kind not in self._announced:
                return f"the server asks for input ({method!s:.60}), which is not to be had here"
            if not self._may_ask({call}):
                return f"the server asks for input more than {MOST_QUESTIONS} times"
            params = each.get("params")
            try:
                self._hand_over(
                    _Question(kind, {call}, None, name), params if isinstance(params, dict) else {}, tool
                )
            except NotAsked as error:
                return f"the server asks for input, and {error}"
        return None

    def _may_ask(self, calls: set[str]) -> bool:
        """Whether one more may be asked for one of these calls; it counts for the one that has the fewest."""
        counted = min(calls, key=lambda call: self._counts.get(call, 0))
        count = self._counts.get(counted, 0)
        most_open = max(MOST_OPEN, len(calls), len(self._rounds))
        if count >= MOST_QUESTIONS or len(self._open) >= most_open:
            return False
        self._counts[counted] = count + 1
        self.busy = True
        return True

    def _hand_over(self, question: _Question, params: Json, tool: Callable[[str], str | None]) -> None:
        """Have a question answered. Raises `NotAsked`."""
        assert self._source is not None  # nothing was announced without one
        assert self.host is not None
        calls = tuple(question.calls)
        name = tool(calls[0]) if len(calls) == 1 else None
        asked = _READERS[question.kind](params, self._plugin, name)
        self._asked += 1
        key = str(self._asked)
        self._open[key] = question
        self._source.ask(InputRequest(key, question.kind, asked, calls, name, self.host))

    # What is answered, and what is not any more

    def answered(self, key: str, answer: Any, refusal: str) -> Effect:
        """What follows from an answer; ``None`` is none. An answer that nobody waits for changes nothing.

        Raises:
            JsonValueError: it cannot be sent, and the question is open still.
        """
        value: Json | None = elicitation.answered(answer) if isinstance(answer, FormAnswer) else answer
        dump_json(value)
        question = self._open.pop(key, None)
        if question is None:
            return None
        if question.name is None:
            return (
                _no_answer(question, refusal) if value is None else jsonrpc.result(question.request_id, value)
            )
        (call,) = question.calls
        made = self._rounds[call]
        if value is None and question.kind == "sampling":
            return NoInput(call, f"the server asks for input (sampling), and there is none: {refusal}")
        made.answers[question.name] = {"action": "cancel"} if value is None else value
        made.missing.discard(question.name)
        return None if made.missing else Again(call, made.params)

    def ended(self, call: str) -> bytes:
        """A call is over: what was asked for it alone is withdrawn. What is to be said to the server."""
        self._rounds.pop(call, None)
        self._counts.pop(call, None)
        lines = []
        for key, question in tuple(self._open.items()):
            question.calls.discard(call)
            if not question.calls:
                self._withdraw(key)
                if question.name is None:
                    lines.append(_no_answer(question, "the call is over"))
        self.busy = bool(self._open or self._rounds or self._counts)
        return b"".join(lines)

    def end(self) -> None:
        """The server is gone, and nothing is awaited any more."""
        for key in tuple(self._open):
            self._withdraw(key)

    def _withdraw(self, key: str) -> None:
        del self._open[key]
        if self._source is not None and self.host is not None:
            self._source.withdraw(key, self.host)


def call_of(wire_id: str) -> str:
    """The id of the call that is known to the server by this one."""
    return wire_id.partition("~")[0]


def _no_answer(question: _Question, why: str) -> bytes:
    """What a server's own request is answered with for want of an answer."""
    if question.kind == "elicitation":
        return jsonrpc.result(question.request_id, {"action": "cancel"})
    return jsonrpc.error(question.request_id, _REFUSED, f"there is no answer: {why}")
