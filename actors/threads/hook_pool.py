"""Threads for the hooks of plugins, where one that hangs or raises harms no other.

Claims, formatting and previews are tool code, so they run neither in an actor nor in a pump, and
they do not wait behind the tool's calls. They run here, on threads of a pool. A thread that hangs is only lost
for that one hook. A plugin with too many of them is not asked any more until one comes back.
"""

from __future__ import annotations

import queue
import time
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from ...base.errors import PluginError
from ...base.foreign import Log, contain, is_interrupt
from ...base.locks import Lock
from ...plugins.results.failures import describe
from ...plugins.time_limit import require_time, time_left
from .pool import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable

    from .pool import PoolThread

MAX_STUCK = 8
"""Hooks of one plugin that may hang at once; a plugin with more is not asked."""

_IDLE_SECONDS = 10.0

logger: Log = Log("callboard.actors")

Answer = TypeVar("Answer")


class HookFailed(PluginError):
    """A hook raised, did not come back in time, or was not asked because too many hang already."""


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
        self.put: Callable[[Answer | HookFailed], None] = self._answers.put

    def give_up(self, why: str) -> None:
        """Make `wait` fail. The hook goes on, and what it returns is dropped."""
        self.put(HookFailed(why, plugin=self._plugin))

    def wait(self) -> Answer:
        """Return what the hook returns.

        Raises:
            LoadTimeout: the load that it is a part of has no time left.
            HookFailed: it raised, was given up, or did not return in its time.
        """
        try:
            answer = self._answers.get(timeout=time_left(max(0.0, self._until - time.monotonic())))
        except queue.Empty:
            require_time(f"a hook of {self._plugin!r} has not returned")
            raise HookFailed(
                f"a hook of {self._plugin!r} did not return within {self._timeout:g} s", plugin=self._plugin
            ) from None
        if isinstance(answer, HookFailed):
            raise answer
        return answer


class HookPool:
    """See the module. Thread-safe.

    Args:
        failed: called if one of the threads fails by a fault of Callboard's own: whose, and how.
    """

    def __init__(self, failed: Callable[[str, str], None] | None = None) -> None:
        self._pool = ThreadPool(
            "callboard-hooks", _IDLE_SECONDS, None if failed is None else partial(failed, "hooks")
        )
        self._lock = Lock()
        self._asking: dict[str, set[object]] = {}

    @property
    def asking(self) -> int:
        """How many hooks are under way."""
        with self._lock:
            return sum(map(len, self._asking.values()))

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
        asked = object()
        try:
            with self._lock:
                asking = self._asking.setdefault(plugin, set())
                if len(asking) >= most:
                    problem = f"{most} earlier hooks of {plugin!r} have not come back"
                else:
                    asking.add(asked)
            if problem is None:
                self._pool.run(partial(self._do, plugin, hook, answer, asked))
        except BaseException as error:  # an interrupt is raised again
            self._count_out(plugin, asked)
            if is_interrupt(error) or not isinstance(error, RuntimeError):
                raise
            problem = f"there is no thread for it: {error}"
        if problem is not None:
            answer(HookFailed(problem, plugin=plugin))

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
        """Let the threads end when they are idle."""
        self._pool.close()

    def _do(
        self,
        plugin: str,
        hook: Callable[[], Answer],
        answer: Callable[[Answer | HookFailed], None],
        asked: object,
        thread: PoolThread,
    ) -> bool:
        value = _run_hook(plugin, hook)
        self._count_out(plugin, asked)
        going_on = self._pool.hand_back(thread)
        try:
            answer(value)
        except BaseException as error:  # noqa: BLE001 - this thread is idle by now: a job may wait for it
            contain(error, logger, "handing over what a hook of %r returned failed", plugin)
        return going_on

    def _count_out(self, plugin: str, asked: object) -> None:
        with self._lock:
            self._asking.get(plugin, set()).discard(asked)


def _run_hook(plugin: str, hook: Callable[[], Answer]) -> Answer | HookFailed:
    try:
        return hook()
    except BaseException as error:  # noqa: BLE001 - tool code: SystemExit too ends in here
        return HookFailed(f"a hook of {plugin!r} raised {describe(error)}", plugin=plugin)
