"""What is wrong with arguments is told in words that a model can act on, and not too many of them."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.interop.schemas.argument_check import ArgumentCheck
from callboard.interop.schemas.violations import MOST_PROBLEMS

FILE = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "line": {"type": "integer", "minimum": 1, "maximum": 99},
        "mode": {"enum": ["read", "write"]},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 2},
        "at": {"type": "object", "properties": {"x": {"type": "number"}}, "additionalProperties": False},
        "by": {"type": ["integer", "null"], "multipleOf": 5},
        "code": {"type": "string", "pattern": "^[A-Z]+$"},
        "kind": {"const": "file"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
SHAPE = {
    "properties": {
        "shape": {
            "oneOf": [
                {
                    "properties": {"is": {"const": "circle"}, "radius": {"type": "number"}},
                    "required": ["is", "radius"],
                },
                {
                    "properties": {"is": {"const": "box"}, "width": {"type": "number"}},
                    "required": ["is", "width"],
                },
            ]
        }
    }
}


def told(schema: dict[str, Any], arguments: Any) -> str:
    return str(ArgumentCheck(schema).misfit(arguments))


@pytest.mark.parametrize(
    ("schema", "arguments", "words"),
    [
        (FILE, {}, "'path' (a string) is missing"),
        (FILE, {"path": 3}, "'path' has to be a string, and is 3"),
        (FILE, {"path": ""}, "'path' has to have at least 1 characters, and has 0"),
        (FILE, {"path": "a", "line": "3"}, "'line' has to be an integer, and is \"3\""),
        (FILE, {"path": "a", "line": 0}, "'line' has to be at least 1, and is 0"),
        (FILE, {"path": "a", "line": 100}, "'line' has to be at most 99, and is 100"),
        (
            FILE,
            {"path": "a", "mode": "append"},
            "'mode' has to be one of \"read\", \"write\", and is \"append\"",
        ),
        (FILE, {"path": "a", "tags": ["b", 1]}, "'tags[1]' has to be a string, and is 1"),
        (FILE, {"path": "a", "tags": ["b", "b"]}, "'tags' has the same item more than once"),
        (FILE, {"path": "a", "tags": list("bcd")}, "'tags' has to have at most 2 items, and has 3"),
        (FILE, {"path": "a", "tags": {"b": 1}}, "'tags' has to be an array, and is an object with 'b'"),
        (FILE, {"path": "a", "at": {"x": None}}, "'at.x' has to be a number, and is null"),
        (FILE, {"path": "a", "at": {"z": 1}}, "there is no 'z' in 'at'; there are: 'x'"),
        (FILE, {"path": "a", "lines": 1}, "there is no 'lines'; did you mean 'line'?"),
        (FILE, {"path": "a", "by": "x"}, "'by' has to be an integer or null, and is \"x\""),
        (FILE, {"path": "a", "by": 7}, "'by' has to be a multiple of 5, and is 7"),
        (FILE, {"path": "a", "code": "a1"}, "'code' has to match ^[A-Z]+$, and is \"a1\""),
        (FILE, {"path": "a", "kind": "dir"}, "'kind' has to be \"file\", and is \"dir\""),
        (SHAPE, {"shape": {"is": "box", "width": "3"}},
         "'shape' fits none of the 2 alternatives; of the nearest one: 'shape.width' has to be a number, and is \"3\""),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, {"a": []},
         "'a' has to be a string or null, and is an empty array"),
        ({"oneOf": [{}, {}]}, {},
         "the arguments as a whole fits more than one of the alternatives, and has to fit exactly one"),
        ({"propertyNames": {"maxLength": 2}}, {"abc": 1},
         '"abc" is no name that is allowed (the arguments as a whole has to have at most 2 characters, and has 3)'),
        ({"properties": {"a": False}}, {"a": 1}, "'a' must not be given"),
        ({"properties": {"a": {"not": {"type": "string"}}}}, {"a": "x"}, "'a' is \"x\", which is ruled out"),
        ({"properties": {"a": {"contains": {"type": "string"}, "minContains": 2}}}, {"a": ["x"]},
         "'a' has to have at least 2 of the items that its schema asks for (a string)"),
        ({"minProperties": 1}, {}, "the arguments as a whole has to have at least 1 members, and has 0"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "'b' is missing"),
        ({"unevaluatedProperties": False, "properties": {"a": {}}}, {"b": 1}, "there is no 'b'; there are: 'a'"),
        ({"properties": {"a": {"exclusiveMinimum": 0}}}, {"a": 0}, "'a' has to be more than 0, and is 0"),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"required": ["b"], "properties": {"b": {"type": "boolean"}}}}},
         {"a": {}}, "'a.b' (a boolean) is missing"),
    ],
)  # fmt: skip
def test_a_problem_names_the_argument_what_is_expected_and_what_was_found(schema, arguments, words):
    assert told(schema, arguments) == words


def test_a_problem_has_its_place_and_its_rule_as_facts():
    misfit = ArgumentCheck(FILE).misfit({"path": "a", "tags": ["b", 1]})

    assert misfit is not None
    assert misfit.problems == (("$.tags[1]", "type", "'tags[1]' has to be a string, and is 1"),)
    assert not misfit.more


def test_several_problems_are_told_at_once():
    assert told(FILE, {"line": "x", "mode": 1}).count("; ") == 2


def test_no_more_problems_are_told_than_can_be_read():
    misfit = ArgumentCheck({"additionalProperties": {"type": "string"}}).misfit(
        {f"k{n}": n for n in range(99)}
    )

    assert misfit is not None
    assert len(misfit.problems) == MOST_PROBLEMS
    assert misfit.more
    assert str(misfit).endswith("; and more")


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": ["x" * 1_000_000] * 5, "y" * 100_000: 1},
        {"path": {f"{n}" * 1000: n for n in range(1000)}},
        {"path": 10**4000},
        {"path": "a", "mode": "z" * 30_000_000},
        {"path": "a", "tags": list(range(500_000))},
    ],
    ids=["long", "wide", "digits", "huge", "many"],
)
def test_what_is_told_is_short_however_large_the_arguments_are(arguments):
    assert 0 < len(told(FILE, arguments)) < 2500


def test_what_is_told_is_short_however_large_the_schema_is():
    wide = {"properties": {"a" * 1000 + str(n): {} for n in range(1000)}, "additionalProperties": False}
    options = {"properties": {"a": {"enum": ["x" * 1000 + str(n) for n in range(5000)]}}}

    assert len(told(wide, {"b": 1})) < 1000
    assert len(told(options, {"a": 1})) < 1000
