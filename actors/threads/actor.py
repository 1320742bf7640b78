"""What all actors of Callboard share: a daemon thread, a fast inbox, and surviving their own bugs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.foreign import Log, contain, shown
from ...supervision.runtime.actor_loop import SteadyActor

if TYPE_CHECKING:
    from ...supervision.runtime.clock import Clock
    from ...supervision.runtime.events import EventStream

logger: Log = Log("callboard.actors")


class UnknownMessage(TypeError):
    """An actor was told what is none of its business; nothing has come of it."""


class BaseActor(SteadyActor):
    """A pykka actor that a failing message does not stop.

    pykka stops an actor whose *told* message raises, drops what is in its inbox without a word,
    and stops every actor of the process on `SystemExit`. Tool code never runs in here, so what
    raises is a bug of ours: it is logged, published as ``actor_failed``, and the actor goes on.
    """

    def __init__(self, name: str, events: EventStream, clock: Clock) -> None:
        super().__init__(clock)
        self.name = name
        self.events = events

    def on_receive(self, message: Any) -> Any:
        """Handle one message by `receive`."""
        try:
            return self.receive(message)
        except BaseException as error:  # noqa: BLE001 - pykka would stop every actor of the process on SystemExit
            contain(error, logger, "actor %r failed on %s", self.name, shown(message))
            self.events.publish("actor_failed", self.name, message=shown(message), error=shown(error))
            self.on_failed(message, error)
            return None

    def on_failed(self, message: Any, error: BaseException) -> None:
        """Handling that message failed, somewhere on the way. For actors on which others wait then."""

    def receive(self, message: Any) -> Any:
        """Handle one message. To be written by each actor."""
        raise UnknownMessage(f"{type(self).__name__} does not know the message {shown(message)}")
