"""Running code of a plugin that may never return, such as its import: on a thread that can be lost.

The caller waits for the deadline and no longer. What is not done by then is abandoned with its thread, which as a
daemon keeps no program from ending. It cannot be killed, so it keeps what it holds, before all the
lock of a module that it imports: another plugin that imports that module waits for it until its own deadline.

Neither calls nor hooks of plugins that run are run like this: they have threads that are kept, see `Workers` and
`HookPool`. This is for what is done once, before there is anything to run.
"""

from __future__ import annotations

import logging
import sys
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from ...base.errors import CallboardError, PluginLoadError
from ...base.foreign import Log, blames, is_interrupt
from ...base.threads import current_frames
from ...plugins.results.failures import describe
from ...plugins.time_limit import require_time, time_left
from .pool import PoolThread, ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


logger: Log = Log("callboard.actors")

Value = TypeVar("Value")

_IDLE_SECONDS = 0.02
"""Between two plugins there is less, and to begin a thread for each would take longer than to load most of them. A board
that has stopped leaves no thread behind for long."""

_THREADS = ThreadPool("callboard-load", _IDLE_SECONDS)

LOAD_TIMEOUT = 120.0
"""Seconds that a plugin has to be loaded unless the configuration says otherwise. An import of 20 s is slow, and honest."""


def in_time(
    job: Callable[[], Value], seconds: float | None, *, plugin: str, doing: str, remedy: str
) -> Value:
    """Return what ``job`` returns.

    It runs with a copy of the caller's context variables. Without a deadline, its own or the load's, it runs in the caller's own thread. So
    it does, without a deadline, if that thread is importing something: it holds locks that the job may need, and
    would wait for itself.

    Args:
        job: the plugin's code.
        seconds: its deadline; ``None`` for none.
        plugin: whose it is.
        doing: what is done, as the beginning of a sentence: ``making plugin 'x'``.
        remedy: what to do about one that takes too long, as the end of that sentence.

    Raises:
        LoadTimeout: the load that this is a part of has no time left.
        PluginLoadError: it did not end in time, or raised what is no `CallboardError`, or there is no thread for it.
        CallboardError: the job raised it.
        KeyboardInterrupt: the waiting thread was interrupted. The job is abandoned.
    """
    if time_left(seconds) is None or imports_something(sys._getframe()):  # noqa: SLF001 - the frames of this thread
        return _told(job, plugin, doing, Exception, SystemExit)
    future: Future[Value] = Future()
    try:
        thread = _THREADS.run(partial(copy_context().run, partial(_work, future, job, plugin, doing)))
    except BaseException as error:  # an interrupt is raised again
        future.cancel()  # what is not begun must not begin
        if is_interrupt(error) or not isinstance(error, RuntimeError):
            raise
        raise PluginLoadError(f"{doing} failed: there is no thread for it: {error}", plugin=plugin) from error
    try:
        return future.result(time_left(seconds))
    except CallboardError:
        raise
    except TimeoutError as error:
        if is_interrupt(error):  # a time limit of the program's
            future.cancel()
            raise
        where = tell_where(current_frames().get(thread.ident))
        if not future.cancel():  # it ended in this very moment
            return future.result()
        require_time(f"{doing} has not ended{where}")
    except BaseException:  # an interrupt of who waits; what is not begun must not begin
        future.cancel()
        raise
    raise PluginLoadError(f"{doing} did not end within {seconds:g} s{where}; {remedy}", plugin=plugin)


def _work(
    future: Future[Value], job: Callable[[], Value], plugin: str, doing: str, thread: PoolThread
) -> bool:
    """Do it; in its thread. The future waits as if it had not begun, so that it can be cancelled."""
    began = monotonic()
    value: Value | CallboardError
    try:
        value = _told(job, plugin, doing, BaseException)
    except CallboardError as error:
        value = error
    if not future.set_running_or_notify_cancel():
        seconds = monotonic() - began
        logger.warning("plugin %s: its code that was abandoned has ended, after %.1f s", plugin, seconds)
        return False
    going_on = _THREADS.hand_back(thread)
    if isinstance(value, CallboardError):
        future.set_exception(value)
    else:
        future.set_result(value)
    return going_on


def _told(job: Callable[[], Value], plugin: str, doing: str, *kinds: type[BaseException]) -> Value:
    """Do it; what it raises of these kinds is told as what is wrong with the plugin."""
    try:
        return job()
    except CallboardError:
        raise
    except kinds as error:
        if not blames(error):
            raise
        raise PluginLoadError(f"{doing} raised {describe(error)}", plugin=plugin) from error


_IMPORT = "<frozen importlib._bootstrap>"
_LIBRARY = Path(logging.__file__).parent.parent
_HOUSE = __name__.partition(".")[0]


def imports_something(frame: FrameType | None) -> bool:
    """Whether a module is being imported in this frame or one that it was called from.

    The thread then holds the lock of that module: another thread that imports it waits until this one is done.
    """
    while frame is not None:
        if frame.f_code.co_filename == _IMPORT:
            return True
        frame = frame.f_back
    return False


def tell_where(frame: FrameType | None) -> str:
    """Say where a thread hangs, as the end of a sentence; nothing if its frames do not tell.

    That is the innermost line that is neither Python's own nor Callboard's: who calls ``sleep`` for ever is told, and
    not ``sleep``. A thread that waits until a module is imported by another one hangs because of that one.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _IMPORT and code.co_name == "acquire":
            module = getattr(frame.f_locals.get("self"), "name", "a module")
            return f"; it waits for the import of {module!r}, which has begun elsewhere and not ended"
        if not _is_passing(frame):
            return f"; it is at {code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return ""


def _is_passing(frame: FrameType) -> bool:
    """Whether it is code that others call: Python's own, or Callboard's."""
    file = frame.f_code.co_filename
    if file.startswith("<frozen ") or str(frame.f_globals.get("__name__")).partition(".")[0] == _HOUSE:
        return True
    return Path(file).is_relative_to(_LIBRARY) and "site-packages" not in file
