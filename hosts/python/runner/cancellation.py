"""Telling a call under way that nobody waits for it any more.

A coroutine is cancelled as any task is, and a generator is closed behind the part that it yields next. Code that
neither awaits nor yields is not interrupted: an exception out of nowhere may leave what it works on in any condition,
which the next call would be given. Its host is replaced if it goes on for too long.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ....base.locks import Lock
from .messages import HostFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Cancellation:
    """Of one call. Asked for in the reader's thread, heeded in that of the call."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reason: str | None = None
        self._begun = False
        self._act: Callable[[], object] | None = None

    def begin(self) -> bool:
        """It is about to be given to the plugin; False if it was cancelled as it waited, and has its answer."""
        with self._lock:
            self._begun = self._reason is None
            return self._begun

    def ask(self, reason: str) -> HostFault | None:
        """Have the call end; what to answer it with, if it has not begun and never will."""
        with self._lock:  # across the act, which only posts: the task cannot leave its loop between
            first, self._reason = self._reason is None, self._reason or reason
            if self._act is not None:
                self._act()
            return HostFault("Cancelled", reason) if first and not self._begun else None

    def heed(self) -> None:
        """Raise the fault that the call is to be refused with, if it is to end."""
        if self._reason is not None:
            raise HostFault("Cancelled", self._reason)

    @contextmanager
    def of_this_task(self) -> Iterator[None]:
        """While this task runs: it is what is cancelled."""
        # Where a task runs it has been imported. Here, at the top, it was half of what a host took to start.
        from asyncio import CancelledError, current_task, get_running_loop  # noqa: PLC0415 - a tool that is not asynchronous needs no asyncio

        loop, task = get_running_loop(), current_task()
        assert task is not None
        with self._lock:
            self.heed()
            self._act = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            yield
        except CancelledError:
            self.heed()
            raise
        finally:
            with self._lock:  # the loop may be closed from now on
                self._act = None
