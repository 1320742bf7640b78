"""The tool loop as a value machine: model, calls, results, model, … It owns no thread, clock, board or provider.

The shell tells it what has happened, and does what it answers::

    begin ─▶ ASKING ──── answered, no calls; or refused ────────────▶ ENDED
               ▲  │ ├─── answered, calls, and no rounds are left ───▶ ENDED
               │  │ └─── broke, or stop ────────────────────────────▶ ENDED
               │  └ answered, calls                                     ▲
               │      ▼                                                 │
               └── RUNNING ─ stop ─▶ STOPPING ── all have ended ────────┘
         all have ended

A paused answer without calls is kept, and the model is asked again at once, as behind calls that have ended.

The law: behind every assistant's message that it gives away to be kept come exactly as many tool messages as
the message has calls, one for each id, in the order of the calls, and nothing between them. Whatever happens
and in whatever order: a call that is not run any more is answered as ``cancelled``, a second end of a call
counts for nothing, and what ends early waits until those before it have ended.

A call is submitted once its preview is there and the calls before it in its lane have been submitted.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Any

from ...plugins.results.codes import Outcome
from ..requests.partial_answer import as_incomplete, assistant_message
from ..sessions.session import tool_call_id, unanswered
from .answer_steps import Step
from .turn_effects import Append, Ask, Cancel, Finish, Preview, Reason, StopAsking, Submit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..requests.stop_reasons import StopReason
    from .answer_steps import AskedCall
    from .turn_effects import Do

Json = dict[str, Any]


class Phase(Enum):
    """What the machine is waiting for."""

    NEW = "new"
    ASKING = "asking"
    RUNNING = "running"
    STOPPING = "stopping"
    ENDED = "ended"


_NOT_RUN = {
    Reason.CANCELLED: "not run: the turn was cancelled",
    Reason.DEADLINE: "not run: the turn's time was over",
    Reason.ERROR: "not run: the model's answer broke off",
    Reason.REFUSED: "not run: the model refused to answer, or a filter stopped it",
    Reason.MAX_ROUNDS: "not run: the model has been asked as often as it may be in one turn",
}


_CUT_SHORT = {
    Reason.CANCELLED: "the turn was cancelled",
    Reason.DEADLINE: "the turn's time was over",
    Reason.ERROR: "the model's answer broke off",
}


class Turn:
    """See the module. Each method answers what is to be done now, in order.

    Args:
        max_rounds: how often the model may be asked. The calls of its last answer are not run: an effect
            that the model never hears of is worse than none.

    Attributes:
        phase: what is waited for.
        round: how often the model has been asked.

    Raises:
        ValueError: the model may not even be asked once.
    """

    __slots__ = (
        "_ends",
        "_previewed",
        "_reason",
        "_steps",
        "_submitted",
        "_text",
        "max_rounds",
        "phase",
        "round",
    )

    def __init__(self, max_rounds: int) -> None:
        if max_rounds < 1:
            raise ValueError(f"max_rounds is {max_rounds}; the model has to be asked at least once")
        self.max_rounds: int = max_rounds
        self.phase: Phase = Phase.NEW
        self.round: int = 0
        self._steps: deque[Step] = deque()
        self._previewed: set[str] = set()
        self._submitted: set[str] = set()
        self._ends: dict[str, Json] = {}
        self._text: list[str] = []
        self._reason: str | None = None

    def begin(self) -> list[Do]:
        """Ask the model for the first time."""
        return self._ask() if self.phase is Phase.NEW else []

    def heard(self, text: str) -> None:
        """The model said something. If it is cut short, that is what it has said."""
        if self.phase is Phase.ASKING:
            self._text.append(text)

    def answered(self, steps: Iterable[Step], stop: StopReason | None = None) -> list[Do]:
        """The model has answered, to the end, and stopped for that reason."""
        if self.phase is not Phase.ASKING:
            return []
        self._steps.extend(steps)
        reason = end_of(self._steps, stop)
        if reason is not None:
            return self._close(reason)
        if self.round == self.max_rounds:
            return self._close(Reason.MAX_ROUNDS)
        self.phase = Phase.RUNNING
        return self._next_step()

    def broke(self, steps: Iterable[Step] = ()) -> list[Do]:
        """The model failed. What it had said is kept, as it is given or else as it was heard."""
        if self.phase is not Phase.ASKING:
            return []
        self._steps.extend(steps)
        if not self._steps:
            self._keep_what_was_heard(Reason.ERROR)
        return self._close(Reason.ERROR)

    def previewed(self, call: AskedCall) -> list[Do]:
        """A call may be submitted, as far as its preview goes."""
        if self.phase is not Phase.RUNNING or not self._is_open(call):
            return []
        self._previewed.add(call.id)
        return self._submissions()

    def ended(self, call: AskedCall, message: Json) -> list[Do]:
        """A call has its tool message."""
        if not self.waits_for(call):
            return []
        self._ends[call.id] = _answering(call, message)
        return self._flush()

    def stop(self, reason: str = Reason.CANCELLED) -> list[Do]:
        """End the turn: the model is not heard any more, and calls end as soon as they can."""
        if self.phase is Phase.ASKING:
            self._keep_what_was_heard(reason)
            return [StopAsking(), *self._close(reason)]
        if self.phase is Phase.NEW:
            return self._close(reason)
        if self.phase is not Phase.RUNNING:
            return []
        self.phase, self._reason = Phase.STOPPING, reason
        running: list[Do] = []
        for call in self._calls():
            if call.id in self._submitted:
                running += [Cancel(call)] if call.id not in self._ends else []
            else:
                self._ends.setdefault(call.id, _not_run(call, reason))
        return [*running, *self._flush()]

    def abandon(self) -> list[Do]:
        """As `stop`, and do not wait: the end of the calls under way will not be told."""
        done = self.stop()
        if self.phase is Phase.STOPPING:
            for call in self._calls():
                if call.id not in self._ends:
                    why = "given up while it ran: the turn was cancelled"
                    self._ends[call.id] = unanswered(call.id, call.tool_name, why, Outcome.OUTCOME_UNKNOWN)
            done += self._flush()
        return done

    def waits_for(self, call: AskedCall) -> bool:
        """Whether the end of a call is still to come."""
        return self.phase in {Phase.RUNNING, Phase.STOPPING} and self._is_open(call)

    # Steps: messages of one answer, each with its calls, kept and run one after the other

    def _ask(self) -> list[Do]:
        self.phase = Phase.ASKING
        self.round += 1
        self._text.clear()
        return [Ask(self.round)]

    def _next_step(self) -> list[Do]:
        """Begin with the step that is first now; those without calls are kept in passing."""
        done: list[Do] = []
        while self._steps:
            step = self._steps[0]
            done.append(Append(step.message))
            if step.calls:
                self._previewed.clear()
                self._submitted.clear()
                self._ends = {
                    call.id: step.answers[call.id] for call in step.calls if call.id in step.answers
                }
                done += [Preview(call) for call in step.calls if call.id not in self._ends]
                return [*done, *self._flush()]
            self._steps.popleft()
        return [*done, *self._ask()]

    def _calls(self) -> tuple[AskedCall, ...]:
        return self._steps[0].calls if self._steps else ()

    def _is_open(self, call: AskedCall) -> bool:
        """Whether it waits for its end; a call of an earlier answer with the same id does not."""
        return call.id not in self._ends and any(each is call for each in self._calls())

    def _submissions(self) -> list[Do]:
        ready: list[Do] = []
        held: set[str | None] = set()
        for call in self._calls():
            if call.id in self._submitted or call.id in self._ends:
                continue
            if call.lane in held or call.id not in self._previewed:
                held.add(call.lane)
                continue
            self._submitted.add(call.id)
            ready.append(Submit(call))
        return ready

    def _flush(self) -> list[Do]:
        """Keep the ends that are next in order; behind the last one goes what follows."""
        calls = self._calls()
        done: list[Do] = []
        for place, call in enumerate(calls):
            if call.id not in self._ends:
                self._steps[0] = self._steps[0]._replace(calls=calls[place:])
                return done
            done.append(Append(self._ends[call.id]))
        self._steps.popleft()
        if self.phase is Phase.STOPPING:
            return [*done, *self._close(self._reason or Reason.CANCELLED)]
        return [*done, *self._next_step()]

    def _close(self, reason: str) -> list[Do]:
        """Keep what is left, with its calls answered but not run."""
        self.phase = Phase.ENDED
        done: list[Do] = []
        for step in self._steps:
            done.append(Append(step.message))
            done += [Append(step.answers.get(call.id) or _not_run(call, reason)) for call in step.calls]
        self._steps.clear()
        return [*done, Finish(reason)]

    def _keep_what_was_heard(self, reason: str) -> None:
        if text := "".join(self._text):
            message = as_incomplete(assistant_message(text), _CUT_SHORT[reason], reason)
            self._steps.append(Step(message))


def end_of(steps: Iterable[Step], stop: StopReason | None) -> str | None:
    """Return the `Reason` for which a turn ends with an answer; ``None`` if it goes on: calls are to be run, or it is paused.

    A refused answer ends it whatever it asks for: it is no whole decision. Calls that came whole before the length cut the
    answer off are run. A pause of which nothing came is no pause: the provider would be asked the same again.

    Args:
        steps: of the answer.
        stop: why the model stopped.
    """
    steps = tuple(steps)
    if stop == "refused":
        return Reason.REFUSED
    if any(call.id not in step.answers for step in steps for call in step.calls):
        return None
    if stop == "paused" and steps:
        return None
    if not any(map(_says_something, steps)):
        return Reason.EMPTY
    return Reason.LENGTH if stop == "length" else Reason.ANSWERED


def _says_something(step: Step) -> bool:
    content = step.message.get("content")
    return bool(step.calls) or bool(content.strip() if isinstance(content, str) else content)


def _not_run(call: AskedCall, reason: str) -> Json:
    return unanswered(call.id, call.tool_name, _NOT_RUN[reason], Outcome.NOT_SENT)


def _answering(call: AskedCall, message: Json) -> Json:
    """Return the message with the id of its call: what could not be read was run under an id of the board's."""
    if tool_call_id(message) == call.id:
        return message
    return {**message, "metadata": {**(message.get("metadata") or {}), "tool_call_id": call.id}}
