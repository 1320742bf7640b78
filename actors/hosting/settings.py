"""How a host is run: what its generations have in common."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ...base.frozen import frozen
from ...hosts.limits.limits import FRAMES, Limits
from ...hosts.process.stop_ladder import StopLadder


@frozen
class HostSettings:
    """How a host is run.

    Attributes:
        config: what the ``init`` of its plugin is given; of one that is shared each has its own.
        start_deadline: seconds from spawn until it has to be ready.
        prepare_timeout: seconds that it has beyond these if a plugin is at its preparation then.
        max_line_bytes: the longest line, in either direction.
        max_stray_lines: lines on stdout that are no messages and are borne in one generation; one more is
            a breach of the protocol. ``None`` for any number.
        flight_recorder: how many of its last messages a crash report has; 0 for none.
        ladder: how it is stopped.
        group: the group that it is supervised in; none if it is empty.
        limits: what each generation may use, and how it is replaced.
        hidden: what it is given and nobody is to read in a report; of one that is shared, what the first plugin is given.
        standby: keep a further host, started and loaded, that takes over when this one ends.
    """

    config: dict[str, Any]
    start_deadline: float = 10.0
    prepare_timeout: float = 60.0
    max_line_bytes: int = 64 * 1024 * 1024
    max_stray_lines: int | None = None
    flight_recorder: int = FRAMES
    ladder: StopLadder = field(default_factory=StopLadder)
    group: str = ""
    limits: Limits = field(default_factory=Limits)
    hidden: tuple[str, ...] = ()
    standby: bool = False
