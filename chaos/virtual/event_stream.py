"""An event stream that is heard where it is spoken, so that each event has its place in virtual time.

Subscribers are told by the stream's own thread as always, some time later; who wants to know *when* in
virtual time something happened, or to do something at that very moment, hears it here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...supervision.runtime.events import EventStream

if TYPE_CHECKING:
    from collections.abc import Callable


class VirtualEvents(EventStream):
    """See the module.

    Args:
        hear: called with the kind, the subject and the facts, in the publisher's turn. Must not block.
    """

    def __init__(self, hear: Callable[[str, str, dict[str, Any]], None]) -> None:
        super().__init__()
        self._hear = hear

    def wants(self, kind: str) -> bool:
        """See `EventStream.wants`: everything is heard."""
        return True

    def publish(self, kind: str, subject: str, **facts: Any) -> None:
        self._hear(kind, subject, facts)
        super().publish(kind, subject, **facts)
