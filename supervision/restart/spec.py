"""What may be asked of a group of children, and what makes no sense: checked before anything starts.

A group is a supervisor in the tree: it has children, a strategy, perhaps a budget that they share, and a
parent that is told when the budget is used up. The group without a name is the root.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TypeVar

from ...base.errors import CallboardError
from ...base.frozen import frozen
from .backoff import Backoff
from .policy import RestartType

ROOT = ""
"""The name of the group that all others are in."""

Choice = TypeVar("Choice", bound=StrEnum)


class AdmissionRefused(CallboardError, ValueError):
    """A child or a group cannot be taken in: what it says makes no sense here, or there is no place for it.

    Nothing was started, and it may be asked for again in other words.
    """


class Strategy(StrEnum):
    """Who is restarted with a child that has to be."""

    ONE_FOR_ONE = "one_for_one"
    """Nobody."""
    ONE_FOR_ALL = "one_for_all"
    """All others."""
    REST_FOR_ONE = "rest_for_one"
    """Those that were added after it."""


class OnLimit(StrEnum):
    """What becomes of a group that has used its budget up; its children are stopped in any case."""

    STOP = "stop"
    """It stops, and its parent decides."""
    PARK = "park"
    """It is left parked, and probed when it has cooled down."""


class StartOrder(StrEnum):
    """When a member is started, of those that are to be."""

    TOGETHER = "together"
    """Without waiting for the ones before it."""
    IN_ORDER = "in_order"
    """When those before it are ready, or will not be."""


class AutoShutdown(StrEnum):
    """Which ends of significant children end their group."""

    NEVER = "never"
    ANY_SIGNIFICANT = "any_significant"
    ALL_SIGNIFICANT = "all_significant"


@frozen
class GroupSpec:
    """What is to be done about the members of a group; times in seconds.

    Attributes:
        id: unique among the groups.
        strategy: who is restarted with whom.
        intensity: restarts allowed within ``period``, all members together; ``None`` for no such bound.
        period: the length of the sliding window; a restart exactly that long ago still counts.
        restart: whether its parent starts it again when it has stopped: ``permanent``: always;
            ``transient``: no, since it stopped in good order; ``temporary``: no, and it is forgotten.
        on_limit: what becomes of it when ``intensity`` is exceeded.
        start: in which order its members start.
        backoff: how long its parent waits before it is started again.
        cool_down: how long it is left parked before it is probed.
        auto_shutdown: which ends of significant children end it.
        max_children: how many members may run or wait to be started; ``None`` for any number.
        parent: the group that it is in.

    Raises:
        ValueError: a value makes no sense; says which.
    """

    id: str
    strategy: Strategy = Strategy.ONE_FOR_ONE
    intensity: int | None = None
    period: float = 60.0
    restart: RestartType = RestartType.PERMANENT
    on_limit: OnLimit = OnLimit.PARK
    start: StartOrder = StartOrder.TOGETHER
    backoff: Backoff = field(default_factory=Backoff)
    cool_down: float = 60.0
    auto_shutdown: AutoShutdown = AutoShutdown.NEVER
    max_children: int | None = None
    parent: str = ROOT

    def __post_init__(self) -> None:
        for name, kind in (
            ("strategy", Strategy),
            ("restart", RestartType),
            ("on_limit", OnLimit),
            ("start", StartOrder),
            ("auto_shutdown", AutoShutdown),
        ):
            object.__setattr__(self, name, one_of(kind, getattr(self, name), name))
        if self.id == self.parent and self.id != ROOT:
            raise ValueError(f"the group {self.id!r} cannot be in itself")
        if self.intensity is not None and self.intensity < 0:
            raise ValueError(f"'intensity' is {self.intensity}; it must be 0 or more restarts")
        for name in ("period", "cool_down"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name!r} is {getattr(self, name)}; it must be more than 0 seconds")
        if self.max_children is not None and self.max_children < 1:
            raise ValueError(f"'max_children' is {self.max_children}; it must be 1 or more")


def one_of(kind: type[Choice], value: str, name: str) -> Choice:
    """A value as a member of an enumeration of texts.

    Raises:
        ValueError: it is none of them; names them.
    """
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name!r} is {value!r}; it has to be one of: {', '.join(kind)}") from None


def check_member(group: GroupSpec, *, significant: bool, restart: RestartType) -> None:
    """Refuse a member that cannot mean what it says.

    Raises:
        AdmissionRefused: a significant child that never ends for good, or whose end means nothing to its group.
    """
    if not significant:
        return
    if restart is RestartType.PERMANENT:
        raise AdmissionRefused("a permanent child cannot be significant: it never ends for good")
    if group.auto_shutdown is AutoShutdown.NEVER:
        raise AdmissionRefused(
            f"a significant child means nothing to the group {group.id!r}: 'auto_shutdown' is never"
        )
