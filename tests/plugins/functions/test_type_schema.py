"""Type hints as JSON Schema: what the subset says, it says exactly."""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import jsonschema
import pytest
from callboard.plugins.functions.type_schema import Unsayable, typed
from hypothesis import given
from hypothesis import strategies as st


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Options(TypedDict, total=False):
    depth: int


NUMBER = {"type": "number"}
NULL = {"type": "null"}
POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "additionalProperties": False,
    "required": ["x"],
}

SAID: dict[str, tuple[Any, dict[str, Any]]] = {
    "str": (str, {"type": "string"}),
    "int": (int, {"type": "integer"}),
    "float": (float, NUMBER),
    "bool": (bool, {"type": "boolean"}),
    "None": (None, NULL),
    "anything": (Any, {}),
    "a list of anything": (list, {"type": "array"}),
    "a list": (list[int], {"type": "array", "items": {"type": "integer"}}),
    "a sequence": (Sequence[str], {"type": "array", "items": {"type": "string"}}),
    "a dict": (dict[str, float], {"type": "object", "additionalProperties": NUMBER}),
    "a mapping of anything": (Mapping[str, Any], {"type": "object"}),
    "one of several": (Literal["a", 1, False], {"enum": ["a", 1, False]}),
    "an enum": (Colour, {"enum": ["red", "blue"]}),
    "a union": (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    "an optional of old": (Optional[float], {"anyOf": [NUMBER, NULL]}),  # noqa: UP045 - the old spelling
    "a union of old": (Union[float, None], {"anyOf": [NUMBER, NULL]}),  # noqa: UP007 - the old spelling
    "with a description": (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
    "a dataclass": (Point, POINT),
    "an optional dataclass": (Point | None, {"anyOf": [POINT, NULL]}),
    "a typed dict": (
        Options,
        {"type": "object", "properties": {"depth": {"type": "integer"}}, "additionalProperties": False},
    ),
}


@pytest.mark.parametrize(("hint", "schema"), SAID.values(), ids=SAID)
def test_a_hint_is_said_as_its_schema(hint, schema):
    assert typed(hint).schema == schema
    jsonschema.Draft202012Validator.check_schema(schema)


TYPE = "type " if sys.version_info >= (3, 12) else ""
FIXED = "ReadOnly[{}]" if sys.version_info >= (3, 13) else "{}"

NEWER = f"""
from typing import *

{TYPE}Count = int
{TYPE}Counts = list[Count | None]

class Marked(TypedDict, total=False):
    depth: Required[{FIXED.format("Count")}]
    marks: {FIXED.format("Required[Counts]")}
    width: NotRequired[{FIXED.format("str")}]
"""
"""A type with a name of its own, since Python 3.12, and a field that is read only, since 3.13; before, what is as much."""


def test_a_named_type_is_said_as_the_one_that_it_names_and_a_mark_of_a_field_not_at_all():
    names: dict[str, Any] = {}
    exec(compile(NEWER, "newer", "exec", dont_inherit=True), names)

    assert typed(names["Marked"]).schema == {
        "type": "object",
        "properties": {
            "depth": {"type": "integer"},
            "marks": {"type": "array", "items": {"anyOf": [{"type": "integer"}, NULL]}},
            "width": {"type": "string"},
        },
        "additionalProperties": False,
        "required": ["depth", "marks"],
    }


ROUGHLY: dict[str, Any] = {
    "bytes": bytes,
    "a set": set[int],
    "a tuple": tuple[int, str],
    "keys that are no text": dict[int, str],
    "two that are read in their own ways": Point | Colour,
    "a constraint of some library": Annotated[int, object()],
    "no type": object(),
    "some class": type("C", (), {}),
}


@pytest.mark.parametrize("hint", ROUGHLY.values(), ids=ROUGHLY)
def test_a_hint_that_could_only_be_said_roughly_is_refused(hint):
    with pytest.raises(Unsayable):
        typed(hint)


def test_json_is_read_as_the_type_at_any_depth():
    read = typed(dict[str, list[Point | None]]).read

    assert read is not None
    assert read({"a": [{"x": 1}, None]}) == {"a": [Point(1), None]}
    assert typed(list[Colour]).read(["blue"]) == [Colour.BLUE]  # type: ignore[misc]


HINTS = st.recursive(
    st.sampled_from([str, int, float, bool, None, Colour, Point, Literal["a", "b"]]),
    lambda inner: inner.map(lambda hint: list[hint]) | inner.map(lambda hint: dict[str, hint]),  # type: ignore[valid-type]
    max_leaves=4,
)


@given(HINTS, st.data())
def test_what_fits_the_schema_is_read_and_what_does_not_fit_it_is_told_apart(hint, data):
    said = typed(hint)
    value = data.draw(_values(hint))

    jsonschema.validate(value, said.schema, jsonschema.Draft202012Validator)
    if said.read is not None:
        said.read(value)


def _values(hint: Any) -> st.SearchStrategy[Any]:
    plain = {
        str: st.text(),
        int: st.integers(),
        float: st.floats(allow_nan=False),
        bool: st.booleans(),
        None: st.none(),
    }
    if hint in plain:
        return plain[hint]
    if hint is Colour:
        return st.sampled_from(["red", "blue"])
    if hint is Point:
        return st.fixed_dictionaries({"x": st.integers()}, optional={"y": st.integers()})
    if getattr(hint, "__origin__", None) is list:
        return st.lists(_values(hint.__args__[0]), max_size=3)
    if getattr(hint, "__origin__", None) is dict:
        return st.dictionaries(st.text(), _values(hint.__args__[1]), max_size=3)
    return st.sampled_from(["a", "b"])
