"""How long a load may take as a whole, beside what each of its steps may: every wait within it asks here.

It goes with the context of the load, so that no step has to hand it on, and it ends with the load: code of a plugin
that keeps a copy of that context is limited by nothing later.
"""

from __future__ import annotations

from contextvars import ContextVar, copy_context
from time import monotonic
from typing import TYPE_CHECKING, TypeVar, overload

from ..base.errors import LoadTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


class _TimeLimit:
    """The limit of one load; ``open`` until that has ended."""

    def __init__(self, source: str, timeout: float) -> None:
        self.source = source
        self.timeout = timeout
        self.until = monotonic() + timeout
        self.open = True


_limit: ContextVar[_TimeLimit | None] = ContextVar("callboard_time_limit", default=None)


def within(timeout: float | None, source: str, load: Callable[[], Value]) -> Value:
    """Return what ``load`` returns. Its waits end when so many seconds are over; ``None`` for no limit.

    Raises:
        LoadTimeout: they were over before it had returned.
    """
    if timeout is None:
        return load()
    limit = _TimeLimit(source, timeout)
    context = copy_context()  # set in a copy: an interrupt at any line leaves the caller's as it was
    context.run(_limit.set, limit)
    try:
        return context.run(load)
    finally:
        limit.open = False


@overload
def time_left(step: float) -> float: ...


@overload
def time_left(step: None) -> float | None: ...


def time_left(step: float | None) -> float | None:
    """Return for how many seconds a step may wait that has ``step`` by itself; ``None`` for no limit."""
    limit = _limit.get()
    if limit is None or not limit.open:
        return step
    left = max(0.0, limit.until - monotonic())
    return left if step is None else min(step, left)


def require_time(waited_for: str) -> None:
    """Raise if the present load has no time left: called where a wait has ended before what was waited for.

    Raises:
        LoadTimeout: it has none; ``waited_for`` says what was not ready.
    """
    limit = _limit.get()
    if limit is not None and limit.open and monotonic() >= limit.until:
        raise LoadTimeout(limit.source, limit.timeout, waited_for)
