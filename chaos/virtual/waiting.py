"""Waiting for something to come true, in real time or in virtual time; nobody sleeps in either."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ...base.locks import RLock
from .clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...actors.board import Board


class Waiter:
    """Waits in real time, and looks when it is nudged."""

    def __init__(self) -> None:
        self._changed = threading.Condition(RLock())

    def wait(self, condition: Callable[[], bool], within: float) -> bool:
        """Wait until it holds; False if it does not ``within`` seconds."""
        with self._changed:
            return self._changed.wait_for(condition, within)

    def nudge(self) -> None:
        """Something has happened: look again. From any thread."""
        with self._changed:
            self._changed.notify_all()


class VirtualWaiter(Waiter):
    """Lets virtual time pass, which takes none."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, condition: Callable[[], bool], within: float) -> bool:
        return self._clock.advance_until(condition, within)


def waiter_for(board: Board) -> Waiter:
    """The waiter that suits the clock of a board."""
    clock = board.clock
    return VirtualWaiter(clock) if isinstance(clock, VirtualClock) else Waiter()
