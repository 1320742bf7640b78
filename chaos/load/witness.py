"""Writes down what goes over the line between the board and one plugin's hosts, whatever its tools are.

Which call went to which generation, with which state, and what that generation answered: so of a tool that keeps no ledger it is
known all the same what it was given, that each answer reached the call that it was for, and that each call was given
the state of the answer before it. A ledger of a tool's own says more: what it has done with what it was given.

It stands next to the board, so what a `Tamper` has spoilt it sees spoilt.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.json import load_json
from ...hosts.errors import HostGone
from ...hosts.host import Host
from ...hosts.process.transport import ProcessTransport
from ...plugins.results.normalise import complete_result
from ..checker.facts import Answered, Happened, Ran
from ..checker.host_rules import OWN_ANSWERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.process.process import Command, ProcessExit, ProcessListener
    from ...hosts.process.transport import Carry, Transport
    from ...hosts.process_tree.watchdog import Watchdog
    from ..checker.facts import Fact
    from ..recorder import Recorder

Json = dict[str, Any]


@dataclass(slots=True)
class Given:
    """One call, as one generation was given it.

    Attributes:
        call: its name.
        generation: the generation that was given it.
        at: when, on the clock of the run.
        state: what it was given as state, as a digest.
        answered: it has an answer on the line.
        result: that, as a caller would be told it; ``None`` of an error, or of what is no result.
        new_state: the state that came with it, as a digest; ``None`` if none came.
    """

    call: str
    generation: int
    at: float
    state: str
    answered: bool = False
    result: Json | None = None
    new_state: str | None = None


class Witness:
    """See the module; one for each plugin, over all generations of its host, which it shares with no other.

    Args:
        carry: what starts a generation; a real process if ``None``.

    Attributes:
        now: the clock of the run; calls before it is there are not written down.
    """

    def __init__(self, carry: Carry | None = None) -> None:
        self.now: Callable[[], float] | None = None
        self._carry = carry or ProcessTransport
        self._lock = threading.Lock()
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
            except HostGone:  # nothing was sent
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

    def judge(self, call: str, result: Json, *, hooked: bool = False) -> Json:
        """What the line says of a success that a caller was told: whose it is, and whether it is that call's.

        Of a result that hooks may have changed, only whose it is.
        """
        with self._lock:
            seen = [given for given in self._given if given.call == call and given.answered]
        if not seen:
            return {"wrong": "no host has answered that call"}
        last = seen[-1]
        if hooked:
            return {"generation": last.generation, "judged": False}
        due = last.result or {}
        astray = [key for key, value in due.items() if result.get(key) != value]
        if last.result is None or astray:
            return {
                "generation": last.generation,
                "wrong": f"its host has answered {due!r:.80}, not {result!r:.80}",
            }
        return {"generation": last.generation}

    def testify(self, recorder: Recorder, plugin: str) -> None:
        """Add to a recording what was written down: each run of a call, and how far the state had come at each answer.

        Where the terms say that the tool counts, its answers tell how far the state had come.
        """
        with self._lock:
            given = self._given[:]
        for one in given:
            recorder.note(Ran(one.at, plugin, one.call, one.generation))
        terms = recorder.terms_of(plugin)
        recorder.terms[plugin] = replace(terms, ledger=True, counts=terms.ordered)
        if terms.ordered and not terms.counts:
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


def _last(states: list[str | None], state: str) -> int:
    """The place at which a state stands last; -1 if nowhere."""
    return next((place for place in range(len(states) - 1, -1, -1) if states[place] == state), -1)


class _Line:
    """The line of one generation. Sending is heard in any thread, answers in that of the pump."""

    def __init__(self, witness: Witness, host: Host) -> None:
        self._witness = witness
        self._host = host
        self._open: dict[str, Given] = {}
        self._states: dict[str, str] = {}  # digests, by the names that states have on this line
        self._rest = b""

    def send(self, line: bytes) -> tuple[str, Given] | None:
        """Hear a request, before it is sent: its answer may be there before that returns."""
        now = self._witness.now
        if now is None or b'"execute_tool"' not in line:
            return None
        request = _message(line)
        params = request.get("params")
        if request.get("method") != "execute_tool" or not isinstance(params, dict):
            return None
        request_id = str(request.get("id"))
        call = self._host.call_of(request_id)
        if call is None:
            return None
        given = Given(call, self._host.generation, now(), self._state_in(params))
        self._open[request_id] = given
        self._witness.give(given)
        return request_id, given

    def _state_in(self, params: Json) -> str:
        name = params.get("state_version")
        if name is None or "state" in params:
            state = digest(params.get("state"))
            if name is not None:
                self._states[name] = state
            return state
        return self._states[name]

    def take_back(self, sent: tuple[str, Given] | None) -> None:
        """That was not sent."""
        if sent is not None and self._open.pop(sent[0], None) is not None:
            self._witness.take_back(sent[1])

    def on_output(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if b'"ok"' in line:
                self._hear(_message(line))
        self._host.on_output(data)

    def _hear(self, message: Json) -> None:
        request_id = str(message.get("id"))
        given = self._open.pop(request_id, None) if isinstance(message.get("ok"), bool) else None
        if given is None:
            return
        result = message.get("result")
        if message["ok"] and isinstance(result, dict):
            answer = complete_result(result.get("value"))
            if answer.valid:
                given.result = answer.result
                if isinstance(result.get("state"), dict):
                    given.new_state = self._states[request_id] = digest(result["state"])
        given.answered = True

    def on_exit(self, exit_: ProcessExit) -> None:
        self._host.on_exit(exit_)

    def on_gone(self, leftovers: list[int]) -> None:
        self._host.on_gone(leftovers)


def digest(value: Any) -> str:
    """What tells one JSON value from another."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=16).hexdigest()


def _message(line: bytes) -> Json:
    try:
        value = load_json(line)
    except JsonValueError:
        return {}
    return value if isinstance(value, dict) else {}
