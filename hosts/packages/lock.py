"""A lock that ends with its holder, however that ends: the kernel's, on a file that is never removed."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...base.foreign import Log
from ...base.forking import close_own, own
from ...plugins.time_limit import require_time, time_left
from ..process.file_lock import lock, try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


logger: Log = Log("callboard.packages")

_LOOK = 0.05
"""Seconds between two looks at a lock, where the wait for it has a limit."""


@contextmanager
def only_one(file: Path) -> Iterator[None]:
    """Hold the lock, after everybody who had it before: other processes, and other threads of this one.

    It is told that somebody is waited for; a maker is bounded in time, and the lock goes with its process.

    Raises:
        LoadTimeout: the load that needs it has no time left.
    """
    descriptor = own(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        if not try_lock(descriptor):
            logger.info("waiting for another program, which is at the same")
            _wait_for(descriptor)
        yield
    finally:
        close_own(descriptor)


def _wait_for(descriptor: int) -> None:
    while (left := time_left(None)) is not None:
        # The kernel has no wait for a lock that ends in time, and a thread that waits for it could not be called back.
        if try_lock(descriptor):
            return
        require_time("another program, which is at the same, has not ended")
        time.sleep(min(left, _LOOK))
    lock(descriptor)


@contextmanager
def if_nobody(file: Path) -> Iterator[bool]:
    """Hold the lock if nobody else does, without waiting; whether that is so."""
    descriptor = own(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    try:
        yield try_lock(descriptor)
    finally:
        close_own(descriptor)


class Hold:
    """Says that something is in use, for as long as this object or its process lives.

    Args:
        file: what is held; any number may hold it at once.

    Raises:
        OSError: it is not there, or is just being cleared away.
    """

    def __init__(self, file: Path) -> None:
        self._descriptor = -1
        descriptor = own(os.open(file, os.O_RDONLY))
        # It may have been moved away between opening and locking: then the name is no longer this file's.
        if not try_lock(descriptor, shared=True) or not _is(file, descriptor):
            close_own(descriptor)
            raise FileNotFoundError(f"{file} is being cleared away")
        self._descriptor = descriptor

    def __del__(self, close: Callable[[int], None] = close_own) -> None:
        # The default stands when the interpreter ends, and modules are emptied.
        if self._descriptor >= 0:
            close(self._descriptor)


def _is(file: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
