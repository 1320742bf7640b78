"""A generation of a host, as its supervisor holds it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from ...supervision.runtime.telling import tell
from .messages import EndLife, Retire

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka

    from ...hosts.host import Host


class CallGate:
    """Keeps calls from a generation that is to end. From any thread.

    An order that ends a generation is a message to its actor, which reads it when it comes to it; who has given the
    order may submit a call before that. So the gate is shut in the thread that carries the order out, and a call
    that comes after waits for the next generation.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._host: Host | None = None
        self._shut = False

    def lead_to(self, host: Host) -> None:
        """The generation has its process."""
        with self._lock:
            self._host = host
            shut = self._shut
        if shut:
            host.take_no_more()

    def shut(self) -> None:
        """Send it nothing more, now or once it has its process."""
        with self._lock:
            self._shut = True
            host = self._host
        if host is not None:
            host.take_no_more()


class HostLife:
    """See the module. It is a `Life`.

    Args:
        actor: sees to it.
        gate: the actor's.
        on_stop: told when an order by hand ends it: what waits to take over was not asked for.
    """

    def __init__(self, actor: pykka.ActorRef[Any], gate: CallGate, on_stop: Callable[[str], None]) -> None:
        self._actor = actor
        self._gate = gate
        self._on_stop = on_stop

    def stop(self, reason: str) -> None:
        """Begin to end it; no call is sent to it any more."""
        self._gate.shut()
        self._on_stop(reason)
        tell(self._actor, EndLife(reason))

    def retire(self, reason: str) -> None:
        """Its successor has been started: begin to end it, with nothing lost."""
        tell(self._actor, Retire(reason))
