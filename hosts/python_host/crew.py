"""The threads in which a plugin's code runs: first the main thread, others when it is taken.

No request waits for another, so there are as many threads as requests were ever under way at once.
The main thread comes first because some code runs nowhere else: signal handlers, a few event loops,
toolkits for windows. All others are daemons, so that a tool that never returns keeps no process alive.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from .event_loop import EventLoop

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[[EventLoop], None]
    """Work that raises nothing, given the event loop of the thread it runs in."""


class Crew:
    """See the module."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 1  # the main thread, which comes when the plugin is loaded
        self._under_way = 0
        self._open = threading.Event()

    def give(self, job: Job) -> None:
        """Have a job done: at once if the crew is at work, else when it begins."""
        with self._lock:
            self._under_way += 1
            short = self._under_way > self._threads
            if short:
                self._threads += 1
        self._jobs.put(job)
        if short:
            threading.Thread(target=self._work_later, name="callboard-tool", daemon=True).start()

    def work(self) -> None:
        """Work in this thread, which is the main one, until `dismiss`; the others begin too."""
        self._open.set()
        self._work()

    def dismiss(self) -> None:
        """Let all go home, for there will be no more jobs."""
        with self._lock:
            for _ in range(self._threads):
                self._jobs.put(None)

    def _work_later(self) -> None:
        self._open.wait()
        self._work()

    def _work(self) -> None:
        loop = EventLoop()
        while (job := self._jobs.get()) is not None:
            job(loop)
            with self._lock:
                self._under_way -= 1
        loop.close()
