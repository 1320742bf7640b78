"""The standby of one host: a further generation, started and loaded, that waits to take over.

It is no generation of the supervisor's yet: it has no number, is sent no calls, and spends nothing of the
host's budget. When the supervisor starts the next generation, that *is* the standby, told its number; so every
decision (intensity, backoff, park) is made as without one, and only the start is saved. A standby that is
still loading is taken as well: it is further on than a new process would be.

How often a standby is made is decided as the host's own restarts are, by `decide`, with a history of its own:
one that cannot start is no fork bomb. None is made while the host is parked or stopped, and what waits then
is ended.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...base.foreign import Log, contain, shown
from ...base.locks import Lock
from ...supervision.restart.exits import Exit, ExitKind
from ...supervision.restart.policy import History, Park, Restart, RestartPolicy, RestartType, decide
from ...supervision.runtime.telling import tell
from .messages import EndGeneration, TakeOver

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...supervision.runtime.clock import Timer
    from ..handshake.handshake import Handshake
    from ..services import Services
    from .contracts import Reporter

logger: Log = Log("callboard.actors")

BREATH = 0.1
"""Seconds after a takeover before the next standby is made: the calls that waited come first, and starting
a process would take a processor from them."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A standby's ear, as long as no supervisor listens.

    Attributes:
        actor: the generation.
        pid: its process, once it is loaded.
        successor: whom the supervisor has it report to, once it has been taken.
    """

    standby: Standby
    actor: pykka.ActorRef[Any] | None = None
    pid: int | None = None
    successor: Reporter | None = None

    @property
    def generation(self) -> int:
        return 0

    def ready(self) -> None:
        """Nobody sends it calls."""

    def loaded(self, pid: int, handshake: Handshake) -> None:
        """It could take over now."""
        self.standby.on_loaded(self, pid)

    def ended(self, exit_: Exit) -> None:
        self.standby.on_ended(self, exit_)


class Standby:
    """See the module. From any thread; nothing here blocks.

    Args:
        name: the host's.
        policy: the host's, by which its standbys are made again.
        start: starts a generation that reports to what it is given, and waits once it is loaded.
        services: the board's.
    """

    def __init__(
        self,
        name: str,
        policy: RestartPolicy,
        start: Callable[[Waiting], pykka.ActorRef[Any]],
        services: Services,
    ) -> None:
        self._name = name
        self._policy = replace(
            policy, restart=RestartType.PERMANENT, never_restart_on=(), always_restart_on=()
        )
        self._start = start
        self._clock = services.clock
        self._events = services.events
        self._random = services.random
        self._lock = Lock()
        self._waiting: Waiting | None = None
        self._wanted = False
        self._timer: Timer | None = None
        self._history = History()
        self._not_before: float | None = 0.0
        self._failures = 0

    @property
    def there(self) -> bool:
        """Whether one waits and is loaded."""
        waiting = self._waiting
        return waiting is not None and waiting.pid is not None

    @property
    def actor(self) -> pykka.ActorRef[Any] | None:
        """The one that waits, or ``None``."""
        waiting = self._waiting
        return None if waiting is None else waiting.actor

    def status(self) -> dict[str, Any]:
        """What is going on, as JSON."""
        with self._lock:
            waiting = self._waiting
            pid = None if waiting is None else waiting.pid
            return {"pid": pid, "ready": pid is not None, "failures": self._failures}

    def want(self) -> None:
        """The host is ready: have a standby made, if there is none."""
        with self._lock:
            self._wanted = True
            if self._not_before is None:  # it failed for good, but the host has come up since
                self._not_before = self._clock.now() + self._policy.cool_down
            self._make_later()

    def dismiss(self, reason: str) -> None:
        """End the standby, and make none until it is wanted again."""
        with self._lock:
            self._wanted = False
            self._forget_timer()
            waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.actor is not None:
            tell(waiting.actor, EndGeneration(reason))

    def take(self, reporter: Reporter) -> pykka.ActorRef[Any] | None:
        """Make the standby the generation that ``reporter`` reports on; ``None`` if none waits.

        One that ends at this very moment is reported to ``reporter`` all the same.
        """
        with self._lock:
            self._forget_timer()
            waiting, self._waiting = self._waiting, None
            if waiting is None or waiting.actor is None:
                return None
            waiting.successor = reporter
        tell(waiting.actor, TakeOver(reporter))
        return waiting.actor

    def on_loaded(self, waiting: Waiting, pid: int) -> None:
        """A standby could take over now."""
        with self._lock:
            if waiting is not self._waiting:
                return
            waiting.pid = pid
        self._events.publish("standby_ready", self._name, pid=pid)

    def on_ended(self, waiting: Waiting, exit_: Exit) -> None:
        """A standby has ended, by itself or because it was told to."""
        with self._lock:
            failed, successor = waiting is self._waiting, waiting.successor
            if failed:
                self._waiting = None
                self._after(exit_)
        if successor is not None:
            successor.ended(exit_)

    # With the lock held.

    def _after(self, exit_: Exit) -> None:
        now = self._clock.now()
        self._failures += 1
        decision = decide(self._policy, self._history, exit_, now, self._random)
        match decision:
            case Restart(delay, history):
                self._history, self._not_before = history, now + delay
            case Park(until, _, history):
                self._history, self._not_before = history, until
            case _:
                self._not_before = None
        seconds = None if self._not_before is None else round(max(0.0, self._not_before - now), 6)
        self._events.publish(
            "standby_failed",
            self._name,
            exit=exit_.kind.value,
            cause=exit_.cause,
            report=dict(exit_.report),
            seconds=seconds,
        )
        self._make_later()

    def _make_later(self) -> None:
        if self._wanted and self._waiting is None and self._timer is None and self._not_before is not None:
            when = max(self._clock.now() + BREATH, self._not_before)
            self._timer = self._clock.call_at(when, self._make)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _make(self) -> None:
        """In the clock's thread: what is started here starts its process in a thread of its own."""
        with self._lock:
            self._timer = None
            if self._wanted and self._waiting is None:
                waiting = Waiting(self)
                try:
                    waiting.actor = self._start(waiting)
                except BaseException as error:  # noqa: BLE001 - the clock's thread, which has more to do
                    contain(error, logger, "starting a standby of %r failed", self._name)
                    self._after(Exit(ExitKind.START_FAILED, f"starting it failed: {shown(error)}"))
                else:
                    self._waiting = waiting
