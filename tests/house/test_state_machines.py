"""The state machines on paper are those of the code."""

from __future__ import annotations

from state_machines import MACHINES, PLACE, generation_ways, page


def test_the_state_machines_are_drawn_as_they_are() -> None:
    text = PLACE.read_text()

    assert text == page(text), "draw them anew: python tests/support/state_machines.py"


def test_each_machine_ends_somewhere_or_begins_anew() -> None:
    for name, ways in MACHINES.items():
        states = {state for state, _ in ways()} | {each for to in ways().values() for each in to}
        left = {state for (state, _), to in ways().items() if set(to) != {state}}

        assert (
            states - left
            == {"generation": {"gone"}, "child": set(), "call": {"ended"}, "breaker": set()}[name]
        )


def test_a_generation_that_is_gone_hears_nothing() -> None:
    assert [event for state, event in generation_ways() if state == "gone"] == []
