"""The groups, and how a plan of theirs is carried out: stop from the last member on, wait, start from the first.

A plan is looked at again after everything that happens, and does whatever can be done now: nothing
remembers what was told to whom, it is all in the states of the members. So a member may crash, be ordered about or
be removed in the middle of it, and an outer plan takes over what an inner one had begun.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .child import COMING, Child, ChildState
from .effects import Changed, Effect, Effects, Schedule
from .group import Group, GroupState, Member, Phase, Plan
from .restart.policy import RestartType
from .restart.spec import ROOT, GroupSpec, StartOrder
from .transitions import Transitions

if TYPE_CHECKING:
    from collections.abc import Iterable

_DOWN = {
    ChildState.BACKOFF: GroupState.RESTARTING,
    ChildState.PARKED: GroupState.PARKED,
    ChildState.STOPPED: GroupState.STOPPED,
}
"""What a group is whose members wait in that state."""


class Tree:
    """The groups and their children.

    Attributes:
        groups: by name, outer ones before inner ones.
        transitions: how the children change state.
        ended: groups that have just stopped of themselves, for the caller, who decides what follows.
    """

    def __init__(self, now: float = 0.0) -> None:
        self.transitions: Transitions = Transitions(self._forgotten)
        self.groups: dict[str, Group] = {ROOT: Group(GroupSpec(ROOT), since=now, up_since=now)}
        self.ended: list[Group] = []

    def parent(self, member: Member) -> Group | None:
        """The group that a member is in; ``None`` for the root."""
        if isinstance(member, Child):
            return self.groups[member.group]
        return None if member.id == ROOT else self.groups[member.spec.parent]

    def holder(self, member: Member) -> Group | None:
        """The group whose plan is taking the member down, or keeps it down."""
        inner, group = member, self.parent(member)
        while group is not None:
            plan = group.plan
            if plan is not None and plan.phase is not Phase.STARTING and _among(inner, plan.members):
                return group
            inner, group = group, self.parent(group)
        return None

    def _forgotten(self, child: Child) -> None:
        group = self.groups[child.group]
        group.members = [member for member in group.members if member is not child]
        if group.plan is not None:
            group.plan.members = tuple(member for member in group.plan.members if member is not child)

    # Plans

    def bring_down(
        self,
        group: Group,
        members: Iterable[Member],
        now: float,
        why: str,
        *,
        then: ChildState = ChildState.BACKOFF,
        until: float | None = None,
        escalate: bool = False,
    ) -> Effects:
        """Plan to have members down, together with those that are to be down already.

        The later decision says when they come back: members that wait, or are parked, are taken along.
        Who has begun to end for good ends for good: no later plan makes less of it.
        """
        old, wanted = group.plan, list(members)
        if old is not None:
            if old.then is ChildState.STOPPED and old.phase is Phase.STOPPING:
                return ()
            both = [*old.members, *wanted]
            wanted = [member for member in group.members if _among(member, both)]
        group.plan = Plan(Phase.STOPPING, tuple(wanted), then, until, why, escalate=escalate)
        stopping = then is ChildState.STOPPED
        self.enter(group, GroupState.STOPPING if stopping else _DOWN[then], now, why)
        if then is not ChildState.BACKOFF:
            return ()
        group.restarts += 1
        names = [member.id for member in wanted]
        seconds = None if until is None else round(until - now, 6)
        facts = {"members": names, "seconds": seconds, "why": why}
        return (Changed(group.id, "group_restarting", facts, group=True),)

    def bring_up(self, group: Group, now: float, why: str) -> None:
        """Plan to start every member that is held."""
        group.plan = Plan(Phase.STARTING, why=why)
        group.held = False
        self.enter(group, GroupState.STARTING, now, why)

    def enter(self, group: Group, state: GroupState, now: float, why: str) -> None:
        """Be in a state from now on; timers of the one before mean nothing."""
        group.state, group.since, group.why = state, now, why
        group.token = self.transitions.token()

    def step(self, group: Group, now: float) -> list[Effect]:
        """Do what can be done now of a group's plan, if it has one."""
        effects: list[Effect] = []
        plan = group.plan
        if (
            plan is not None
            and plan.phase is Phase.STOPPING
            and not self._stop(plan.members, plan, now, effects)
        ):
            effects += self._all_down(group, plan, now)
        if plan is not None and plan.phase is Phase.WAITING and plan.until is not None and plan.until <= now:
            self.bring_up(group, now, plan.why)
        if group.plan is not None and group.plan.phase is Phase.STARTING:
            self._start(group, now, effects)
        return effects

    # Down

    def _stop(
        self, members: Iterable[Member], plan: Plan, now: float, effects: list[Effect], *, inner: bool = False
    ) -> bool:
        """Have members go down, the last one first; whether one still has to.

        Those that came while their group ran have no place in that order, so they go together.
        """
        backwards = list(members)[::-1]
        going = [
            self._stop_member(member, plan, now, effects, inner=inner)
            for member in backwards
            if member.dynamic
        ]
        return any(going) or any(
            self._stop_member(member, plan, now, effects, inner=inner)
            for member in backwards
            if not member.dynamic
        )

    def _stop_member(
        self, member: Member, plan: Plan, now: float, effects: list[Effect], *, inner: bool
    ) -> bool:
        if isinstance(member, Group):
            over = member.state is GroupState.STOPPED and not member.held
            # A child may have been revived since.
            if over and not any(child.generations for child in member.children()):
                return False
            if member.plan is not None:
                member.plan, member.token = None, self.transitions.token()
            member.held = True
            going = self._stop(member.members, plan, now, effects, inner=True)
            state = GroupState.STOPPING if going else _DOWN[plan.then]
            if member.state is not state:
                self.enter(member, state, now, plan.why)
            return going
        if not member.generations:
            if member.wanted:
                member.removing = self._has_no_return(member, plan, inner=inner)
                effects += self.transitions.leave(member, plan.then, now, plan.why, held=True)
            return False
        if member.state is ChildState.STOPPING:
            if member.wanted and not (member.held and member.after_stop is plan.then):
                # It was to come back by itself, so its retiring generations may not have been told.
                effects += self.transitions.leave(member, plan.then, now, plan.why, held=True)
            return True
        member.removing = member.removing or self._has_no_return(member, plan, inner=inner)
        effects += self.transitions.leave(member, plan.then, now, plan.why, held=True)
        return True

    def _has_no_return(self, child: Child, plan: Plan, *, inner: bool) -> bool:
        """Whether a child that goes down with others is not brought back by its group."""
        undeclared = child.dynamic and (inner or plan.then is ChildState.STOPPED)
        return undeclared or child.policy.restart is RestartType.TEMPORARY

    def _all_down(self, group: Group, plan: Plan, now: float) -> Effects:
        if plan.then is ChildState.STOPPED:
            group.plan = None
            self.enter(group, GroupState.STOPPED, now, plan.why)
            if plan.escalate:
                self.ended.append(group)
            return (Changed(group.id, "group_stopped", {"why": plan.why}, group=True),)
        plan.phase = Phase.WAITING
        effects: list[Effect] = []
        for child in _held_in(plan.members):
            effects += self.transitions.hold(child, plan.then, now, plan.until, plan.why)
        seconds = None if plan.until is None else round(plan.until - now, 6)
        if plan.then is ChildState.PARKED:
            facts = {"seconds": seconds, "why": plan.why}
            effects.append(Changed(group.id, "group_parked", facts, group=True))
        if plan.until is not None and plan.until > now:
            effects.append(Schedule(group.id, group.token, plan.until, group=True))
        return tuple(effects)

    # Up

    def _start(self, group: Group, now: float, effects: list[Effect]) -> bool:
        """Start the members that are held, in order; whether one is still to be started."""
        in_turn = group.spec.start is StartOrder.IN_ORDER
        for member in tuple(group.members):
            coming = (
                self._start_group(member, now, effects)
                if isinstance(member, Group)
                else self._start_child(member, now, effects)
            )
            if coming and in_turn:
                return True
        group.plan = None
        group.up_since = now
        self.enter(group, GroupState.RUNNING, now, "")
        return False

    def _start_child(self, child: Child, now: float, effects: list[Effect]) -> bool:
        if child.held and not child.generations:
            child.restarts += child.generation > 0
            effects += self.transitions.start(child, now)
        return child.state in COMING

    def _start_group(self, group: Group, now: float, effects: list[Effect]) -> bool:
        if group.held:
            group.times, group.probing = (), False
            self.bring_up(group, now, "the group that it is in is started")
            return self._start(group, now, effects)
        return group.plan is not None and group.plan.then is not ChildState.PARKED


def _held_in(members: Iterable[Member]) -> list[Child]:
    """The children that wait for these members to be started; not those of a group that has ended for itself."""
    found: list[Child] = []
    for member in members:
        if isinstance(member, Group):
            found += _held_in(member.members) if member.held else []
        elif member.held:
            found.append(member)
    return found


def _among(member: Member, members: Iterable[Member]) -> bool:
    return any(each is member for each in members)
