"""What the last model request was not offered, and why: told when it changes, and kept for the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.foreign import Log
from ...base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...supervision.runtime.events import EventStream

logger: Log = Log("callboard.actors")

Place = tuple[str, str | None]
"""A plugin and one of its tools, or ``None`` for all of them."""


class Withheld:
    """See the module. Any thread.

    Args:
        events: where a change is told.
    """

    def __init__(self, events: EventStream) -> None:
        self._events = events
        self._lock = Lock()
        self._last: dict[Place, str] = {}
        self._logged: set[tuple[Place, str]] = set()

    def note(self, refusals: Iterable[tuple[str, str | None, str]]) -> None:
        """A request was composed without these: plugin, tool, reason. A reason is logged the first time it is given."""
        now = {(plugin, tool): reason for plugin, tool, reason in refusals}
        with self._lock:  # so that two requests at once tell of their changes one after the other
            before, self._last = self._last, now
            for (plugin, tool), reason in now.items():
                if before.get((plugin, tool)) == reason:
                    continue
                self._events.publish("offer_withheld", plugin, tool=tool, why=reason)
            for plugin, tool in before.keys() - now.keys():
                self._events.publish("offer_restored", plugin, tool=tool)
            fresh = now.items() - self._logged
            self._logged |= fresh
        for (plugin, tool), reason in fresh:
            what = f"plugin {plugin!r}" if tool is None else f"tool {tool!r} of plugin {plugin!r}"
            logger.warning("%s is not offered to the model: %s", what, reason)

    def of(self, plugin: str) -> list[dict[str, str | None]]:
        """What of a plugin the last request was not offered, as JSON: ``tool``, null for all of it, and ``why``."""
        with self._lock:
            last = self._last
        return [{"tool": tool, "why": why} for (name, tool), why in last.items() if name == plugin]
