"""What an exact copy keeps, and how that differs from the value as a reader of its text gets it."""

from __future__ import annotations

import uuid
from enum import Enum

import pytest
from callboard.base.errors import JsonValueError
from callboard.base.json import copy_json
from callboard.interop.exact_json import exact_json
from callboard.interop.limits import MAX_DEPTH

TWO_HALVES = "\ud83d\ude00"


class Colour(Enum):
    RED = "red"


@pytest.mark.parametrize("value", [TWO_HALVES, [TWO_HALVES], {TWO_HALVES: 1}])
def test_an_exact_copy_keeps_the_halves_of_a_pair_apart(value):
    assert exact_json(value) == value
    assert copy_json(value) != value


@pytest.mark.parametrize("value", [[True, 1, 1.0, -0.0], [2**64, 10**40], {"a": (None, "\ud800")}])
def test_an_exact_copy_has_each_value_as_it_was(value):
    assert repr(exact_json(value)) == repr(value).replace("(", "[").replace(")", "]")


@pytest.mark.parametrize("value", [[Colour.RED], {"a": uuid.UUID(int=1)}, [float("nan")], {1: 2}, [b""]])
def test_what_only_stands_for_json_has_no_exact_copy(value):
    with pytest.raises(JsonValueError):
        exact_json(value)


def test_an_exact_copy_is_refused_beyond_the_depth_that_is_converted():
    value = 0
    for _ in range(MAX_DEPTH + 1):
        value = [value]

    assert exact_json(value) == value
    with pytest.raises(JsonValueError):
        exact_json([value])
    assert copy_json([value]) == [value]
