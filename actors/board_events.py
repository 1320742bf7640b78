"""The part of a board that tells what happens, to callables and to actors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pykka

from ..supervision.runtime.telling import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..supervision.runtime.events import Event, EventStream, Subscription


class Tells:
    """See the module. Whoever is one has an event stream."""

    events: EventStream

    def subscribe(
        self,
        subscriber: Callable[[Event], None] | pykka.ActorRef[Any],
        kinds: Iterable[str] | None = None,
    ) -> Subscription:
        """Have a callable called with each later event, or an actor told it. See `EventStream`."""
        if isinstance(subscriber, pykka.ActorRef):
            return self.events.subscribe(functools.partial(_tell_event, subscriber), kinds)
        return self.events.subscribe(subscriber, kinds)


def _tell_event(actor: pykka.ActorRef[Any], event: Event) -> None:
    tell(actor, event)
