"""Who and what is there: processes, threads and descriptors, counted before and after.

A process is known by its pid and its time of creation, a thread by itself, a descriptor by its number
and what it is open on. A zombie is dead: who has to collect it is not the question here. The standard streams are
not looked at: they are the process's own, and whoever captures output opens them on something else meanwhile.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ...hosts.process_tree.tree_kill import Look, alive, created, descendants, marks_of
from .facts import Left

if TYPE_CHECKING:
    from collections.abc import Iterable

_DESCRIPTORS = Path("/proc/self/fd")
_STREAMS = {"0", "1", "2"}


class Census:
    """What was there when it was made, the thread that made it among it."""

    def __init__(self) -> None:
        self._threads = set(threading.enumerate())
        self._processes = set(descendants(os.getpid()))
        self._descriptors = _descriptors()

    def left(
        self,
        known: Iterable[tuple[int, float | None]] = (),
        *,
        marks: Iterable[str] = (),
        within: float = 5.0,
    ) -> Left:
        """What is there now and was not then; call it once all is stopped.

        Threads that have only been told to end are waited for.

        Args:
            known: further processes to look for, as (pid, time of creation): one that lost its parent
                is nobody's descendant.
            marks: in the environments of hosts that have ended; a process with one of them was started by such a host,
                even if it left the host's session and lost its parent.
            within: seconds that threads may take.
        """
        until = time.monotonic() + within
        for thread in self._new_threads():
            thread.join(max(0.0, until - time.monotonic()))
        processes = {*known, *descendants(os.getpid()), *_bearers(marks)} - self._processes
        there = sorted({pid for pid, birth in processes if created(pid) == birth and alive(pid)})
        return Left(
            processes=tuple(f"{pid}: {_command_line(pid)}" for pid in there),
            threads=tuple(sorted(thread.name for thread in self._new_threads())),
            descriptors=self._new_descriptors(),
        )

    def _new_threads(self) -> list[threading.Thread]:
        mine = threading.current_thread()
        # Python keeps a thread in its list whose `start` was interrupted, even if that thread never runs.
        there = (thread for thread in threading.enumerate() if thread.is_alive())
        return [thread for thread in there if thread not in self._threads and thread is not mine]

    def _new_descriptors(self) -> tuple[str, ...]:
        if new := _descriptors() - self._descriptors:
            gc.collect()  # a file that nobody holds any more may be open still, in a circle of objects
            new &= _descriptors()
        return tuple(sorted(new))


def _bearers(marks: Iterable[str]) -> set[tuple[int, float | None]]:
    """The processes with one of these marks that this process does not bear itself."""
    wanted = frozenset(marks) - marks_of(os.getpid())
    look = Look()
    return {
        (pid, facts.birth)
        for mark in wanted
        for pid, facts in look.found(_NOBODY, 0.0, mark, 0)
        if facts.alive
    }


_NOBODY = -1
"""A leader whose session no process is in."""


def _descriptors() -> set[str]:
    """Empty on a system that does not tell."""
    found = set()
    if _DESCRIPTORS.is_dir():
        for entry in (entry for entry in _DESCRIPTORS.iterdir() if entry.name not in _STREAMS):
            with suppress(OSError):  # the one that the listing itself has used
                found.add(f"{entry.name} -> {entry.readlink()}")
    return found


def _command_line(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "?"
    return " ".join(word.decode("utf-8", "replace") for word in words if word) or "?"
