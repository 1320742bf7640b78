"""Which entries of a schedule come true for one host, over all its generations. Counts, and nothing else.

Whoever runs the host tells what happens and is told the faults that this brings; it carries them out,
or keeps those for the next answer or the next start.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .. import triggers as t

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..faults import Fault
    from ..schedule import Entry, Schedule


class Cues:
    """See the module. Each entry comes true once.

    Args:
        schedule: what is for this host; see `Schedule.of`.

    Attributes:
        healed: nothing goes wrong any more.
        told: the entries that came true, in order.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.healed = False
        self.told: list[Entry] = []
        self._waiting = list(schedule.entries)
        self._over_all: Counter[str] = Counter()
        self._in_generation: Counter[str] = Counter()

    def forget(self) -> None:
        """No entry comes true from now on."""
        self._waiting.clear()

    @property
    def generation(self) -> int:
        """How often the host has been started."""
        return self._over_all["spawn"]

    def at_spawn(self) -> list[Fault]:
        """The host is about to be started."""
        self._in_generation.clear()
        self._over_all["spawn"] += 1
        return self._come(lambda trigger: isinstance(trigger, t.NthSpawn) and trigger.n == self.generation)

    def at_call(self) -> list[Fault]:
        """It has read a call."""
        self._count("call")
        return self._come(lambda trigger: isinstance(trigger, t.NthCall) and self._is_at("call", trigger))

    def at_frame(self, way: str) -> list[Fault]:
        """It has read a line (``in``), or is about to write one (``out``)."""
        self._count(way)
        return self._come(
            lambda trigger: (
                isinstance(trigger, t.NthFrame) and trigger.way == way and self._is_at(way, trigger)
            )
        )

    def at_state(self, state: str) -> list[Fault]:
        """The supervisor has put it into a state."""
        self._over_all[state] += 1
        return self._come(
            lambda trigger: (
                isinstance(trigger, t.StateEntered)
                and trigger.state == state
                and trigger.n == self._over_all[state]
            )
        )

    def at_point(self, name: str) -> list[Fault]:
        """A tool has come by a point."""
        key = f"point {name}"
        self._over_all[key] += 1
        return self._come(
            lambda trigger: (
                isinstance(trigger, t.AtPoint) and trigger.name == name and trigger.n == self._over_all[key]
            )
        )

    def at_time(self, seconds: float) -> list[Fault]:
        """So much time has passed."""
        return self._come(lambda trigger: isinstance(trigger, t.AtTime) and trigger.seconds <= seconds)

    def times(self) -> list[float]:
        """When `at_time` has to be asked."""
        return sorted({e.trigger.seconds for e in self._waiting if isinstance(e.trigger, t.AtTime)})

    def until_byte(self, coming: int) -> int:
        """How many of the ``coming`` bytes may be written before `at_byte` has to be asked."""
        ahead = [
            trigger.n - self._counts(trigger)["byte"]
            for trigger in (entry.trigger for entry in self._waiting)
            if isinstance(trigger, t.NthByte) and trigger.generation in {None, self.generation}
        ]
        return min([coming, *(distance for distance in ahead if distance > 0)])

    def at_byte(self, written: int) -> list[Fault]:
        """It has written so many more bytes."""
        self._count("byte", written)
        return self._come(lambda trigger: isinstance(trigger, t.NthByte) and self._is_at("byte", trigger))

    def _count(self, what: str, by: int = 1) -> None:
        self._over_all[what] += by
        self._in_generation[what] += by

    def _counts(self, trigger: t.NthCall | t.NthFrame | t.NthByte) -> Counter[str]:
        return self._over_all if trigger.generation is None else self._in_generation

    def _is_at(self, what: str, trigger: t.NthCall | t.NthFrame | t.NthByte) -> bool:
        return trigger.generation in {None, self.generation} and trigger.n == self._counts(trigger)[what]

    def _come(self, is_now: Callable[[t.Trigger], bool]) -> list[Fault]:
        if not self._waiting or self.healed:
            return []
        came = [entry for entry in self._waiting if is_now(entry.trigger)]
        if came:
            self._waiting = [entry for entry in self._waiting if entry not in came]
            self.told += came
        return [entry.fault for entry in came]
