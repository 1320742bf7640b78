from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import enum
import json
import math
import uuid

import pytest
from callboard.base.errors import JsonValueError
from callboard.base.json import copy_json, dump_json, dump_line, load_json, require_json
from hypothesis import example, given
from hypothesis import strategies as st
from interop_json import canonical, containers, values


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: int


DEEP: list = []
for _ in range(300):
    DEEP = [DEEP]
ENDLESS: dict = {}
ENDLESS["self"] = ENDLESS

NOT_JSON = {
    "a set": ({1}, "$"),
    "bytes": (b"x", "$"),
    "NaN": (math.nan, "$"),
    "infinity": ([1, math.inf], "$[1]"),
    "NaN beside what only the slow way can write": ([2**70, math.nan], "$[1]"),
    "NaN beside a tuple": ({"a": (1,), "b": None, "c": -math.inf}, "$.c"),
    "a key that is a number": ({"a": {1: 2}}, "$.a"),
    "a dataclass": ({"files": [None, Point(1)]}, "$.files[1]"),
    "a date": ({"at": dt.date(2024, 1, 1)}, "$.at"),
    "a digit too many": ([10**5000], "$[0]"),
    "an enum of no JSON value": (enum.Enum("Odd", {"A": b"x"}).A, "$"),
    "a generator": ((n for n in ()), "$"),
}


@pytest.mark.parametrize("write", [dump_json, dump_line, copy_json])
@pytest.mark.parametrize(
    "beside", [[], ["x" * 10_000], [None] * 5_000], ids=["", "a long text", "many values"]
)
@pytest.mark.parametrize("odd", [math.nan, -math.inf, [math.nan], {"a": [0, {"b": math.inf}]}], ids=repr)
def test_no_size_of_what_stands_beside_it_hides_a_number_that_json_cannot_say(write, beside, odd):
    for value in ([*beside, odd], [odd, *beside]):
        with pytest.raises(JsonValueError):
            write(value)


@given(values)
def test_a_line_is_the_text_with_a_newline(value):
    assert dump_line(value) == dump_json(value) + b"\n"


@pytest.mark.parametrize("write", [dump_json, copy_json])
@pytest.mark.parametrize(("value", "path"), NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_json_is_refused_at_its_path(write, value, path):
    with pytest.raises(JsonValueError) as caught:
        write(value)

    assert caught.value.path == path
    assert path in str(caught.value)


@pytest.mark.parametrize("write", [dump_json, copy_json])
@pytest.mark.parametrize("value", [DEEP, ENDLESS], ids=["deep", "endless"])
def test_what_is_nested_too_deep_is_refused(write, value):
    with pytest.raises(JsonValueError, match="nested more than 250 levels"):
        write(value)


def test_a_path_begins_with_what_the_value_is_called():
    with pytest.raises(JsonValueError) as caught:
        dump_json({"files": [1, {2}]}, what="state")

    assert caught.value.path == "state.files[1]"


@given(values)
@example([2**64, -(2**63), 10**40])
@example({"\ud800": "\udfff"})
@example([None, None])
def test_a_copy_equals_its_original_and_shares_nothing_with_it(value):
    copy = copy_json(value)

    assert canonical(copy) == canonical(value)
    assert containers(copy).isdisjoint(containers(value))


@given(values)
def test_what_is_written_is_json_and_means_the_value(value):
    text = dump_json(value)

    assert canonical(json.loads(text)) == canonical(value)


@given(values)
def test_whatever_is_json_passes(value):
    require_json(value)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        ({"null": None, "tuple": (None,)}, {"null": None, "tuple": [None]}),
        (Colour.RED, "red"),
        ([Level.HIGH, 2**70], [3, 2**70]),
        ([Colour.RED, 2**70], ["red", 2**70]),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ([uuid.UUID(int=1), "\ud800"], ["00000000-0000-0000-0000-000000000001", "\ud800"]),
    ],
)
def test_values_that_stand_for_json_are_written_as_it(value, plain):
    assert copy_json(value) == plain
    assert json.loads(dump_json(value)) == plain


@given(st.binary(max_size=20))
@example(b"")
@example(b"NaN")
@example(b"\xff")
@example(b'{"a":1}x')
def test_reading_gives_json_or_its_own_error(text):
    with contextlib.suppress(JsonValueError):
        require_json(load_json(text))


@pytest.mark.parametrize("value", ["\ud800x", {"\udfff": ["a", None]}, [Colour.RED.value, 2**70, "\ud800"]])
def test_what_is_written_can_be_read_also_where_it_is_half_a_surrogate_pair(value):
    assert load_json(dump_json(value)) == value


@pytest.mark.parametrize("text", ['["\\ud800", NaN]', '["\\ud800", 1e999]', '"\\ud800', b'\xff"\\ud800"'])
def test_half_a_surrogate_pair_excuses_nothing_else(text):
    with pytest.raises(JsonValueError):
        load_json(text)


def test_of_two_equal_keys_the_last_counts():
    assert load_json('{"a": 1, "a": 2}') == {"a": 2}
