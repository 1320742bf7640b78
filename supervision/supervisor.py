"""The supervisor actor: carries out what `Supervision` decides, and decides nothing itself.

It never blocks and never sleeps: lives are started and stopped by callables that return at once
and report later, and waiting is a timer that sends a message here.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import pykka

from ..plugins.errors import CallboardError
from .core import Changed, Effects, Removed, Schedule, StartLife, StopLife, Supervision
from .exits import Exit, ExitKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from pykka._actor import ActorInbox

    from .clock import Clock, Timer
    from .events import EventStream
    from .policy import RestartPolicy

logger = logging.getLogger("callboard.supervision")


class UnknownChild(CallboardError):  # noqa: N818 - the state is the message
    """An order names a child that the supervisor does not have.

    Attributes:
        child: the name.
        children: the names there are.
    """

    def __init__(self, child: str, children: list[str]) -> None:
        super().__init__(f"there is no host {child!r}; there are: {', '.join(children) or 'none'}")
        self.child = child
        self.children = children


class Life(Protocol):
    """One running life of a child."""

    def stop(self, reason: str) -> None:
        """Begin to end it; returns at once. Its end is reported like any other."""

    def retire(self, reason: str) -> None:
        """Begin to end it once what is under way in it has ended: its successor has been started."""


@dataclass(frozen=True, slots=True)
class LifeReporter:
    """By which a life tells its supervisor how it goes; from any thread, never blocking."""

    supervisor: pykka.ActorRef[SupervisorActor]
    child: str
    generation: int

    def ready(self) -> None:
        """It answers calls."""
        tell(self.supervisor, LifeReady(self.child, self.generation))

    def ended(self, exit_: Exit) -> None:
        """It has ended, and nothing of it is left. Once."""
        tell(self.supervisor, LifeEnded(self.child, self.generation, exit_))


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What the supervisor has to know of a child.

    Attributes:
        id: unique among the supervisor's children.
        start: starts the next life and returns at once.
        policy: when to start it again.
        on_change: told of each change of state, in the supervisor's thread: the event's kind and
            its facts. Must not block.
    """

    id: str
    start: Callable[[LifeReporter], Life]
    policy: RestartPolicy
    on_change: Callable[[str, dict[str, Any]], None] = lambda _kind, _facts: None


@dataclass(frozen=True, slots=True)
class AddChild:
    """Take a child in and start it."""

    spec: ChildSpec


@dataclass(frozen=True, slots=True)
class Order:
    """An order by hand: ``stop``, ``park``, ``restart``, ``replace``, ``revive`` or ``remove``."""

    verb: str
    child: str
    reason: str = "by hand"


@dataclass(frozen=True, slots=True)
class GetStatus:
    """Ask for the state of all children, as JSON."""


@dataclass(frozen=True, slots=True)
class LifeReady:
    """A life answers calls."""

    child: str
    generation: int


@dataclass(frozen=True, slots=True)
class LifeEnded:
    """A life has ended."""

    child: str
    generation: int
    exit: Exit


@dataclass(frozen=True, slots=True)
class Due:
    """A scheduled time has come."""

    child: str
    token: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a message that could not be carried out."""

    error: Exception


class SupervisorActor(pykka.ThreadingActor):
    """Starts, watches and restarts its children.

    Args:
        clock: where waiting is put.
        events: where changes are published.
        random: the source of the jitter.
    """

    use_daemon_thread: ClassVar[bool] = True

    def __init__(self, clock: Clock, events: EventStream, random: Callable[[], float]) -> None:
        self._clock = clock  # before the inbox, which comes from it
        super().__init__()
        self._events = events
        self._supervision = Supervision(random)
        self._specs: dict[str, ChildSpec] = {}
        self._lives: dict[tuple[str, int], Life] = {}
        self._timers: dict[str, Timer] = {}

    def _create_actor_inbox(self) -> ActorInbox:  # type: ignore[override] # static there, but called on the actor
        return self._clock.inbox()

    def on_stop(self) -> None:
        """Leave nothing on the clock. Ending the lives is for whoever stops the supervisor."""
        for timer in self._timers.values():
            timer.cancel()

    def on_receive(self, message: Any) -> Any:
        """Handle one message.

        An error is a value here, for whoever asked (see `ask_supervisor`). Raised, it would stop
        the actor if the message was told: pykka lets the *sender's* verb decide that.
        """
        try:
            return self._handle(message)
        except CallboardError as error:
            return Refusal(error)
        except Exception as error:
            logger.exception("the supervisor failed on %r", message)
            self._events.publish("actor_failed", "supervisor", message=repr(message)[:200], error=repr(error))
            return Refusal(error)

    def _handle(self, message: Any) -> Any:
        core, now = self._supervision, self._clock.now()
        match message:
            case LifeReady(child, generation):
                self._do(core.ready(child, generation, now))
            case LifeEnded(child, generation, exit_):
                self._lives.pop((child, generation), None)
                self._do(core.ended(child, generation, exit_, now))
            case Due(child, token):
                self._do(core.due(child, token, now))
            case AddChild(spec):
                effects = core.add(spec.id, spec.policy, now)
                self._specs[spec.id] = spec
                self._do(effects)
            case Order(verb, child, reason):
                self._order(verb, child, reason, now)
            case GetStatus():
                return {child.id: child.as_dict(now) for child in core.children.values()}
            case _:
                raise TypeError(f"the supervisor does not know the message {message!r}")
        return None

    def _order(self, verb: str, child: str, reason: str, now: float) -> None:
        core = self._supervision
        if child not in core.children:
            raise UnknownChild(child, list(core.children))
        match verb:
            case "stop":
                self._do(core.stop(child, now, reason))
            case "park":
                self._do(core.park(child, now, reason))
            case "restart":
                self._do(core.restart(child, now, reason))
            case "replace":
                self._do(core.replace(child, now, reason))
            case "revive":
                self._do(core.revive(child, now))
            case "remove":
                self._do(core.remove(child, now, reason))
            case _:
                raise ValueError(f"no such order: {verb!r}")

    def _do(self, effects: Effects) -> None:
        for effect in effects:
            match effect:
                case Changed(child, kind, facts):
                    # Unless an old life has retired, the timer meant the state before.
                    if kind != "host_retired" and (timer := self._timers.pop(child, None)):
                        timer.cancel()
                    self._events.publish(kind, child, **facts)
                    self._call_out(child, self._specs[child].on_change, kind, facts)
                case StartLife(child, generation):
                    self._start(child, generation)
                case StopLife(child, generation, reason, retire):
                    # None when starting it has just failed: then its end is in the mailbox.
                    if life := self._lives.get((child, generation)):
                        self._call_out(child, life.retire if retire else life.stop, reason)
                case Schedule(child, token, at):
                    self._timers[child] = self._clock.call_at(
                        at, functools.partial(tell, self.actor_ref, Due(child, token))
                    )
                case Removed(child):
                    del self._specs[child]

    def _call_out(self, child: str, function: Callable[..., None], *facts: Any) -> None:
        """Call what we were given. If it fails, what is still to be done has to be done all the same."""
        try:
            function(*facts)
        except Exception as error:
            logger.exception("%r: calling %r failed", child, function)
            self._events.publish("actor_failed", child, message=repr(function)[:200], error=repr(error))

    def _start(self, child: str, generation: int) -> None:
        reporter = LifeReporter(self.actor_ref, child, generation)
        try:
            self._lives[child, generation] = self._specs[child].start(reporter)
        except Exception as error:
            logger.exception("starting %r failed", child)
            reporter.ended(Exit(ExitKind.START_FAILED, f"starting it failed: {error!r}", permanent=True))


def tell(ref: pykka.ActorRef[Any], message: Any) -> bool:
    """Tell an actor something that no longer matters once it has stopped; False if it has."""
    try:
        ref.tell(message)
    except pykka.ActorDeadError:
        return False
    return True


def ask_supervisor(ref: pykka.ActorRef[SupervisorActor], message: Any, timeout: float = 10.0) -> Any:
    """Ask the supervisor and wait for its answer.

    Raises:
        UnknownChild: the order names a child that does not exist.
        pykka.Timeout, pykka.ActorDeadError: it did not answer, or has stopped.
    """
    answer = ref.ask(message, timeout=timeout)
    if isinstance(answer, Refusal):
        raise answer.error
    return answer
