"""What is to become of grouped children, written down from the rules and from nothing else.

Stops take no time here, and lives are ready at once; so there are no plans, only children that live or
wait. It is slow, small and obvious, and knows neither effects nor messages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PERIOD, STABLE_FOR, COOL_DOWN, AGAIN = 60.0, 10.0, 30.0, 1.0
"""The same for all; ``AGAIN`` is every wait but a child's first."""


@dataclass
class ModelChild:
    name: str
    group: ModelGroup
    restart: str
    intensity: int
    generation: int = 0
    since: float | None = None
    """When the present generation began; ``None`` without a generation."""
    waits: bool = False
    until: float | None = None
    restarts: list[float] = field(default_factory=list)
    streak: int = 0
    probing: bool = False

    def forgive(self):
        self.restarts, self.streak, self.probing = [], 0, False

    def start(self, now):
        self.generation += 1
        self.since, self.waits, self.until = now, False, None


@dataclass
class ModelGroup:
    name: str
    parent: ModelGroup | None
    strategy: str = "one_for_one"
    restart: str = "permanent"
    on_limit: str = "park"
    intensity: int | None = None
    members: list[ModelChild | ModelGroup] = field(default_factory=list)
    charged: list[float] = field(default_factory=list)
    probing: bool = False
    stopped: bool = False
    down_until: float | None = None
    """When it comes back with the group above, for which it is down."""

    def forgive(self):
        self.charged, self.probing = [], False
        for member in self.members:
            member.forgive()

    def charge(self, now):
        """Take one restart from the budget; whether there was one left."""
        if self.intensity is None:
            return True
        recent = [time for time in self.charged if now - time <= PERIOD]
        if self.probing or len(recent) >= self.intensity:
            return False
        self.charged = [*recent, now]
        return True

    def mates(self, member):
        """Who goes down with a member, itself included."""
        place = next(index for index, each in enumerate(self.members) if each is member)
        return {
            "one_for_one": [member],
            "rest_for_one": self.members[place:],
            "one_for_all": self.members,
        }[self.strategy]


class Model:
    """All of it: a root, and what is in it."""

    def __init__(self):
        self.root = ModelGroup("", None)
        self.groups = {"": self.root}
        self.children: dict[str, ModelChild] = {}

    def add_group(self, name, parent, **rules):
        group = self.groups[name] = ModelGroup(name, self.groups[parent], **rules)
        group.parent.members.append(group)

    def add(self, name, group, restart, intensity, now):
        child = self.children[name] = ModelChild(name, self.groups[group], restart, intensity)
        child.group.members.append(child)
        child.start(now)

    def forget(self, child):
        del self.children[child.name]
        child.group.members = [member for member in child.group.members if member is not child]

    # A generation ends

    def end(self, name, now, *, crash):
        child = self.children[name]
        lived, child.since = now - child.since, None
        if child.restart == "temporary":
            return self.forget(child)
        if child.restart == "transient" and not crash:
            return None
        child.waits = True
        restarts = [time for time in child.restarts if now - time <= PERIOD]
        if lived >= STABLE_FOR:
            child.forgive()
            restarts = []
        if child.probing or len(restarts) >= child.intensity:
            child.restarts, child.probing = restarts, True
            return self.go_down(child.group.mates(child), now + COOL_DOWN)
        if lived >= STABLE_FOR:
            child.group.probing = False
        if not child.group.charge(now):
            return self.exceed(child.group, now)
        delay = AGAIN if child.streak else 0.0
        child.restarts, child.streak = [*restarts, now], child.streak + 1
        return self.go_down(child.group.mates(child), now + delay)

    def go_down(self, members, until):
        """They are down, and come back at that time, or when they are told; who is temporary does not."""
        for member in list(members):
            if isinstance(member, ModelGroup):
                if not member.stopped:
                    member.down_until = until
                    self.go_down(member.members, until)
            elif member.restart == "temporary" and member.since is not None:
                self.forget(member)
            elif member.since is not None or member.waits:
                member.since, member.waits, member.until = None, True, until

    def exceed(self, group, now):
        if group.on_limit == "park":
            group.probing = True
            return self.go_down(group.members, now + COOL_DOWN)
        self.go_down(group.members, None)
        if group.restart == "transient":
            group.stopped = True
            return None
        if not group.parent.charge(now):
            return self.exceed(group.parent, now)
        group.forgive()
        return self.go_down(group.parent.mates(group), now + AGAIN)

    # Time and orders

    def advance(self, now):
        """Start everyone whose time has come by now."""
        while due := min(self._times(now), default=None):
            self._rise(self.root, due)
            for child in self.children.values():
                if child.until == due:
                    child.start(due)

    def _times(self, now):
        times = [child.until for child in self.children.values() if child.waits]
        times += [group.down_until for group in self.groups.values()]
        return [time for time in times if time is not None and time <= now]

    def _rise(self, group, due):
        """A group that comes back with the one above begins anew."""
        for member in group.members:
            if isinstance(member, ModelGroup):
                if member.down_until == due:
                    member.down_until = None
                    member.charged, member.probing = [], False
                self._rise(member, due)

    def stop(self, name):
        child = self.children[name]
        child.since, child.waits, child.until = None, False, None

    def revive(self, name, now):
        """Only while all groups are up: it starts alone."""
        self.children[name].forgive()
        self.children[name].start(now)
