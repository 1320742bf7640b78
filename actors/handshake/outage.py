"""Why a host is parked or stopped, since when, and when it is tried again. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

PROBE_PAUSE: Final = 1.0
"""Seconds between the end of a start that failed and a probe for a call."""


class NextStart(NamedTuple):
    """When a host that is down is started again.

    Attributes:
        seconds: from now; ``None`` if that is not known.
        told: the same in a sentence, for those who call.
    """

    seconds: float | None
    told: str


UNDER_WAY: Final = NextStart(0.0, "it is tried again now")


@frozen
class Outage:
    """A host is parked or stopped.

    Attributes:
        host: its name.
        state: ``parked`` or ``stopped``.
        why: all that is known of it, in a sentence.
        cause: of the last end, if that has parked it; else the same as ``why``.
        report: of the crash that has parked it; ``None`` if no crash has.
        since: the time at which it came into this state.
        until: the time at which it is started without an order; ``None`` if that is not known.
        pause: seconds after ``since`` in which no call has it probed.
    """

    host: str
    state: str
    why: str
    cause: str
    report: dict[str, Any] | None
    since: float
    until: float | None
    pause: float = PROBE_PAUSE

    @classmethod
    def of(
        cls,
        host: str,
        kind: str,
        facts: Mapping[str, Any],
        crash: Mapping[str, Any] | None,
        *,
        now: float,
        took: float,
    ) -> Outage:
        """Return the outage that an event tells of.

        Args:
            host: whose it is.
            kind: the event's.
            facts: the event's.
            crash: the facts of the crash that it follows; ``None`` if it follows none.
            now: the time.
            took: seconds that the last start took.
        """
        seconds, why = facts.get("seconds"), facts["why"]
        until = None if seconds is None else now + seconds
        cause, report = (why, None) if crash is None else (crash["cause"], crash["report"])
        state = kind.removeprefix("host_")
        return cls(host, state, why, cause, report, now, until, max(PROBE_PAUSE, took))

    @property
    def told(self) -> str:
        """A sentence for those who call."""
        return f"host {self.host!r} is not running: {self.why}"

    def may_be_probed(self, now: float) -> bool:
        """Whether a call may have it started before its time."""
        return self.state == "parked" and self.until is not None and now - self.since >= self.pause

    def next_start(self, now: float, *, by_calls: bool, grouped: bool) -> NextStart:
        """Return when it is started again.

        Args:
            now: the time.
            by_calls: a call may have it probed.
            grouped: it is in a group, which may start it at a time that is not known here.
        """
        if self.until is None:
            by_order = f"it is not started again until it is revived, by board.revive({self.host!r}), or the board is started anew"
            return NextStart(None, "its group decides when it is started again" if grouped else by_order)
        seconds = max(0.0, self.until - now)
        if by_calls and (wait := max(0.0, self.since + self.pause - now)) < seconds:
            return NextStart(
                wait,
                f"a call after another {wait:.1f} s has it tried again"
                if wait
                else "the next call has it tried again",
            )
        return NextStart(seconds, f"it is tried again in {seconds:.1f} s")
