"""Calls go through the gates of one plugin one by one, in their order, and never deeper than one frame."""

from __future__ import annotations

from callboard.actors.hooks import ordering as gate_queue
from callboard.actors.hooks.ordering import GateQueue


class QueuedCall:
    """Is through at once, or when it is told."""

    def __init__(self, queue: GateQueue, log: list, label, *, at_once: bool = False) -> None:
        self._queue, self._log, self._label, self._at_once = queue, log, label, at_once

    def begin(self) -> None:
        self._log.append(self._label)
        if self._at_once:
            self.through()

    def through(self) -> None:
        self._queue.leave(self)

    def interrupt(self) -> None:
        self._queue.abandon(self)


def enter(queue, call, plugin="p"):
    entered = queue.enter(call, [plugin])
    queue.decide(call, plugin)
    return entered


def test_the_next_begins_when_the_one_before_is_through():
    queue, log = GateQueue(), []
    first, second = (QueuedCall(queue, log, label) for label in "ab")

    enter(queue, first)
    enter(queue, second)
    begun = list(log)
    first.through()

    assert begun == ["a"]
    assert log == ["a", "b"]


def test_calls_of_other_plugins_do_not_wait():
    queue, log = GateQueue(), []

    enter(queue, QueuedCall(queue, log, "a"))
    enter(queue, QueuedCall(queue, log, "b"), "q")

    assert log == ["a", "b"]


def test_a_call_that_has_left_before_its_turn_does_not_begin():
    queue, log = GateQueue(), []
    calls = [QueuedCall(queue, log, label) for label in "abc"]
    for call in calls:
        enter(queue, call)

    calls[1].through()
    calls[0].through()
    calls[0].through()

    assert log == ["a", "c"]


def test_ten_thousand_that_are_through_at_once_need_no_deep_stack():
    queue, log = GateQueue(), []
    first = QueuedCall(queue, log, -1)
    enter(queue, first)
    for number in range(5000):
        enter(queue, QueuedCall(queue, log, number, at_once=True))

    first.through()

    assert log == list(range(-1, 5000))
    assert enter(queue, QueuedCall(queue, log, "after", at_once=True))


def test_past_the_bound_nobody_is_let_in(monkeypatch):
    monkeypatch.setattr(gate_queue, "MAX_WAITING", 3)
    queue, log = GateQueue(), []
    first = QueuedCall(queue, log, "a")
    enter(queue, first)

    entered = [enter(queue, QueuedCall(queue, log, label)) for label in "bcd"]
    first.through()

    assert entered == [True, True, False]
    assert enter(queue, QueuedCall(queue, log, "e"))


def test_what_an_interrupted_step_was_to_have_begin_begins_when_that_call_is_abandoned():
    class Interrupted(QueuedCall):
        def begin(self):
            super().begin()
            raise KeyboardInterrupt

    queue, log = GateQueue(), []
    holding = QueuedCall(queue, log, "holding")
    interrupted = Interrupted(queue, log, "interrupted")
    enter(queue, holding)
    queue.enter(interrupted, ["p", "q"])  # two offer its name, and it holds the calls of both
    for label, plugin in (("of p", "p"), ("of q", "q")):
        enter(queue, QueuedCall(queue, log, label), plugin)
    queue.decide(interrupted, "p")

    try:
        holding.through()
    except KeyboardInterrupt:
        log.append("raised")

    assert log == ["holding", "of q", "interrupted", "of p", "raised"]
