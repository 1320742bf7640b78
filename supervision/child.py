"""What is known of one child: its state, its generations, and what it waits for. A value; others change it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .restart.policy import History, RestartPolicy
from .restart.spec import ROOT

if TYPE_CHECKING:
    from .restart.exits import Exit


class ChildState(StrEnum):
    """Where a child is."""

    STARTING = "starting"
    READY = "ready"
    BACKOFF = "backoff"
    PARKED = "parked"
    STOPPING = "stopping"
    STOPPED = "stopped"


UP = frozenset({ChildState.STARTING, ChildState.READY})
"""The present generation is to go on."""

COMING = frozenset({ChildState.STARTING, ChildState.BACKOFF})
"""It will be ready, or the reason why not will be known, without an order."""


@dataclass(slots=True)
class Child:
    """One child; read it, never write it.

    Attributes:
        id: unique among the children.
        policy: what is to be done about its ends.
        group: the name of the group that it is in.
        significant: its end for good means something to its group.
        dynamic: it came while the group ran; it does not come back with the group.
        since: when it came into its state.
        until: when it is to be started; ``None`` if that is not known.
        after_stop: the state that it is to be in once its generations have ended.
        held: it is down for its group's sake, and started when the group says so.
        token: of the timer that counts; any other one is stale.
        removing: it is to be forgotten once its generations have ended.
        generations: the generations that have not ended.
    """

    id: str
    policy: RestartPolicy
    group: str = ROOT
    significant: bool = False
    dynamic: bool = False
    state: ChildState = ChildState.STOPPED
    generation: int = 0
    since: float = 0.0
    until: float | None = None
    why: str = ""
    restarts: int = 0
    crashes: int = 0
    history: History = field(default_factory=History)
    last_exit: Exit | None = None
    after_stop: ChildState = ChildState.STOPPED
    held: bool = False
    token: int = 0
    removing: bool = False
    generations: set[int] = field(default_factory=set)

    @property
    def retiring(self) -> list[int]:
        """The generations that go on beside their successor."""
        return sorted(self.generations - {self.generation})

    @property
    def wanted(self) -> bool:
        """Whether it is to run, now or later, unless an order says otherwise."""
        state = self.after_stop if self.state is ChildState.STOPPING else self.state
        probed = state is ChildState.PARKED and self.until is not None
        return not self.removing and (self.held or probed or state in UP or state is ChildState.BACKOFF)

    @property
    def takes_place(self) -> bool:
        """Whether it counts among those that run or wait to be started."""
        return self.state is not ChildState.STOPPED

    def as_dict(self, now: float) -> dict[str, Any]:
        """The state as JSON, times as seconds from now."""
        return {
            "state": self.state.value,
            "generation": self.generation,
            "for": round(now - self.since, 3),
            "next_start_in": None if self.until is None else round(max(0.0, self.until - now), 3),
            "why": self.why,
            "restarts": self.restarts,
            "crashes": self.crashes,
            "retiring": self.retiring,
            "group": self.group or None,
            "last_crash": dict(self.last_exit.report) if self.last_exit and self.last_exit.is_crash else None,
        }
