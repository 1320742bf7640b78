"""Threads for the hooks of plugins, where one that hangs or raises harms nobody.

Claims, formatting and previews are tool code, so they run neither in an actor nor in a pump, and
they do not wait behind the tool's calls. They run here: on a thread that is idle if there is
one, else on a new one. A thread that hangs is only lost for that one hook. A plugin with too many
of them is not asked any more until one comes back.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...base.errors import PluginError
from ...base.foreign import Log, contain
from ...plugins.results.failures import describe

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_STUCK = 8
"""Hooks of one plugin that may hang at once; a plugin with more is not asked."""

_IDLE_SECONDS = 10.0

logger = Log("callboard.actors")

Answer = TypeVar("Answer")


class HookFailed(PluginError):
    """A hook raised, did not come back in time, or was not asked because too many hang already."""


@dataclass(slots=True)
class _Job(Generic[Answer]):
    plugin: str
    hook: Callable[[], Answer]
    answer: Callable[[Answer | HookFailed], None]


class Pending(Generic[Answer]):
    """A hook under way; for one who waits.

    Args:
        plugin: whose it is.
        timeout: seconds it has, from now.
    """

    def __init__(self, plugin: str, timeout: float) -> None:
        self._plugin = plugin
        self._timeout = timeout
        self._until = time.monotonic() + timeout
        self._answers: queue.SimpleQueue[Answer | HookFailed] = queue.SimpleQueue()
        self.put = self._answers.put

    def give_up(self, why: str) -> None:
        """Have whoever waits hear that it failed. The hook goes on, and nobody hears of what it returns."""
        self.put(HookFailed(why, plugin=self._plugin))

    def wait(self) -> Answer:
        """Return what the hook returns.

        Raises:
            HookFailed: it raised, was given up, or did not return in its time.
        """
        try:
            answer = self._answers.get(timeout=max(0.0, self._until - time.monotonic()))
        except queue.Empty:
            raise HookFailed(
                f"a hook of {self._plugin!r} did not return within {self._timeout:g} s", plugin=self._plugin
            ) from None
        if isinstance(answer, HookFailed):
            raise answer
        return answer


class HookThreads:
    """See the module. Thread-safe.

    Args:
        failed: told if one of the threads fails, which goes on: whose, and how.
    """

    def __init__(self, failed: Callable[[str, str], None] | None = None) -> None:
        self._failed = failed
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._uncounted = 0  # threads that have failed and went on: nobody knows whether they count as idle
        self._closed = False
        self._asking: dict[str, int] = {}

    @property
    def asking(self) -> int:
        """How many hooks are under way."""
        with self._lock:
            return sum(self._asking.values())

    def ask(
        self,
        plugin: str,
        hook: Callable[[], Answer],
        answer: Callable[[Answer | HookFailed], None],
        *,
        most: int = MAX_STUCK,
    ) -> None:
        """Have ``answer`` called with what ``hook`` returns, or with why it failed. Never blocks.

        With ``most`` of that plugin under way it fails at once; who counts for itself those that hang allows more.

        The answer comes from another thread, or from this one if the plugin is not asked. It never
        comes from a hook that hangs.
        """
        problem: str | None = None
        with self._lock:
            stuck = self._asking.get(plugin, 0)
            if stuck < most:
                self._asking[plugin] = stuck + 1
                if self._idle:
                    self._idle -= 1
                elif (problem := self._start()) is not None:
                    self._asking[plugin] = stuck
        if stuck >= most:
            problem = f"{most} earlier hooks of {plugin!r} have not come back"
        if problem is None:
            self._jobs.put(_Job(plugin, hook, answer))
        else:
            answer(HookFailed(problem, plugin=plugin))

    def _start(self) -> str | None:
        """Start a thread; or say why there is none."""
        try:
            threading.Thread(target=self._run, name="callboard-hooks", daemon=True).start()
        except RuntimeError as error:
            return f"there is no thread for it: {error}"
        return None

    def begin(self, plugin: str, hook: Callable[[], Answer], timeout: float) -> Pending[Answer]:
        """Begin to run ``hook``, which has ``timeout`` seconds from now. Never blocks; see `Pending.wait`."""
        pending: Pending[Answer] = Pending(plugin, timeout)
        self.ask(plugin, hook, pending.put)
        return pending

    def call(self, plugin: str, hook: Callable[[], Answer], timeout: float) -> Answer:
        """Run ``hook`` and wait for what it returns.

        Raises:
            HookFailed: it raised, or did not return within ``timeout`` seconds.
        """
        return self.begin(plugin, hook, timeout).wait()

    def close(self) -> None:
        """Let the idle threads end."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, 0
        for _ in range(idle + self._uncounted):
            self._jobs.put(None)

    def _run(self) -> None:
        while True:
            try:
                self._do_jobs()
            except BaseException as error:  # noqa: BLE001 - a fault of ours. It counts as idle, and jobs may wait for it
                contain(error, logger, "a thread of the hooks has failed, and goes on")
                with self._lock:
                    self._uncounted += 1
                if self._failed is not None:
                    self._failed("hooks", describe(error))
            else:
                return

    def _do_jobs(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle:
                        self._idle -= 1
                        return
                    if self._closed and self._uncounted:
                        self._uncounted -= 1
                        return
                    continue  # a job is on its way to this thread
            if job is None:
                return
            answer = _run_hook(job)
            with self._lock:
                self._asking[job.plugin] -= 1
                self._idle += 1
            try:
                job.answer(answer)
            except BaseException as error:  # noqa: BLE001 - this thread counts as idle by now: a job may wait for it
                contain(error, logger, "handing over what a hook of %r returned failed", job.plugin)


def _run_hook(job: _Job[Answer]) -> Answer | HookFailed:
    try:
        return job.hook()
    except BaseException as error:  # noqa: BLE001 - tool code: SystemExit too ends in here
        return HookFailed(f"a hook of {job.plugin!r} raised {describe(error)}", plugin=job.plugin)
