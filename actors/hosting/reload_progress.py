"""The versions of one host's program: the present one, a candidate for the next, and the way back to the former.

`Lifecycle` asks here what a generation is to be started from, and tells what becomes of generations. When a candidate is chosen
the supervisor is ordered to start the next generation, and that *is* the candidate; so, as with a standby, there is
no second way to decide about generations.

What a reader would get wrong: a rollback is a start like any other. The generation that crashed has been charged to the
host's budget and the order by hand that follows gives it back, once for each reload, so that is no fork bomb.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.locks import Lock
from ..threads.turn import Turn
from .candidate import Candidate
from .reload_probation import Fate, Stage, Trial

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ..handshake.handshake import LoadedPlugin
    from ..services import Services
    from .candidate import ProgramVersion
    from .contracts import GenerationContext, LifecycleContext, Reporter


class ReloadRefused(CallboardError):
    """A plugin cannot be reloaded at all; nothing was done.

    Attributes:
        name: the plugin's, or the host's.
    """

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name!r} cannot be reloaded: {problem}")
        self.name = name


@dataclass(slots=True, eq=False)
class Takeover:
    """A candidate on its way to be the present generation.

    Attributes:
        over: set once it is known what has become of it.
        generation: the generation that it is, once the supervisor has started that.
        why: why it does not serve; ``None`` if it does.
        rolled_back: it served, or was about to, and the former program was brought back.
        told: an event has told that it came to nothing.
    """

    candidate: Candidate
    over: threading.Event = field(default_factory=threading.Event)
    generation: int = 0
    why: str | None = None
    rolled_back: bool = False
    told: bool = False


class Reloads:
    """See the module. From any thread; nothing here blocks.

    Args:
        name: the host's.
        program_version: what its first generation is started from.
        owner: the plugins that run in it.
        start: starts a generation that reports to a candidate, and waits once it is loaded.
        order: has the supervisor carry out an order by hand.
        services: the board's.

    Attributes:
        turn: of the reload that may begin a candidate.
        program_version: what a generation is to be started from now.
    """

    def __init__(
        self,
        name: str,
        program_version: ProgramVersion,
        owner: LifecycleContext,
        start: Callable[[Candidate], pykka.ActorRef[Any]],
        order: Callable[[str, str], object],
        *,
        services: Services,
    ) -> None:
        self.turn: Turn = Turn()
        self._name = name
        self.program_version: ProgramVersion = program_version
        self._owner = owner
        self._start = start
        self._order = order
        self._clock = services.clock
        self._events = services.events
        self._lock = Lock()
        self._trial = Trial()
        self._candidate: Candidate | None = None
        self._takeover: Takeover | None = None
        self._former: tuple[ProgramVersion, dict[str, LoadedPlugin]] | None = None
        self._closed = False
        self._done = self._failed = self._rolled_back = 0

    @property
    def actor(self) -> pykka.ActorRef[Any] | None:
        """The candidate that is loaded at present, or ``None``."""
        candidate = self._candidate
        return None if candidate is None else candidate.actor

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""
        with self._lock:
            return {
                "stage": self._trial.stage_at(self._clock.now()).value,
                "done": self._done,
                "failed": self._failed,
                "rolled_back": self._rolled_back,
            }

    # By a reload, whose `turn` it is

    def begin(self, program_version: ProgramVersion, context: GenerationContext) -> Candidate:
        """Start a candidate. Raises `ReloadRefused` once the host is to end."""
        candidate = Candidate(program_version, context)
        if self._takeover is not None and not self._takeover.over.is_set():
            self._call_off("it is reloaded again")
        with self._lock:
            if self._closed:
                raise ReloadRefused(self._name, "it is being taken off the board")
            self._trial = self._trial.begin()
            candidate.actor = self._start(candidate)
            self._candidate = candidate
        return candidate

    def drop(self, candidate: Candidate, reason: str) -> None:
        """It is not to be the next generation: end it."""
        with self._lock:
            if candidate is self._candidate:
                self._candidate, self._trial = None, self._trial.drop()
        candidate.dismiss(reason)

    def choose(self, candidate: Candidate, *, way_back: bool, probation: float) -> Takeover:
        """Have it be the next generation: from now on, each start starts this."""
        takeover = Takeover(candidate)
        with self._lock:
            self._trial = self._trial.choose(way_back=way_back, probation=probation)
            self._takeover = takeover
            gone = self._closed
        if gone:
            self._call_off("the host was stopped meanwhile")
        return takeover

    def count(self, *, done: bool) -> None:
        """A reload has come to its end."""
        with self._lock:
            self._done += done
            self._failed += not done

    def cancel(self, takeover: Takeover, why: str) -> None:
        """Wait for it no more; if the supervisor has not started it yet, it never will."""
        if not takeover.generation:
            self._call_off(why)

    # By the lifecycle, in the supervisor's thread

    def take(self, reporter: Reporter) -> pykka.ActorRef[Any] | None:
        """Make the candidate that was chosen the next generation; ``None`` if there is none, or it has ended."""
        with self._lock:
            takeover, candidate = self._takeover, self._candidate
            if takeover is None or candidate is None or self._trial.stage is not Stage.CHOSEN:
                return None
            self._candidate = None
            actor = candidate.take(reporter)
            if actor is None:
                self._trial, self._takeover = Trial(), None
                takeover.why = (
                    f"the new generation ended before it was taken: {candidate.exit and candidate.exit.cause}"
                )
            else:
                self._trial = self._trial.take(reporter.generation)
                takeover.generation = reporter.generation
                present = {each.name: each for each in self._owner.plugins().wanted}
                self._former = self.program_version, present
                self.program_version = candidate.program_version
                # The very plugins that its generation has loaded: to that one another of the same name would be a new plugin.
                self._owner.use(candidate.loaded_plugins)
        if takeover.why is not None:
            takeover.over.set()
        return actor

    def change(self, kind: str, facts: dict[str, Any]) -> None:
        """The host is in a new state."""
        match kind:
            case "host_ready":
                self._on_ready(facts["generation"])
            case "host_crashed":
                self._on_crash(facts["generation"], facts["cause"])
            case "host_backoff" | "host_parked" if self._is_overtaken(facts["generation"]):
                self._call_off(facts["why"])
            case "host_starting" if self._is_overtaken(facts["generation"] - 1):
                self._call_off("the host was started again meanwhile")
            case "host_stopped":
                self._call_off(facts["why"])

    def _is_overtaken(self, generation: int) -> bool:
        """Whether the candidate became that generation and never served, which is no crash but an order."""
        takeover = self._takeover
        return takeover is not None and not takeover.over.is_set() and takeover.generation == generation

    def on_stop(self) -> None:
        """An order ends the present generation: what it comes to from now on says nothing of its program."""
        with self._lock:
            self._trial = self._trial.settle()

    def close(self) -> None:
        """The host is to end, and nothing is loaded for it any more."""
        with self._lock:
            self._closed = True
        self._call_off("the host was stopped meanwhile")

    def _on_ready(self, generation: int) -> None:
        with self._lock:
            self._trial = self._trial.ready(generation, self._clock.now())
            takeover = self._takeover
            if takeover is None or takeover.generation != generation or takeover.over.is_set():
                return
        takeover.over.set()

    def _on_crash(self, generation: int, cause: str) -> None:
        with self._lock:
            takeover = self._takeover
            host = None if takeover is None else takeover.candidate.host
            answered = host is not None and host.answered
            self._trial, fate = self._trial.crash(generation, self._clock.now(), answered=answered)
            if fate is Fate.NOTHING or takeover is None:
                return
            former, self._former, self._takeover = self._former, None, None
            takeover.why = (
                f"the new generation ended before it had answered a call: {cause}; {_WHAT_FOLLOWS[fate]}"
            )
            takeover.rolled_back, takeover.told = fate is Fate.ROLL_BACK, True
            if takeover.rolled_back and former is not None:
                self._rolled_back += 1
                self.program_version = former[0]
                self._owner.use(former[1])
        self._events.publish(
            "host_reload_failed", self._name, why=takeover.why, rolled_back=takeover.rolled_back
        )
        if takeover.rolled_back:
            self._order("revive", "the former program is brought back")
        takeover.over.set()

    def _call_off(self, why: str) -> None:
        with self._lock:
            candidate, self._candidate = self._candidate, None
            takeover, self._takeover = self._takeover, None
            self._trial = Trial()
        if candidate is not None:
            candidate.dismiss(why)
        if takeover is not None and not takeover.over.is_set():
            takeover.why = why
            takeover.over.set()


_WHAT_FOLLOWS = {
    Fate.ROLL_BACK: "the former program is run again",
    Fate.NO_WAY_BACK: "the former program cannot be run again, for it ran from the folder that was changed, or its "
    "host is never started again; what follows is as its policy says",
}
