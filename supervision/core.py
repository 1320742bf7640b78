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
    when the life has ended. replace starts the next life first: the old one retires beside it,
    and its end, whatever it is like, is the one that was asked for.

Every life has a generation, and every message about a life carries it: what a life says after
the next one has begun is stale and changes nothing. A timer has a token for the same reason.
Nothing here has a clock, a thread or a process; the actor holds those.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .policy import History, Park, Restart, RestartPolicy, Stop, decide

if TYPE_CHECKING:
    from collections.abc import Callable

    from .exits import Exit


class ChildState(StrEnum):
    """Where a child is."""

    STARTING = "starting"
    READY = "ready"
    BACKOFF = "backoff"
    PARKED = "parked"
    STOPPING = "stopping"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class StartLife:
    """Start the child's next life."""

    child: str
    generation: int


@dataclass(frozen=True, slots=True)
class StopLife:
    """End a life of the child; its end will be reported.

    Attributes:
        retire: its successor has been started. It may finish what is under way.
    """

    child: str
    generation: int
    reason: str
    retire: bool = False


@dataclass(frozen=True, slots=True)
class Schedule:
    """Report `Supervision.due` with this token at this time."""

    child: str
    token: int
    at: float


@dataclass(frozen=True, slots=True)
class Changed:
    """The child is in a new state. ``kind`` names the event to publish, with its facts."""

    child: str
    kind: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Removed:
    """The child is gone, and its id is free."""

    child: str


Effect = StartLife | StopLife | Schedule | Changed | Removed
Effects = tuple[Effect, ...]


@dataclass(slots=True)
class Child:
    """What is known of one child; read it, never write it."""

    id: str
    policy: RestartPolicy
    state: ChildState = ChildState.STOPPED
    generation: int = 0
    since: float = 0.0
    until: float | None = None
    why: str = ""
    restarts: int = 0
    crashes: int = 0
    history: History = field(default_factory=History)
    last_exit: Exit | None = None
    after_stop: ChildState | None = None
    token: int = 0
    removing: bool = False
    lives: set[int] = field(default_factory=set)

    @property
    def retiring(self) -> list[int]:
        """The lives that go on beside their successor."""
        return sorted(self.lives - {self.generation})

    def as_dict(self, now: float) -> dict[str, Any]:
        """The state as JSON, times as seconds from now."""
        return {
            "state": self.state.value,
            "generation": self.generation,
            "for": round(now - self.since, 3),
            "next_start_in": None if self.until is None else round(max(0.0, self.until - now), 3),
            "why": self.why,
            "restarts": self.restarts,
            "crashes": self.crashes,
            "retiring": self.retiring,
            "last_crash": dict(self.last_exit.report) if self.last_exit and self.last_exit.is_crash else None,
        }


class Supervision:
    """The children and what becomes of them. Not thread-safe: one actor owns it.

    Args:
        random: gives floats in ``[0, 1)``, for the jitter.
    """

    def __init__(self, random: Callable[[], float]) -> None:
        self.children: dict[str, Child] = {}
        self.stale = 0
        self._random = random
        # Over all children: a timer of one that was removed must mean nothing to its successor.
        self._tokens = itertools.count(1)

    # Admission and administration

    def add(self, child_id: str, policy: RestartPolicy, now: float) -> Effects:
        """Take a child in and start it. Its id must be free."""
        if child_id in self.children:
            raise ValueError(f"there is a child {child_id!r} already")
        child = self.children[child_id] = Child(child_id, policy)
        return self._start(child, now)

    def stop(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child; it keeps its place and may be revived. Stopping it twice changes nothing."""
        if self.children[child_id].state is ChildState.STOPPED:
            return ()
        return self._leave(self.children[child_id], ChildState.STOPPED, now, reason)

    def park(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child and leave it parked until it is revived."""
        return self._leave(self.children[child_id], ChildState.PARKED, now, reason)

    def restart(self, child_id: str, now: float, reason: str) -> Effects:
        """End the present life and start the next at once; from any state, with a fresh budget."""
        child = self.children[child_id]
        child.history = History()
        if child.generation in child.lives or child.removing:
            return self._leave(child, ChildState.STARTING, now, reason)
        return self._start(child, now)

    def replace(self, child_id: str, now: float, reason: str) -> Effects:
        """Start the next life now, and have the present one retire beside it.

        Changes nothing where there is no life to take over from. The budget is neither spent nor
        restored, but by a life that was stable.
        """
        child = self.children[child_id]
        if child.state not in {ChildState.STARTING, ChildState.READY}:
            return ()
        if child.state is ChildState.READY and now - child.since >= child.policy.stable_for:
            child.history = History()
        old = child.generation
        child.restarts += 1
        replaced = Changed(child.id, "host_replaced", {"generation": old, "why": reason})
        return (replaced, *self._start(child, now), StopLife(child.id, old, reason, retire=True))

    def revive(self, child_id: str, now: float) -> Effects:
        """Start a child that is parked, stopped or waiting, at once and with a fresh budget.

        One that is stopping is started when it has stopped: of two orders the later one holds.
        """
        child = self.children[child_id]
        if child.state in {ChildState.STARTING, ChildState.READY}:
            return ()
        child.history = History()
        if child.state is ChildState.STOPPING and (child.generation in child.lives or child.removing):
            child.after_stop = ChildState.STARTING
            return ()
        return self._start(child, now)

    def remove(self, child_id: str, now: float, reason: str) -> Effects:
        """End the child and free its id."""
        child = self.children[child_id]
        child.removing = True
        effects = self._leave(child, ChildState.STOPPED, now, reason)
        return effects if child.state is ChildState.STOPPING else (*effects, *self._forget(child))

    # Reports

    def ready(self, child_id: str, generation: int, now: float) -> Effects:
        """A life answers calls."""
        child = self.children.get(child_id)
        if child is None or generation != child.generation or generation not in child.lives:
            self.stale += 1
            return ()
        if child.state is not ChildState.STARTING:
            return ()
        self._enter(child, ChildState.READY, now, "")
        return (Changed(child_id, "host_ready", {"generation": generation}),)

    def ended(self, child_id: str, generation: int, exit_: Exit, now: float) -> Effects:
        """A life has ended, with all its processes."""
        child = self.children.get(child_id)
        if child is None or generation not in child.lives:
            self.stale += 1
            return ()
        child.lives.remove(generation)
        if generation != child.generation:
            return self._retired(child, generation, exit_, now)
        if child.state is ChildState.STOPPING:
            return self._after_stop(child, now)
        child.last_exit = exit_
        effects: list[Effect] = []
        if exit_.is_crash:
            child.crashes += 1
            effects.append(Changed(child_id, "host_crashed", _facts_of(generation, exit_)))
        decision = decide(child.policy, child.history, exit_, now, self._random)
        match decision:
            case Restart(delay, history):
                child.history = history
                child.restarts += 1
                if delay > 0:
                    effects += self._wait(child, ChildState.BACKOFF, now, now + delay, exit_.cause)
                else:
                    effects += self._start(child, now)
            case Park(until, why, history):
                child.history = history
                effects += self._wait(child, ChildState.PARKED, now, until, why)
            case Stop(why):
                self._enter(child, ChildState.STOPPED, now, why)
                effects.append(Changed(child_id, "host_stopped", {"generation": generation, "why": why}))
        return tuple(effects)

    def due(self, child_id: str, token: int, now: float) -> Effects:
        """A scheduled time has come."""
        child = self.children.get(child_id)
        if child is None or child.token != token:
            self.stale += 1
            return ()
        if child.state is ChildState.PARKED:
            child.restarts += 1
        return self._start(child, now)

    # How a child changes state

    def _retired(self, child: Child, generation: int, exit_: Exit, now: float) -> Effects:
        retired = Changed(child.id, "host_retired", _facts_of(generation, exit_))
        gone = child.state is ChildState.STOPPING and child.generation not in child.lives
        return (retired, *self._after_stop(child, now)) if gone else (retired,)

    def _enter(
        self, child: Child, state: ChildState, now: float, why: str, until: float | None = None
    ) -> None:
        child.state = state
        child.since = now
        child.why = why
        child.until = until
        child.token = next(self._tokens)

    def _start(self, child: Child, now: float) -> Effects:
        child.generation += 1
        child.lives.add(child.generation)
        self._enter(child, ChildState.STARTING, now, "")
        return (
            Changed(child.id, "host_starting", {"generation": child.generation}),
            StartLife(child.id, child.generation),
        )

    def _wait(self, child: Child, state: ChildState, now: float, until: float | None, why: str) -> Effects:
        self._enter(child, state, now, why, until)
        kind = "host_parked" if state is ChildState.PARKED else "host_backoff"
        delay = None if until is None else round(until - now, 6)
        changed = Changed(child.id, kind, {"generation": child.generation, "seconds": delay, "why": why})
        return (changed,) if until is None else (changed, Schedule(child.id, child.token, until))

    def _leave(self, child: Child, then: ChildState, now: float, reason: str) -> Effects:
        """End the life, if there is one, and be in state ``then`` afterwards."""
        child.after_stop = then
        # Who comes back leaves the retiring lives in peace; who goes takes all with it.
        told = [child.generation] if then is ChildState.STARTING else sorted(child.lives)
        if child.state is ChildState.STOPPING:
            child.why = reason
            told = [generation for generation in told if generation != child.generation]
        elif child.lives:
            self._enter(child, ChildState.STOPPING, now, reason)
        else:
            child.why = reason
            return self._after_stop(child, now)
        return tuple(StopLife(child.id, generation, reason) for generation in told)

    def _after_stop(self, child: Child, now: float) -> Effects:
        then = child.after_stop or ChildState.STOPPED
        if child.lives and then is not ChildState.STARTING:
            return ()  # lives that retire have been told to end as well
        child.after_stop = None
        if child.removing:
            return self._forget(child)
        if then is ChildState.STARTING:
            child.restarts += 1
            return self._start(child, now)
        if then is ChildState.PARKED:
            return self._wait(child, ChildState.PARKED, now, None, child.why)
        self._enter(child, ChildState.STOPPED, now, child.why)
        return (Changed(child.id, "host_stopped", {"generation": child.generation, "why": child.why}),)

    def _forget(self, child: Child) -> Effects:
        if self.children.pop(child.id, None) is None:
            return ()
        stopped = Changed(child.id, "host_stopped", {"generation": child.generation, "why": child.why})
        return (stopped, Removed(child.id))


def _facts_of(generation: int, exit_: Exit) -> dict[str, Any]:
    return {
        "generation": generation,
        "exit": exit_.kind.value,
        "cause": exit_.cause,
        "report": dict(exit_.report),
    }
