"""Dead letters: what was dropped, and why; counted always, published to subscribers.

For people who look for what went missing. Nothing is delivered by them and nothing may depend on
them: a call that is dropped has its own answer, which says the same to its caller.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from ...base.locks import Lock

REASONS = {
    "overflow": "a call for which there was no room",
    "stopped": "a call to a tool that has been taken off, or to a board that was stopped",
    "poison": "a call that was in flight at too many crashes, and is not sent again",
    "late": "an answer to a call that had ended",
    "duplicate": "a second answer",
    "unknown": "an answer to a call that was never made",
    "parts": "parts that nobody read in time",
}
"""Why something was dropped."""

_DROPPED = "dropped"
"""Noted of a call once it has been counted. A call is dropped for one reason: only one that has begun has parts."""


class Told(Protocol):
    """What dead letters are told by: the event stream that has them."""

    @property
    def telling(self) -> bool:
        """Whether this thread is telling a subscriber of an event."""

    def wants(self, kind: str) -> bool:
        """Whether a kind has subscribers."""

    def publish(self, kind: str, subject: str, told: set[str] | None = None, /, **facts: Any) -> None:
        """Tell of an event, once for each kind in ``told``."""


class DeadLetters:
    """The dead letters of one board. Thread-safe; nothing here blocks."""

    def __init__(self, events: Told) -> None:
        self._events = events
        self._lock = Lock()
        self._counted: tuple[Counter[str], set[str]] = (Counter(), set())

    def drop(
        self,
        reason: str,
        subject: str,
        letter: str,
        *,
        tool: str | None = None,
        detail: str = "",
        count: int = 1,
        told: int = 1,
        noted: set[str] | None = None,
    ) -> None:
        """Note that something was dropped.

        What a subscriber drops while it is being told of an event is counted and not told: it could
        go on like that for ever.

        Args:
            reason: one of `REASONS`.
            subject: the plugin or host it was for, or came from.
            letter: what was dropped: a call by its id, an answer by the id of its request.
            tool: the name of the call's tool.
            detail: more, for people.
            count: how many were dropped.
            told: how many the event stands for, where not each of a flood has one of its own; 0 for no event.
            noted: what has been counted and told of the call, which is dropped once, however often an interrupt has this done.
        """
        assert reason in REASONS, reason
        with self._lock:
            self._count(reason, count, noted)
        if told and self._events.wants("dead_letter") and not self._events.telling:
            self._events.publish(
                "dead_letter",
                subject,
                noted,
                reason=reason,
                letter=letter,
                tool=tool,
                detail=detail,
                count=told,
            )

    def _count(self, reason: str, count: int, noted: set[str] | None) -> None:
        # A signal handler may raise between any two lines: the counts change in one assignment, together with what is noted of the
        # call that they have changed for.
        counts, of_the_last = self._counted
        of_the_last.add(_DROPPED)
        noted = set() if noted is None else noted
        if _DROPPED not in noted:
            self._counted = (counts + Counter({reason: count}), noted)
            noted.add(_DROPPED)

    def counts(self) -> dict[str, int]:
        """How many, by reason."""
        with self._lock:
            return dict(self._counted[0])
