"""A life of a host, as its supervisor holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..supervision.telling import tell
from . import messages as m

if TYPE_CHECKING:
    from collections.abc import Callable

    import pykka


class HostLife:
    """See the module. It is a `Life`.

    Args:
        actor: sees to it.
        on_stop: told when an order by hand ends it: what waits to take over was not asked for.
    """

    def __init__(self, actor: pykka.ActorRef[Any], on_stop: Callable[[str], None]) -> None:
        self._actor = actor
        self._on_stop = on_stop

    def stop(self, reason: str) -> None:
        """Begin to end it."""
        self._on_stop(reason)
        tell(self._actor, m.EndLife(reason))

    def retire(self, reason: str) -> None:
        """Its successor has been started: begin to end it, with nothing lost."""
        tell(self._actor, m.Retire(reason))
