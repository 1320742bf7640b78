"""When a fault happens, as data.

A trigger is looked at for one host at a time, and comes true once. Counts begin with 1. Where a
trigger has ``generation``, it counts within that generation of the host only (1 is the first start); without,
it counts on over all generations.
"""

from __future__ import annotations

from typing import ClassVar

from ..base.frozen import frozen
from .record import Datum, maybe_whole, one_of, required, span, text, whole

STATES = ("starting", "ready", "backoff", "parked", "stopping", "stopped")
"""The states of a child that can be entered; see `supervision.core`."""

STATE_OF = {
    "host_starting": "starting",
    "host_ready": "ready",
    "host_backoff": "backoff",
    "host_parked": "parked",
    "host_stopped": "stopped",
}
"""The state that a host has entered when an event of this kind is told."""


class Trigger(Datum):
    """The root of all triggers."""

    __slots__ = ()


@frozen
class NthCall(Trigger):
    """The host has read its nth ``execute_tool`` request, and has not begun to answer it."""

    kind: ClassVar[str] = "call"
    n: int = required()
    generation: int | None = maybe_whole()


@frozen
class NthSpawn(Trigger):
    """The host is started for the nth time."""

    kind: ClassVar[str] = "spawn"
    n: int = required()


@frozen
class NthByte(Trigger):
    """The host has written the nth byte of its stdout, and not the one after it."""

    kind: ClassVar[str] = "byte"
    n: int = required()
    generation: int | None = maybe_whole()


@frozen
class NthFrame(Trigger):
    """The host has read its nth line (``in``), or is about to write its nth line (``out``)."""

    kind: ClassVar[str] = "frame"
    n: int = required()
    way: str = one_of(("in", "out"), "in")
    generation: int | None = maybe_whole()


@frozen
class StateEntered(Trigger):
    """The supervisor has put the host into this state for the nth time."""

    kind: ClassVar[str] = "state"
    state: str = one_of(STATES)
    n: int = whole(1)


@frozen
class AtTime(Trigger):
    """So many seconds have passed since the run began, on the run's own clock."""

    kind: ClassVar[str] = "time"
    seconds: float = span()


@frozen
class AtPoint(Trigger):
    """The tool's code has come by the point of this name for the nth time; see `ScriptedCall.point`."""

    kind: ClassVar[str] = "point"
    name: str = text()
    n: int = whole(1)


TRIGGERS: dict[str, type[Trigger]] = {
    kind.kind: kind for kind in (NthCall, NthSpawn, NthByte, NthFrame, StateEntered, AtTime, AtPoint)
}
"""Every kind of trigger by its name in JSON."""
