"""Who stands before a tool's mailbox: refuses calls that would only do harm now, and says why.

Two reasons there are: the breaker of the call's tool is open, or the tool or the very same arguments
are in quarantine. Both learn from how calls end. The machines are `Breaker` and `CrashAttribution`; here are
their lock, their events and their refusals.

While nothing goes wrong and no breaker is asked for, the admission is not `alert`, and whoever has a call
need not ask here at all: that is one look at an attribute, where three calls were a thirtieth of what
a small call costs.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.foreign import Log, contain, is_interrupt
from ...base.locks import Lock
from ...base.threads import import_apart
from ...hosts.report.crash_report import FROM_OUTSIDE, shortened
from ...plugins.results.codes import Code, Outcome
from ...plugins.results.failures import failure, reported
from .circuit_breaker import Breaker, BreakerState, Refused, is_breakdown
from .crash_attribution import CrashAttribution, InFlight, QuarantinePolicy, Suspect

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...hosts.report.crash_report import CrashReport
    from ..calls.call import Call
    from ..calls.stage import Result
    from ..services import Services
    from .circuit_breaker import BreakerPolicy

logger: Log = Log("callboard.actors")

_TURNED = {
    BreakerState.OPEN: "breaker_opened",
    BreakerState.HALF_OPEN: "breaker_half_open",
    BreakerState.CLOSED: "breaker_closed",
}
"""The events of a breaker's turns."""


class _Confined(NamedTuple):
    """What is in quarantine.

    Attributes:
        report: of the crash that it was blamed for.
        told: the kinds of events that were told of its release.
    """

    report: dict[str, Any]
    told: set[str]


class AdmissionControl:
    """See the module. Thread-safe.

    Args:
        plugin: whose calls they are.
        breaker: the policy of each tool's breaker, or ``None`` for none.
        quarantine: how many crashes it takes, or ``None`` for no quarantine. A state is blamed, and given up, either way.

    Attributes:
        several: the host serves more than one tool, so that one of them can be blamed.
        alert: calls have to be looked at; while it is false, `refusal`, `ended_well` and `ended` do nothing.
        confining: a call is in quarantine; while it is false, `confined` has nothing to say.
    """

    def __init__(
        self,
        plugin: str,
        services: Services,
        *,
        breaker: BreakerPolicy | None,
        quarantine: QuarantinePolicy | None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.several = False
        self._plugin = plugin
        self._policy = breaker
        self._clock = services.clock
        self._events = services.events
        self._chance = chance
        self._lock = Lock()
        self._breakers: dict[str | None, Breaker] = {}
        self._epochs: dict[object, int] = {}
        self._crashes: dict[str | None, tuple[str, str]] = {}
        self._blame = CrashAttribution(quarantine or QuarantinePolicy(), confines=quarantine is not None)
        self._confined: dict[Suspect, _Confined] = {}
        self._quarantined = 0
        self._refused = {"breaker_open": 0, "quarantined": 0}
        self.alert: bool = breaker is not None
        self.confining: bool = False

    def refusal(self, call: Call) -> Result | None:
        """The result of a call that is refused, or ``None`` for one that may pass."""
        if not self.alert:
            return None
        now = self._clock.now()
        with self._lock:
            return self._in_quarantine(call, now) or self._at_breaker(call, now)

    def confined(self, call: Call) -> Result | None:
        """The result of a call that passed and waited, if what it asks for has come into quarantine meanwhile."""
        with self._lock:
            return self._in_quarantine(call, self._clock.now())

    def ended(self, call: Call, result: Result) -> None:
        """A call that passed has its result."""
        if self._policy is not None:
            self._tell_breaker(call, result)

    def ended_well(self, call: Call, state: int) -> None:
        """A host has answered a call, given that version of the state."""
        if self._blame.watchful:
            with self._lock:
                self._blame.ended_well(_in_flight(call, state))
                self._look()

    def lost(self, call: Call, state: int, report: CrashReport) -> bool:
        """A call was in flight when the host crashed; True if the state is to blame and has to go, quarantine or not."""
        if report.signal in FROM_OUTSIDE:
            return False
        return any(one.kind == "state" for one in self._blamed(call, state, report))

    def hung(self, call: Call, state: int, report: CrashReport) -> None:
        """The host had to be replaced because of this call, or of one of several; of others nothing is told.

        A state is not given up for that: what takes too long may yet be at work on it.
        """
        self._blamed(call, state, report)

    def spared(self, report: CrashReport) -> None:
        """The host crashed, and other plugins' calls may have been in flight: those of this one were not."""
        if self._blame.watchful and report.in_flight:
            with self._lock:
                self._blame.absent(report.generation)
                self._look()

    def _blamed(self, call: Call, state: int, report: CrashReport) -> list[Suspect]:
        with self._lock:
            blamed = self._blame.lost(
                report.generation, _in_flight(call, state), self._clock.now(), several=self.several
            )
            self._confined |= {one: _Confined(report.as_dict(), set()) for one in blamed}
            self._quarantined += sum(one.kind != "state" for one in blamed)
            self._look()
        for one in blamed:
            if one.kind != "state":
                self._events.publish(
                    "tool_quarantined",
                    self._plugin,
                    tool=call.tool_name,
                    blamed=one.kind,
                    call=call.id,
                    why=report.summary,
                )
        return blamed

    def pardon(self) -> None:
        """By hand: close all breakers, and let everybody out of quarantine."""
        with self._lock:
            for tool, breaker in self._breakers.items():
                breaker.close()
                self._settle(tool, breaker)
            self._release(self._blame.inside())
            self._blame.pardon()
            self._look()

    def status(self) -> dict[str, Any]:
        """Both as JSON."""
        now = self._clock.now()
        with self._lock:
            return {
                "breakers": {str(tool): breaker.as_dict(now) for tool, breaker in self._breakers.items()},
                "quarantine": self._blame.as_list(now),
                "guarded": {
                    "opened": sum(breaker.opened for breaker in self._breakers.values()),
                    "quarantined": self._quarantined,
                    "refused": dict(self._refused),
                },
            }

    # With the lock held

    def _look(self) -> None:
        """After whatever may have changed who is suspected or in quarantine."""
        self.alert = self._policy is not None or self._blame.watchful
        self.confining = self._blame.confining

    def _in_quarantine(self, call: Call, now: float) -> Result | None:
        if not self._blame.watchful:
            return None
        self._release(self._blame.expired(now))
        self._look()
        if not self._blame.confining:
            return None
        refused = self._blame.refuses(call.tool_name, _digest(call), now)
        if refused is None:
            return None
        self._refused["quarantined"] += 1
        blamed, seconds = refused
        what = (
            f"tool {call.tool_name!r}" if blamed.kind == "tool" else f"this very call of {call.tool_name!r}"
        )
        return failure(
            Code.HOST_UNAVAILABLE,
            f"{what} was in flight each time that the host of {self._plugin!r} crashed lately; "
            f"it is in quarantine for another {seconds:.3g} s",
            reason="quarantined",
            retry_in=round(seconds, 3),
            crash_report=shortened(self._confined[blamed].report),
        )

    def _at_breaker(self, call: Call, now: float) -> Result | None:
        # A call that has ended on its way here has been told of before it is let through, and would not be
        # again: it would be a trial for ever.
        if self._policy is None or call.decided:
            return None
        breaker = self._breakers.get(call.tool_name)
        if breaker is None:
            breaker = self._breakers[call.tool_name] = Breaker(self._policy, self._chance)
        admitted = breaker.admit(now, call)
        if isinstance(admitted, Refused):
            self._refused["breaker_open"] += 1
            when = f"in {admitted.retry_in:.3g} s" if admitted.retry_in else "when the trial is over"
            return failure(
                Code.HOST_UNAVAILABLE,
                f"tool {call.tool_name!r} has failed too often in a row; its breaker is open, try again {when}",
                reason="breaker_open",
                retry_in=round(admitted.retry_in, 3),
            )
        self._epochs[call] = admitted.epoch
        self._settle(call.tool_name, breaker)
        return None

    def _settle(self, tool: str | None, breaker: Breaker) -> None:
        """Tell of a breaker's turns, those too that an interrupt has kept from being told. What is told again is told once."""
        if (counted := breaker.counted) is not None:
            self._epochs.pop(counted, None)
        for turn, told in breaker.untold:
            facts = {"retry_in": turn.seconds} if turn.state is BreakerState.OPEN else {}
            self._events.publish(_TURNED[turn.state], self._plugin, told, tool=tool, **facts)
        breaker.settled()

    def _release(self, suspects: list[Suspect]) -> None:
        """Let out of quarantine. The event comes first: after an interrupt it is published again, and told once."""
        for one in suspects:
            which = str(one.which) if one.kind == "tool" else None
            told = self._confined[one].told
            self._events.publish("tool_released", self._plugin, told, tool=which, blamed=one.kind)
        self._blame.let_out(suspects)
        for one in suspects:
            self._confined.pop(one, None)

    # Without it

    def _tell_breaker(self, call: Call, result: Result) -> None:
        assert self._policy is not None
        with self._lock:
            breaker = self._breakers.get(call.tool_name)
            if breaker is None:
                return
            self._settle(call.tool_name, breaker)  # what an interrupt has left
            epoch = self._epochs.get(call)
            if epoch is None:  # it was refused, or interrupted on its way in, or has been counted
                breaker.leave(call)
                return
            # A stand-in's answer says nothing of a tool that was never asked.
            failed = self._verdict(result) if call.attempt else None
            if failed and self._was_counted(call, result):
                failed = None
            breaker.ended(epoch, failed, self._clock.now(), call)
            self._settle(call.tool_name, breaker)
            self._epochs.pop(call, None)

    def _was_counted(self, call: Call, result: Result) -> bool:
        """Whether the crash that has cost this call was counted for another call of the tool: it is one failure."""
        report = result.get("crash_report")
        if reported(result) is not Code.HOST_CRASHED or not isinstance(report, dict):
            return False
        crash, of = self._crashes.get(call.tool_name, ("", ""))
        if crash == report.get("id"):
            return of != call.id
        self._crashes[call.tool_name] = report["id"], call.id
        return False

    def _verdict(self, result: Result) -> bool | None:
        """What a result says of the tool; ``None`` if nothing: the tool has not run."""
        assert self._policy is not None
        code = reported(result)
        if code is Code.CANCELLED or (code is not None and result.get("outcome") == Outcome.NOT_SENT):
            return None
        try:
            return bool(self._policy.is_failure(result))
        except BaseException as error:  # the function is the program's
            if is_interrupt(error):
                raise
            # Without a verdict a trial would never be over, so the usual one has to do.
            contain(error, logger, "is_failure of %r's breaker failed", self._plugin)
            return is_breakdown(result)


def _in_flight(call: Call, state: int) -> InFlight:
    return InFlight(call.tool_name, _digest(call), state)


def _digest(call: Call) -> str:
    """A call's tool and arguments in short; equal for equal ones, however their keys are ordered."""
    import_apart("hashlib")
    import hashlib  # noqa: PLC0415 - brings OpenSSL

    asked = [call.tool_name, call.invocation.payload]
    try:
        text = json.dumps(asked, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):  # a contributed format may read what is no JSON
        text = repr(asked)
    return hashlib.blake2s(text.encode(), digest_size=16).hexdigest()
