"""Waiting in an event loop, asyncio's or trio's, for a callback that comes from another thread.

trio is never imported here: where it runs, it has been.
"""

from __future__ import annotations

import sys
import threading
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import inf
from types import coroutine
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.foreign import Log
from ...base.locks import Lock
from ...base.threads import begin_thread, import_apart

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from asyncio import Future as AsyncFuture
    from collections.abc import Callable, Generator
    from concurrent.futures import Future

    Callback = Callable[[], None]
    Register = Callable[[Callback], bool]
    Forget = Callable[[Callback], None]

logger: Log = Log("callboard.actors")


def wait_for_callback(
    running: AbstractEventLoop | None,
    register: Register,
    forget: Forget,
    cancelled: Callable[[], object] | None = None,
) -> Generator[Any, Any, None]:
    """What an ``__await__`` yields from: wait until a callback is called, once, in whatever thread.

    Args:
        running: what `running_asyncio` returns here.
        register: takes the callback; False when there is nothing to wait for.
        forget: takes it back, called or not.
        cancelled: told when that was taken back since this task is cancelled. A coroutine that is closed, perhaps by
            the garbage collector, was not cancelled by any code, and an interrupt such as Ctrl-C cancels nothing.

    Raises:
        RuntimeError: neither asyncio nor trio runs here.
    """
    # A generator and no coroutine: each of these between a task and what it waits for is gone through at each awaking.
    if running is None:
        yield from _wait_in_trio(register, forget, cancelled).__await__()
        return
    future = running.create_future()
    alarm = _alarm_of(running)
    alarm.go_on()
    wake = Wake(alarm.wake, future)
    if register(wake):
        try:
            yield from future
        except BaseException as error:  # a cancel of the task is the call's, if the caller wants that
            forget(wake)
            if cancelled is not None and _is_cancellation(error):
                cancelled()
            raise


@coroutine
def wait_until(register: Register, forget: Forget) -> Generator[Any, Any, None]:
    """As `wait_for_callback`, to be awaited."""
    yield from wait_for_callback(running_asyncio(), register, forget)


async def _wait_in_trio(register: Register, forget: Forget, cancelled: Callable[[], object] | None) -> None:
    loop = _trio()
    if loop is None:
        raise RuntimeError("nothing to await in: neither asyncio nor trio runs here; call result() instead")
    woken = loop.event()

    def set_event() -> None:
        try:
            loop.soon(woken.set)
        except RuntimeError:  # the run has ended, and the task that waited in it is gone
            logger.debug("nobody waits in %r any more", loop)

    wake = Wake(set_event)
    if register(wake):
        try:
            await woken.wait()
        except BaseException as error:  # as above
            forget(wake)
            if cancelled is not None and _is_cancellation(error):
                cancelled()
            raise
        forget(wake)


class Wake(partial[None]):
    """Wakes a task that waits; whoever was interrupted in here calls it again, which does no harm."""


class _Alarm:
    """Wakes the tasks of one asyncio loop: all that other threads have due by one call into the loop.

    That call writes to a pipe which the loop reads: with a call each, many that end together would cost more than they are.
    """

    __slots__ = ("_lock", "_told", "due", "loop")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self._lock = Lock()
        self.due: deque[AsyncFuture[None]] = deque()
        self._told = False

    def wake(self, future: AsyncFuture[None]) -> None:
        """Have the task that awaits ``future`` go on; from any thread."""
        if running_loop() is self.loop:
            if not future.done():
                future.set_result(None)
            return
        self.due.append(future)
        if self._told:
            return
        try:
            with self._lock:  # said last: an interrupt in between costs a call into the loop, and the other way round all of them
                self.loop.call_soon_threadsafe(self._wake_all)
                self._told = True
        except RuntimeError:  # the loop was closed, and the tasks that waited in it are gone
            logger.debug("no task waits in %r any more", self.loop)

    def go_on(self) -> None:
        """Wake what is due once more, in the loop. See `wake_others`."""
        if self.due:
            self.loop.call_soon(self._wake_all)

    def _wake_all(self) -> None:
        try:
            with self._lock:
                self._told = False  # before the look: what comes from now on tells again
            self._wake_due()
        except BaseException:  # an interrupt, raised again: the loop may be run once more
            self.loop.call_soon(self._wake_all)
            raise

    def _wake_due(self) -> None:
        while self.due:
            future = self.due[0]
            if not future.done():
                future.set_result(None)
            self.due.popleft()  # last: an interrupt may come before


class _Here(threading.local):
    """What a thread remembers: the alarm of the loop that it ran last."""

    alarm: _Alarm | None = None


_here = _Here()


def _alarm_of(loop: AbstractEventLoop) -> _Alarm:
    alarm = _here.alarm
    if alarm is None or alarm.loop is not loop:
        alarm = _here.alarm = _Alarm(loop)
    return alarm


def wake_others() -> None:
    """Wake the tasks of the loop that runs here whose calls have ended: an interrupt may have come before that was done."""
    alarm = _here.alarm
    if alarm is not None and alarm.due and running_loop() is alarm.loop:
        alarm.go_on()


def running_asyncio() -> AbstractEventLoop | None:
    """The asyncio loop of which a task runs in this thread; ``None`` where none does."""
    loop = running_loop()
    if loop is None:
        return None
    # A loop that runs beneath a trio which is its guest has no task.
    return None if sys.modules["asyncio"].current_task(loop) is None else loop


def running_loop() -> AbstractEventLoop | None:
    """The asyncio loop that runs in this thread, be it that no task of it does."""
    events = sys.modules.get("asyncio.events")  # by who runs a loop it was imported
    return None if events is None else events._get_running_loop()  # noqa: SLF001 - documented for libraries like this one


def in_thread(
    function: Callable[[], object], name: str, *, daemon: bool = True, future: Future[None] | None = None
) -> Future[None]:
    """Call ``function`` in a thread of its own, which no pool can keep waiting; returns what is done when it is.

    Where no thread can be started any more, it is called in this one.

    Args:
        function: takes nothing; what it raises is the future's.
        name: of the thread.
        daemon: whether the program may end before it.
        future: returned by this. A caller that has made it keeps it, even if this call is interrupted.
    """
    told = new_future() if future is None else future

    def run() -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            told.set_exception(error)
        else:
            told.set_result(None)

    if not begin_thread(threading.Thread(target=run, name=name, daemon=daemon)):
        run()
    return told


def new_future() -> Future[None]:
    """Return a future for `in_thread`."""
    import_apart("concurrent.futures.thread")
    from concurrent.futures import Future  # noqa: PLC0415 - only who asks pays for the import

    return Future()


async def begun_apart(begin: Callable[[], object], end: Callable[[], object]) -> None:
    """Begin something in a thread of its own, and await that; whatever is raised meanwhile, it is ended again.

    A signal handler may raise here as the thread begins, and a cancel comes at the wait. The beginning goes on in its thread: so it is ended
    at once, for the sake of what it waits for, and again once it is over.
    """
    beginning = new_future()
    try:
        in_thread(begin, "callboard-start", future=beginning)
        await until_done(beginning)
    except BaseException:  # an interrupt or a cancel: raised again

        def undo() -> None:
            end()
            beginning.add_done_callback(lambda _: end())

        _see_to(undo)
        raise


async def ended_apart(end: Callable[[], object]) -> None:
    """End something in a thread of its own, and await that; a cancel meanwhile is raised when it is done.

    A coroutine that is closed as it is collected has no loop to wait in: there it only begins.

    Args:
        end: may be called twice at a time; the second call waits for the first.
    """
    if _running() is None:
        _see_to(end)
        return
    try:
        await until_done(in_thread(end, "callboard-stop", daemon=False), shielded=True)
    except BaseException:  # a signal handler may have raised before the thread had begun
        _see_to(end)
        raise


def _see_to(end: Callable[[], object]) -> None:
    if not sys.is_finalizing():  # no other thread runs any more, and what is left ends with the process
        in_thread(end, "callboard-stop", daemon=False)


async def until_done(future: Future[None], *, shielded: bool = False) -> None:
    """Await a future of `in_thread`; raises what its function has raised.

    Args:
        future: it goes on, whatever becomes of the wait.
        shielded: a task that is cancelled meanwhile is told so when the future is done, and not before.
    """

    def register(wake: Callback) -> bool:
        future.add_done_callback(lambda _: wake())
        return True

    loop = _running()
    with nullcontext() if loop is None or not shielded else loop.shield():
        cancelled = None
        while not future.done():
            try:
                await wait_until(register, lambda _: None)
            except BaseException as error:  # under trio the shield keeps it out
                if not (shielded and _is_cancellation(error)):
                    raise
                cancelled = error
    future.result()
    if cancelled is not None:
        raise cancelled
    if shielded:  # what trio's shield has kept out comes now
        await wait_until(_called_at_once, lambda _: None)


def _called_at_once(wake: Callback) -> bool:
    wake()
    return True


def _is_cancellation(error: BaseException) -> bool:
    return not isinstance(error, Exception | GeneratorExit | KeyboardInterrupt | SystemExit)


def running_task() -> Any:
    """The task that runs here, to be compared; ``None`` if there is none."""
    loop = _running()
    return None if loop is None else loop.task


def soon_if_cancelled(task: Any, act: Callback) -> None:
    """Have ``act`` called soon if ``task`` runs here and is being cancelled. For finalizers: nothing is called at once."""
    loop = _running()
    if loop is not None and loop.task is task and loop.cancelled():
        loop.soon(act)


class _Loop(NamedTuple):
    """The event loop that runs here.

    Attributes:
        task: the task in it that does.
        event: makes an event of it.
        soon: calls back in it; from any thread.
        cancelled: whether that task is being cancelled.
        shield: keeps a cancel out for as long as it is entered, where the loop has such a thing.
    """

    task: Any
    event: Callable[[], Any]
    soon: Callable[[Callback], object]
    cancelled: Callable[[], bool]
    shield: Callable[[], AbstractContextManager[object]] = nullcontext


def _running() -> _Loop | None:
    # asyncio's first, and by its task: its loop runs beneath a trio that is its guest, too, and then has no task.
    return _asyncio() or _trio()


def _asyncio() -> _Loop | None:
    asyncio = sys.modules.get("asyncio")
    try:
        task = None if asyncio is None else asyncio.current_task()
    except RuntimeError:  # no loop
        return None
    if asyncio is None or task is None:
        return None
    return _Loop(task, asyncio.Event, task.get_loop().call_soon_threadsafe, lambda: task.cancelling() > 0)


def _trio() -> _Loop | None:
    trio = sys.modules.get("trio")
    try:
        task = None if trio is None else trio.lowlevel.current_task()
    except RuntimeError:  # no run
        return None
    if trio is None:
        return None
    return _Loop(
        task,
        trio.Event,
        trio.lowlevel.current_trio_token().run_sync_soon,
        lambda: bool(trio.current_effective_deadline() == -inf),
        lambda: trio.CancelScope(shield=True),
    )
