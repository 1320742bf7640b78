"""Writes down what goes over the line between the board and one plugin's hosts, whatever its tools are.

Which call went to which generation, with which state, and what that generation answered: so of a tool that keeps no ledger it is
known all the same what it was given, that each answer reached the call that it was for, and that each call was given
the state of the answer before it. A ledger of a tool's own says more: what it has done with what it was given.

It stands next to the board, so what a `Tamper` has spoilt it sees spoilt. Which protocol a host speaks it need not be told: see `wires`.
A plugin of this process has no line: see `thread_witness`.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ...base.locks import Lock
from ...hosts.host import Host
from ...hosts.mcp.result_bound import RESULTS, KeptResults
from ...hosts.process.transport import ProcessTransport
from ...hosts.protocol.wire import Response, ids_of_requests
from ...plugins.results.failures import ending_of
from ...plugins.results.normalise import complete_result
from ..checker.facts import Answered, Happened, Ran
from ..checker.host_rules import OWN_ANSWERS
from ..inject.wires import host_reply, tool_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ...hosts.process.process import Command, ProcessExit, ProcessListener
    from ...hosts.process.transport import Carry, Transport
    from ...hosts.process_tree.watchdog import Watchdog
    from ...plugins.results.call_result import CallResult
    from ..checker.facts import Fact
    from ..inject.wires import HostReply, ToolRequest
    from ..recorder import Recorder

Json = dict[str, Any]


@dataclass(slots=True)
class Given:
    """One call, as one generation was given it.

    Attributes:
        call: its name.
        generation: the generation that was given it; 0 in this process.
        at: when, on the clock of the run.
        state: what it was given as state, as a digest; ``None`` where its protocol has none.
        answered: it has an answer on the line.
        result: that, as a caller would be told it; ``None`` of an error, or of what is no result.
        new_state: the state that came with it, as a digest; ``None`` if none came.
        rounds: in how many requests it was given.
    """

    call: str
    generation: int
    at: float
    state: str | None
    answered: bool = False
    result: CallResult | None = None
    new_state: str | None = None
    rounds: int = 1


class Witness:
    """See the module; one for each plugin, over all generations of its host, which it shares with no other.

    Args:
        carry: what starts a generation; a real process if ``None``.
        result_limit: bytes of a result beyond which the plugin cuts it; ``None`` if it cuts none.

    Attributes:
        now: the clock of the run; calls before it is there are not written down.
    """

    def __init__(self, carry: Carry | None = None, *, result_limit: int | None = None) -> None:
        self.now: Callable[[], float] | None = None
        self.result_limit = result_limit
        self._carry = carry or ProcessTransport
        self._lock = Lock()
        self._given: list[Given] = []

    def __call__(
        self, name: str, command: Command, listener: ProcessListener, watchdog: Watchdog | None
    ) -> Transport:
        if not isinstance(listener, Host):
            return self._carry(name, command, listener, watchdog)
        line = _Line(self, listener)
        transport = self._carry(name, command, line, watchdog)
        send = transport.write

        def write(data: bytes) -> None:
            sent = line.send(data)
            try:
                send(data)
            except BaseException:  # the host has gone, or an interrupt came: raised again
                if transport.took is not data:
                    line.take_back(sent)
                raise

        transport.write = write  # type: ignore[method-assign]
        return transport

    def give(self, given: Given) -> None:
        """Write down that a call was given to a generation."""
        with self._lock:
            self._given.append(given)

    def take_back(self, given: Given) -> None:
        """It was not given after all."""
        with self._lock:
            self._given.remove(given)

    def judge(self, call: str, result: Mapping[str, Any], *, hooked: bool = False) -> Json:
        """What the line says of a tool's own answer that a caller was told: whose it is, and whether it is that call's.

        Hooks may have changed a result: then only its generation is told. A tool's failure may bear a code that only the board
        may give; that is not judged.
        """
        with self._lock:
            all_given = list(self._given)
        seen = [given for given in all_given if given.call == call and given.answered]
        if not seen:
            return {"wrong": "no tool has answered that call"}
        last = seen[-1]
        if hooked:
            return {"generation": last.generation, "judged": False}
        due: Mapping[str, Any] = last.result or {}
        looked_at = (
            due if due.get("success") else {key: due[key] for key in ("success", "error") if key in due}
        )
        astray = [key for key, value in looked_at.items() if not _is_same(result.get(key), value)]
        if last.result is None or astray:
            return {
                "generation": last.generation,
                "wrong": f"its tool has answered {due!r:.80}, not {result!r:.80}",
            }
        return {"generation": last.generation}

    def examine(self, call: str, result: Mapping[str, Any], *, hooked: bool = False) -> Json:
        """As `judge`, of any result; one that is no answer of the tool's own is not judged."""
        if ending_of(result) not in {"success", "failure"}:
            return {"judged": False}
        return {"judged": True, **self.judge(call, result, hooked=hooked)}

    def testify(self, recorder: Recorder, plugin: str) -> None:
        """Add to a recording what was written down: each run of a call, and how far the state had come at each answer.

        Where the terms say that the tool counts, its answers tell how far the state had come.
        """
        with self._lock:
            given = self._given[:]
        for one in given:
            recorder.note(Ran(one.at, plugin, one.call, one.generation))
        terms = recorder.terms_of(plugin)
        stateless = bool(given) and all(one.state is None for one in given)
        counts = terms.ordered and not stateless
        recorder.terms[plugin] = replace(terms, ledger=True, counts=counts, stateless=stateless)
        if counts and not terms.counts:
            recorder.facts[:] = counted(recorder.facts, given, plugin)


def counted(facts: list[Fact], given: list[Given], plugin: str) -> list[Fact]:
    """The same facts, each success of the plugin with its place in the chain of states. Pure.

    Its state is that of the answer before it: then its count is one more. Where it was given an older state, its count
    is one more than that answer's, which is a gap, unless the board has told that it begins with a fresh one.
    """
    resets = sum(
        isinstance(fact, Happened) and fact.kind == "state_reset" and fact.plugin == plugin for fact in facts
    )
    by_call = {one.call: one for one in given if one.answered}
    states: list[str | None] = [given[0].state if given else None]
    """What the state was after so many successes."""
    found: list[Fact] = []
    for fact in facts:
        one = by_call.get(fact.call) if isinstance(fact, Answered) and fact.plugin == plugin else None
        if one is None or not isinstance(fact, Answered) or fact.ending not in OWN_ANSWERS:
            found.append(fact)
        elif fact.ending == "success":
            place = _last(states, one.state)
            if place + 1 != len(states) and resets:
                resets, place = resets - 1, len(states) - 1
            found.append(fact._replace(counted=place + 1))
            states.append(one.new_state or one.state)
        else:
            if one.result is not None and one.new_state is not None:
                states[-1] = one.new_state  # a failure of the tool's own keeps its state too
            found.append(fact)
    return found


def _last(states: list[str | None], state: str | None) -> int:
    """The place at which a state stands last; -1 if nowhere."""
    return next((place for place in range(len(states) - 1, -1, -1) if states[place] == state), -1)


_ADDRESS: Final = re.compile(rf"{RESULTS}.*?/[0-9a-f]{{32}}")


def _is_same(told: Any, due: Any) -> bool:
    """Whether a value is what the line said; where the rest of a result that was cut can be read, is no part of that."""
    if told == due:
        return True
    texts = [json.dumps(value, sort_keys=True) for value in (told, due)]
    return all(map(_ADDRESS.search, texts)) and len({_ADDRESS.sub("", text) for text in texts}) == 1


class _Line:
    """The line of one generation. Sending is heard in any thread, answers in that of the pump."""

    def __init__(self, witness: Witness, host: Host) -> None:
        self._witness = witness
        self._host = host
        self._lock = Lock()
        self._open: dict[str, Given] = {}
        self._between_rounds: dict[str, Given] = {}  # by the id of the first request
        self._states: dict[str, str] = {}  # digests, by the names that states have on this line
        self._unsent = self._rest = b""

    def send(self, data: bytes) -> list[str]:
        """Hear what is about to be written: an answer may be there before that returns. Returns the ids of calls in it."""
        now = self._witness.now
        with self._lock:
            *lines, self._unsent = (self._unsent + data).split(b"\n")
        if now is None:
            return []
        requests = filter(None, map(tool_request, lines))
        return [request.id for request in requests if self._give(request, now())]

    def _give(self, request: ToolRequest, at: float) -> bool:
        call = self._host.call_of(request.first)
        if call is None:
            return False
        if (given := self._between_rounds.pop(request.first, None)) is not None:
            given.rounds += 1
        else:
            state = self._state_in(request.params) if request.has_state else None
            given = Given(call, self._host.generation, at, state)
            self._witness.give(given)
        self._open[request.id] = given
        return True

    def _state_in(self, params: Json) -> str:
        name = params.get("state_version")
        if name is None or "state" in params:
            state = digest(params.get("state"))
            if name is not None:
                self._states[name] = state
            return state
        return self._states[name]

    def take_back(self, sent: Iterable[str]) -> None:
        """Those were not sent, or not whole."""
        for request_id in sent:
            if (given := self._open.pop(request_id, None)) is not None:
                given.rounds -= 1
                if not given.rounds:
                    self._witness.take_back(given)

    def on_output(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if (answer := host_reply(line)) is not None:
                self._hear(answer, len(line))
        self._host.on_output(data)

    def _hear(self, answer: HostReply, size: int) -> None:
        given = self._open.pop(answer.id, None)
        if given is None:
            return
        if not answer.is_last:
            self._between_rounds[answer.first] = given
            return
        if answer.value is not None:
            read = complete_result(self._bounded(answer, size))
            if read.valid:
                given.result = read.result
                if answer.state is not None:
                    given.new_state = self._states[answer.id] = digest(answer.state)
        given.answered = True

    def _bounded(self, answer: HostReply, size: int) -> Any:
        limit = self._witness.result_limit
        if limit is None:
            return answer.value
        cut = KeptResults("", limit).bounded(Response(answer.id, answer.value, None), size)
        return cut.value if isinstance(cut, Response) else answer.value

    def on_exit(self, exit_: ProcessExit) -> None:
        self.take_back(ids_of_requests(exit_.unsent))
        self._host.on_exit(exit_)

    def on_gone(self, leftovers: list[int]) -> None:
        self._host.on_gone(leftovers)


def digest(value: Any) -> str:
    """What tells one JSON value from another; what is none is like nothing but its own spelling."""
    try:
        text = json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):  # a tool in this process may put anything into its state
        text = repr(value)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()
