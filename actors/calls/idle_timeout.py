"""How long a call that has begun may go without a sign of life. It is not its deadline, which stays.

The host says when the tool begins, and each part is a sign. A part must cost next to nothing, so it only notes the
time; the one timer of a call looks at that when it is due, and is set anew for what is left. A call whose host never
says that it began is not held to this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...supervision.runtime.clock import Clock, Timer


def left(heard: float, limit: float, now: float) -> float | None:
    """Say how many seconds of the idle timeout are left, or ``None`` if none are.

    Args:
        heard: when the last sign came.
        limit: seconds that may pass behind it.
        now: on the same clock.
    """
    rest = heard + limit - now
    return rest if rest > 0 else None


class IdleTimeout:
    """See the module. Signs come in the thread of the host's pump, the end of its patience in the clock's.

    Args:
        limit: seconds without a sign.
        clock: the board's.
        over: called once when they are over, to end the call; says whether it was that which ended it. Must not block.

    Attributes:
        broken_off: the call was ended for that.
    """

    __slots__ = ("_clock", "_ended", "_heard", "_limit", "_over", "_timer", "broken_off")

    def __init__(self, limit: float, clock: Clock, over: Callable[[], bool]) -> None:
        self._limit = limit
        self._clock = clock
        self._over = over
        self._heard = 0.0
        self._timer: Timer | None = None
        self._ended = False
        self.broken_off: bool = False

    def heard(self) -> None:
        """The tool has begun, or has sent a part."""
        self._heard = self._clock.now()
        if self._timer is None and not self._ended:
            self._timer = self._clock.call_at(self._heard + self._limit, self._look)

    def end(self) -> None:
        """The call has ended; nothing is called from now on, or it was about to be."""
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        if self._ended:
            return
        now = self._clock.now()
        rest = left(self._heard, self._limit, now)
        if rest is not None:
            self._timer = self._clock.call_at(now + rest, self._look)
            return
        self._ended = True
        self.broken_off = True  # before the deed: the handler of the end looks here for the reason
        self.broken_off = self._over()
