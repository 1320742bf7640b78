"""A call that was sent to a generation of its host, and what becomes of it there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ...hosts.report.crash_report import shortened
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure, titled
from ...plugins.results.normalise import FORMATTED, complete_result, set_apart
from ..state.cell import largest_state

if TYPE_CHECKING:
    from ...hosts.host import Host
    from ...hosts.limits.vitals import Vitals
    from ...hosts.protocol.wire import RawAnswer
    from ...hosts.report.crash_report import CrashReport
    from ..calls.call import Call
    from ..calls.idle_timeout import IdleTimeout
    from ..calls.stage import Result
    from ..endpoint.endpoint import Endpoint
    from .named_states import NamedStates


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
        "given",
        "host",
        "hung",
        "idle_timeout",
        "named",
        "params",
        "raw",
        "request_id",
        "sent",
        "vitals",
    )

    def __init__(self, endpoint: Endpoint, call: Call, host: Host, base: int) -> None:
        self._endpoint = endpoint
        self._base = base
        self.call: Call = call
        self.host: Host = host
        self.params: dict[str, Any] = {}
        self.named: NamedStates | None = None
        self.given: dict[str, Any] | None = None  # the state, if it has a name
        self.request_id: str | None = None
        self.raw: RawAnswer | None = None
        self.sent: bool = False
        self.vitals: Vitals | None = None
        self.idle_timeout: IdleTimeout | None = None
        self.hung: bool = False
        self.ended: bool = False

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
        """The tool begins; its idle timeout counts from now."""
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
            self._end(result, self.given if state is None else state)
        else:
            self.raw = None
            self._end(answer.result)

    def on_refused(self, error: dict[str, Any]) -> None:
        """The tool raised, or the host could not make JSON of what it returned."""
        kind, detail = str(error.get("type") or "Error"), str(error.get("detail") or "")
        if kind == "StateUnknown" and self.named is not None and "state" not in self.params:
            self.named.forget()  # so that it is sent whole the next time: this refusal cannot come twice
            self.hush()
            self.ended = True
            self.put_back()
            return
        if kind == "InvalidResult":
            where = {"path": error["path"]} if isinstance(error.get("path"), str) else {}
            self._end(failure(Code.INVALID_RESULT, detail, **where))
            return
        if kind == "McpInvalidCall":
            said = f"the server refused the call: {detail}"
            refused = failure(
                Code.INVALID_CALL, said, outcome=Outcome.OUTCOME_UNKNOWN, type=kind, message=detail
            )
            self._end(refused)
            return
        stack = str(error.get("stack") or "")
        self._end(failure(Code.TOOL_RAISED, titled(kind, detail), type=kind, message=detail, traceback=stack))

    def on_breach(self, reason: str, detail: str, facts: dict[str, int]) -> None:
        """The host broke the protocol instead of answering."""
        told: dict[str, Any] = {"reason": reason, **facts}
        self._end(failure(Code.PROTOCOL_ERROR, detail, **told))

    def on_lost(self, report: CrashReport) -> None:
        """The host went while it ran: the tool may have had its effect, in part or in whole."""
        endpoint, call = self._endpoint, self.call
        self.hush()
        if self.request_id in self.host.unsent:
            self.ended = True
            self.put_back()
            return
        beside = self.host.given_up is not None and len(report.in_flight) > 1
        if beside:
            pass  # any of them may have done it, or one that was given up, see `blame`
        elif self.hung or self.host.stalled:
            self.blame(report)
        elif not self.host.stopped and endpoint.admission.lost(call, self._base, report):
            endpoint.forsaken = self._base
        result = failure(Code.HOST_CRASHED, report.summary, crash_report=shortened(report.as_dict()))
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

    def blame(self, report: CrashReport) -> None:
        """The host had to be replaced because of this run, or of one of several."""
        if self.host.stalled or not self.cancelled:
            self._endpoint.admission.hung(self.call, self._base, report)

    def on_released(self) -> None:
        """It was given up, and has come to its end in the host."""
        self.ended = True
        self.hush()
        self._endpoint.mailbox.release(self.call)

    def put_back(self) -> None:
        """It has not been sent: the call waits again, unless it has ended."""
        if self.call.put_back():
            self._endpoint.submit_again(self.call)
        else:
            self._endpoint.mailbox.release(self.call)

    def hush(self) -> None:
        """Its idle timeout counts no more."""
        if self.idle_timeout is not None:
            self.idle_timeout.end()

    def _end(self, result: Result, state: dict[str, Any] | None = None) -> None:
        self.ended = True
        if self.idle_timeout is not None:
            self.idle_timeout.end()
        text, cell = None, self._endpoint.cell
        if not state and not cell.committed[0]:
            state = None  # of a tool that keeps none there is nothing to commit
        if state is not None and state is not self.given:
            result, state, text = cell.weigh(result, state, largest_state(self.host.max_line))
        if not self.call.finish(result, first=partial(self._settle, result, state, text)):
            self._endpoint.mailbox.release(self.call)

    def _settle(self, result: Result, state: dict[str, Any] | None, text: bytes | None) -> None:
        self.call.raw = self.raw
        self.call.generation = self.host.generation
        self.call.run = (
            None  # else call and run refer to each other, and the answer waits for the garbage collector
        )
        try:
            if state is not None and not self._commit(state, text):
                result["state_saved"] = False
            self.call.final_state = self.params.get("state", {}) if state is None else state
        finally:
            self._endpoint.mailbox.release(self.call)

    def _commit(self, state: dict[str, Any], text: bytes | None) -> bool:
        cell, generation = self._endpoint.cell, self.host.generation
        if state is self.given:
            return cell.commit_same(state, generation)
        if self.named is not None:
            assert self.request_id is not None  # it has an answer
            self.named.learn(state, self.request_id)
        return cell.commit(state, text, generation)
