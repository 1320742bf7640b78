"""Slots for starts: never more than there are, in order, and none is lost."""

from __future__ import annotations

from callboard.supervision.runtime.start_slots import StartSlots
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.integers(0, 9)
STEPS = st.lists(st.tuples(st.sampled_from(["take", "give back"]), KEYS), max_size=60)


@given(st.integers(1, 3), STEPS)
def test_slots_are_granted_in_order_and_never_more_than_there_are(most, steps):
    slots, held, waiting, granted = StartSlots(most), [], [], []
    for verb, key in steps:
        if verb == "take" and key not in held and key not in waiting:
            if slots.take(key, lambda key=key: granted.append(key)):
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
    slots, granted = StartSlots(1), []
    slots.take("first", granted.clear)
    for key in ("second", "third"):
        slots.take(key, lambda key=key: (granted.append(key), slots.give_back(key)))

    slots.give_back("first")

    assert granted == ["second", "third"]
    assert slots.take("fourth", granted.clear)
