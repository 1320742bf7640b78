"""What a host process is doing, from outside: so that busy, waiting and stopped can be told apart.

Nothing asks the host itself: one that hangs would not answer, and one that is idle is to be left in
peace.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol

import psutil

from ...base.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

_BUSY = 0.5
"""The part of a processor from which on a host is taken to be computing."""

_SOME = 0.1
"""The part of a processor below which a starting process is taken to be waiting. It is small, as many starts may share the processors."""

_ABOUT_TO = {psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP} if sys.platform == "linux" else set()
"""States of a process that computes, or waits for a processor or its disk. Other systems call a sleeping process running."""


@frozen
class Vitals:
    """One look at a process.

    Attributes:
        at: when, in seconds of the monotonic clock.
        cpu_seconds: it has computed so far, in user and system mode.
        rss: resident memory, in bytes.
        descriptors: open file descriptors, or handles on Windows; ``None`` if they were not counted.
        stopped: a signal has stopped it, or a debugger.
        about_to: it computes at this moment, or would with a processor or its disk; never where the system does not say.
    """

    at: float
    cpu_seconds: float
    rss: int
    descriptors: int | None
    stopped: bool
    about_to: bool = False


def sample(pid: int, *, descriptors: bool = False, tree: bool = False) -> Vitals | None:
    """Look at a process; ``None`` if it is gone, or is not ours to look at.

    Args:
        pid: which.
        descriptors: count its open files too, which takes as long as all the rest.
        tree: it is a sandbox's, which does nothing itself: what it has started is looked at, as one.
    """
    try:
        process = psutil.Process(pid)
        if not tree:
            return _look(process, descriptors)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        inside = process.children(recursive=True)
    except psutil.Error:
        return None
    looks = [look for each in inside if (look := _glance(each, descriptors)) is not None]
    # The first is the sandbox's own, which waits for the program.
    return _together(looks[1:]) if len(looks) > 1 else None


def sample_all(pid: int) -> Vitals | None:
    """As `sample`, of a process and all that it has started, as one: a launcher waits for the program that it runs."""
    try:
        process = psutil.Process(pid)
        first, others = _look(process, descriptors=False, waited_for=True), process.children(recursive=True)
    except psutil.Error:
        return None
    if first is None:
        return None
    return _together([first, *(look for each in others if (look := _glance(each, False)) is not None)])


def _glance(process: psutil.Process, descriptors: bool) -> Vitals | None:
    try:
        return _look(process, descriptors, waited_for=True)
    except psutil.Error:  # it ended in between
        return None


def _look(process: psutil.Process, descriptors: bool, *, waited_for: bool = False) -> Vitals | None:
    with process.oneshot():
        times, status = process.cpu_times(), process.status()
        if status == psutil.STATUS_ZOMBIE:
            return None
        computed = times.user + times.system
        if waited_for:
            computed += times.children_user + times.children_system
        return Vitals(
            at=time.monotonic(),
            cpu_seconds=computed,
            rss=process.memory_info().rss,
            descriptors=_count_open(process) if descriptors else None,
            stopped=status in {psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP},
            about_to=status in _ABOUT_TO,
        )


def _together(looks: list[Vitals]) -> Vitals:
    counts = [look.descriptors for look in looks if look.descriptors is not None]
    return Vitals(
        at=looks[0].at,
        cpu_seconds=sum(look.cpu_seconds for look in looks),
        rss=sum(look.rss for look in looks),
        descriptors=sum(counts) if counts else None,
        stopped=looks[0].stopped,
        about_to=any(look.about_to for look in looks),
    )


def _count_open(process: psutil.Process) -> int:
    if sys.platform == "win32":
        return process.num_handles()
    else:  # noqa: RET505 - so that the type checker follows
        return process.num_fds()


def doing(before: Vitals | None, after: Vitals | None) -> str | None:
    """What a process did between two looks, as the rest of a sentence; ``None`` if that is not known."""
    if after is None or before is None or after.at <= before.at:
        return None
    if after.stopped:
        return "it is stopped by a signal"
    share = (after.cpu_seconds - before.cpu_seconds) / (after.at - before.at)
    if share >= _BUSY:
        return f"it was computing all the while ({share:.0%} of a processor)"
    return f"it was waiting for something ({share:.0%} of a processor)"


def waits(before: Vitals | None, after: Vitals | None) -> bool:
    """Whether a process waited between two looks for something other than a processor. One that is gone counts as waiting."""
    if after is None:
        return True
    if before is None or after.at <= before.at or after.about_to:
        return False
    return (after.cpu_seconds - before.cpu_seconds) / (after.at - before.at) < _SOME


class Process(Protocol):
    """What is looked at; a `Host` is one."""

    @property
    def pid(self) -> int: ...

    @property
    def vitals(self) -> Vitals | None:
        """``None`` if it is no process of this machine, or is gone."""


class Looks:
    """Looks at one process again and again."""

    def __init__(self) -> None:
        self._before: Vitals | None = None

    def look(self, process: Process | None, waiting: Callable[[], object]) -> None:
        """Call ``waiting`` if the process and all that it has started have waited since the last look; see `waits`. ``None`` has not begun yet."""
        if process is not None:
            before, self._before = self._before, process.vitals and sample_all(process.pid)
            if waits(before, self._before):
                waiting()
