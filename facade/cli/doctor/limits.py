"""Whether the system lets this process have what so many hosts take."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .finding import Finding, counted

if sys.platform == "win32":
    _NO_LIMIT = -1
else:
    import resource

    _NO_LIMIT = resource.RLIM_INFINITY

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = 64, 8
"""Open files that the board takes, and that each host takes."""
_TASKS = 64, 16
"""Processes and threads that the board takes, and that each host takes: Node has a dozen threads."""


def check_limits(hosts: int) -> Iterator[Finding]:
    """What the system lets this process have, for so many hosts; nothing on Windows, which sets no such limits."""
    if sys.platform == "win32":
        yield from ()
    else:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        yield _limit("open files", files, _FILES[0] + hosts * _FILES[1], "ulimit -n", hosts)
        for name, most, remedy in (
            ("processes", resource.getrlimit(resource.RLIMIT_NPROC)[0], "ulimit -u"),
            ("processes (container)", _cgroup_tasks(), "the container's pids limit"),
        ):
            if most is not None and most != _NO_LIMIT:
                yield _limit(name, most, _TASKS[0] + hosts * _TASKS[1], remedy, hosts)


def _limit(name: str, most: int, needed: int, raising: str, hosts: int) -> Finding:
    detail = f"{'no limit' if most == _NO_LIMIT else f'{most:,}'}; {needed:,} for {counted(hosts, 'host')}"
    if most == _NO_LIMIT or most >= needed * 2:
        return Finding("ok", name, detail)
    return Finding("FAIL" if most < needed else "warn", name, detail, f"raise it: {raising} {needed * 4}")


def _cgroup_tasks() -> int | None:
    """How many more processes and threads the container may have; ``None`` without a limit."""
    folder = Path("/sys/fs/cgroup")
    try:
        most, now = (folder / "pids.max").read_text(), (folder / "pids.current").read_text()
    except OSError:
        return None
    return None if most.strip() == "max" else max(0, int(most) - int(now))
