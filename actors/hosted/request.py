"""Sending a plugin's calls to the present generation of its host, and what becomes of each one there.

The tool actor sends what its mailbox grants. While the tool is idle, the thread that submits a call
sends it right away: the hand-over to the actor would be a quarter of what a small call
costs. (While it is busy the hand-over pays: the submitter goes on submitting instead of fighting
the pump for the interpreter at every write. Sending all calls from the submitter's thread was
measured: a third fewer calls a second with 64 in flight.)
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...hosts.errors import HostGone, RequestTooLarge
from ...hosts.protocol.call_params import OBJECTS, add_facts
from ...hosts.protocol.description import PLAIN
from ...plugins.results.codes import Code
from ...plugins.results.failures import failure
from ...plugins.results.normalise import FORMATTED, complete_result, set_apart
from ..calls.idle_timeout import IdleTimeout
from ..state.cell import largest_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.host import Host
    from ...hosts.limits.vitals import Vitals
    from ...hosts.protocol.description import Description
    from ...hosts.report.crash_report import CrashReport
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..endpoint.endpoint import Endpoint


class HostedRun:
    """The owner of an ``execute_tool`` request. All its methods run in the host's pump thread.

    The order at the end is always: it is certain that the caller gets this result; the state is
    committed; the place in the mailbox is free; the caller is told. So a state is committed if and
    only if its answer is the one that counts, and the next call finds everything in order.
    """

    __slots__ = (
        "_base",
        "_endpoint",
        "call",
        "ended",
        "host",
        "hung",
        "idle_timeout",
        "request_id",
        "vitals",
    )

    def __init__(self, endpoint: Endpoint, call: Call, host: Host, base: int) -> None:
        self._endpoint = endpoint
        self._base = base
        self.call = call
        self.host = host
        self.request_id: str | None = None
        self.vitals: Vitals | None = None
        self.idle_timeout: IdleTimeout | None = None
        self.hung = False
        self.ended = False

    @property
    def call_id(self) -> str:
        """For the crash report."""
        return self.call.id

    @property
    def cancelled(self) -> bool:
        """Whether its caller has cancelled it, which is no fault of the tool's; asked of a run that was given up."""
        return self.call.done() and self.call.result().get("code") == Code.CANCELLED

    @property
    def limit(self) -> str:
        """What it went beyond, for people; asked of a run that was given up."""
        if self.cancelled:
            return "cancel"
        return (
            "idle deadline" if self.idle_timeout is not None and self.idle_timeout.broken_off else "deadline"
        )

    def on_begun(self) -> None:
        """The tool begins; idle_timeout counts from now."""
        if self.idle_timeout is not None:
            self.idle_timeout.heard()

    def on_part(self, payload: Any, size: int) -> None:
        """Hand it to the caller."""
        if self.idle_timeout is not None:
            self.idle_timeout.heard()
        chunk = {"part": payload}
        if self.call.attempt > 1:  # so that who has read the parts of a lost attempt can tell them apart
            chunk["attempt"] = self.call.attempt
        self.call.add_chunk(chunk, size)

    def on_answer(self, value: Any, state: dict[str, Any] | None) -> None:
        """The tool has answered; whether that is a result is still to be seen."""
        answer = complete_result(value)
        self.host.answered = True
        if self._endpoint.admission.alert:
            self._endpoint.admission.ended_well(self.call, self._base)
        if answer.valid:
            # A host may say that its tool has had the words: at the worst it spares itself a question.
            formatted = answer.result.pop(FORMATTED, None) is True
            result = set_apart(answer.result)
            if formatted:
                result[FORMATTED] = True
            self._end(result, state)
        else:
            self._end(answer.result)

    def on_refused(self, error: dict[str, Any]) -> None:
        """The tool raised, or the host could not make JSON of what it returned."""
        kind, detail = str(error.get("type") or "Error"), str(error.get("detail") or "")
        if kind == "InvalidResult":
            where = {"path": error["path"]} if isinstance(error.get("path"), str) else {}
            self._end(failure(Code.INVALID_RESULT, detail, **where))
            return
        stack = str(error.get("stack") or "")
        said = f"{kind}: {detail}" if detail else kind
        self._end(failure(Code.TOOL_RAISED, said, type=kind, message=detail, traceback=stack))

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        """The host broke the protocol instead of answering."""
        told: dict[str, Any] = {"reason": reason, **facts}
        self._end(failure(Code.PROTOCOL_ERROR, detail, **told))

    def on_lost(self, report: CrashReport) -> None:
        """The host went while it ran: the tool may have had its effect, in part or in whole."""
        endpoint, call = self._endpoint, self.call
        self._hush()
        if self.hung or self.host.stalled:
            if self.host.stalled or not self.cancelled:
                endpoint.admission.hung(call, self._base, report)
        elif not self.host.stopped and endpoint.admission.lost(call, self._base, report):
            endpoint.forsaken = self._base
        result = failure(Code.HOST_CRASHED, report.summary, crash_report=report.as_dict())
        may_repeat = endpoint.settings.is_idempotent(call)
        if (
            may_repeat
            and call.attempt <= endpoint.settings.repeats
            and call.put_back(
                result, endpoint.flight.repeated if "call_repeated" in endpoint.events.wanted else None
            )
        ):
            self.ended = True
            endpoint.submit_again(call)
            return
        if may_repeat and not call.done():
            generations = f"lost with {call.attempt} generations of its host"
            endpoint.events.dead_letters.drop(
                "poison", endpoint.name, call.id, tool=call.tool_name, detail=generations
            )
        self._end(result)

    def on_released(self) -> None:
        """It was given up, and has come to its end in the host."""
        self.ended = True
        self._hush()
        self._endpoint.mailbox.release(self.call)

    def _hush(self) -> None:
        if self.idle_timeout is not None:
            self.idle_timeout.end()

    def _end(self, result: dict[str, Any], state: dict[str, Any] | None = None) -> None:
        self.ended = True
        self._hush()
        text, cell = None, self._endpoint.cell
        if not state and not cell.committed[0]:
            state = None  # of a tool that keeps none there is nothing to commit
        if state is not None:
            result, state, text = cell.weigh(result, state, largest_state(self.host.max_line))
        if not self.call.finish(result, first=partial(self._settle, result, state, text)):
            self._endpoint.mailbox.release(self.call)

    def _settle(self, result: dict[str, Any], state: dict[str, Any] | None, text: bytes | None) -> None:
        if state is not None and not self._endpoint.cell.commit(state, text, self.host.generation):
            result["state_saved"] = False
        self._endpoint.mailbox.release(self.call)


class Sender:
    """Sends calls. Nothing here blocks.

    Several threads use it, and the lock guards the one thing that they and the actor change: which generation is
    the present one.

    Args:
        loaded_plugin: the plugin, where its host is shared and has to be told whose calls they are.

    Attributes:
        address: by which it is told that.
    """

    def __init__(self, loaded_plugin: str | None = None) -> None:
        self.address = {} if loaded_plugin is None else {"plugin": loaded_plugin}
        self._lock = threading.Lock()
        self._host: Host | None = None
        self._on_sent: Callable[[], None] | None = None
        self._wants: frozenset[str] = frozenset()
        self._objects_only = False

    @property
    def host(self) -> Host | None:
        """The present generation, or ``None`` between two."""
        return self._host

    def attach(
        self,
        endpoint: Endpoint,
        host: Host,
        on_sent: Callable[[], None] | None = None,
        description: Description = PLAIN,
    ) -> None:
        """Send to this generation from now on.

        Args:
            endpoint: the plugin's.
            host: the generation.
            on_sent: called after each call that is sent.
            description: of the plugin: what it is to be told of each call, and whether it takes raw text.
        """
        with self._lock:
            self._wants = description.wants
            self._objects_only = description.objects_only
            self._host = host
            self._on_sent = on_sent
        endpoint.mailbox.resume()

    def detach(self, endpoint: Endpoint, host: Host | None) -> None:
        """That generation is over: let calls wait, unless another has taken its place already."""
        with self._lock:
            if host is not None and self._host is host:
                self._host = None
                endpoint.mailbox.pause()

    def send(self, endpoint: Endpoint, call: Call) -> None:
        """Send a call that was taken from the mailbox; it ends, waits again, or is under way."""
        host, invocation = self._host, call.invocation
        if host is None:  # the generation ended between the grant and now
            endpoint.submit_again(call)
            return
        odd = invocation.payload_kind not in OBJECTS or endpoint.admission.confining
        if odd and (refused := self._refusal(endpoint, call, host)) is not None:
            endpoint.mailbox.release(call)
            endpoint.refuse(call, lambda _: refused)
            return
        state, base = endpoint.cell.committed
        run = call.run = HostedRun(endpoint, call, host, base)
        if not call.begin(
            endpoint.clock.now(),
            endpoint.flight.started if "call_started" in endpoint.events.wanted else None,
        ):
            endpoint.mailbox.release(call)
            return
        try:
            run.request_id = host.send("execute_tool", self._params(endpoint, call, state, host), run)
            if call.done() and not run.ended:  # given up before the actor could know what to abandon
                endpoint.give_up(call)
            if self._on_sent is not None:
                self._on_sent()
        except HostGone:
            # Nothing was sent, so it may wait for the next generation. That this one is over has not been
            # told yet; until then the mailbox must not grant what cannot be sent.
            self.detach(endpoint, host)
            if call.put_back():
                endpoint.submit_again(call)
            else:
                endpoint.mailbox.release(call)
        except (RequestTooLarge, JsonValueError) as error:
            endpoint.mailbox.release(call)
            call.finish(failure(Code.INVALID_CALL, str(error)))

    def _params(self, endpoint: Endpoint, call: Call, state: dict[str, Any], host: Host) -> dict[str, Any]:
        invocation = call.invocation
        params = {
            "tool_name": call.tool_name,
            "arguments": invocation.payload,
            "state": state,
            **self.address,
        }
        if host.features:
            if self._wants or endpoint.prepared or invocation.payload_kind not in OBJECTS:
                add_facts(params, invocation, endpoint.prepared, self._wants)
            if endpoint.settings.idle_deadline is not None and "ack" in host.features:
                params["ack"] = True
                call.run.idle_timeout = _idle_timeout(endpoint, call, endpoint.settings.idle_deadline)
        if not call.streaming:
            params["stream"] = False
        return params

    def _refusal(self, endpoint: Endpoint, call: Call, host: Host) -> Result | None:
        """The result of a call that no host is to be sent; of one whose question has come into quarantine as it waited."""
        kind = call.invocation.payload_kind
        if kind not in OBJECTS and (self._objects_only or call.tool_name in endpoint.objects_only):
            error = f"{call.tool_name!r} takes arguments as an object, not as {kind}"
            return failure(Code.INVALID_CALL, error)
        if kind not in OBJECTS and "payload" not in host.features:
            error = f"{endpoint.name!r} runs in a host of version 1, which takes arguments as an object, not as {kind}"
            return failure(Code.INVALID_CALL, error)
        return endpoint.admission.confined(call)


def _idle_timeout(endpoint: Endpoint, call: Call, limit: float) -> IdleTimeout:
    error = f"{call.tool_name!r} was silent for {limit:g} s, which is as long as its idle deadline lets it be"
    return IdleTimeout(limit, endpoint.clock, partial(call.end_early, Code.DEADLINE_EXCEEDED, error))
