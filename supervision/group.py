"""What is known of one group: its members, its budget, and what it is about to do with them. A value."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from .child import ChildState
from .restart.policy import recent

if TYPE_CHECKING:
    from .child import Child
    from .restart.spec import GroupSpec

Member: TypeAlias = Union["Child", "Group"]


class GroupState(StrEnum):
    """Where a group is."""

    RUNNING = "running"
    STARTING = "starting"
    RESTARTING = "restarting"
    PARKED = "parked"
    STOPPING = "stopping"
    STOPPED = "stopped"


class Phase(StrEnum):
    """How far a plan has come."""

    STOPPING = "stopping"
    """Members are being stopped, the last one first."""
    WAITING = "waiting"
    """All of them are down, and it is not time yet."""
    STARTING = "starting"
    """Members are being started, the first one first."""


@dataclass(slots=True)
class Plan:
    """What a group is about to do.

    Attributes:
        phase: how far it has come.
        members: who has to be down before it goes on, in the order in which they were added.
        then: how they wait once they are down: BACKOFF or PARKED, to be started later; STOPPED: the
            group has ended.
        until: when they are started; ``None``: by an order.
        why: a sentence for people.
        escalate: the parent is to be told when the group has ended.
    """

    phase: Phase
    members: tuple[Member, ...] = ()
    then: ChildState = ChildState.BACKOFF
    until: float | None = None
    why: str = ""
    escalate: bool = False


@dataclass(slots=True)
class Group:
    """One group; read it, never write it.

    Attributes:
        spec: what is to be done about its members.
        members: children and groups, in the order in which they were added.
        plan: what it is about to do, or ``None`` while all is as it should be.
        times: the restarts that its budget was charged with.
        probing: it has been started out of the park, and not been stable since.
        streak: how often in a row its parent had to start it again.
        restarts: how often members were restarted together, or the group itself.
        token: of the timer that counts.
        up_since: when its members were started last.
        held: it is down for the sake of a group above, and started when that says so.
    """

    spec: GroupSpec
    state: GroupState = GroupState.RUNNING
    since: float = 0.0
    why: str = ""
    members: list[Member] = field(default_factory=list)
    plan: Plan | None = None
    times: tuple[float, ...] = ()
    probing: bool = False
    streak: int = 0
    restarts: int = 0
    token: int = 0
    up_since: float = 0.0
    held: bool = False

    @property
    def id(self) -> str:
        """Its name."""
        return self.spec.id

    @property
    def dynamic(self) -> bool:
        """A group is always declared."""
        return False

    def children(self) -> list[Child]:
        """All children in it, those of inner groups too, in order of start."""
        found: list[Child] = []
        for member in self.members:
            found += member.children() if isinstance(member, Group) else [member]
        return found

    def as_dict(self, now: float) -> dict[str, Any]:
        """The state as JSON, times as seconds from now."""
        until = self.plan.until if self.plan is not None else None
        return {
            "state": self.state.value,
            "strategy": self.spec.strategy.value,
            "members": [member.id for member in self.members],
            "for": round(now - self.since, 3),
            "next_start_in": None if until is None else round(max(0.0, until - now), 3),
            "why": self.why,
            "restarts": self.restarts,
            "budget_used": len(recent(self.times, self.spec.period, now)),
            "group": self.spec.parent or None,
        }
