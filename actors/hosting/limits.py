"""How a generation is held to its limits: a count of its calls, a timer for its age, a look at its process.

One thread looks from time to time at the processes of a board, at those only whose limits need it. While there are none
there is no thread and no timer: an idle board without such limits pays nothing.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

from ...base.frozen import frozen
from ...base.locks import Lock
from ...hosts.limits.limits import Exceeded, Limits, judge
from ...supervision.runtime.telling import tell
from ..threads.actor import BaseActor
from .contracts import Armed
from .messages import LimitReached

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host
    from ...supervision.runtime.clock import Clock, Timer
    from ..services import Services

LOOK_EVERY = 1.0
"""Seconds between two looks."""


@frozen(eq=False)
class Watched:
    """A generation that is looked at.

    Attributes:
        actor: its actor, which is told of a limit that it has come to, at each look.
        host: the generation.
        limits: what it may use.
    """

    actor: pykka.ActorRef[Any]
    host: Host
    limits: Limits


class LimitWatch:
    """Looks at the processes that have limits, all of them in one thread. From any thread; nothing here blocks."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = Lock()
        self._actor: pykka.ActorRef[Any] | None = None
        self._closed = False

    def watch(self, actor: pykka.ActorRef[Any], host: Host, limits: Limits) -> None:
        """Look at a generation until its host has ended."""
        with self._lock:
            if self._closed:
                return
            if self._actor is None:
                self._actor = _Looker.start(self._services)
            self._actor.tell(Watched(actor, host, limits))

    def close(self) -> None:
        """Look at nothing any more."""
        with self._lock:
            self._closed = True
            actor, self._actor = self._actor, None
        if actor is not None:
            actor.stop()


class _Look:
    """To the looker, by itself: it is time to look."""


_LOOK = _Look()


class _Looker(BaseActor):
    """The thread of it."""

    def __init__(self, services: Services) -> None:
        super().__init__("limits", services.events, services.clock)
        self._watched: list[Watched] = []
        self._timer: Timer | None = None

    def on_stop(self) -> None:
        """Leave nothing on the clock."""
        if self._timer is not None:
            self._timer.cancel()

    def receive(self, message: Any) -> None:
        """Handle one message."""
        match message:
            case Watched():
                self._watched.append(message)
                if self._timer is None:
                    self._later()
            case _Look():
                self._timer = None
                self._watched = [watched for watched in self._watched if _look(watched)]
                if self._watched:
                    self._later()
            case _:
                super().receive(message)

    def _later(self) -> None:
        again = functools.partial(tell, self.actor_ref, _LOOK)
        self._timer = self._clock.call_at(self._clock.now() + LOOK_EVERY, again)


def _look(watched: Watched) -> bool:
    """Look at one generation; False when it is to be looked at no more."""
    host = watched.host
    counted = watched.limits.descriptors is not None
    vitals = None if host.ended else host.look(descriptors=counted)
    if vitals is None:
        return False
    exceeded = judge(
        watched.limits,
        rss=vitals.rss,
        cpu_seconds=vitals.cpu_seconds,
        descriptors=vitals.descriptors,
        busy=host.busy,
    )
    # The next look may find a hard limit, so that a generation which is recycled is looked at to its end.
    return exceeded is None or (tell(watched.actor, LimitReached(exceeded)) and not exceeded.hard)


def arm(actor: pykka.ActorRef[Any], host: Host, limits: Limits, clock: Clock, watch: LimitWatch) -> Armed:
    """Have the actor of a generation told (`LimitReached`) when the generation comes to one of its limits.

    Args:
        actor: its actor.
        host: the generation, which serves from now on.
        limits: its own, with the jitter in them.
        clock: where its age is put.
        watch: looks at its process, if a limit needs that.
    """
    if limits.sampled:
        watch.watch(actor, host, limits)
    on_sent = timer = None
    if limits.calls is not None:
        on_sent = _counter(actor, limits.calls)
    if limits.age is not None:
        reached = LimitReached(Exceeded("age", limits.age, limits.age))
        timer = clock.call_at(clock.now() + limits.age, functools.partial(tell, actor, reached))
    return Armed(on_sent, timer)


def _counter(actor: pykka.ActorRef[Any], calls: int) -> Callable[[], None]:
    counted = itertools.count(1)  # counts in one step, from whichever thread

    def on_sent() -> None:
        if next(counted) == calls:
            tell(actor, LimitReached(Exceeded("calls", calls, calls)))

    return on_sent
