"""Any history of orders, ends and times, and what may never be so in any of them."""

from __future__ import annotations

import copy
import itertools
import json
import random

from callboard.supervision.core import (
    Changed,
    ChildState,
    Removed,
    Schedule,
    StartGeneration,
    StopGeneration,
    Supervision,
)
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from callboard.supervision.runtime.event_kinds import faults_of
from callboard.supervision.runtime.event_order import check_order
from callboard.supervision.runtime.events import Event
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from thorough import times

NAMES = ("a", "b", "c")
UP = {ChildState.STARTING, ChildState.READY}
ALIVE = {ChildState.STARTING, ChildState.READY, ChildState.STOPPING}

names = st.sampled_from(NAMES)
policies = st.builds(
    RestartPolicy,
    restart=st.sampled_from(RestartType),
    backoff=st.builds(
        Backoff, first=st.sampled_from([0.0, 1.0]), min=st.just(0.5), max=st.sampled_from([0.5, 8.0])
    ),
    intensity=st.integers(0, 3),
    period=st.sampled_from([5.0, 60.0]),
    stable_for=st.sampled_from([2.0, 10.0]),
    cool_down=st.sampled_from([1.0, 30.0]),
)


class World:
    """One child's generation as it really is, apart from what the supervision thinks of it."""

    def __init__(self, policy):
        self.policy = policy
        self.generation = 0
        self.generations = False
        self.retiring = set()
        self.removing = False
        self.ready_at = None
        self.not_before = 0.0
        self.restarts = []


class Histories(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 1000))
    def begin(self, seed):
        self.core = Supervision(random.Random(seed).random)
        self.now = 100.0
        self.worlds: dict[str, World] = {}
        self.timers: list[tuple[float, str, int]] = []
        self.fired: list[tuple[str, int]] = []
        self.messages = itertools.count()
        self.told: list[Event] = []

    def teardown(self):
        assert check_order(self.told) == []

    # What the effects do to the world

    def do(self, effects, *, by_itself=False):
        """``by_itself``: an end led to these effects, not an order."""
        for effect in effects:
            world = self.worlds.get(effect.child)
            if isinstance(effect, Changed):
                assert faults_of(effect.kind, effect.facts) == []
                self.told.append(Event(len(self.told) + 1, effect.kind, effect.child, 0.0, effect.facts))
            match effect:
                case StartGeneration(_, generation):
                    assert not world.generations, "two lives at once"
                    assert generation == world.generation + 1, "a generation that does not grow by one"
                    assert self.now >= world.not_before, "a start before its time"
                    world.generation, world.generations, world.ready_at = generation, True, None
                case StopGeneration(_, generation, _, retire):
                    alive = {world.generation} if world.generations else set()
                    assert generation in (world.retiring if retire else alive | world.retiring)
                case Schedule(name, token, at):
                    assert at > self.now
                    world.not_before = at
                    self.timers.append((at, name, token))
                case Changed(_, "host_backoff"):
                    assert by_itself
                case Removed(name):
                    assert not world.retiring | ({world.generation} if world.generations else set())
                    del self.worlds[name]
                case Changed(_, _, facts):
                    json.dumps(facts)

    def order(self, name, effects):
        """An order by hand forgets the past and every wait."""
        if name in self.worlds:
            self.worlds[name].not_before = self.now
        self.do(effects)

    # Rules

    @rule(name=names, policy=policies)
    def add(self, name, policy):
        if name not in self.worlds:
            self.worlds[name] = World(policy)
            self.do(self.core.add(name, policy, self.now))

    @rule(name=names)
    def become_ready(self, name):
        world = self.worlds.get(name)
        if world is not None and world.generations and world.ready_at is None:
            world.ready_at = self.now
            self.do(self.core.ready(name, world.generation, self.now))

    @rule(name=names, kind=st.sampled_from(ExitKind), permanent=st.booleans())
    def end(self, name, kind, permanent):
        world = self.worlds.get(name)
        if world is None or not world.generations:
            return
        world.generations = False
        ready_for = None if world.ready_at is None else self.now - world.ready_at
        ordered = self.core.children[name].state is ChildState.STOPPING
        if ready_for is not None and ready_for >= world.policy.stable_for:
            world.restarts = []
        before = self.core.children[name].restarts
        exit_ = Exit(kind, "why", ready_for=ready_for, permanent=permanent and kind is ExitKind.START_FAILED)
        self.do(self.core.ended(name, world.generation, exit_, self.now), by_itself=True)
        child = self.core.children.get(name)
        free = ordered or kind is ExitKind.CANCEL  # a caller's doing, which costs the child nothing
        if child is not None and child.restarts > before and not free:
            world.restarts.append(self.now)

    @rule(name=names)
    def stop(self, name):
        if name in self.worlds:
            self.do(self.core.stop(name, self.now, "stop"))

    @rule(name=names)
    def park(self, name):
        if name in self.worlds:
            self.do(self.core.park(name, self.now, "park"))

    @rule(name=names)
    def restart(self, name):
        if name in self.worlds:
            self.worlds[name].restarts = []
            self.order(name, self.core.restart(name, self.now, "restart"))

    @rule(name=names)
    def replace(self, name):
        world = self.worlds.get(name)
        if world is None or self.core.children[name].state not in UP:
            return
        if world.ready_at is not None and self.now - world.ready_at >= world.policy.stable_for:
            world.restarts = []
        world.retiring.add(world.generation)
        world.generations = False
        self.order(name, self.core.replace(name, self.now, "replace"))
        assert world.generations

    @rule(name=names, kind=st.sampled_from(ExitKind))
    def end_a_generation_that_retires(self, name, kind):
        world = self.worlds.get(name)
        if world is None or not world.retiring:
            return
        generation = min(world.retiring)
        world.retiring.remove(generation)
        before = self.core.children[name].crashes, self.core.stale
        self.do(self.core.ended(name, generation, Exit(kind, "why"), self.now))
        child = self.core.children.get(name)
        assert child is None or (child.crashes, self.core.stale) == before

    @rule(name=names)
    def revive(self, name):
        if name in self.worlds:
            if self.core.children[name].state not in {ChildState.STARTING, ChildState.READY}:
                self.worlds[name].restarts = []
            self.order(name, self.core.revive(name, self.now))

    @rule(name=names)
    def remove(self, name):
        if name in self.worlds:
            self.worlds[name].removing = True
            self.do(self.core.remove(name, self.now, "remove"))

    @rule(seconds=st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0, 10.0, 31.0, 100.0]))
    def advance(self, seconds):
        target = self.now + seconds
        while (due := min(self.timers, default=(target + 1,)))[0] <= target:
            self.timers.remove(due)
            self.now, name, token = due
            self.fired.append((name, token))
            self.do(self.core.due(name, token, self.now))
        self.now = target

    # Messages that come too late, twice, or from nowhere

    def unchanged(self, tell):
        before = copy.deepcopy(self.core.children), self.core.stale
        assert tell() == ()
        assert (self.core.children, self.core.stale) == (before[0], before[1] + 1)

    @rule(name=names, back=st.integers(1, 5), told_ready=st.booleans())
    def hear_of_an_earlier_generation(self, name, back, told_ready):
        generation = (self.worlds[name].generation if name in self.worlds else 5) - back
        if name in self.worlds and generation in self.worlds[name].retiring:
            return
        if told_ready:
            self.unchanged(lambda: self.core.ready(name, generation, self.now))
        else:
            self.unchanged(lambda: self.core.ended(name, generation, Exit(ExitKind.CODE, "stale"), self.now))

    @rule(name=names, told_ready=st.booleans())
    def hear_of_the_last_generation_though_it_has_ended(self, name, told_ready):
        world = self.worlds.get(name)
        if world is not None and not world.generations:
            exit_ = Exit(ExitKind.CODE, "stale")
            self.unchanged(
                lambda: (
                    self.core.ready(name, world.generation, self.now)
                    if told_ready
                    else self.core.ended(name, world.generation, exit_, self.now)
                )
            )

    @precondition(lambda self: self.fired)
    @rule(data=st.data())
    def hear_a_timer_twice(self, data):
        name, token = data.draw(st.sampled_from(self.fired))
        self.unchanged(lambda: self.core.due(name, token, self.now))

    # What is always so

    @invariant()
    def the_supervision_knows_who_lives(self):
        assert self.core.children.keys() == self.worlds.keys()
        for name, child in self.core.children.items():
            world = self.worlds[name]
            assert child.generations == world.retiring | ({world.generation} if world.generations else set())
            assert (child.state in ALIVE) == world.generations or child.state is ChildState.STOPPING
            assert child.generation == self.worlds[name].generation

    @invariant()
    def who_is_being_removed_only_has_to_end(self):
        for name, world in self.worlds.items():
            if world.removing:
                assert self.core.children[name].state is ChildState.STOPPING

    @invariant()
    def who_waits_for_a_time_has_a_timer(self):
        timers = {(name, token): at for at, name, token in self.timers}
        for name, child in self.core.children.items():
            if child.until is not None:
                assert timers[name, child.token] == child.until
                assert child.state in {ChildState.BACKOFF, ChildState.PARKED}
            else:
                assert child.state is not ChildState.BACKOFF
                assert (name, child.token) not in timers

    @invariant()
    def no_child_is_restarted_more_often_than_allowed(self):
        for world in self.worlds.values():
            recent = [time for time in world.restarts if self.now - time <= world.policy.period]
            assert len(recent) <= world.policy.intensity

    @invariant()
    def the_status_is_json(self):
        for child in self.core.children.values():
            json.dumps(child.as_dict(self.now))


Histories.TestCase.settings = settings(max_examples=times(35, 300), stateful_step_count=50)
test_what_may_never_be_is_so_in_no_history = Histories.TestCase
