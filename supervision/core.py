"""The supervisor without its actor: what happened goes in, what is to be done comes out.

Each child is in one state::

              add                    ready
    (nobody) ────▶ STARTING ──────────────────▶ READY
                    ▲  ▲  │ ended                │ ended
           due, now │  │  ▼                      ▼
                    │  └─ BACKOFF ◀─── decide ── · ──▶ STOPPED
                    │                    │
                    └────── PARKED ◀─────┘
                      due: a probe
                      revive: by hand

    stop, park, restart and remove lead from STARTING and READY through STOPPING, which ends
    when the generation has ended. replace starts the next generation first: the old one retires beside it,
    and its end, whatever it is like, is the one that was asked for. A crash that was quicker than a stop is
    reported, and changes nothing about the stop.

What the end of a generation means for the other members of its group is decided in `fates`, and carried out
member by member in `tree`. Every generation has a number, and every message about one carries it: what a
generation says after the next one has begun is stale and changes nothing. A timer has a token for the same
reason. Nothing here has a clock, a thread or a process; the actor holds those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .child import UP, Child, ChildState
from .effects import Changed, Effect, Effects, Finished, Removed, Schedule, StartGeneration, StopGeneration
from .fates import Fates
from .group import Group, GroupState, Phase, Plan
from .restart.policy import History, RestartPolicy, RestartType
from .restart.spec import ROOT, AdmissionRefused, GroupSpec, StartOrder, check_member
from .tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from .restart.exits import Exit

__all__ = [
    "Changed", "Child", "ChildState", "Effect", "Effects", "Finished", "Removed", "Schedule", "StartGeneration",
    "StopGeneration", "Supervision",
]  # fmt: skip


class Supervision:
    """The children and what becomes of them. Not thread-safe: one actor owns it.

    Args:
        random: gives floats in ``[0, 1)``, for the jitter.

    Attributes:
        children: by id.
        groups: by name; the root has none.
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self._tree = Tree()
        self._transitions = self._tree.transitions
        self._fates = Fates(self._tree, random)
        self._closing = False
        self.children: dict[str, Child] = self._transitions.children
        self.groups: dict[str, Group] = self._tree.groups

    @property
    def stale(self) -> int:
        """How many messages came too late."""
        return self._transitions.stale

    # Admission

    def add_group(self, spec: GroupSpec, now: float) -> None:
        """Take a group in. It has no members yet.

        Raises:
            AdmissionRefused: its name is taken, or the group that it is to be in does not exist.
        """
        if spec.id in self.groups:
            raise AdmissionRefused(f"there is a group {spec.id!r} already")
        parent = self._group(spec.parent)
        group = self.groups[spec.id] = Group(spec, since=now, up_since=now)
        parent.members.append(group)
        if parent.state is not GroupState.RUNNING:
            group.held = True
            self._tree.enter(group, parent.state, now, parent.why)

    def add(
        self,
        child_id: str,
        policy: RestartPolicy,
        now: float,
        *,
        group: str = ROOT,
        significant: bool = False,
        dynamic: bool = False,
    ) -> Effects:
        """Take a child in and start it, or have it wait for its turn or for its group.

        Raises:
            AdmissionRefused: its id is taken, the group does not exist or has no place, it is significant where
                that means nothing, or all was shut down.
        """
        if child_id in self.children:
            raise AdmissionRefused(f"there is a child {child_id!r} already")
        if self._transitions.closed:
            raise AdmissionRefused(f"the child {child_id!r} comes too late: all was shut down")
        place = self._group(group)
        check_member(place.spec, significant=significant, restart=policy.restart)
        taken = sum(child.takes_place for child in place.children())
        if place.spec.max_children is not None and taken >= place.spec.max_children:
            raise AdmissionRefused(
                f"the group {group!r} has no place for {child_id!r}: {taken} of its children run or wait to be "
                "started, and 'max_children' is no more"
            )
        child = Child(child_id, policy, group, significant=significant, dynamic=dynamic)
        self.children[child_id] = child
        place.members.append(child)
        return self._begin(child, place, now)

    def _begin(self, child: Child, group: Group, now: float) -> Effects:
        in_turn = group.spec.start is StartOrder.IN_ORDER
        if group.state is GroupState.RUNNING and not in_turn:
            return self._transitions.start(child, now)
        if group.state is GroupState.RUNNING:
            self._tree.bring_up(group, now, f"{child.id!r} was added")
        if group.plan is None or group.plan.phase is not Phase.STARTING:
            states = {GroupState.PARKED: ChildState.PARKED, GroupState.RESTARTING: ChildState.BACKOFF}
            return self._transitions.hold(
                child, states.get(group.state, ChildState.STOPPED), now, None, group.why
            )
        child.held = True
        effects = self._advance(now)
        if child.held:
            effects += self._transitions.rest(child, ChildState.BACKOFF, now, "it waits for its turn")
        return effects

    def is_dead(self, child_id: str) -> bool:
        """Whether a child has ended for good: only an order, or its successor, could be at that address."""
        child = self.children.get(child_id)
        if child is None:
            return True
        if child.state is not ChildState.STOPPED:
            return False
        group: Group | None = self.groups[child.group]
        while child.held and group is not None:
            if group.plan is not None:
                return False
            group = self._tree.parent(group)
        return True

    def _group(self, name: str) -> Group:
        if name not in self.groups:
            known = ", ".join(repr(other) for other in self.groups if other != ROOT) or "none"
            raise AdmissionRefused(f"there is no group {name!r}; there are: {known}")
        return self.groups[name]

    # Orders

    def stop(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child; it keeps its place and may be revived. Stopping it twice changes nothing."""
        child = self.children[child_id]
        if child.state is ChildState.STOPPED:
            child.held = False
            return ()
        return self._leave(child, ChildState.STOPPED, now, reason)

    def park(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child and leave it parked until it is revived."""
        return self._leave(self.children[child_id], ChildState.PARKED, now, reason)

    def remove(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child and free its id."""
        child = self.children[child_id]
        child.removing = True
        return self._leave(child, ChildState.STOPPED, now, reason)

    def restart(self, child_id: str, now: float, reason: str) -> Effects:
        """End the present generation and start the next at once; from any state, with a fresh budget.

        One that is down with its group is started with its group.
        """
        child = self.children[child_id]
        child.history = History()
        if child.held and not child.removing:
            return self._start_held(child, now)
        if child.generation in child.generations or child.removing:
            return self._leave(child, ChildState.STARTING, now, reason)
        return self._start_alone(child, now)

    def revive(self, child_id: str, now: float) -> Effects:
        """Start a child that is parked, stopped or waiting, at once and with a fresh budget.

        One that is stopping is started when it has stopped: of two orders the later one holds. One that
        is down with its group is started with its group.
        """
        child = self.children[child_id]
        if child.state in UP:
            return ()
        child.history = History()
        if child.held and not child.removing:
            return self._start_held(child, now)
        if child.state is ChildState.STOPPING and (child.generation in child.generations or child.removing):
            child.after_stop = ChildState.STARTING
            return ()
        return self._start_alone(child, now)

    def probe(self, child_id: str, now: float) -> Effects:
        """Probe a parked child now, and not at the end of its cool-down. One that only an order or its group starts is left alone."""
        child = self.children[child_id]
        if child.state is not ChildState.PARKED or child.held or child.until is None:
            return ()
        return self.due(child_id, child.token, now)

    def replace(self, child_id: str, now: float, reason: str) -> Effects:
        """Start the next generation now, and have the present one retire beside it.

        Changes nothing where there is no generation to take over from. The budget is neither spent nor
        restored, but by a generation that was stable.
        """
        child = self.children[child_id]
        if child.state not in UP or self._transitions.closed:
            return ()
        if child.state is ChildState.READY and now - child.since >= child.policy.stable_for:
            child.history = History()
        old = child.generation
        child.restarts += 1
        replaced = Changed(child.id, "host_replaced", {"generation": old, "why": reason})
        return (
            replaced,
            *self._transitions.start(child, now),
            StopGeneration(child.id, old, reason, retire=True),
        )

    def forgive(self, child_id: str) -> None:
        """Give a child its whole budget back, at once."""
        self.children[child_id].history = History()

    def shut_down(self, now: float, reason: str, within: float) -> Effects:
        """End all, the last one first; nothing starts any more. `Finished` tells when it is done.

        Args:
            now: the present.
            reason: for the generations.
            within: after so many seconds those that have not been told yet are told too, and nobody is
                waited for any longer.
        """
        root = self.groups[ROOT]
        self._closing = self._transitions.closed = True
        root.plan = None  # whatever it was, it is not to be continued
        effects = self._tree.bring_down(root, root.members, now, reason, then=ChildState.STOPPED)
        deadline = Schedule(ROOT, root.token, now + within, group=True)
        return (*effects, deadline, *self._advance(now))

    def _leave(self, child: Child, then: ChildState, now: float, reason: str) -> Effects:
        return (*self._transitions.leave(child, then, now, reason), *self._advance(now))

    def _start_alone(self, child: Child, now: float) -> Effects:
        """Start a child that nobody keeps down; a group that had ended runs again, for this one."""
        above: Group | None = self.groups[child.group]
        while above is not None and above.state is GroupState.STOPPED and not self._transitions.closed:
            if not above.held:
                self._tree.enter(above, GroupState.RUNNING, now, "")
            above = self._tree.parent(above)
        return self._transitions.start(child, now)

    def _start_held(self, child: Child, now: float) -> Effects:
        """Start what keeps a child down: its group, or one above."""
        if self._transitions.closed:
            return ()
        holder = self._tree.holder(child)
        group = self.groups[child.group]
        if holder is None:
            if group.plan is not None and not child.generations:  # it only waits for its turn
                return (*self._transitions.start(child, now), *self._advance(now))
            while group.held and (above := self._tree.parent(group)) is not None:
                group = above
            holder = group
        self._fates.forgive(holder)
        if holder.plan is not None and holder.plan.phase is Phase.STOPPING:
            plan = holder.plan
            holder.plan = Plan(Phase.STOPPING, plan.members, ChildState.BACKOFF, now, plan.why)
        else:
            self._tree.bring_up(holder, now, "it was revived")
        return self._advance(now)

    # Reports

    def ready(self, child_id: str, generation: int, now: float) -> Effects:
        """A generation answers calls."""
        child = self._present(child_id, generation)
        if child is None or child.state is not ChildState.STARTING:
            return ()
        self._transitions.enter(child, ChildState.READY, now, "")
        return (Changed(child_id, "host_ready", {"generation": generation}), *self._advance(now))

    def declined(self, child_id: str, generation: int, now: float) -> Effects:
        """A child will not run this time; nothing is wrong, and it is not started again by itself."""
        child = self._present(child_id, generation)
        if child is None:
            return ()
        child.generations.remove(generation)
        if child.state is ChildState.STOPPING:
            return (*self._transitions.after_stop(child, now), *self._advance(now))
        child.why = "it declined to run"
        if child.policy.restart is RestartType.TEMPORARY:
            child.removing = True
            return self._leave(child, ChildState.STOPPED, now, child.why)
        return (*self._transitions.rest(child, ChildState.STOPPED, now, child.why), *self._advance(now))

    def ended(self, child_id: str, generation: int, exit_: Exit, now: float) -> Effects:
        """A generation has ended, with all its processes."""
        child = self.children.get(child_id)
        if child is None or generation not in child.generations:
            self._transitions.stale += 1
            return ()
        child.generations.remove(generation)
        present = generation == child.generation
        effects: Effects = () if present else self._fates.retired(child, generation, exit_)
        if child.state is not ChildState.STOPPING:
            effects += self._fates.of(child, exit_, now) if present else ()
        elif child.generation not in child.generations:
            # Its own end was quicker than the stop: it is told, and decides nothing.
            effects += self._fates.crashed(child, exit_) if present else ()
            effects += self._transitions.after_stop(child, now)
        return (*effects, *self._advance(now))

    def due(self, child_id: str, token: int, now: float, *, group: bool = False) -> Effects:
        """A scheduled time has come."""
        if group:
            return self._group_due(child_id, token, now)
        child = self.children.get(child_id)
        if child is None or child.token != token:
            self._transitions.stale += 1
            return ()
        if child.state is ChildState.PARKED:
            child.restarts += 1
        return self._transitions.start(child, now)

    def _group_due(self, name: str, token: int, now: float) -> Effects:
        group = self.groups.get(name)
        if group is None or group.token != token:
            self._transitions.stale += 1
            return ()
        if name == ROOT and self._closing:
            return self._give_up(group)
        assert group.plan is not None
        group.plan.until = now
        return self._advance(now)

    def _give_up(self, root: Group) -> Effects:
        self._closing = False
        root.plan = None
        left = [child for child in self.children.values() if child.generations]
        untold = [child for child in left if child.state is not ChildState.STOPPING]
        effects = [
            StopGeneration(child.id, generation, root.why)
            for child in untold
            for generation in sorted(child.generations)
        ]
        return (*effects, Finished(ROOT, tuple(child.id for child in left)))

    def _present(self, child_id: str, generation: int) -> Child | None:
        child = self.children.get(child_id)
        if child is None or generation != child.generation or generation not in child.generations:
            self._transitions.stale += 1
            return None
        return child

    def _advance(self, now: float) -> Effects:
        """Carry on with all plans, the inner ones first, until nothing more can be done now."""
        effects: list[Effect] = []
        planning = True
        while planning:
            for group in reversed(tuple(self.groups.values())):
                effects += self._tree.step(group, now)
            planning = bool(self._tree.ended)
            while self._tree.ended:
                effects += self._fates.escalate(self._tree.ended.pop(), now)
        root = self.groups[ROOT]
        if self._closing and root.state is GroupState.STOPPED:
            self._closing = False
            root.token = self._transitions.token()
            effects.append(Finished(ROOT, ()))
        return tuple(effects)
