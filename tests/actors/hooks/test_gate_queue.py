"""Calls go through the gates of one tool one by one, in their order, and never deeper than one frame."""

from __future__ import annotations

from callboard.actors.hooks import ordering as gate_queue
from callboard.actors.hooks.ordering import GateQueue


class QueuedCall:
    """Is through at once, or when it is told."""

    def __init__(self, queue: GateQueue, log: list, label, *, name: str = "t", at_once: bool = False) -> None:
        self._queue, self._log, self._label, self._name, self._at_once = queue, log, label, name, at_once

    def begin(self) -> None:
        self._log.append(self._label)
        if self._at_once:
            self.through()

    def through(self) -> None:
        self._queue.leave(self._name, self)


def test_the_next_begins_when_the_one_before_is_through():
    queue, log = GateQueue(), []
    first, second = (QueuedCall(queue, log, label) for label in "ab")

    queue.enter("t", first)
    queue.enter("t", second)
    begun = list(log)
    first.through()

    assert begun == ["a"]
    assert log == ["a", "b"]


def test_other_names_do_not_wait():
    queue, log = GateQueue(), []

    queue.enter("t", QueuedCall(queue, log, "a"))
    queue.enter("u", QueuedCall(queue, log, "b", name="u"))

    assert log == ["a", "b"]


def test_ten_thousand_that_are_through_at_once_need_no_deep_stack():
    queue, log = GateQueue(), []
    first = QueuedCall(queue, log, -1)
    queue.enter("t", first)
    for number in range(5000):
        queue.enter("t", QueuedCall(queue, log, number, at_once=True))

    first.through()

    assert log == list(range(-1, 5000))
    assert queue.enter("t", QueuedCall(queue, log, "after", at_once=True))


def test_past_the_bound_nobody_is_let_in(monkeypatch):
    monkeypatch.setattr(gate_queue, "MAX_WAITING", 2)
    queue, log = GateQueue(), []
    queue.enter("t", QueuedCall(queue, log, "a"))

    entered = [queue.enter("t", QueuedCall(queue, log, label)) for label in "bcd"]

    assert entered == [True, True, False]
