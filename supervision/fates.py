"""What the end of one generation means: for the child, for the members of its group, and for the groups above.

`policy.decide` speaks for the child, the group's strategy and budget for its members. A group whose
budget is used up is parked, or stops and leaves the decision to the group that it is in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .child import Child, ChildState
from .effects import Changed, Effects, Removed
from .group import Group
from .restart.exits import ExitKind
from .restart.policy import History, Park, Restart, RestartType, Stop, charge, decide, recent
from .restart.spec import AutoShutdown, OnLimit, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .group import Member
    from .restart.exits import Exit
    from .tree import Tree


class Fates:
    """See the module.

    Args:
        tree: what is decided about.
        random: gives floats in ``[0, 1)``, for the jitter.
    """

    def __init__(self, tree: Tree, random: Callable[[], float]) -> None:
        self._tree = tree
        self._transitions = tree.transitions
        self._random = random

    def retired(self, child: Child, generation: int, exit_: Exit) -> Effects:
        """A generation that was replaced has ended, as it should."""
        return (Changed(child.id, "host_retired", _facts_of(generation, exit_)),)

    def of(self, child: Child, exit_: Exit, now: float) -> Effects:
        """A generation has ended without an order."""
        child.last_exit = exit_
        return self.crashed(child, exit_) + self._follow(child, exit_, now)

    def crashed(self, child: Child, exit_: Exit) -> Effects:
        """Count the present generation's end if it is a crash, and tell of it."""
        if not exit_.is_crash:
            return ()
        child.last_exit = exit_
        child.crashes += 1
        return (Changed(child.id, "host_crashed", _facts_of(child.generation, exit_)),)

    def _follow(self, child: Child, exit_: Exit, now: float) -> Effects:
        holder = self._tree.holder(child)
        if holder is not None and holder.plan is not None:  # it was to go down in any case
            plan = holder.plan
            if child.policy.restart is RestartType.TEMPORARY:
                return self._end(child, "it is temporary", now)
            return self._transitions.hold(child, plan.then, now, plan.until, exit_.cause)
        match decide(child.policy, child.history, exit_, now, self._random):
            case Stop(why):
                return self._end(child, why, now)
            case Park(until, why, history):
                child.history = history
                return self._park(child, until, why, now)
            case Restart(delay, history):
                return self._restart(child, delay, history, exit_, now)

    def _end(self, child: Child, why: str, now: float) -> Effects:
        """A child has ended for good."""
        group = self._tree.groups[child.group]
        child.why = why
        if child.policy.restart is RestartType.TEMPORARY:
            child.removing = True  # with the generations that retire, if there are any
            effects = self._transitions.leave(child, ChildState.STOPPED, now, why)
        else:
            effects = self._transitions.rest(child, ChildState.STOPPED, now, why)
        if not child.significant or self._tree.holder(child) is not None:
            return effects
        others = [other for other in group.children() if other.significant and other.wanted]
        if group.spec.auto_shutdown is AutoShutdown.ALL_SIGNIFICANT and others:
            return effects
        why = f"its significant child {child.id!r} has ended: {why}"
        return effects + self._tree.bring_down(
            group, group.members, now, why, then=ChildState.STOPPED, escalate=True
        )

    def _park(self, child: Child, until: float | None, why: str, now: float) -> Effects:
        group, mates = self._mates(child)
        if len(mates) == 1:
            return self._transitions.wait(child, ChildState.PARKED, now, until, why)
        held = self._transitions.hold(child, ChildState.PARKED, now, until, why)
        why = f"{child.id!r} is parked: {why}"
        return held + self._tree.bring_down(group, mates, now, why, then=ChildState.PARKED, until=until)

    def _restart(self, child: Child, delay: float, history: History, exit_: Exit, now: float) -> Effects:
        group, mates = self._mates(child)
        if exit_.ready_for is not None and exit_.ready_for >= child.policy.stable_for:
            group.probing = False
        if exit_.kind is not ExitKind.CANCEL and not exit_.starved and not _charged(group, now):
            held = self._transitions.hold(child, ChildState.BACKOFF, now, None, exit_.cause)
            return held + self._exceed(group, child.id, exit_.kind.value, exit_.cause, now)
        child.history = history
        if len(mates) > 1:
            held = self._transitions.hold(child, ChildState.BACKOFF, now, now + delay, exit_.cause)
            why = f"{child.id!r} has ended: {exit_.cause}"
            return held + self._tree.bring_down(group, mates, now, why, until=now + delay)
        child.restarts += 1
        if delay > 0:
            return self._transitions.wait(child, ChildState.BACKOFF, now, now + delay, exit_.cause)
        return self._transitions.start(child, now)

    def _mates(self, member: Member) -> tuple[Group, tuple[Member, ...]]:
        group = self._tree.parent(member)
        assert group is not None
        return group, affected(group.spec.strategy, group.members, member)

    # Groups

    def _exceed(self, group: Group, member: str, exit_: str, cause: str, now: float) -> Effects:
        """A group's budget is used up: tell, stop all members, and do what it says for this case."""
        spec = group.spec
        if now - group.up_since >= spec.period:
            group.streak = 0
        used = recent(group.times, spec.period, now)
        ages = [round(now - time, 3) for time in used]
        facts = {"child": member, "exit": exit_, "cause": cause, "restarts": ages}
        told = Changed(group.id, "group_limit", facts, group=True)
        why = f"{spec.intensity} restarts within {spec.period:g} s are used up; last: {member!r}: {cause}"
        if group.probing:
            why = f"the probe failed: {member!r}: {cause}"
        if spec.on_limit is OnLimit.PARK:
            group.probing = True
            until = now + spec.cool_down
            down = self._tree.bring_down(group, group.members, now, why, then=ChildState.PARKED, until=until)
        else:
            down = self._tree.bring_down(
                group, group.members, now, why, then=ChildState.STOPPED, escalate=True
            )
        return (told, *down)

    def escalate(self, group: Group, now: float) -> Effects:
        """A group has stopped of itself: it is for the group above to say what follows."""
        parent = self._tree.parent(group)
        if parent is None or group.spec.restart is RestartType.TRANSIENT:
            return ()
        if group.spec.restart is RestartType.TEMPORARY:
            return self._forget(group, parent)
        group.held = True
        holder = self._tree.holder(group)
        if holder is not None:
            return ()
        if not _charged(parent, now):
            return self._exceed(parent, group.id, "limit", group.why, now)
        self.forgive(group)
        until = now + group.spec.backoff.delay(group.streak, self._random)
        group.streak += 1
        parent, mates = self._mates(group)
        if len(mates) > 1:
            why = f"the group {group.id!r} has stopped: {group.why}"
            return self._tree.bring_down(parent, mates, now, why, until=until)
        group.held = False
        return self._tree.bring_down(group, group.members, now, group.why, until=until)

    def forgive(self, group: Group) -> None:
        """Give a group and all that is in it their whole budgets back."""
        group.times, group.probing = (), False
        for member in group.members:
            if isinstance(member, Group):
                self.forgive(member)
            else:
                member.history = History()

    def _forget(self, group: Group, parent: Group) -> Effects:
        effects: Effects = ()
        for member in tuple(group.members):
            effects += (
                self._forget(member, group) if isinstance(member, Group) else self._transitions.forget(member)
            )
        parent.members = [member for member in parent.members if member is not group]
        del self._tree.groups[group.id]
        return (*effects, Removed(group.id, group=True))


def _charged(group: Group, now: float) -> bool:
    """Take one restart from a group's budget; false if there is none left, or it is on probation."""
    if group.spec.intensity is None:
        return True
    times = None if group.probing else charge(group.times, group.spec.intensity, group.spec.period, now)
    if times is None:
        return False
    group.times = times
    return True


def _facts_of(generation: int, exit_: Exit) -> dict[str, Any]:
    return {
        "generation": generation,
        "exit": exit_.kind.value,
        "cause": exit_.cause,
        "report": dict(exit_.report),
    }


_Mate = TypeVar("_Mate")


def affected(strategy: Strategy, members: Sequence[_Mate], failed: _Mate) -> tuple[_Mate, ...]:
    """The members that stop, in reverse, and start again, in order, when one has failed; it is among them.

    Args:
        strategy: the group's.
        members: all of the group, in the order in which they were added.
        failed: one of them.
    """
    place = members.index(failed)  # identity is looked at before equality
    match strategy:
        case Strategy.ONE_FOR_ONE:
            return (members[place],)
        case Strategy.REST_FOR_ONE:
            return tuple(members[place:])
        case Strategy.ONE_FOR_ALL:
            return tuple(members)
