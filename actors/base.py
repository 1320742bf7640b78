"""What all actors of the house share: a daemon thread, a fast inbox, and surviving their own bugs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import pykka

from ..plugins.foreign import Log

if TYPE_CHECKING:
    from pykka._actor import ActorInbox

    from ..supervision.clock import Clock
    from ..supervision.events import EventStream

logger = Log("callboard.actors")


class HouseActor(pykka.ThreadingActor):
    """A pykka actor that a failing message does not stop.

    pykka stops an actor whose *told* message raises, drops what is in its inbox without a word,
    and stops every actor of the process on `SystemExit`. Tool code never runs in here, so what
    raises is a bug of ours: it is logged, published as ``actor_failed``, and the actor goes on.
    """

    use_daemon_thread: ClassVar[bool] = True
    """A board that was never stopped must not keep the interpreter from exiting."""

    def __init__(self, name: str, events: EventStream, clock: Clock) -> None:
        self._clock = clock  # before the inbox, which comes from it
        super().__init__()
        self.name = name
        self.events = events

    @classmethod
    def launch(cls, actor: Self) -> pykka.ActorRef[Self]:
        """Start an actor that was made before, so that parts of it can be shared beforehand.

        `start` makes and starts in one step, and keeps the object to itself.
        """
        pykka.ActorRegistry.register(actor.actor_ref)
        actor._start_actor_loop()
        return actor.actor_ref

    @classmethod
    def lodge(cls, actor: Self) -> pykka.ActorRef[Self]:
        """As `launch`, of one whose messages a `Porter` hands over in its own thread."""
        pykka.ActorRegistry.register(actor.actor_ref)
        return actor.actor_ref

    def _create_actor_inbox(self) -> ActorInbox:  # type: ignore[override] # static there, but called on the actor
        return self._clock.inbox()

    def on_receive(self, message: Any) -> Any:
        """Handle one message by `receive`."""
        try:
            return self.receive(message)
        except Exception as error:
            logger.exception("actor %r failed on %.200r", self.name, message)
            self.events.publish("actor_failed", self.name, message=repr(message)[:200], error=repr(error))
            return None

    def receive(self, message: Any) -> Any:
        """Handle one message. To be written by each actor."""
        raise TypeError(f"{type(self).__name__} does not know the message {message!r}")
