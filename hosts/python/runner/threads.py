"""The threads in which a plugin's code runs: the main thread whenever that is free, others when it is not.

No request waits for another, so there are as many threads as requests were ever under way at once.
The main thread comes first because some code runs nowhere else: signal handlers, a few event loops,
toolkits for windows. All others are daemons, so that a tool that never returns keeps no process alive.

A thread is free once its work is done and before that is told. Whoever hears it may have more to do at once, and that
is to find the main thread free.
"""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import TYPE_CHECKING

from ....base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ....base.event_loop import EventLoop

    Tell = Callable[[], None]
    Job = Callable[[EventLoop], Tell]
    """Work that raises nothing, given the event loop of its thread; what it returns tells that it is done."""


class ThreadPool:
    """See the module.

    Args:
        make_loop: makes the event loop of a thread.
    """

    def __init__(self, make_loop: Callable[[], EventLoop]) -> None:
        self._make_loop = make_loop
        self._of_main: SimpleQueue[Job | None] = SimpleQueue()
        self._of_others: SimpleQueue[Job] = SimpleQueue()
        self._lock = Lock()
        self._main_is_free = True  # it comes when the plugin is loaded
        self._free = 0
        self._open = threading.Event()

    def give(self, job: Job) -> None:
        """Have a job done: at once if the crew is at work, else when it begins.

        Raises:
            RuntimeError: there is no thread to be had for it.
        """
        with self._lock:
            to_main, self._main_is_free = self._main_is_free, False
            short = not to_main and self._free == 0
            if not (to_main or short):
                self._free -= 1
        if short:
            threading.Thread(target=self._work_beside, name="callboard-tool", daemon=True).start()
        (self._of_main if to_main else self._of_others).put(job)

    def work(self) -> None:
        """Work in this thread, which is the main one, until `dismiss`; the others begin too."""
        self._open.set()
        loop = self._make_loop()
        while (job := self._of_main.get()) is not None:
            tell = job(loop)
            with self._lock:
                self._main_is_free = True
            tell()
        loop.close()

    def dismiss(self) -> None:
        """Let the main thread go home, for there will be no more jobs."""
        self._of_main.put(None)

    def _work_beside(self) -> None:
        self._open.wait()
        loop = self._make_loop()
        while True:
            tell = self._of_others.get()(loop)
            with self._lock:
                self._free += 1
            tell()
