"""Locks for ``with`` statements: they are free once the statement has been left, wherever a signal handler raised."""

from __future__ import annotations

import sys

if sys.version_info < (3, 14):
    from threading import Lock, RLock
else:
    import _thread

    class RLock(_thread.RLock):  # type: ignore[misc] # it is not final at run time
        """A reentrant lock for ``with`` statements: no signal handler leaves it taken.

        CPython 3.14 may run a handler once ``__enter__`` has returned from C, and before the block has begun: what it
        raises goes past ``__exit__``, and the lock of `threading` stays taken (CPython's issue 148874). No handler
        runs as a function of Python returns. ``__exit__`` stays in C: a handler may run before the first line of one in Python.
        """

        __slots__ = ()

        def __enter__(self) -> bool:  # type: ignore[override] # as those of `with` call it
            try:
                return self.acquire()
            except BaseException:  # an interrupt: raised again
                try:  # noqa: SIM105 - a second interrupt would come before `suppress` has been entered, and so before `release`
                    self.release()
                except RuntimeError:
                    pass  # it came while the lock was waited for, which was not taken
                raise

    Lock = RLock

__all__ = ["Lock", "RLock"]
