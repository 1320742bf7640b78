"""Doing what must not be left half done: a signal handler raises in the main thread alone, but at any line of it.

So it is done in another thread. What a handler raises meanwhile is raised once the job is done, or is certain never to begin.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextvars import copy_context
from typing import TYPE_CHECKING

from ...base.threads import begin_thread

if TYPE_CHECKING:
    from collections.abc import Callable


def uninterrupted(job: Callable[[], None]) -> None:
    """Do a job that ends by itself. From any thread; the main one does not do it itself.

    It runs with a copy of the caller's context variables. After an interrupt the caller undoes it: that the job was done is not known
    to be so, but it was done as a whole or not at all.

    Where there is no thread for it, as at the interpreter's end, it is done in this one.

    Raises:
        BaseException: the job raised it, or a signal handler.
    """
    if threading.current_thread() is not threading.main_thread():
        job()
        return
    context, future = copy_context(), Future[None]()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            context.run(job)
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            future.set_exception(error)
        else:
            future.set_result(None)

    try:
        if not begin_thread(threading.Thread(target=work, name="callboard-whole", daemon=True)):
            work()
        future.exception()
    except BaseException:  # an interrupt of the wait, raised again
        if not future.cancel():
            future.exception()  # it has begun, and ends
        raise
    future.result()
