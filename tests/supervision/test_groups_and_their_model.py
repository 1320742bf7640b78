"""Any history of a tree of groups comes out as the model says, which was written from the rules alone."""

from __future__ import annotations

from collections import deque

from callboard.supervision.core import Schedule, StartGeneration, StopGeneration, Supervision
from callboard.supervision.effects import Changed
from callboard.supervision.group import GroupState
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.restart.spec import GroupSpec
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.event_order import check_order
from callboard.supervision.runtime.events import Event
from group_model import AGAIN, COOL_DOWN, PERIOD, STABLE_FOR, Model
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from supervision_cases import REQUESTED
from thorough import times

PLACES = {"x": "", "a": "outer", "b": "outer", "c": "inner", "d": "inner", "e": "outer"}
"""Whose group is which. The inner group is added between b and e."""

names = st.sampled_from(sorted(PLACES))
rules_of_groups = st.fixed_dictionaries({
    "strategy": st.sampled_from(["one_for_one", "one_for_all", "rest_for_one"]),
    "restart": st.sampled_from(["permanent", "transient"]),
    "on_limit": st.sampled_from(["stop", "park"]),
    "intensity": st.sampled_from([None, 0, 1, 2, 4]),
})  # fmt: skip
types = st.sampled_from(["permanent", "permanent", "transient", "temporary"])


class Groups(RuleBasedStateMachine):
    @initialize(
        outer=rules_of_groups,
        inner=rules_of_groups,
        restarts=st.fixed_dictionaries(dict.fromkeys(PLACES, types)),
        intensity=st.sampled_from([1, 3, 100]),
        start=st.sampled_from(["together", "in_order"]),
    )
    def begin(self, outer, inner, restarts, intensity, start):
        self.core, self.model, self.now = Supervision(lambda: 0.0), Model(), 100.0
        self.generations: dict[str, tuple[int, float]] = {}
        self.timers: list[tuple[float, int, str, bool]] = []
        self.told: list[Event] = []
        steady = Backoff(AGAIN, AGAIN, AGAIN, jitter=0.0)
        self.policies = {
            name: RestartPolicy(
                restart=restart, backoff=Backoff(0.0, AGAIN, AGAIN, jitter=0.0), intensity=intensity,
                period=PERIOD, stable_for=STABLE_FOR, cool_down=COOL_DOWN,
            )
            for name, restart in restarts.items()
        }  # fmt: skip
        self.add_group("outer", "", outer, steady, start)
        for name, group in PLACES.items():
            if name == "c":
                self.add_group("inner", "outer", inner, steady, start)
            self.add(name, group)

    def add_group(self, name, parent, rules, backoff, start):
        options = {"period": PERIOD, "cool_down": COOL_DOWN, "backoff": backoff, "start": start}
        self.core.add_group(GroupSpec(name, parent=parent, **options, **rules), self.now)
        self.model.add_group(name, parent, **rules)

    def add(self, name, group):
        policy = self.policies[name]
        self.model.add(name, group, policy.restart.value, policy.intensity, self.now)
        self.do(self.core.add(name, policy, self.now, group=group))

    def teardown(self):
        assert check_order(self.told) == []

    def do(self, effects):
        """The world does as it is told, at once."""
        waiting = deque(effects)
        while waiting:
            match waiting.popleft():
                case StartGeneration(name, generation):
                    assert name not in self.generations, "two lives at once"
                    self.generations[name] = generation, self.now
                    waiting += self.core.ready(name, generation, self.now)
                case StopGeneration(name, generation):
                    assert self.generations.pop(name)[0] == generation
                    waiting += self.core.ended(name, generation, REQUESTED, self.now)
                case Schedule(name, token, at, group):
                    self.timers.append((at, token, name, group))
                case Changed(name, kind, facts):
                    assert faults_of(kind, facts) == []
                    self.told.append(Event(len(self.told) + 1, kind, name, 0.0, facts))

    @rule(name=names, crash=st.sampled_from([True, True, True, False]))
    def end(self, name, crash):
        if name in self.generations:
            generation, since = self.generations.pop(name)
            kind = ExitKind.CODE if crash else ExitKind.CLEAN
            self.model.end(name, self.now, crash=crash)
            self.model.advance(self.now)
            self.do(self.core.ended(name, generation, Exit(kind, "why", self.now - since), self.now))

    @rule(seconds=st.sampled_from([0.5, 1.0, 5.0, 10.0, 30.0, 61.0]))
    def advance(self, seconds):
        target = self.now + seconds
        while (due := min(self.timers, default=(target + 1,)))[0] <= target:
            self.timers.remove(due)
            self.now, token, name, group = due
            self.do(self.core.due(name, token, self.now, group=group))
        self.now = target
        self.model.advance(target)

    @rule(name=names)
    def stop(self, name):
        if name in self.core.children:
            self.model.stop(name)
            self.do(self.core.stop(name, self.now, "by hand"))

    @rule(name=names)
    def revive_who_was_stopped(self, name):
        at_rest = all(group.state is GroupState.RUNNING for group in self.core.groups.values())
        waits = name in self.model.children and self.model.children[name].waits
        if name in self.core.children and name not in self.generations and at_rest and not waits:
            self.model.revive(name, self.now)
            self.do(self.core.revive(name, self.now))

    @rule(name=names)
    def remove(self, name):
        if name in self.core.children:
            self.model.forget(self.model.children[name])
            self.do(self.core.remove(name, self.now, "unplugged"))

    @invariant()
    def all_fare_as_the_model_says(self):
        said = {
            name: (child.generation, child.since is not None, child.until)
            for name, child in self.model.children.items()
        }
        fare = {
            name: (child.generation, name in self.generations, child.until)
            for name, child in self.core.children.items()
        }
        assert fare == said


Groups.TestCase.settings = settings(max_examples=times(35, 300), stateful_step_count=40)
test_any_history_of_groups_comes_out_as_the_model_says = Groups.TestCase
