"""One thread for several actors: of the plugins that share a host, and of all that run in this process.

Each of them stays an actor, with an address, messages in their order and an end of its own. Only the thread
is the dispatcher's: a thread of its own would be half of what a plugin costs this process, and they have little to
gain by it. The plugins that share a host have one process that does their work; of those in this process the actor
is needed only when a call does not come back. The dispatcher reads its messages one by one and hands each to whom it is for.

Nothing that any of them does may block, or its neighbours would wait; see `BaseActor` for why none can
stop the others by raising.
"""

from __future__ import annotations

from typing import Any, Final

import pykka
import pykka._envelope

from ...base.frozen import frozen
from .actor import BaseActor


@frozen
class SharedMessage:
    """To the dispatcher: hand this to whom it is for.

    Attributes:
        reader: that actor.
        message: the message.
        asked: the sender waits for the answer.
    """

    reader: BaseActor
    message: Any
    asked: bool


class Close:
    """To the dispatcher: end once all have ended who were told to before this."""


CLOSE: Final = Close()


class SharedDispatcher(BaseActor):
    """See the module. What is sent to the others after its end is dropped."""

    def on_receive(self, message: Any) -> Any:
        """Hand a message over. One to an actor that has stopped is lost, as anybody's is."""
        if not isinstance(message, SharedMessage):
            return super().on_receive(message)
        reader = message.reader
        if not reader.actor_stopped.is_set():
            return reader._handle_receive(message.message)  # noqa: SLF001 - as its own thread would
        if message.asked:
            raise pykka.ActorDeadError(f"{reader.actor_ref} has stopped")
        return None

    def receive(self, message: Any) -> None:
        """Handle a message of its own."""
        match message:
            case Close():
                self.stop()  # behind what those who end have just told themselves
            case _:
                super().receive(message)


class SharedInbox:
    """The inbox of an actor that has no thread of its own: to write to, since only the dispatcher reads."""

    def __init__(self, dispatcher: pykka.ActorRef[Any], reader: BaseActor) -> None:
        self._inbox = dispatcher.actor_inbox
        self._reader = reader

    def put(self, envelope: Any, /) -> None:
        """Have the dispatcher hand it over."""
        message = SharedMessage(self._reader, envelope.message, envelope.reply_to is not None)
        self._inbox.put(pykka._envelope.Envelope(message, envelope.reply_to))  # noqa: SLF001 - pykka's own form of what stands in an inbox
