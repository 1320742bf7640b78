"""How long to wait before the next start.

tenacity computes the curve; it is used as a calculator and never sleeps. Jitter is added *after*
the cap and from a source that is handed in, since ten hosts that fell together must not rise
together, also when all have reached the longest wait; tenacity's own jittered wait adds it
before the cap, where it vanishes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.frozen import frozen
from ...base.validation import require_number

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_EXPONENT = 1023
"""Beyond this a power of two is no float any more; the cap was reached long before."""


@frozen
class Backoff:
    """The curve: ``first``, then ``min``, doubling up to ``max``; all in seconds.

    Attributes:
        first: the wait before the first restart.
        min: the wait before the second.
        max: the longest wait, before jitter.
        jitter: a wait ``d`` becomes anything in ``[d, d * (1 + jitter)]``.
    """

    first: float = 0.0
    min: float = 0.2
    max: float = 30.0
    jitter: float = 0.2

    def __post_init__(self) -> None:
        for name in ("first", "min", "max"):
            require_number(f"backoff {name!r}", getattr(self, name))
        require_number("backoff 'jitter'", self.jitter, "a number")
        if not self.first >= 0:
            raise ValueError(f"backoff 'first' is {self.first}; it must be 0 or more seconds")
        if not 0 < self.min <= self.max:
            raise ValueError(f"backoff needs 0 < min <= max; min is {self.min}, max is {self.max}")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"backoff 'jitter' is {self.jitter}; it must be between 0 and 1")

    def delay(self, streak: int, random: Callable[[], float]) -> float:
        """Seconds to wait, after ``streak`` restarts in a row without a stable generation.

        Args:
            streak: 0 before the first restart.
            random: gives floats in ``[0, 1)``; the source of the jitter.
        """
        wait = self.first if streak == 0 else _exponential(self.min, self.max, min(streak, MAX_EXPONENT))
        return wait * (1 + self.jitter * random())


def _exponential(least: float, most: float, attempt: int) -> float:
    # tenacity takes as long to import as all else together, and most boards never need it.
    from tenacity import RetryCallState, wait_exponential  # noqa: PLC0415 - imports asyncio

    state = RetryCallState(None, None, (), {})  # type: ignore[arg-type] # only attempt_number is read
    state.attempt_number = attempt
    return float(wait_exponential(multiplier=least, max=most)(state))
