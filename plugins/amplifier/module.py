"""A module that is written for Amplifier, from its mounting to its cleaning up, in one event loop of its own.

Where its tools and hooks go is for the one who mounts it: a board, or a host whose only plugin it is.
"""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any

from ...base.errors import CallboardError
from ...base.foreign import Log
from ...base.locks import Lock
from ..results.failures import describe
from ..time_limit import require_time, time_left
from .coordinator import BoardCoordinator, BoardHooks, MountError
from .loop_thread import LoopThread, Raised

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import Callable, Coroutine

    from .coordinator import Registered

logger: Log = Log("callboard.actors")

Json = dict[str, Any]

CLEANUP_TIMEOUT = 5.0
"""Seconds that each cleanup function of a module may take; past that it is left to itself."""


_STOPPED = "it was taken off before mount had returned"


class LoopedTool:
    """An Amplifier-style tool that runs in its module's loop, whichever thread its call is in."""

    def __init__(self, tool: Any, run: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        self._tool = tool
        self._run = run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    async def execute(self, input: Json) -> Any:  # noqa: A002 - the contract's name
        """Run the tool."""
        return await self._run(self._tool.execute, input)


class Module:
    """See the module.

    Args:
        name: the module's.
        config: what it is mounted with.
        take: makes a tool, by the name it is mounted under, one of those that are offered.
        let_go: takes a tool off; one that is not there is no error.
        put_on: registers a hook; as `Hooks.add`.

    Attributes:
        name: the same.
        coordinator: what the module is given.
        closing: it is being taken off, or has been.
    """

    def __init__(
        self,
        name: str,
        config: Json,
        *,
        take: Callable[[Any, str], None],
        let_go: Callable[[str], None],
        put_on: Callable[..., Registered],
    ) -> None:
        self.name = name
        self.closing: bool = False
        self._take, self._let_go = take, let_go
        self._cleaning = Lock()
        self._under_way: set[Task[Any] | None] = set()
        self._loop = LoopThread(f"callboard-module-{name}")
        self._hooks = BoardHooks(name, put_on)
        self.coordinator: BoardCoordinator = BoardCoordinator(
            name, config, take=self._take_in, let_go=let_go, hooks=self._hooks
        )

    def mount(self, function: Callable[..., Any], timeout: float | None) -> None:
        """Call ``function(coordinator, config)`` in the loop, and wait so many seconds for its end.

        Raises:
            MountError: it raised, did not return in time, or has mounted neither a tool nor a hook; or it was taken off meanwhile.
            CallboardError: what was raised of what it mounts.
        """
        try:
            ended = self._loop.settle(self._tracked, self._mounted, function, timeout=time_left(timeout))
        except TimeoutError as error:
            require_time(f"mount of {self.name} has not returned")
            raise self._failed(f"mount did not return within {timeout:g} s") from error
        if isinstance(ended, Raised):
            if isinstance(ended.error, CallboardError):
                raise ended.error
            why = _STOPPED if self.closing else f"mount raised {describe(ended.error)}"
            raise self._failed(why) from ended.error
        if not self.coordinator.mount_points["tools"] and not self._hooks.list_handlers():
            raise self._failed("mount has mounted neither a tool nor a hook")

    async def _mounted(self, function: Callable[..., Any]) -> None:
        # In the loop to the end, so that whoever waits for its task has what mount returned, too.
        coordinator = self.coordinator
        returned = function(coordinator, dict(coordinator.config))
        if inspect.isawaitable(returned):
            returned = await returned
        if hasattr(returned, "execute"):  # the contract lets it return the tool, mounted or not
            if returned not in coordinator.mount_points["tools"].values():
                await coordinator.mount("tools", returned)
        elif callable(returned):
            coordinator.cleanups.append(returned)

    @property
    def runs_here(self) -> bool:
        """Whether this is the thread of its loop."""
        return self._loop.runs_here

    def looped(self, tool: Any) -> Any:
        """A tool as it is run: in the loop, unless its ``execute`` is a plain function."""
        execute = getattr(tool, "execute", None)
        plain = inspect.isroutine(execute) and not inspect.iscoroutinefunction(execute)
        return tool if plain or not callable(execute) else LoopedTool(tool, self._run)

    async def _run(self, function: Callable[..., Any], *values: Any) -> Any:
        return await self._loop.relay(self._tracked, function, *values)

    async def _tracked(self, function: Callable[..., Any], *values: Any) -> Any:
        from asyncio import current_task  # noqa: PLC0415 - see `LoopThread`

        task = current_task()
        self._under_way.add(task)
        try:
            answer = function(*values)
            return await answer if inspect.isawaitable(answer) else answer
        finally:
            self._under_way.discard(task)

    def clean_up(self, within: float | None = None) -> None:
        """End what is under way, mounting or a tool, call what was registered for the end, the last first, and end the loop.

        Each cleanup function is called once, and has `CLEANUP_TIMEOUT` seconds; what it raises is logged. After an interrupt the next call goes
        on. It waits for one that is under way in another thread, so it is not to be called in the module's own loop.

        Args:
            within: seconds for all of it; ``None`` for any.
        """
        self.closing = True
        until = None if within is None else time.monotonic() + within
        with self._cleaning:
            if not self._loop.is_open:
                return
            self._hooks.close()
            left = 1 + len(self.coordinator.cleanups)
            self._call(self._end_runs, "ending what is under way in", until, left)
            self._call_cleanups(until)
            self._loop.close()

    def _call_cleanups(self, until: float | None) -> None:
        cleanups = self.coordinator.cleanups
        while cleanups:
            self._call(cleanups.pop(), "cleaning up", until, len(cleanups) + 1)

    def _call(self, function: Callable[[], Any], what: str, until: float | None, shares: int) -> None:
        seconds = CLEANUP_TIMEOUT
        if (
            until is not None
        ):  # a share of the time left: a function that hangs does not use up the time of the others
            seconds = min(seconds, max(0.0, until - time.monotonic()) / shares)
        try:
            ended = self._loop.settle(function, timeout=seconds)
        except TimeoutError:
            logger.warning("%s %s took more than %g s, and was left", what, self.name, seconds)
        else:
            if isinstance(ended, Raised):  # the others are called all the same
                logger.warning("%s %s raised %s", what, self.name, describe(ended.error))

    async def _end_runs(self) -> None:
        from asyncio import wait  # noqa: PLC0415 - see `LoopThread`

        tasks = {task for task in self._under_way if task is not None}
        for task in tasks:
            task.cancel()
        if tasks:
            await wait(tasks)

    def _take_in(self, tool: Any, name: str) -> None:
        self._take(tool, name)
        if self.closing:  # since this was asked: what was there then has been taken off
            self._let_go(name)
            raise self._failed(_STOPPED)

    def _failed(self, why: str) -> MountError:
        return MountError(f"cannot mount {self.name}: {why}", plugin=self.name)
