"""An event stream that is heard where it is spoken, so that each event has its place in virtual time.

Subscribers are told by the stream's own thread as always, some time later; who wants to know *when* in
virtual time something happened, or to do something at that very moment, hears it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...supervision.runtime.events import KINDS, EventStream

if TYPE_CHECKING:
    from collections.abc import Callable


class VirtualEvents(EventStream):
    """See the module.

    Args:
        hear: called with the kind, the subject and the facts, in the publisher's turn. Must not block.
    """

    wanted = KINDS  # everything is heard here, whether anybody has subscribed or not

    def __init__(self, hear: Callable[[str, str, dict[str, Any]], None]) -> None:
        super().__init__()
        self._tell = hear

    def publish(self, kind: str, subject: str, told: set[str] | None = None, /, **facts: Any) -> None:
        self._tell(kind, subject, facts)
        super().publish(kind, subject, told, **facts)

    def _hear(self, kinds: frozenset[str]) -> None:
        self._heard = kinds
