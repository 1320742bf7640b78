"""A budget of restarts in a sliding period: what is left of it, and what one more does to it."""

from __future__ import annotations


def recent(times: tuple[float, ...], period: float, now: float) -> tuple[float, ...]:
    """The times that still count; one exactly ``period`` ago does."""
    return tuple(time for time in times if now - time <= period)


def charge(times: tuple[float, ...], intensity: int, period: float, now: float) -> tuple[float, ...] | None:
    """The times with one more restart, at ``now``; ``None`` when the budget is used up."""
    counting = recent(times, period, now)
    return None if len(counting) >= intensity else (*counting, now)
