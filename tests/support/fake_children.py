"""A supervisor on a manual clock, and children whose lives are started in no time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from callboard.supervision.events import EventStream
from callboard.supervision.supervisor import (
    AddChild,
    ChildSpec,
    GetStatus,
    Order,
    SupervisorActor,
    ask_supervisor,
)
from manual_clock import ManualClock
from supervision_cases import POLICY

if TYPE_CHECKING:
    from callboard.supervision.supervisor import LifeReporter

PATIENCE = 10.0


@dataclass
class FakeLife:
    """A life that does nothing but note what it is told."""

    report: LifeReporter
    stopped: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)

    def stop(self, reason):
        self.stopped.append(reason)

    def retire(self, reason):
        self.retired.append(reason)


class FakeChild:
    """A child whose lives are started in no time and end when the test says so."""

    def __init__(self, child_id, policy=POLICY, **options):
        self.lives: list[FakeLife] = []
        self.spec = ChildSpec(child_id, self.start, policy, **options)

    def start(self, reporter):
        self.lives.append(FakeLife(reporter))
        return self.lives[-1]

    @property
    def life(self):
        return self.lives[-1]

    @property
    def generations(self):
        return [life.report.generation for life in self.lives]


class House:
    """A supervisor with all that belongs to it; what it was told before `status` it has handled."""

    def __init__(self):
        self.clock = ManualClock()
        self.stream = EventStream()
        self.heard = []
        self.stream.subscribe(self.heard.append)
        self.ref = SupervisorActor.start(self.clock, self.stream, lambda: 0.0)

    def add(self, child):
        ask_supervisor(self.ref, AddChild(child.spec))
        return child

    def order(self, verb, child_id="a", reason="by hand"):
        ask_supervisor(self.ref, Order(verb, child_id, reason))

    def status(self, child_id="a"):
        return ask_supervisor(self.ref, GetStatus()).get(child_id)

    def state(self, child_id="a"):
        return self.status(child_id)["state"]

    def advance(self, seconds):
        self.clock.advance(seconds)
        return ask_supervisor(self.ref, GetStatus())

    def kinds(self):
        assert self.stream.settle(PATIENCE)
        return [event.kind for event in self.heard]
