"""Hears what becomes of the process of one life, and tells the life's actor. It is a `HostListener`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...hosts.errors import THREAD_FAILED
from ...supervision.runtime.telling import tell
from .messages import ProcessEnded, TreeGone

if TYPE_CHECKING:
    import pykka

    from ...hosts.process.process import ProcessExit
    from ...hosts.report.crash_report import CrashReport
    from ...supervision.runtime.events import EventStream


class HostEar:
    """See the module. All in the thread of the host's pump.

    Args:
        life: the actor.
        name: the host's.
    """

    def __init__(self, life: pykka.ActorRef[Any], name: str, events: EventStream) -> None:
        self._life = life
        self._name = name
        self._events = events

    def on_stray(self, text: bytes, count: int) -> None:
        """Publish what was printed to stdout."""
        if self._events.wants("output_stray"):
            said = text[:500].decode("utf-8", "replace")
            self._events.publish("output_stray", self._name, text=said, count=count)

    def on_dropped(self, reason: str, request_id: str, count: int, told: int) -> None:
        """A dead letter, but for what a newer host says that this version does not know."""
        if reason != "ignored":
            self._events.dead_letters.drop(reason, self._name, request_id, count=count, told=told)

    def on_ended(self, exit_: ProcessExit, report: CrashReport, *, breach: str | None) -> None:
        """Tell the actor; first, if our own thread was the reason, everybody."""
        if exit_.fault == THREAD_FAILED:
            self._events.thread_failed(self._name, report.cause)
        tell(self._life, ProcessEnded(exit_, report, breach))

    def on_gone(self, leftovers: list[int]) -> None:
        """Tell the actor."""
        tell(self._life, TreeGone(tuple(leftovers)))
