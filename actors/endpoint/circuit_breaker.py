"""A circuit breaker: a tool that keeps failing is left alone for a while, and then tried again.

::

             failures in a row               reset time over: one trial
    CLOSED ────────────────────▶ OPEN ─────────────────────────────────▶ HALF_OPEN
       ▲                          ▲                                          │ │
       └─────── it went well ─────┼──────────────────────────────────────────┘ │
                                  └───────── it failed: a longer reset time ───┘

The rules are those of Pekko's CircuitBreaker. Each turn is an *epoch*; a call that was let through
in an earlier one says nothing about the present and changes nothing. Nothing here has a clock or a
timer: an open breaker becomes half-open with the first call after its reset time.

What a reader would get wrong: a call that was cancelled is no verdict. If it was the trial, the
next call is the trial.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.frozen import frozen
from ...plugins.results.codes import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BREAKING = frozenset({Code.HOST_CRASHED, Code.DEADLINE_EXCEEDED, Code.PROTOCOL_ERROR, Code.TOOL_RAISED})
"""Results that are failures to the breaker. A tool's own ``success: false`` is an answer."""


def is_breakdown(result: Mapping[str, Any]) -> bool:
    """The default for what counts as a failure: the tool did not answer, for whatever reason."""
    return result.get("code") in BREAKING


@frozen
class BreakerPolicy:
    """When a breaker opens, and for how long; times in seconds.

    Attributes:
        failures: in a row; with that many it opens.
        reset: how long it stays open the first time.
        max_reset: the longest it stays open, before jitter.
        factor: by which the time grows with each trial that fails.
        jitter: a time ``d`` becomes anything in ``[d, d * (1 + jitter)]``.
        is_failure: says of a result whether it counts as a failure. Not asked about calls that
            never reached the tool.
    """

    failures: int = 5
    reset: float = 10.0
    max_reset: float = 300.0
    factor: float = 2.0
    jitter: float = 0.1
    is_failure: Callable[[Mapping[str, Any]], bool] = is_breakdown

    def __post_init__(self) -> None:
        if self.failures < 1:
            raise ValueError(f"breaker 'failures' is {self.failures}; it must be 1 or more")
        if not 0 < self.reset <= self.max_reset:
            raise ValueError(
                f"a breaker needs 0 < reset <= max_reset; reset is {self.reset}, max_reset is {self.max_reset}"
            )
        if not self.factor >= 1:
            raise ValueError(f"breaker 'factor' is {self.factor}; it must be 1 or more")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"breaker 'jitter' is {self.jitter}; it must be between 0 and 1")


class BreakerState(StrEnum):
    """See the module."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Admitted(NamedTuple):
    """The call goes through; its end is to be told with this epoch. ``turned``: it is the trial."""

    epoch: int
    turned: bool = False


class Refused(NamedTuple):
    """The call is refused; after so many seconds one may be the trial. 0 while there is one."""

    retry_in: float


class Turn(NamedTuple):
    """The breaker is in another state; ``seconds`` until a trial if it is open."""

    state: BreakerState
    seconds: float | None = None


class Breaker:
    """One tool's breaker. Not thread-safe: its owner holds a lock.

    Args:
        policy: when it opens, and for how long.
        random: gives floats in ``[0, 1)``, for the jitter.
    """

    def __init__(self, policy: BreakerPolicy, random: Callable[[], float]) -> None:
        self.state: BreakerState = BreakerState.CLOSED
        self.failures: int = 0
        self._policy = policy
        self._random = random
        self._epoch = 0
        self._reset = policy.reset
        self._until = 0.0
        self._trial: object = None

    def admit(self, now: float, call: object = "a call") -> Admitted | Refused:
        """May a call go through? One that may has to be followed by `ended`, or by `leave`."""
        if self.state is BreakerState.CLOSED:
            return Admitted(self._epoch)
        if self.state is BreakerState.OPEN:
            if now < self._until:
                return Refused(self._until - now)
            self._turn(BreakerState.HALF_OPEN)
            self._trial = call
            return Admitted(self._epoch, turned=True)
        if self._trial is not None:
            return Refused(0.0)
        self._trial = call
        return Admitted(self._epoch)

    def leave(self, call: object) -> None:
        """A call was interrupted on its way in: if it is the trial, the next one will be."""
        if self._trial is call:
            self._trial = None

    def ended(self, epoch: int, failed: bool | None, now: float) -> Turn | None:
        """A call that went through has ended; ``failed`` is ``None`` when that is no verdict."""
        if epoch != self._epoch or self.state is BreakerState.OPEN:
            return None
        if self.state is BreakerState.HALF_OPEN:
            return self._tried(failed, now)
        if failed is None:
            return None
        self.failures = self.failures + 1 if failed else 0
        return self._open(now) if self.failures >= self._policy.failures else None

    def close(self) -> Turn | None:
        """By hand: let all calls through, with everything as in the beginning."""
        if self.state is BreakerState.CLOSED:
            self.failures = 0
            return None
        self._reset = self._policy.reset
        return self._turn(BreakerState.CLOSED)

    def as_dict(self, now: float) -> dict[str, Any]:
        """The state as JSON."""
        retry_in = round(max(0.0, self._until - now), 3) if self.state is BreakerState.OPEN else None
        return {"state": self.state.value, "failures": self.failures, "retry_in": retry_in}

    def _tried(self, failed: bool | None, now: float) -> Turn | None:
        self._trial = None
        if failed is None:
            return None
        if failed:
            self._reset = min(self._reset * self._policy.factor, self._policy.max_reset)
            return self._open(now)
        return self.close()

    def _open(self, now: float) -> Turn:
        seconds = self._reset * (1 + self._policy.jitter * self._random())
        self._until = now + seconds
        self._turn(BreakerState.OPEN)
        return Turn(BreakerState.OPEN, round(seconds, 6))

    def _turn(self, state: BreakerState) -> Turn:
        self.state = state
        self.failures = 0
        self._epoch += 1
        self._trial = None
        return Turn(state)
