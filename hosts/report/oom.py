"""Whether the system has killed for want of memory: what the control group of this process has counted.

Hosts are in the control group of the program that starts them. Linux counts there how many processes of the group its
out-of-memory killer has ended; a count that has grown since a host that was killed was started says by whom.
Where there is no such count to be read, that is not known.
"""

from __future__ import annotations

import functools
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")


def oom_kills() -> int | None:
    """How many processes of our control group have been killed for want of memory; ``None`` if not known."""
    place = _place()
    return None if place is None else _count(place)


@functools.cache
def _place() -> Path | None:
    """Looked for once: callers wait for this when their host has ended, and a program stays in its group."""
    return find_counter()


def find_counter(membership: Path = Path("/proc/self/cgroup"), root: Path = _ROOT) -> Path | None:
    """The file that has the count; ``None`` if there is none."""
    try:
        places = counters(membership.read_text("utf-8"), root)
    except OSError:
        return None
    return next((place for place in places if _count(place) is not None), None)


def _count(place: Path) -> int | None:
    try:
        with open(place, "rb", buffering=0) as file:  # noqa: PTH123 - a third of the time
            return kills_in(file.read(4096).decode("ascii", "replace"))
    except OSError:  # seen from here the group stands elsewhere
        return None


def counters(membership: str, root: Path = _ROOT) -> list[Path]:
    """Where the count may stand, the likeliest first.

    Args:
        membership: what ``/proc/self/cgroup`` says: ``ID:CONTROLLERS:PATH``, a line for each hierarchy.
        root: where the control groups are mounted.
    """
    found = []
    for line in membership.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            found.append(root / path.lstrip("/") / "memory.events")
        elif "memory" in controllers.split(","):
            found.append(root / "memory" / path.lstrip("/") / "memory.oom_control")
            found.append(root / "memory" / "memory.oom_control")
    return found


def kills_in(events: str) -> int | None:
    """The count in the text of ``memory.events`` or ``memory.oom_control``; ``None`` if there is none."""
    for line in events.splitlines():
        name, _, count = line.partition(" ")
        if name == "oom_kill" and count.strip().isdigit():
            return int(count)
    return None


def killed_for_memory(before: int | None, after: int | None) -> bool | None:
    """Whether the count has grown; ``None`` if that is not known."""
    return None if before is None or after is None else after > before
