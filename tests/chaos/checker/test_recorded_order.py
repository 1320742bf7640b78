"""The recorder keeps events in the order in which they were published, whatever happens to the thread that notes them."""

from __future__ import annotations

import itertools
import threading

from callboard.actors.board import Board
from callboard.chaos.checker.facts import Happened
from callboard.chaos.recorder import Recorder
from callboard.supervision.runtime.clock import SystemClock

LONG = 0.02


class PreemptedClock(SystemClock):
    """A clock whose readers often get no processor just before they read it."""

    def __init__(self):
        super().__init__()
        self._readings = itertools.count()

    def now(self):
        if next(self._readings) % 3 == 0:
            threading.Event().wait(LONG)
        return super().now()


def test_events_are_noted_in_their_order_by_a_thread_that_gets_no_processor():
    clock = PreemptedClock()
    with Board(clock=clock) as board:
        recorder = Recorder(board)
        for generation in range(1, 11):
            board.events.publish("host_starting", "book", generation=generation)
            board.events.publish("host_ready", "book", generation=generation)
        recorder.close()
    clock.close()

    told = [fact.sequence for fact in recorder.run().facts if isinstance(fact, Happened)]

    assert len(told) == 20
    assert told == sorted(told)
