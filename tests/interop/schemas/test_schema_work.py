"""How much work a schema can make is known before a value is, and never underrated."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.interop.errors import UncheckableSchemaError
from callboard.interop.limits import MAX_DEPTH
from callboard.interop.schemas.argument_check import level_sizes, text_size
from callboard.interop.schemas.cost import TOO_MUCH, work_by_depth
from callboard.interop.schemas.graph import graph_of, subschemas_of
from hypothesis import given
from hypothesis import strategies as st

JSON_VALUE = {
    "$defs": {
        "any": {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"$ref": "#/$defs/any"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/any"}},
            ]
        }
    },
    "$ref": "#/$defs/any",
}
TREE = {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}
FORKING = {
    "oneOf": [
        {"properties": {"op": {"const": "and"}, "of": {"$ref": "#"}}},
        {"properties": {"op": {"const": "or"}, "of": {"$ref": "#"}}},
    ]
}


def work(schema: dict[str, Any]) -> tuple[int, ...]:
    return work_by_depth(graph_of(schema))


def doubling(levels: int) -> dict[str, Any]:
    """Each definition is all of the next one, twice."""
    steps = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**steps, f"d{levels}": {"type": "string"}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        ({}, (1,)),
        ({"properties": {"a": {"type": "string"}, "b": {}, "c": True}}, (1, 1)),
        ({"properties": {"a": {"items": {"type": "integer"}}}}, (1, 1, 1)),
        ({"allOf": [{"type": "object"}], "properties": {"a": {}}, "additionalProperties": {}}, (2, 2)),
        (TREE, (1, 2, 2, 2)),
        (JSON_VALUE, (5, 5, 5, 5)),
        (FORKING, (3, 8, 16, 32)),
    ],
)
def test_the_work_at_each_depth_is_counted(schema, first):
    assert work(schema)[: len(first)] == first


def test_members_of_different_names_are_different_values():
    wide = {"properties": {f"p{n}": {"type": "string"} for n in range(500)}}

    assert work(wide) == (1 + 500 // 4, 1)  # each name is looked up, which takes a quarter


@pytest.mark.parametrize(
    ("schema", "more"),
    [
        ({"enum": ["a"] * 100}, 0),
        ({"enum": [1, 2.5] * 50}, 0),
        ({"enum": ["a", 1]}, 3 * 8),
        ({"enum": [{"a": [1, 2]}]}, 5 * 8),
        ({"const": "a"}, 0),
        ({"const": {"a": [1, 2]}}, 4 * 8),
        ({"required": ["a"] * 400}, 100),
        ({"dependentRequired": {"a": ["b"] * 400, "c": []}}, 100),
        ({"multipleOf": 2}, 0),
        ({"multipleOf": 0.5}, 1_000),
    ],
)
def test_long_lists_in_a_schema_are_work(schema, more):
    assert work(schema)[0] == 1 + more


def test_what_recurs_without_growing_is_the_same_at_every_depth():
    assert work(TREE) == (1, *[2] * MAX_DEPTH)


@pytest.mark.parametrize("levels", [8, 30, 200])
def test_a_few_lines_that_double_their_work_are_told_by_their_number(levels):
    (once,) = work(doubling(levels))

    assert min(2**levels, TOO_MUCH) <= once <= TOO_MUCH


def test_what_has_been_looked_at_is_asked_for_again_where_it_matters():
    plain: dict[str, Any] = {"properties": {"a": {}}}
    closed = plain
    for _ in range(10):
        plain, closed = {"allOf": [plain]}, {"allOf": [closed], "unevaluatedProperties": False}

    assert work(plain)[0] == 11
    assert work(closed)[0] > 3**10


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "#"}, "circle"),
        ({"anyOf": [{"not": {"$ref": "#"}}]}, "circle"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "circle"),
        ({"$ref": "https://example.com/schema.json"}, "nothing is ever fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "nothing is ever fetched"),
        ({"$ref": "other.json#/a"}, "nothing is ever fetched"),
        ({"$ref": "#/$defs/nowhere"}, "leads nowhere"),
        ({"$ref": "#nowhere"}, "leads nowhere"),
        ({"items": {"$ref": 3}}, "no text"),
        ({"properties": {"a": {"$id": "https://example.com/a", "type": "string"}}}, "address"),
        ({"$ref": "#/$defs/a/$defs/b", "$defs": {"a": {"$id": "a/b", "$defs": {"b": {}}}}}, "address"),
        ({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}, "more than once"),
    ],
)
def test_a_schema_that_goes_in_circles_or_leaves_itself_is_refused(schema, why):
    with pytest.raises(UncheckableSchemaError, match=why) as refused:
        work(schema)

    assert str(refused.value) == refused.value.why


@pytest.mark.parametrize(
    "reference",
    ["#/$defs/a~1b%20c", "#here", "https://example.com/tool#/$defs/a~1b%20c", "tool#here"],
)
def test_a_reference_to_the_schema_itself_is_followed_however_it_is_spelt(reference):
    schema = {
        "$id": "https://example.com/tool",
        "$defs": {"a/b c": {"$anchor": "here", "allOf": [{}, {}, {}]}},
        "properties": {"p": {"$ref": reference}},
    }

    assert work(schema) == (1, 5)


def test_more_schemas_than_anybody_writes_are_refused():
    with pytest.raises(UncheckableSchemaError, match="more than 10000"):
        work({"properties": {f"p{n}": {"type": "string"} for n in range(10_001)}})


def test_schemas_that_all_lead_to_all_others_are_refused():
    tangled = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}]} for n in range(2_000)}

    with pytest.raises(UncheckableSchemaError, match="entangled"):
        work({"$ref": "#/$defs/d0", "$defs": {**tangled, "d2000": {}}})


# -- The bound holds

LEAVES = st.sampled_from([{"type": "string"}, {}, {"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}])
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("pq"), inner, max_size=2)}),
        st.fixed_dictionaries({"additionalProperties": inner}, optional={"patternProperties": st.fixed_dictionaries({"p": inner})}),
        st.fixed_dictionaries({"items": inner}, optional={"prefixItems": st.lists(inner, max_size=2)}),
    ),
    max_leaves=6,
)  # fmt: skip
VALUES = st.recursive(
    st.just("x"),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("pqr"), inner)),
    max_leaves=12,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS, VALUES)
def test_no_value_is_looked_at_more_often_than_was_foreseen(root, a, b, value):
    schema = {"allOf": [root], "$defs": {"a": a, "b": b}}
    try:
        foreseen = work(schema)
    except UncheckableSchemaError:
        return

    sizes = level_sizes(value)

    assert sizes is not None
    assert looked_at(schema, schema, value) <= sum(
        size * each for size, each in zip(sizes, foreseen, strict=False)
    )


def looked_at(root: dict[str, Any], schema: dict[str, Any], value: Any) -> int:
    """How many schemas a validator applies that follows every one of them to the end."""
    inside = subschemas_of(schema)
    count = 1 + sum(looked_at(root, each, value) for each in inside.here)
    if "$ref" in schema:
        count += looked_at(root, root["$defs"][schema["$ref"][-1]], value)
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, member in members:
        for any_of_them in inside.members if isinstance(name, str) else inside.items:
            count += looked_at(root, any_of_them, member)
        count += sum(looked_at(root, each, member) for its, each in inside.named if its == name)
    return count


# -- The sizes of values


@pytest.mark.parametrize(
    ("value", "sizes", "characters"),
    [
        ("abc", [1], 4),
        ({}, [1], 1),
        ({"ab": 1, "c": [2, {"d": "efg"}]}, [1, 2, 2, 1], 13),
        (((1, 2), ()), [1, 2, 2], 5),
    ],
)
def test_a_value_is_measured_level_by_level(value, sizes, characters):
    assert level_sizes(value) == sizes
    assert text_size(value) == characters


def test_a_value_without_an_end_is_too_deep():
    circle: dict[str, Any] = {}
    circle["again"] = circle

    assert level_sizes(circle) is None


def test_a_value_as_deep_as_any_that_is_read_has_a_size():
    deep: Any = "x"
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]

    assert level_sizes(deep) == [1] * (MAX_DEPTH + 2)
    assert level_sizes([deep]) is None
