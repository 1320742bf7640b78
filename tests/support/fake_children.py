"""A supervisor on a manual clock, and children whose generations are started in no time."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import AddChild, AddGroup, GetGroups, GetStatus, Order
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.spec import GroupSpec
from callboard.supervision.runtime.events import EventStream
from callboard.supervision.runtime.telling import ask_supervisor
from callboard.supervision.supervisor import SupervisorActor
from leaks import no_leaks
from manual_clock import ManualClock
from supervision_cases import CRASH, POLICY

if TYPE_CHECKING:
    from callboard.supervision.generation import GenerationReporter

PATIENCE = 10.0


@dataclass
class FakeGeneration:
    """A generation that does nothing but note what it is told."""

    report: GenerationReporter
    stopped: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)

    def stop(self, reason):
        self.stopped.append(reason)

    def retire(self, reason):
        self.retired.append(reason)


class FakeChild:
    """A child whose generations are started in no time and end when the test says so."""

    def __init__(self, child_id, policy=POLICY, **options):
        self.started: list[FakeGeneration] = []
        self.spec = ChildSpec(child_id, self.start, policy, **options)

    def start(self, reporter):
        self.started.append(FakeGeneration(reporter))
        return self.started[-1]

    @property
    def present(self):
        return self.started[-1]

    @property
    def generations(self):
        return [present.report.generation for present in self.started]


class TalkingChild(FakeChild):
    """A child whose generations do as they are told at once, and log it: ``+a1`` started, ``-a1`` told to stop.

    Args:
        prompt: a generation is ready at once. It may be changed while the child lives.
        obedient: a generation that is told to stop has ended at once.
    """

    def __init__(self, house, child_id, policy=POLICY, *, prompt=True, obedient=True, **options):
        super().__init__(child_id, policy, **options)
        self.log = house.log
        self.prompt = prompt
        self.obedient = obedient

    def start(self, reporter):
        present = super().start(reporter)
        self.log.append(f"+{reporter.child}{reporter.generation}")
        present.stop = partial(self.stop, present)
        if self.prompt:
            reporter.ready()
        return present

    def stop(self, present, reason):
        present.stopped.append(reason)
        self.log.append(f"-{present.report.child}{present.report.generation}")
        if self.obedient:
            present.report.ended(Exit(ExitKind.REQUESTED, reason))

    def crash(self, exit_=CRASH):
        self.present.report.ended(exit_)


class House:
    """A supervisor with all that belongs to it; what it was told before `status` it has handled."""

    def __init__(self, chance=lambda: 0.0):
        self.clock = ManualClock()
        self.stream = EventStream()
        self._heard = []
        self.log = []
        self.stream.subscribe(self._heard.append)
        self.ref = SupervisorActor.start(self.clock, self.stream, chance)

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

    def ask(self, message):
        return ask_supervisor(self.ref, message)

    def group(self, name, **options):
        self.ask(AddGroup(GroupSpec(name, **options)))

    def groups(self):
        return self.ask(GetGroups())

    def settle(self):
        """Wait until nothing that was told leads to anything more."""
        before = None
        while (now := (self.ask(GetStatus()), self.groups(), len(self.log))) != before:
            before = now

    @property
    def heard(self):
        """All events that were published so far: each has been told before this returns."""
        assert self.stream.settle(PATIENCE)
        return self._heard

    def kinds(self):
        return [event.kind for event in self.heard]

    def family(self, *names, group="", policy=POLICY, **options):
        """Children that do as they are told, by name, in this order."""
        return {name: self.add(TalkingChild(self, name, policy, group=group, **options)) for name in names}

    def crash(self, child, exit_=CRASH):
        """Let a child's generation end, and all come of it that comes at once; what was logged of it."""
        self.settle()
        before = len(self.log)
        child.crash(exit_)
        self.settle()
        return self.log[before:]

    def waits(self):
        """How many seconds each call on the clock is away."""
        return [round(due - self.clock.now(), 6) for due in self.clock.pending()]

    def of(self, kind):
        """The events of one kind so far."""
        return [event for event in self.heard if event.kind == kind]


@contextmanager
def a_house(chance=lambda: 0.0):
    """A house that leaves nothing behind."""
    with no_leaks():
        house = House(chance)
        try:
            yield house
        finally:
            house.ref.stop()
            house.stream.close()
