"""How a child changes state: starts, waits, ends its generations, is forgotten. It decides nothing.

Every generation has a number and every timer a token, so that what comes too late is known by it. Nothing is
started any more once this is closed.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from .child import Child, ChildState
from .effects import Changed, Effects, Removed, Schedule, StartGeneration, StopGeneration

if TYPE_CHECKING:
    from collections.abc import Callable


class Transitions:
    """The children and what they are doing.

    Args:
        forgotten: called with each child that is gone.

    Attributes:
        children: by id.
        stale: messages that came too late.
        closed: nothing may start.
    """

    def __init__(self, forgotten: Callable[[Child], None]) -> None:
        self.children: dict[str, Child] = {}
        self.stale = 0
        self.closed = False
        self._forgotten = forgotten
        # Over all children: a timer of one that was removed must mean nothing to its successor.
        self._tokens = itertools.count(1)

    def token(self) -> int:
        """A number that no timer had before."""
        return next(self._tokens)

    def enter(
        self, child: Child, state: ChildState, now: float, why: str, until: float | None = None
    ) -> None:
        """Be in a state from now on; timers of the one before mean nothing."""
        child.state = state
        child.since = now
        child.why = why
        child.until = until
        child.token = self.token()

    def start(self, child: Child, now: float) -> Effects:
        """Begin the next generation."""
        if self.closed:
            return ()
        child.held = False
        child.generation += 1
        child.generations.add(child.generation)
        self.enter(child, ChildState.STARTING, now, "")
        return (
            Changed(child.id, "host_starting", {"generation": child.generation}),
            StartGeneration(child.id, child.generation),
        )

    def rest(
        self, child: Child, state: ChildState, now: float, why: str, until: float | None = None
    ) -> Effects:
        """Be without a generation, and say so: in BACKOFF, PARKED or STOPPED."""
        self.enter(child, state, now, why, until)
        facts = {"generation": child.generation, "why": why}
        if state is ChildState.STOPPED:
            return (Changed(child.id, "host_stopped", facts),)
        kind = "host_parked" if state is ChildState.PARKED else "host_backoff"
        seconds = None if until is None else round(until - now, 6)
        return (Changed(child.id, kind, {**facts, "seconds": seconds}),)

    def wait(self, child: Child, state: ChildState, now: float, until: float | None, why: str) -> Effects:
        """Be down until a time of its own, or until an order starts it."""
        child.held = False
        changed = self.rest(child, state, now, why, until)
        return changed if until is None else (*changed, Schedule(child.id, child.token, until))

    def hold(self, child: Child, state: ChildState, now: float, until: float | None, why: str) -> Effects:
        """Be down until its group says otherwise, which may be at a time that is known."""
        if child.held and child.state is state:
            child.until = until
            return ()
        child.held = True
        return self.rest(child, state, now, why, until)

    def leave(
        self, child: Child, then: ChildState, now: float, reason: str, *, held: bool = False
    ) -> Effects:
        """End the generations, if there are any, and be in state ``then`` afterwards."""
        child.after_stop = then
        if not child.generations:
            child.why = reason
            if held and not child.removing:
                return self.hold(child, then, now, None, reason)
            child.held = False
            return self.after_stop(child, now)
        child.held = held
        # Who comes back by itself leaves the retiring lives in peace; who goes takes all with it.
        told = [child.generation] if then is ChildState.STARTING else sorted(child.generations)
        if child.state is ChildState.STOPPING:
            child.why = reason
            told = [generation for generation in told if generation != child.generation]
        else:
            self.enter(child, ChildState.STOPPING, now, reason)
        return tuple(StopGeneration(child.id, generation, reason) for generation in told)

    def after_stop(self, child: Child, now: float) -> Effects:
        """The generations that were to end have ended: be what was wanted."""
        then = child.after_stop
        if child.generations and (child.removing or then is not ChildState.STARTING):
            return ()  # generations that retire have been told to end as well
        if child.removing:
            return self.forget(child)
        if then is ChildState.STARTING:
            child.restarts += 1
            return self.start(child, now)
        if then is ChildState.PARKED and not child.held:
            return self.wait(child, then, now, None, child.why)
        return self.rest(child, then, now, child.why)

    def forget(self, child: Child) -> Effects:
        """Free its id."""
        if self.children.pop(child.id, None) is None:
            return ()
        self._forgotten(child)
        stopped = Changed(child.id, "host_stopped", {"generation": child.generation, "why": child.why})
        return (stopped, Removed(child.id))
