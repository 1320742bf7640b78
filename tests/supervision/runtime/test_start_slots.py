"""Slots for starts: never more than there are, in order, and none is lost or held for long."""

from __future__ import annotations

import pytest
from callboard.supervision.runtime.start_slots import LOOK_EVERY, Start, StartSlots
from hypothesis import given
from hypothesis import strategies as st
from manual_clock import ManualClock

KEYS = st.integers(0, 9)
STEPS = st.lists(st.tuples(st.sampled_from(["take", "give back"]), KEYS), max_size=60)
LONGEST = 5.0


def nothing():
    """Nobody has to know."""


def start(key, granted=nothing, look=nothing):
    return Start(key, LONGEST, granted, look)


@given(st.integers(1, 3), STEPS)
def test_slots_are_granted_in_order_and_never_more_than_there_are(most, steps):
    slots, held, waiting, granted = StartSlots(ManualClock(), most), [], [], []
    for verb, key in steps:
        if verb == "take" and key not in held and key not in waiting:
            if slots.take(start(key, lambda key=key: granted.append(key))):
                held.append(key)
            else:
                waiting.append(key)
        if verb == "give back":
            slots.give_back(key)
            waiting = [each for each in waiting if each != key]
            held = [each for each in held if each != key]
        held += granted
        assert granted == waiting[: len(granted)]
        del waiting[: len(granted)]
        granted.clear()
        assert len(held) <= most
        assert len(held) == most or not waiting


def test_what_is_granted_may_give_back_at_once():
    slots, granted = StartSlots(ManualClock(), 1), []
    slots.take(start("first"))
    for key in ("second", "third"):
        slots.take(start(key, lambda key=key: (granted.append(key), slots.give_back(key))))

    slots.give_back("first")

    assert granted == ["second", "third"]
    assert slots.take(start("fourth"))


class Line:
    """Starts that wait for two slots in virtual time; the first ``idle`` of them give theirs back when they are looked at."""

    def __init__(self, count, idle):
        self.clock, self.begun, self.looks = ManualClock(), [], []
        self.slots, self.since = StartSlots(self.clock, 2), self.clock.now()
        for key in range(count):
            if self.slots.take(start(key, self._begins(key), self._looked_at(key, idle=key < idle))):
                self._begins(key)()

    def _begins(self, key):
        return lambda: self.begun.append((key, round(self.clock.now() - self.since, 3)))

    def _looked_at(self, key, *, idle):
        def looked_at():
            self.looks.append(key)
            if idle:
                self.slots.give_back(key)

        return looked_at

    @property
    def last(self):
        return self.begun[-1]


@pytest.mark.parametrize("mute", [2, 12, 100])
def test_starts_that_compute_nothing_keep_the_next_one_for_a_look_for_each_turn(mute):
    line = Line(mute + 1, idle=mute)

    line.clock.advance(60.0)

    assert line.last == (mute, pytest.approx(mute // 2 * LOOK_EVERY))


def test_starts_that_compute_are_given_way_to_no_longer_than_they_may_hold_a_slot():
    line = Line(5, idle=0)

    line.clock.advance(60.0)

    assert line.begun == [(0, 0.0), (1, 0.0), (2, LONGEST), (3, LONGEST), (4, 2 * LONGEST)]


def test_nobody_is_looked_at_while_none_waits():
    line = Line(3, idle=0)
    line.slots.give_back(0)

    line.clock.advance(4.0)

    assert line.looks == []
    line.slots.give_back(1)
    line.slots.give_back(2)
    assert line.clock.pending() == ()
