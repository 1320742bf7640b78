"""Threads for what has to wait: they come when there is something to do, and go when there is not.

Each turn has its own. A tool may run a turn from within a call, and threads that all of them shared could
then all be waiting for each other.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from ..base.foreign import Log, contain
from ..base.locks import Lock

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 32
"""Threads of one turn; what there is to do beyond that waits."""

logger: Log = Log("callboard.agent")


class WorkerPool:
    """See the module. The threads are daemons: they keep no interpreter from exiting.

    Args:
        name: of the threads.
        most: how many there may be.
    """

    def __init__(self, name: str, most: int = MOST) -> None:
        self._name = name
        self._most = most
        self._lock = Lock()
        self._jobs: deque[Callable[[], None]] = deque()
        self._threads = 0

    def do(self, job: Callable[[], None]) -> None:
        """Have a job done, after those before it have begun. It has to see to its own exceptions."""
        with self._lock:
            self._jobs.append(job)
            if self._threads == self._most:
                return
            self._threads += 1
        threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._threads -= 1
                    return
                job = self._jobs.popleft()
            try:
                job()
            except BaseException as error:  # noqa: BLE001 - a bug of ours; the jobs behind this one are waiting all the same
                contain(error, logger, "%s: a job failed", self._name)
