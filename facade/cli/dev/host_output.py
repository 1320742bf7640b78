"""What a host says by itself, and what becomes of it, told as `callboard dev` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ...hosts.process.process import Command, ProcessExit
    from ...supervision.runtime.events import Event
    from .view import View

TELLING: Final = {
    "arguments_unchecked": "why",
    "claim_failed": "error",
    "host_crashed": "cause",
    "host_parked": "why",
    "host_recycling": "why",
    "host_reload_failed": "why",
    "output_stray": "text",
    "state_reset": "why",
    "tool_quarantined": "why",
}
"""Kinds of events that an author should know of, and the fact that says why."""

_OF_GENERATIONS: Final = frozenset({"host_crashed", "host_parked"})


class Hearing:
    """Tells a view what hosts say."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._came_up: set[str] = set()

    def event(self, event: Event) -> None:
        """Hear an event of the board. What comes of a host that never came up is told by the code that loads it."""
        if event.kind == "host_ready":
            self._came_up.add(event.subject)
        elif event.kind == "plugin_removed":
            self._came_up.discard(event.subject)
        elif event.kind == "host_reload_failed" and not event.facts["rolled_back"]:
            return  # the reload tells it
        elif event.kind in TELLING and (event.subject in self._came_up or event.kind not in _OF_GENERATIONS):
            self._view.happened(event.kind, event.subject, str(event.facts[TELLING[event.kind]]))

    def tap(self, host: str, generation: int, command: Command) -> _Stderr:
        """The tap of a generation."""
        return _Stderr(host, self._view)


class _Stderr:
    """Tells the lines of one generation's stderr, the last one too when nothing ends it."""

    def __init__(self, host: str, view: View) -> None:
        self._host = host
        self._view = view
        self._held = b""

    def sent(self, line: bytes) -> None:
        """Nothing that an author has to see."""

    def received(self, data: bytes) -> None:
        """Nothing that an author has to see."""

    def said(self, data: bytes) -> None:
        """Tell the lines that have come to their end."""
        *lines, self._held = (self._held + data).split(b"\n")
        for line in lines:
            self._tell(line)

    def ended(self, exit_: ProcessExit) -> None:
        """Tell what is left."""
        if self._held:
            self._tell(self._held)

    def _tell(self, line: bytes) -> None:
        self._view.said(self._host, line.decode("utf-8", "replace").rstrip("\r"))
