"""What is done so that as many hosts are killed as was asked for: further kills, one at a time, until all came true.

The first faults of a trial are planned for calls, and not all of them come true: two meet the same generation, a host is down
when the moment comes, its restart budget is spent, the call never begins. So when all calls are made, those that
are missing are done one after the other. Where one cannot be, the reason is kept.

A kill comes true when the end of its host is told, and that may be long after the host is ready again: events have a thread
of their own, and the machine may be busy. So what was done and has not shown counts when it is asked whether one more is needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..chaos.nemesis import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..chaos.faults import Fault

LONGEST_WAIT = 60.0
"""Seconds that are waited for a restart budget to be there again, and for news of what was done."""
PATIENCE = 15.0
"""Seconds in which a fault has to come true, and a host has to be ready again."""
TRIES = 3
"""Faults of which one has to come true for a host."""
_SLICE = 0.2
"""Seconds until the next look where no news may come."""


class Wanted(NamedTuple):
    """What a trial is to do next.

    Attributes:
        plugins: one more call each.
        seconds: after which it is to ask again, if there is no news before.
    """

    plugins: tuple[str, ...]
    seconds: float


class Doer(Protocol):
    """What of a `Nemesis` is needed."""

    def at_next_call(self, name: str, fault: Fault) -> None:
        """Do it at the next call."""

    def forget(self, name: str) -> None:
        """Do not, if it was not done yet."""

    def to_come(self, name: str) -> int:
        """How many ends of its generations are still to be told: of what was done to it, or waits for its next generation."""

    def spared_for(self, name: str) -> float:
        """Seconds for which the host cannot be ended without being parked."""


class Pursuit:
    """See the module. Ask `next` again and again until it says ``None``.

    Args:
        doer: does it.
        hosts: to which.
        wanted: how many.
        came: how many came true so far.
        draw: makes the next fault.
        states: the present state of each host.
        now: the clock.
        revive: starts a parked host anew; ``None`` where a parked one is left so.

    Attributes:
        why: the hosts that were given up, each with the reason.
    """

    def __init__(
        self,
        doer: Doer,
        hosts: Iterable[str],
        wanted: int,
        *,
        came: Callable[[], int],
        draw: Callable[[], Fault],
        states: Callable[[], dict[str, str]],
        now: Callable[[], float],
        revive: Callable[[str], None] | None = None,
    ) -> None:
        self.why: dict[str, str] = {}
        self._doer = doer
        self._hosts = list(hosts)
        self._all = tuple(self._hosts)
        self._wanted = wanted
        self._came = came
        self._draw = draw
        self._states = states
        self._now = now
        self._revive = revive
        self._aim: _Aim | None = None
        self._tries = dict.fromkeys(self._hosts, 0)
        self._down: dict[str, float] = {}
        self._begun = False
        self._news = came(), now()
        self._called = -math.inf

    def next(self) -> Wanted | None:
        """What is to be done next; ``None`` when as many came true as are wanted, or no more can."""
        if self._came() > self._news[0]:
            self._news = self._came(), self._now()
        if not self._begun:
            if self._is_still_to_come(PATIENCE):
                return Wanted((), _SLICE)
            self._begun = True
            for name in self._hosts:
                self._doer.forget(name)  # or there would be one too many
        if self._aim is not None and not self._is_over(self._aim):
            wait = self._called + _SLICE - self._now()
            return Wanted((), wait) if wait > 0 else self._call(self._aim.host)
        while self._hosts and self._came() + self._to_come() < self._wanted:
            wanted = self._take_aim()
            if wanted is not None:
                return wanted
        if self._is_still_to_come(LONGEST_WAIT):
            return Wanted((), _SLICE)
        self._note_untold()
        return None

    def _note_untold(self) -> None:
        for name in self._all:
            if self._came() < self._wanted and self._doer.to_come(name):
                self.why.setdefault(name, f"its end was not told within {LONGEST_WAIT:g} s")

    def _to_come(self) -> int:
        return sum(map(self._doer.to_come, self._all))

    def _is_still_to_come(self, patience: float) -> bool:
        """Whether more come true without more calls, and the last of them did not so many seconds ago."""
        return self._came() < self._wanted and self._to_come() > 0 and self._now() - self._news[1] <= patience

    def _is_over(self, aim: _Aim) -> bool:
        if self._came() <= aim.came and self._now() - aim.since < PATIENCE:
            return False
        self._aim = None
        self._doer.forget(
            aim.host
        )  # what came true may have been done to another host, or to this one before
        if self._came() > aim.came:
            self._tries[aim.host] = 0
            return True
        self._tries[aim.host] += 1
        if self._tries[aim.host] == TRIES:
            self._give_up(
                aim.host, f"it lived on after {describe(aim.fault)}, or was given no call to do it at"
            )
        return True

    def _take_aim(self) -> Wanted | None:
        """Aim at a host that can be harmed, or wait for one; ``None`` if one was given up instead."""
        states = self._states()
        ready = [name for name in tuple(self._hosts) if self._is_whole(name, states.get(name, "gone"))]
        if not ready:
            return Wanted((), _SLICE) if self._hosts else None
        waits = {name: self._doer.spared_for(name) for name in ready}
        name = min(ready, key=lambda each: waits[each])  # the first of equals, which goes to the end then
        wait = waits[name]
        if wait > LONGEST_WAIT:
            after = "" if math.isinf(wait) else f", and is there again after {wait:.0f} s"
            self._give_up(name, f"its restart budget is spent{after} (--relentless does not spare it)")
            return None
        if wait > 0:
            return Wanted((), min(wait, _SLICE))
        self._hosts.append(self._hosts.pop(self._hosts.index(name)))
        self._aim = _Aim(name, self._draw(), self._came(), self._now())
        self._doer.at_next_call(name, self._aim.fault)
        return self._call(name)

    def _call(self, name: str) -> Wanted:
        # Of refused calls too: one comes back at once, and there would be no end to them.
        self._called = self._now()
        return Wanted((name,), _SLICE)

    def _is_whole(self, name: str, state: str) -> bool:
        """Whether it is ready, and nothing that was done to it is still to show."""
        dying = state == "ready" and self._doer.to_come(name) > 0
        if state == "ready" and not dying:
            self._down.pop(name, None)
            return True
        if state == "parked" and self._revive is not None and name not in self._down:
            self._revive(name)
        if self._now() - self._down.setdefault(name, self._now()) > PATIENCE:
            if dying:  # it lives on, whatever was done: the next thing may end it
                return True
            self._give_up(name, f"it was {state} and not ready again")
        return False

    def _give_up(self, name: str, why: str) -> None:
        self._hosts.remove(name)
        self.why[name] = why


class _Aim(NamedTuple):
    """One fault that is to come true.

    Attributes:
        came: how many had by then.
        since: when it was aimed.
    """

    host: str
    fault: Fault
    came: int
    since: float
