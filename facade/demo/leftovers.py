"""What a board has left behind: processes and threads that were not there before it."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from ..hosts.process_tree.tree_kill import alive, created, descendants

if TYPE_CHECKING:
    from collections.abc import Iterable

_PATIENCE = 5.0
"""Seconds for a thread to run out after its board was stopped."""


class Census:
    """Who is there when it is made, the thread that makes it among them."""

    def __init__(self) -> None:
        self._threads = set(threading.enumerate())
        self._processes = set(descendants(os.getpid()))

    def left(self, known: Iterable[tuple[int, float | None]]) -> tuple[list[int], list[str]]:
        """Pids and names of threads that are there now and were not then.

        Waits a moment for threads, which may still have been told to end only.

        Args:
            known: further processes to look for, as (pid, time of creation): one that lost its
                parent is no descendant of this process.
        """
        until = time.monotonic() + _PATIENCE
        for thread in self._new_threads():
            thread.join(max(0.0, until - time.monotonic()))
        processes = {*known, *descendants(os.getpid())} - self._processes
        pids = [pid for pid, birth in processes if created(pid) == birth and alive(pid)]
        return sorted(pids), [thread.name for thread in self._new_threads()]

    def _new_threads(self) -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread not in self._threads]
