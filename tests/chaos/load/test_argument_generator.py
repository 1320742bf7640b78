"""Arguments drawn from schemas: valid, the same for a seed, and refused where nobody can be sure."""

from __future__ import annotations

from random import Random

import pytest
from callboard.chaos.load.argument_generator import CannotDraw, draw_arguments
from hypothesis import given
from hypothesis import strategies as st


def fits(schema, value):
    """Whether a value is valid; only what the generator below writes is understood."""
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "object":
            known = all(fits(inner, value[k]) for k, inner in schema["properties"].items() if k in value)
            return isinstance(value, dict) and set(schema["required"]) <= set(value) and known
        case "array":
            sized = schema["minItems"] <= len(value) <= schema["maxItems"]
            return isinstance(value, list) and sized and all(fits(schema["items"], item) for item in value)
        case "string":
            return isinstance(value, str) and schema["minLength"] <= len(value) <= schema["maxLength"]
        case "integer":
            number = isinstance(value, int) and not isinstance(value, bool)
            return number and schema["minimum"] <= value < schema["exclusiveMaximum"]
        case "number":
            return isinstance(value, float) and schema["exclusiveMinimum"] < value <= schema["maximum"]
        case "boolean":
            return isinstance(value, bool)
    return value is None


spans = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair)))
simple = st.one_of(
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.just({"enum": ["a", 1, None]}),
    spans.map(lambda s: {"type": "string", "minLength": s[0], "maxLength": s[1]}),
    spans.map(lambda s: {"type": "integer", "minimum": s[0], "exclusiveMaximum": s[1] + 1}),
    spans.map(lambda s: {"type": "number", "exclusiveMinimum": s[0], "maximum": s[1] + 1}),
)


def larger(inner):
    arrays = st.builds(
        lambda items, span: {"type": "array", "items": items, "minItems": span[0], "maxItems": span[1]},
        inner,
        spans,
    )
    return arrays | objects(inner)


def objects(inner):
    return st.dictionaries(st.sampled_from("abcd"), inner).flatmap(
        lambda properties: st.sets(st.sampled_from(sorted(properties) or ["a"])).map(
            lambda required: {
                "type": "object",
                "properties": properties,
                "required": sorted(required & set(properties)),
            }
        )
    )


@given(objects(st.recursive(simple, larger, max_leaves=5)), st.integers(0, 1000))
def test_what_is_drawn_is_valid_and_the_same_for_a_seed(schema, seed):
    drawn = draw_arguments(schema, Random(seed))

    assert fits(schema, drawn)
    assert drawn == draw_arguments(schema, Random(seed))


@pytest.mark.parametrize("schema", [None, {}, True, {"type": "object"}, {"properties": {}}])
def test_a_tool_that_says_nothing_gets_nothing(schema):
    assert draw_arguments(schema, Random(1)) == {}


def one(inner, **more):
    return {"type": "object", "properties": {"x": inner}, "required": ["x"], **more}


@pytest.mark.parametrize(
    ("inner", "allowed"),
    [
        ({"const": 7}, {7}),
        ({"anyOf": [{"const": 1}, {"const": 2}]}, {1, 2}),
        ({"anyOf": [{"type": "string", "pattern": "^a"}, {"const": 2}]}, {2}),
        ({"$ref": "#/$defs/colour"}, {"red", "blue"}),
        ({"type": ["null", "boolean"]}, {None, True, False}),
        ({"type": "integer", "maximum": -1000, "minimum": -1000}, {-1000}),
        ({"type": "string", "maxLength": 0}, {""}),
    ],
)
def test_what_is_drawn_is_what_the_schema_allows(inner, allowed):
    schema = one(inner, **{"$defs": {"colour": {"enum": ["red", "blue"]}}})

    assert {draw_arguments(schema, Random(seed))["x"] for seed in range(40)} == allowed


def drawn_numbers(inner, name="x"):
    schema = {"type": "object", "properties": {name: inner}, "required": [name]}
    return {draw_arguments(schema, Random(seed))[name] for seed in range(60)}


@pytest.mark.parametrize(
    ("bounds", "least", "most"),
    [
        ({}, 0, 3),
        ({"minimum": 0}, 0, 3),
        ({"maximum": 10**9}, 0, 3),
        ({"minimum": -90, "maximum": 90}, 0, 3),
        ({"minimum": 1000}, 1000, 1003),
        ({"exclusiveMinimum": 0, "maximum": 0.5}, 0, 0.5),
        ({"maximum": -7}, -10, -7),
    ],
)
def test_a_number_is_as_near_to_zero_as_its_bounds_let_it_be(bounds, least, most):
    numbers = drawn_numbers({"type": "number", **bounds})

    assert least <= min(numbers) <= max(numbers) <= most
    assert len(numbers) > 1


def test_a_whole_number_without_bounds_is_small():
    assert drawn_numbers({"type": "integer"}, "count") == {0, 1, 2, 3}


@pytest.mark.parametrize("name", ["seconds", "delay", "durationMs", "wait_for", "minutes"])
@pytest.mark.parametrize("optional", [False, True])
def test_a_tool_is_asked_to_wait_for_next_to_no_time(name, optional):
    inner = {"type": "number", "minimum": 0, "maximum": 3600}

    numbers = drawn_numbers({"anyOf": [inner, {"type": "null"}]} if optional else inner, name)

    assert max(numbers - {None}) <= 0.02
    assert drawn_numbers({"type": "integer"}, name) == {0}
    assert drawn_numbers({"type": "integer", "minimum": 5}, name) == {5}


def test_a_timeout_is_no_time_to_wait_for():
    assert max(drawn_numbers({"type": "number"}, "timeout_seconds")) >= 1


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ({"type": "string", "pattern": "^a"}, "pattern is not understood"),
        ({"type": "string", "format": "date"}, "format is not understood"),
        ({"oneOf": [{"const": 1}]}, "the type is None"),
        ({"type": "integer", "multipleOf": 7}, "multipleOf is not understood"),
        ({"type": "integer", "minimum": 3, "maximum": 2}, "no number is allowed"),
        ({"type": "file"}, "the type is 'file'"),
        ({"$ref": "elsewhere.json"}, "leads out of the schema"),
        ({"$ref": "#/$defs/gone"}, "leads nowhere"),
        ({"$ref": "#"}, "leads out of the schema"),
        (False, "allows nothing"),
    ],
)
def test_what_nobody_can_be_sure_of_is_refused_with_its_place(inner, why):
    with pytest.raises(CannotDraw, match=why) as caught:
        draw_arguments(one(inner), Random(1))

    assert caught.value.path == "$.properties.x"


def test_an_optional_property_that_cannot_be_drawn_is_left_out():
    schema = {"type": "object", "properties": {"x": {"type": "string", "pattern": "^a"}}}

    assert {str(draw_arguments(schema, Random(seed))) for seed in range(20)} == {"{}"}


def test_a_schema_within_itself_ends_where_it_may():
    node = {"type": "object", "properties": {"next": {"$ref": "#/properties/node"}}}

    drawn = draw_arguments({"type": "object", "properties": {"node": node}, "required": ["node"]}, Random(3))

    assert isinstance(drawn["node"], dict)


def test_a_schema_of_something_else_than_an_object_is_refused():
    with pytest.raises(CannotDraw, match="have to be an object"):
        draw_arguments({"type": "string"}, Random(1))
