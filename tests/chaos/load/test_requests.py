"""Which calls a load test makes: drawn or listed, each plugin by itself, and none lost to rounding."""

from __future__ import annotations

from random import Random

import pytest
from callboard.actors.catalog.catalog import ToolDescriptor
from callboard.chaos.load.requests import Expected, NoCalls, from_list, from_schemas, quotas
from hypothesis import given
from hypothesis import strategies as st

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ODD = {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}
TOOLS = [
    ToolDescriptor("words", "count", TEXT, True),
    ToolDescriptor("words", "reverse", TEXT, True),
    ToolDescriptor("days", "weekday", ODD, True),
]


def drawn(sources):
    return {source.plugin: source.draw(Random(7)).wire for source in sources}


def test_calls_are_drawn_for_each_plugin_and_are_the_same_for_a_seed():
    sources, _ = from_schemas(TOOLS, lambda tool: tool.schema)

    (call,) = drawn(sources).values()

    assert drawn(sources) == {"words": call}
    assert call["name"] in {"count", "reverse"}
    assert isinstance(call["arguments"]["text"], str)


def test_a_tool_that_nothing_can_be_drawn_for_is_named_with_the_reason():
    _, refused = from_schemas(TOOLS, lambda tool: tool.schema)

    assert refused == {"weekday": "$.properties.day: format is not understood"}


def test_a_list_is_gone_through_in_order_and_then_again():
    calls = [("words", {"name": "count"}), ("days", {"name": "weekday"}), ("words", {"name": "reverse"})]

    words, days = from_list(calls)

    names = [words.draw(Random(1)).wire["name"] for _ in range(3)]
    assert names == ["count", "reverse", "count"]
    assert days.draw(Random(1)).wire == {"name": "weekday"}


@given(st.integers(1, 10_000), st.lists(st.sampled_from("abcdef"), min_size=1, unique=True))
def test_no_call_is_lost_to_rounding(calls, names):
    shares = quotas(calls, names)

    assert sum(shares.values()) == calls
    assert max(shares.values()) - min(shares.values()) <= 1


def test_a_plugin_may_get_more_than_another():
    assert quotas(100, ["a", "b"], {"a": 3}) == {"a": 75, "b": 25}


def test_without_tools_there_are_no_calls():
    with pytest.raises(NoCalls, match="no tool that could be called"):
        quotas(10, [])


# What is expected of a call

PRIMES = Expected(answer={"n": 1, "primes": [2, 3]}, parts=(2, 3), counter="count")
RIGHT = {"success": True, "result": {"n": 1, "primes": [2, 3], "count": 5}}
CRASHED = {"success": False, "error": "lost", "code": "host_crashed", "outcome": "outcome_unknown"}


@pytest.mark.parametrize(
    ("expected", "result", "parts", "is_right"),
    [
        (PRIMES, RIGHT, (2, 3), True),
        (PRIMES, RIGHT, (2,), False),
        (PRIMES, RIGHT, (3, 2), False),
        (PRIMES, {"success": True, "result": {"n": 2, "primes": [2, 3], "count": 5}}, (2, 3), False),
        (PRIMES, {"success": True, "result": "2, 3"}, (2, 3), False),
        (PRIMES, {"success": False, "error": "no"}, (), False),
        (PRIMES, CRASHED, (2,), True),
        (PRIMES, CRASHED, (3,), False),
        (PRIMES, CRASHED, (2, 3, 5), False),
        (Expected("failure"), {"success": False, "error": "no"}, (), True),
        (Expected("failure"), {"success": True, "result": 1}, (), False),
        (Expected("tool_raised"), {"success": False, "error": "no"}, (), False),
    ],
)
def test_a_call_is_held_against_what_is_expected_of_it(expected, result, parts, is_right):
    assert (not expected.hold(result, parts)["wrong"]) is is_right


def test_a_success_tells_the_counter_and_by_how_much_it_had_to_grow():
    booked = Expected(counter="balance", added=7)

    told = booked.hold({"success": True, "result": {"balance": 12}}, ())

    assert (told["counted"], told["added"]) == (12, 7)
    assert "counted" not in booked.hold(CRASHED, ())
