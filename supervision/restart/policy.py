"""When to start a child again, and when to give up: one pure decision.

`decide` takes facts and `now` and returns a named outcome; the caller holds the clock and does
the deed. Five rules keep a broken child from being started for ever:

* the *intensity*: so many restarts in a sliding period and no more, of generations that were ready. Starts that fail have a
  budget of their own, as many in a row and however long each takes: a child that fails slowly would never use up the first one;
* only *stable uptime* gives the first budget back. A successful start does not: a child that comes up
  well and dies a second later would have its budget restored each time;
* an end that a *caller* brought about, by a cancel that was not heeded, costs nothing: no budget, no
  wait, no probe. Cancelling is no fault of the child, and callers may cancel as often as they like;
* nor does a start for which *this program* had no descriptor left: it is tried again each second, until there is one;
* a parked child is *probed*: one start after the cool-down, and back to the park if that generation
  ends before it was stable. One whose next generation would last no longer is parked without more ado.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ...base.frozen import frozen
from ...base.validation import is_text, require, require_number, require_several
from .backoff import Backoff
from .exits import Exit, ExitKind, check_exits

if TYPE_CHECKING:
    from collections.abc import Callable


STARVED_WAIT: Final = 1.0
"""Seconds until a start is tried again for which there was no descriptor."""


class RestartType(StrEnum):
    """For which ends a child is started again."""

    PERMANENT = "permanent"
    """For every end that we did not ask for."""
    TRANSIENT = "transient"
    """For crashes only."""
    TEMPORARY = "temporary"
    """Never."""


@frozen
class RestartPolicy:
    """What is to be done about ends; times in seconds.

    Attributes:
        restart: for which ends.
        backoff: how long to wait.
        intensity: restarts allowed within ``period``; one more and the child is parked. So many restarts in a row may also
            follow starts that failed.
        period: the length of the sliding window; a restart exactly that long ago still counts.
        stable_for: a generation that was ready for this long restores the budget.
        cool_down: how long a parked child is left alone before it is probed.
        never_restart_on: ends after which it is parked until it is revived by an order, named as in
            `check_exits`.
        always_restart_on: ends after which it is started again whatever ``restart`` says, within the
            budget. An end that stands in both lists is not.
    """

    restart: RestartType = RestartType.PERMANENT
    backoff: Backoff = field(default_factory=Backoff)
    intensity: int = 5
    period: float = 60.0
    stable_for: float = 10.0
    cool_down: float = 60.0
    never_restart_on: tuple[str, ...] = ()
    always_restart_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.restart not in set(RestartType):
            kinds = ", ".join(RestartType)
            raise ValueError(f"'restart' is {self.restart!r}; it has to be one of: {kinds}")
        object.__setattr__(self, "restart", RestartType(self.restart))
        require(isinstance(self.backoff, Backoff), "'backoff'", self.backoff, "a Backoff")
        require(isinstance(self.intensity, int), "'intensity'", self.intensity, "a whole number")
        if self.intensity < 0:
            raise ValueError(f"'intensity' is {self.intensity}; it must be 0 or more restarts")
        for name in ("period", "stable_for", "cool_down"):
            require_number(repr(name), getattr(self, name))
            if not getattr(self, name) > 0:
                raise ValueError(f"{name!r} is {getattr(self, name)}; it must be more than 0 seconds")
        for name in ("never_restart_on", "always_restart_on"):
            require_several(repr(name), getattr(self, name), is_text, "a text")
            check_exits(getattr(self, name), name)


@frozen
class History:
    """What of a child's past bears on its future.

    Attributes:
        restarts: the times of the restarts that may still be within the period.
        streak: restarts in a row without a stable generation.
        failed_starts: restarts in a row after generations that were never ready.
        probing: the present generation is a probe of a parked child.
    """

    restarts: tuple[float, ...] = ()
    streak: int = 0
    probing: bool = False
    failed_starts: int = 0


@frozen
class Restart:
    """Start the child again after ``delay`` seconds."""

    delay: float
    history: History


@frozen
class Park:
    """Leave the child alone until ``until``, or until an order revives it when that is ``None``."""

    until: float | None
    why: str
    history: History


@frozen
class Stop:
    """The child has ended for good."""

    why: str


Decision = Restart | Park | Stop


def decide(
    policy: RestartPolicy, history: History, exit_: Exit, now: float, random: Callable[[], float]
) -> Decision:
    """Say what follows the end of a generation.

    Args:
        policy: the child's.
        history: as the last decision left it.
        exit_: how the generation ended.
        now: the time of the end, on the clock that ``history`` was written with.
        random: gives floats in ``[0, 1)``; the source of the jitter.
    """
    if exit_.kind is ExitKind.REQUESTED:
        return Stop("it was asked to stop")
    never = exit_.matches(policy.never_restart_on)
    always = exit_.matches(policy.always_restart_on) and not never
    if policy.restart is RestartType.TEMPORARY and not always:
        return Stop("it is temporary")
    if policy.restart is RestartType.TRANSIENT and not exit_.is_crash and not always:
        return Stop("it ended well and is transient")
    if never:
        return Park(None, f"it is not started again after such an end: {exit_.cause}", History(probing=True))
    if exit_.starved:
        return Restart(STARVED_WAIT, history)
    if exit_.permanent and not always:
        return Park(None, f"it cannot start: {exit_.cause}", History(probing=True))
    if exit_.ready_for is not None and exit_.ready_for >= policy.stable_for:
        history = History()
    if exit_.kind is ExitKind.CANCEL:
        return Restart(0.0, history)
    started = exit_.ready_for is not None
    failed_starts = 0 if started else history.failed_starts + 1
    restarts = charge(history.restarts, policy.intensity, policy.period, now) if started else history.restarts
    hopeless = exit_.lasting and not always
    if history.probing or hopeless or restarts is None or failed_starts > policy.intensity:
        counting = recent(history.restarts, policy.period, now)
        why = _why_parked(policy, history, exit_, hopeless=hopeless, started=started)
        return Park(now + policy.cool_down, why, History(counting, history.streak, probing=True))
    delay = policy.backoff.delay(history.streak, random)
    return Restart(delay, History(restarts, history.streak + 1, failed_starts=failed_starts))


def _why_parked(
    policy: RestartPolicy, history: History, exit_: Exit, *, hopeless: bool, started: bool
) -> str:
    if history.probing:
        return f"the probe failed: {exit_.cause}"
    if hopeless:
        return f"it cannot start: {exit_.cause}"
    if started:
        return f"{policy.intensity} restarts within {policy.period:g} s are used up; last: {exit_.cause}"
    return f"it was not ready after {policy.intensity} restarts in a row; last: {exit_.cause}"


def recent(times: tuple[float, ...], period: float, now: float) -> tuple[float, ...]:
    """The times that still count; one exactly ``period`` ago does."""
    return tuple([time for time in times if now - time <= period])


def charge(times: tuple[float, ...], intensity: int, period: float, now: float) -> tuple[float, ...] | None:
    """The times with one more restart, at ``now``; ``None`` when the budget is used up."""
    counting = recent(times, period, now)
    return None if len(counting) >= intensity else (*counting, now)
