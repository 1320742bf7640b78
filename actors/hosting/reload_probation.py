"""How far a reload is, and what the end of a generation means to it. Pure.

::

    IDLE ──▶ LOADING ──▶ CHOSEN ──▶ TAKING ──▶ PROBATION ──▶ IDLE, settled
              │             │          │           │
              └──▶ IDLE ◀───┘          └───────────┴──▶ IDLE, rolled back or with no way back

LOADING: a candidate is started and asked for its tools. CHOSEN: it is to be the next generation. TAKING: the supervisor
has made it that generation. PROBATION: it serves. A generation that has answered a call has proved itself, however early it
ends; and so has one that was up for long enough.

What a reader would get wrong: a candidate may be loading while the generation before it is on probation still, so LOADING is no
stage of its own. If nothing comes of it, that probation goes on.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from ...base.frozen import frozen


class Stage(StrEnum):
    """See the module."""

    IDLE = "idle"
    LOADING = "loading"
    CHOSEN = "chosen"
    TAKING = "taking"
    PROBATION = "probation"


class Fate(StrEnum):
    """What the crash of a generation means to a reload."""

    NOTHING = "nothing"
    """It is another generation, or one that has proved itself."""
    ROLL_BACK = "roll_back"
    """The program before it is to be run again."""
    NO_WAY_BACK = "no_way_back"
    """The program before it is gone: what is on the disk is all there is."""


@frozen
class Trial:
    """A reload of one host; times in seconds, on one clock.

    Attributes:
        stage: how far it is.
        loading: a candidate is loaded for the next one.
        way_back: the program before it can be run again.
        probation: how long a generation has to be up to have proved itself.
        generation: the number of the one that is tried; 0 as long as there is none.
        ready_at: since when it serves.
    """

    stage: Stage = Stage.IDLE
    loading: bool = False
    way_back: bool = False
    probation: float = 0.0
    generation: int = 0
    ready_at: float = 0.0

    def begin(self) -> Trial:
        """A candidate is being loaded."""
        return replace(self, loading=True)

    def drop(self) -> Trial:
        """The candidate will not do."""
        return replace(self, loading=False)

    def choose(self, *, way_back: bool, probation: float) -> Trial:
        """The candidate is to be the next generation."""
        return Trial(Stage.CHOSEN, way_back=way_back, probation=probation)

    def take(self, generation: int) -> Trial:
        """The candidate is the generation of that number."""
        return replace(self, stage=Stage.TAKING, generation=generation)

    def ready(self, generation: int, now: float) -> Trial:
        """A generation serves; of another one that means nothing."""
        if self.stage is not Stage.TAKING or generation != self.generation:
            return self
        return replace(self, stage=Stage.PROBATION, ready_at=now)

    def settle(self) -> Trial:
        """The generation that is tried is ended by an order, and judged no more."""
        return Trial(loading=self.loading)

    def crash(self, generation: int, now: float, *, answered: bool) -> tuple[Trial, Fate]:
        """A generation has crashed; ``answered`` if it had answered a call."""
        tried = self.stage in {Stage.TAKING, Stage.PROBATION} and generation == self.generation
        if not tried:
            return self, Fate.NOTHING
        over = self.settle()
        if answered or (self.stage is Stage.PROBATION and now - self.ready_at >= self.probation):
            return over, Fate.NOTHING
        return over, Fate.ROLL_BACK if self.way_back else Fate.NO_WAY_BACK

    def stage_at(self, now: float) -> Stage:
        """The stage, for people: nobody is told when a probation is over."""
        if self.loading:
            return Stage.LOADING
        if self.stage is Stage.PROBATION and now - self.ready_at >= self.probation:
            return Stage.IDLE
        return self.stage
