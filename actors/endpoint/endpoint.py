"""What all threads that have to do with one plugin share: its mailbox, its state, its counts.

The tool actor owns the endpoint. Callers put calls on it, the threads that run tools and the pumps
that bring answers take them off, and none of them has to go through the actor for that.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ...base.foreign import Log
from ...base.frozen import frozen
from ...base.locks import Lock
from ...plugins.contract.invocation import BY_KEY
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure
from ...supervision.runtime.telling import tell
from ..calls.events import CallEvents
from ..calls.stage import Stage
from ..catalog.argument_validation import Validation
from ..metrics.calls import CallMetrics
from ..state.cell import StateCell
from ..state.store import StateOwner
from .admission import AdmissionControl
from .crash_attribution import QuarantinePolicy
from .fallback import Fallback, WhileDown
from .mailbox import Mailbox
from .messages import Unowned

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable, Container, Mapping

    from pykka import ActorRef

    from ...plugins.adapter.adapter import PluginAdapter
    from ...plugins.contract.invocation import Invocation, Scope
    from ...supervision.runtime.clock import Clock
    from ...supervision.runtime.events import EventStream
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..catalog.argument_validation import ArgumentChecks
    from ..services import Services
    from .circuit_breaker import BreakerPolicy

logger: Log = Log("callboard.actors")

_SPARE = 1.0
"""Seconds beyond its grace that a call which has ended may keep its place, where nothing seems to run it."""

_SETTLED = 5.0
"""Seconds that the commit of a state may hold up the end of its endpoint."""

_DROPPED: dict[str, str] = {Code.OVERLOADED: "overflow", Code.CANCELLED: "stopped"}
"""Refusals by which a call is dropped, with what the dead letter says."""


_QUARANTINE = QuarantinePolicy()
_HOLD = WhileDown()
_VALIDATED = Validation()


@frozen
class ToolSettings:
    """How a plugin's calls are run.

    Attributes:
        concurrency: how many may be under way at once.
        mailbox_size: how many may wait.
        deadline: seconds a call may take, waiting included; ``None`` for no limit.
        idle_deadline: seconds that a call which has begun in a host may go without a part, where the host says that it
            begins; ``None`` for no such limit.
        grace: seconds that a call which was given up may go on before its thread is fenced off
            or its host replaced.
        idempotent: names of the tools whose calls may be sent again after a crash, or ``True``
            for all of them.
        repeats: how often such a call is sent again.
        breaker: when a tool that keeps failing is left alone; ``None`` for never.
        quarantine: when what is to blame for crashes is refused; ``None`` for never. A state that is to blame is given up
            all the same, after as many crashes, or three.
        while_down: what becomes of calls while the host is down.
        validate: which tools' arguments are held to their schemas.
        state_from: the source whose kept state it may go on with, beside its own.
        claims: which calls it is asked about, if it claims any; ``None`` for what its sandbox makes the default.
    """

    concurrency: int = 1
    mailbox_size: int = 1000
    deadline: float | None = 60.0
    idle_deadline: float | None = None
    grace: float = 1.0
    idempotent: bool | Literal["by_key"] | Container[str] = False
    repeats: int = 1
    breaker: BreakerPolicy | None = None
    quarantine: QuarantinePolicy | None = _QUARANTINE
    while_down: WhileDown = _HOLD
    validate: Validation = _VALIDATED
    claims: Scope | None = None
    state_from: str | None = None

    def is_idempotent(self, call: Call) -> bool:
        """Whether it does no harm if a call runs twice."""
        if isinstance(self.idempotent, bool):
            return self.idempotent
        return (
            call.invocation.key is not None
            if self.idempotent == BY_KEY
            else call.tool_name in self.idempotent
        )


def _owner(adapter: PluginAdapter, state_from: str | None) -> StateOwner:
    former, rivals = adapter.former_name, adapter.rivals
    return StateOwner(adapter.name, adapter.source, state_from, former, rivals, adapter.namesakes)


class Endpoint:
    """See the module. It is the `CallOwner` of the plugin's calls.

    Args:
        adapter: the plugin, with all defaults.
        grant: see `Mailbox`; told how many pieces of work are granted.
        give_up: tells the tool's actor that a call under way was ended early. Telling it twice does no harm.
        interrupted: sends the tool's actor `Interrupted`; its arguments are that message's.
        carry: gives a call to the tool in the thread that submits it, if that can be done
            without blocking. For calls that find the tool idle.
        services: the board's; its keeper has the state that the plugin goes on with.
        tool_runtime: what a tool finds in its context under that name, if the caller's has none.

    Attributes:
        checks: hold arguments to the tools' schemas; ``None`` if there is nothing to hold them to. Replaced as
            a whole when a generation brings other schemas, before that generation is sent calls.
        objects_only: the tools that take arguments by their declaration, and are given no raw text. Replaced as
            ``checks`` is.
        admission: refuses calls that would only do harm.
        fallback: takes calls while the host is down, where they are not just held.
        forsaken: the version of a state that is to blame for crashes; the next generation begins afresh.
        state_resets: how often one did.
        left_out: returns tools that its host has and that are not offered, by name, and why.
        on_awaited, on_waited: see `CallOwner`.
        absence: returns why calls are not taken at present, and when they may be, in few words; ``None`` if they are.
        probe: has a parked host probed for a call that it would refuse; ``None`` if only time does that.
        prepared: what the plugin's set-up returned; ``None`` if it has none, or is not through yet.
    """

    def __init__(
        self,
        adapter: PluginAdapter,
        settings: ToolSettings,
        state: dict[str, Any],
        services: Services,
        *,
        grant: Callable[[int], None],
        give_up: Callable[[Call], None],
        interrupted: Callable[[Call, bool], None],
        carry: Callable[[Endpoint, Call], None] | None = None,
        tool_runtime: Any = None,
    ) -> None:
        self.name: str = adapter.name
        self.adapter = adapter
        self.settings = settings
        self.clock: Clock = services.clock
        self.events: EventStream = services.events
        self.mailbox: Mailbox = Mailbox(settings.mailbox_size, settings.concurrency, grant)
        keeper = services.keeper
        self.cell: StateCell = (
            StateCell(state) if keeper is None else keeper.cell(_owner(adapter, settings.state_from), state)
        )
        self.call_metrics: CallMetrics = CallMetrics(Lock())
        self.flight: CallEvents = CallEvents(adapter.name, services)
        self.admission: AdmissionControl = AdmissionControl(
            adapter.name, services, breaker=settings.breaker, quarantine=settings.quarantine
        )
        self.checks: ArgumentChecks | None = None
        self.objects_only: frozenset[str] = frozenset()
        self.fallback: Fallback | None = None
        self.left_out: Callable[[], Mapping[str, str]] = dict
        self.absence: Callable[[], str | None] = lambda: None
        self.probe: Callable[[], object] | None = None
        self.forsaken: int | None = None
        self.state_resets = 0
        self.give_up = give_up
        self._interrupted = interrupted
        self.on_awaited: Callable[[Call, AbstractEventLoop], None] | None = None
        self.on_waited: Callable[[], None] | None = None
        self._carry = carry
        self.prepared: dict[str, Any] | None = None
        self._tool_runtime = tool_runtime if adapter.wants_context else None

    def invocation(self, call: Call) -> Invocation:
        """What the plugin is given of a call: with what it has prepared, and the tool runtime, if it has them."""
        invocation = call.invocation
        if self.prepared is not None:
            invocation = invocation._replace(prepared=self.prepared)
        if self._tool_runtime is not None:
            context = {"tool_runtime": self._tool_runtime, **(invocation.context or {})}
            invocation = invocation._replace(context=context)
        return invocation

    def submit(self, call: Call) -> None:
        """Take a call: it waits, or is refused at once."""
        if not call.adopt(
            self, self.name, self.flight.submitted if "call_submitted" in self.events.wanted else None
        ):
            return
        self.call_metrics.submit(call)
        call.limit(self.clock, self.settings.deadline)
        if self.checks is not None and (unfit := self.checks.refusal(call)) is not None:
            call.finish(unfit)
            return
        if self.admission.alert and (refused := self.admission.refusal(call)) is not None:
            call.finish(refused)
            return
        if self._carry is not None:
            try:
                if self.mailbox.enter(call):
                    self._carry(self, call)
                    return
            except BaseException:  # an interrupt: raised again
                self._interrupted(call, True)
                raise
        if self.fallback is not None and self.fallback.takes(call):
            return
        refusal = self._offer(call)
        if refusal is not None:
            self.refuse(call, refusal)
        elif call.done():  # its deadline passed while it was on its way here
            self.mailbox.discard(call)

    def _offer(self, call: Call) -> Callable[[Call], Result] | None:
        if self.probe is not None and self.mailbox.refusing:
            self.probe()
        return self.mailbox.offer(call)

    def submit_again(self, call: Call) -> None:
        """Put a call back that was not given to the tool after all, or may be once more.

        It is no longer under way, if it was.
        """
        if self.fallback is not None and self.fallback.takes(call):
            self.mailbox.release(call)
            return
        refusal = self.mailbox.put_back(call)
        if refusal is not None:
            self.refuse(call, refusal)
        elif call.done():
            self.mailbox.discard(call)

    def shut(
        self, refusal: Callable[[Call], Result], *, for_good: bool = False, holds: int | None = None
    ) -> None:
        """Refuse the calls that wait, and all that come. See `Mailbox.shut`."""
        for call in self.mailbox.shut(refusal, for_good=for_good, holds=holds):
            self.refuse(call, refusal)
            if for_good:
                self.mailbox.discard(call)

    def close(self, reason: str) -> None:
        """End every call, and take none any more; what is certain by now is committed when this returns.

        In this order: a call that is not in the mailbox any more when that is shut is under way, or given to
        a stand-in.
        """

        def stopped(_: Call) -> Result:
            return failure(Code.CANCELLED, reason, outcome=Outcome.NOT_SENT)

        self.shut(stopped, for_good=True)
        for call in () if self.fallback is None else self.fallback.close():
            self.refuse(call, stopped)
        for call in self.mailbox.under_way():
            if not call.end_early(Code.CANCELLED, reason):
                with suppress(TimeoutError):  # it is just ending, and told once its state is committed
                    call.result(_SETTLED)

    def refuse(self, call: Call, refusal: Callable[[Call], Result]) -> None:
        """Of a call that was sent before, "not sent" would be a lie."""
        result = call.lost or refusal(call)
        reason = _DROPPED.get(str(result.get("code")))
        if reason is None:
            call.finish(result)
            return
        drop = self.events.dead_letters.drop
        call.finish(
            result, first=partial(drop, reason, self.name, call.id, tool=call.tool_name, noted=call.noted)
        )

    def on_ended_early(self, call: Call, stage: Stage) -> None:
        if stage is Stage.STARTED or (not self.mailbox.discard(call) and self.mailbox.has_taken(call)):
            self.give_up(call)

    def expect_free(self, call: Call, actor: ActorRef[Any]) -> None:
        """Have the actor look at the place of a call that has ended, once its grace is over: whatever runs it should free that at once."""
        when = self.clock.now() + self.settings.grace + _SPARE
        self.clock.call_at(when, partial(tell, actor, Unowned(call)))

    def free(self, call: Call) -> None:
        """Free the place of a call that nothing runs, if it has one. In the actor's thread.

        No path is known that comes here. Each that is forgotten would cost the plugin a place for good.
        """
        if self.mailbox.has_taken(call):
            logger.error(
                "call %s of %r kept its place, and nothing ran it; it is free now", call.id, self.name
            )
            self.mailbox.release(call)
            self.events.publish("place_freed", self.name, call=call.id, tool=call.tool_name)

    def on_interrupted(self, call: Call) -> None:
        self._interrupted(call, False)

    def recover(self, call: Call) -> None:
        """Bring a call to its end that an interrupt has left half done, and take it off the work. In the actor's thread."""
        call.recover()
        self.mailbox.discard(call)
        if self.fallback is not None:
            self.fallback.forget(call)
        if call.began is not None:
            self.give_up(call)
        self.mailbox.tell_of_untaken()

    def on_ended(self, call: Call, result: Result) -> None:
        if "submitted" not in call.noted and "call_submitted" in self.events.wanted:
            self.flight.submitted(call)  # an interrupt came in between, or an end from another thread
        self.call_metrics.end(call, result, self.clock.now())
        if self.admission.alert:
            self.admission.ended(call, result)
        if call.parts_dropped:
            result["parts_dropped"] = call.parts_dropped
            lost = f"{call.parts_dropped} parts"
            self.events.dead_letters.drop(
                "parts", self.name, call.id, tool=call.tool_name, detail=lost, noted=call.noted
            )
        if "call_ended" in self.events.wanted:
            self.flight.ended(call, result)
