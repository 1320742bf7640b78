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


class _Now(NamedTuple):
    """All that a breaker knows. It is replaced as a whole, so that no interrupt leaves a half of it.

    Attributes:
        counted: the call whose end came to this, until `Breaker.settled`.
        untold: the turns that nobody was told of yet, each with the kinds of events that were told of it.
    """

    reset: float
    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    epoch: int = 0
    until: float = 0.0
    trial: object = None
    opened: int = 0
    counted: object = None
    untold: tuple[tuple[Turn, set[str]], ...] = ()


class Breaker:
    """One tool's breaker. Not thread-safe: its owner holds a lock.

    A signal handler may raise between any two lines. Then `ended` is called again with the same call, which counts once.

    Args:
        policy: when it opens, and for how long.
        random: gives floats in ``[0, 1)``, for the jitter.
    """

    def __init__(self, policy: BreakerPolicy, random: Callable[[], float]) -> None:
        self._policy = policy
        self._random = random
        self._now = _Now(policy.reset)

    @property
    def state(self) -> BreakerState:
        """See the module."""
        return self._now.state

    @property
    def epoch(self) -> int:
        """How many turns it has taken."""
        return self._now.epoch

    @property
    def opened(self) -> int:
        """How often it has opened."""
        return self._now.opened

    @property
    def counted(self) -> object:
        """The call whose end was counted last, until `settled`."""
        return self._now.counted

    @property
    def untold(self) -> tuple[tuple[Turn, set[str]], ...]:
        """The turns since `settled`, in their order, each with a set for `EventStream.publish`."""
        return self._now.untold

    def settled(self) -> None:
        """The turns so far were told, and the call that was counted last comes no more."""
        self._now = self._now._replace(counted=None, untold=())

    def admit(self, now: float, call: object = "a call") -> Admitted | Refused:
        """May a call go through? One that may has to be followed by `ended`, or by `leave`."""
        at = self._now
        if at.state is BreakerState.CLOSED:
            return Admitted(at.epoch)
        if at.state is BreakerState.OPEN:
            if now < at.until:
                return Refused(at.until - now)
            self._turn(Turn(BreakerState.HALF_OPEN), trial=call)
            return Admitted(at.epoch + 1, turned=True)
        if at.trial is not None:
            return Refused(0.0)
        self._now = at._replace(trial=call)
        return Admitted(at.epoch)

    def leave(self, call: object) -> None:
        """A call was interrupted on its way in: if it is the trial, the next one will be."""
        if self._now.trial is call:
            self._now = self._now._replace(trial=None)

    def ended(self, epoch: int, failed: bool | None, now: float, call: object = None) -> Turn | None:
        """A call that went through has ended; ``failed`` is ``None`` when that is no verdict."""
        at = self._now
        if epoch != at.epoch or at.state is BreakerState.OPEN or (call is not None and at.counted is call):
            return None
        if at.state is BreakerState.HALF_OPEN:
            return self._tried(failed, now, call)
        if failed is None:
            return None
        failures = at.failures + 1 if failed else 0
        if failures >= self._policy.failures:
            return self._open(now, at.reset, call)
        self._now = at._replace(failures=failures, counted=call)
        return None

    def close(self) -> Turn | None:
        """By hand: let all calls through, with everything as in the beginning."""
        if self.state is BreakerState.CLOSED:
            self._now = self._now._replace(failures=0)
            return None
        return self._turn(Turn(BreakerState.CLOSED), reset=self._policy.reset)

    def as_dict(self, now: float) -> dict[str, Any]:
        """The state as JSON."""
        at = self._now
        retry_in = round(max(0.0, at.until - now), 3) if at.state is BreakerState.OPEN else None
        return {"state": at.state.value, "failures": at.failures, "retry_in": retry_in}

    def _tried(self, failed: bool | None, now: float, call: object) -> Turn | None:
        if failed is None:
            self._now = self._now._replace(trial=None, counted=call)
            return None
        if failed:
            longer = min(self._now.reset * self._policy.factor, self._policy.max_reset)
            return self._open(now, longer, call)
        return self._turn(Turn(BreakerState.CLOSED), reset=self._policy.reset, counted=call)

    def _open(self, now: float, reset: float, call: object) -> Turn:
        seconds = reset * (1 + self._policy.jitter * self._random())
        turn = Turn(BreakerState.OPEN, round(seconds, 6))
        opened = self._now.opened + 1
        return self._turn(turn, reset=reset, until=now + seconds, opened=opened, counted=call)

    def _turn(self, turn: Turn, **changes: Any) -> Turn:
        at = self._now
        usual = {"state": turn.state, "failures": 0, "epoch": at.epoch + 1, "trial": None}
        self._now = at._replace(untold=(*at.untold, (turn, set())), **{**usual, **changes})
        return turn
