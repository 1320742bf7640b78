"""The threads of this process: where they are, whether another one begins, and what is done in one that no signal handler interrupts.

A handler raises in the main thread alone, but at any line of it. So what must not be left half done is done in another.
"""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import suppress
from contextvars import copy_context
from importlib import import_module
from importlib.util import resolve_name
from typing import TYPE_CHECKING

from .foreign import is_interrupt

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, ModuleType


def current_frames() -> dict[int, FrameType]:
    """The frame that each thread is in, by the thread's ``ident``.

    It keeps garbage collection off meanwhile. CPython before 3.12 may collect while it holds the lock of its list of threads,
    and a `threading.local` that is freed takes the same lock: the whole process would hang.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()  # noqa: SLF001 - the one way to see another thread
    finally:
        if collects:
            gc.enable()


def begin_thread(thread: threading.Thread) -> bool:
    """Start a thread; false where none can be started any more, as at the interpreter's end.

    Raises:
        BaseException: what a signal handler raised meanwhile.
    """
    if sys.is_finalizing():  # CPython before 3.12 would start it, and wait for ever until it runs
        return False
    try:
        thread.start()
    except RuntimeError as error:
        if is_interrupt(error):
            raise
        return False
    return True


def uninterrupted(job: Callable[[], None]) -> None:
    """Do a job that ends by itself. From any thread; the main one does not do it itself.

    It runs with a copy of the caller's context variables. What a handler raises meanwhile is raised once the job is done, or is certain never to
    begin: it was done as a whole or not at all. The caller undoes it then, for it does not know which.

    Where there is no thread for it, as at the interpreter's end, it is done in this one.

    Args:
        job: what it does may be done twice, where it must be done after an interrupt, too: the caller then asks again.

    Raises:
        BaseException: the job raised it, or a signal handler.
    """
    if threading.current_thread() is not threading.main_thread():
        job()
        return
    context, raised, over = copy_context(), list[BaseException](), list[bool]()
    # Locks, and no `Future` or `Event`: those have lines of Python, at which a handler may raise while their own lock is held.
    claim, ended = threading.Lock(), threading.Lock()
    ended.acquire()

    def work() -> None:
        if not claim.acquire(blocking=False):
            return
        try:
            context.run(job)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            raised.append(error)
        finally:
            over.append(True)
            ended.release()

    try:
        if not begin_thread(threading.Thread(target=work, name="callboard-whole", daemon=True)):
            work()
        ended.acquire()
    except BaseException:  # an interrupt: raised again
        if not claim.acquire(blocking=False) and not over:
            ended.acquire()  # it has begun, and ends
        raise
    if raised:
        raise raised[0]


def import_apart(name: str, package: str | None = None) -> ModuleType:
    """Import a module; in the main thread that is done by another one. Arguments and errors as `importlib.import_module`.

    A signal handler that raises in the midst of an import leaves the interpreter's import lock held, in CPython up to 3.14 at least. Then
    each thread that imports for the first time waits for ever, and with it a host's end and a supervisor's restart. Handlers
    raise in the main thread alone. So what is imported late is first imported by this, wherever the main thread may come by.
    """
    absolute = resolve_name(name, package)
    if threading.current_thread() is threading.main_thread() and not _is_whole(absolute):
        importing = threading.Thread(target=_try, args=(absolute,), name="callboard-import", daemon=True)
        if begin_thread(importing):
            importing.join()
    return import_module(absolute)


def _is_whole(name: str) -> bool:
    module = sys.modules.get(name)
    return module is not None and not getattr(module.__spec__, "_initializing", False)


def _try(name: str) -> None:
    with suppress(BaseException):  # it is imported again by the caller's thread, where this is raised
        import_module(name)
