"""How a life is held to its limits: a count of its calls, a timer for its age, a look at its process."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

from ...hosts.limits.limits import Exceeded, Limits
from ...supervision.runtime.telling import tell
from .contracts import Armed
from .messages import LimitReached

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host
    from ...supervision.runtime.clock import Clock
    from .limit_watch import LimitWatch


def arm(life: pykka.ActorRef[Any], host: Host, limits: Limits, clock: Clock, watch: LimitWatch) -> Armed:
    """Have the actor of a life told (`LimitReached`) when the life comes to one of its limits.

    Args:
        life: its actor.
        host: the life, which serves from now on.
        limits: its own, with the jitter in them.
        clock: where its age is put.
        watch: looks at its process, if a limit needs that.
    """
    if limits.sampled:
        watch.watch(life, host, limits)
    on_sent = timer = None
    if limits.calls is not None:
        on_sent = _counter(life, limits.calls)
    if limits.age is not None:
        reached = LimitReached(Exceeded("age", limits.age, limits.age))
        timer = clock.call_at(clock.now() + limits.age, functools.partial(tell, life, reached))
    return Armed(on_sent, timer)


def _counter(life: pykka.ActorRef[Any], calls: int) -> Callable[[], None]:
    counted = itertools.count(1)  # counts in one step, from whichever thread

    def on_sent() -> None:
        if next(counted) == calls:
            tell(life, LimitReached(Exceeded("calls", calls, calls)))

    return on_sent
