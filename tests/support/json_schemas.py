"""Generated JSON Schemas of arguments: combinators, references, Unicode, deep nesting, and odd but legal words.

No reference leads back to itself without a step into an instance, for that has no meaning: a definition
is never a bare reference, and combinators of definitions hold none.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from interop_json import names

words = st.sampled_from(["path", "name", "größe", "天気", "a/b", "~x", "$ref", "", "type", "x y", "items"])
"""Names of properties, some of which are words of JSON Schema or mean something in a pointer."""

small = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2, width=16) | words
constants = small | st.lists(small, max_size=2) | st.dictionaries(words, small, max_size=2)

_DEFINITIONS = ("Node", "größe", "a/b~c")
_POINTERS = ("#", "#/$defs/Node", "#/$defs/gr%C3%B6%C3%9Fe", "#/$defs/a~1b~0c", "#/properties/solid")

annotations = st.fixed_dictionaries(
    {},
    optional={
        "description": st.text(max_size=5),
        "title": st.just("T"),
        "default": small,
        "examples": st.lists(small, max_size=2),
        "format": st.sampled_from(["email", "date-time", "int32", "uri"]),
        "$comment": st.just("c"),
        "deprecated": st.booleans(),
        "x-vendor": small,
    },
)


def _object(properties: Any) -> Any:
    return st.fixed_dictionaries(
        {"type": st.sampled_from(["object", ["object", "null"]])},
        optional={
            "properties": st.dictionaries(words, properties, max_size=3),
            "required": st.lists(words, max_size=2, unique=True),
            "additionalProperties": properties | st.booleans(),
            "patternProperties": st.dictionaries(st.just("^p"), properties, max_size=1),
            "propertyNames": st.just({"maxLength": 4}),
            "minProperties": st.integers(0, 2),
            "maxProperties": st.integers(1, 3),
            "dependentRequired": st.just({"path": ["name"]}),
        },
    )


def _array(items: Any) -> Any:
    return st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": items,
            "prefixItems": st.lists(items, min_size=1, max_size=2),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(1, 3),
            "uniqueItems": st.booleans(),
            "contains": items,
        },
    )


def _joined(branches: Any) -> Any:
    several = st.lists(branches, min_size=1, max_size=3)
    return st.one_of(
        *(several.map(lambda found, key=key: {key: found}) for key in ("anyOf", "oneOf", "allOf")),
        branches.map(lambda branch: {"not": branch}),
        st.tuples(branches, branches).map(lambda two: {"if": two[0], "then": two[1], "else": False}),
    )


_types = st.sampled_from(["string", "integer", "number", "boolean", "null"])
_scalars = st.one_of(
    st.builds(lambda kind: {"type": kind}, _types | st.lists(_types, min_size=1, max_size=3, unique=True)),
    st.builds(
        lambda low, high, key: {"type": "string", "minLength": low, "maxLength": high, **key},
        st.integers(0, 2),
        st.integers(2, 6),
        st.sampled_from([{}, {"pattern": "^[a-z]"}, {"pattern": "(?=x)"}]),
    ),
    st.builds(
        lambda kind, low, key: {"type": kind, "minimum": low, **key},
        st.sampled_from(["integer", "number"]),
        st.integers(-2, 1),
        st.sampled_from([{}, {"exclusiveMinimum": 0}, {"exclusiveMaximum": 2.5}, {"multipleOf": 2}]),
    ),
    constants.map(lambda value: {"const": value}),
    st.lists(constants, min_size=1, max_size=3, unique_by=repr).map(lambda found: {"enum": found}),
    st.just({}),
    st.booleans(),
    st.just({"type": "string", "nullable": True}),
)
_references = st.sampled_from(_POINTERS).flatmap(
    lambda pointer: st.builds(lambda beside: {"$ref": pointer, **beside}, st.just({}) | annotations)
)


def _annotated(schema: Any) -> Any:
    return st.builds(
        lambda found, beside: {**beside, **found} if isinstance(found, dict) else found, schema, annotations
    )


def _layer(inner: Any) -> Any:
    """Schemas whose own words are no references; what is inside an instance may be one."""
    guarded = inner | _references
    return _object(guarded | _joined(guarded)) | _array(guarded) | _joined(inner)


solid = st.recursive(_scalars | _annotated(_scalars), lambda inner: _annotated(_layer(inner)), max_leaves=3)
"""Schemas that say something themselves."""


_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_guarded = solid | _references
_roots = st.fixed_dictionaries(
    {"properties": st.dictionaries(words, _guarded, max_size=3), "solid": solid},
    optional={
        "additionalProperties": solid | st.booleans(),
        "$schema": st.just(_DRAFT),
    },
)
_beside = st.just({}) | annotations | _joined(_object(_guarded))
_definitions = st.fixed_dictionaries(dict.fromkeys(_DEFINITIONS, solid))
_levels = st.sampled_from([0, 0, 0, 1, 20])


@st.composite
def _parameters(draw: st.DrawFn) -> dict[str, Any]:
    root = draw(_roots)
    properties = {**root.pop("properties"), "solid": root.pop("solid")}
    required = draw(st.lists(st.sampled_from(list(properties)), max_size=2, unique=True))
    schema = {"type": "object", "properties": properties, "required": required, **root, **draw(_beside)}
    return nested({**schema, "$defs": draw(_definitions)}, draw(_levels))


def nested(schema: dict[str, Any], levels: int) -> dict[str, Any]:
    """Return a schema with its first property ``levels`` objects deeper."""
    deep: Any = schema["properties"]["solid"]
    for _ in range(levels):
        deep = {"type": "object", "properties": {"down": deep}, "required": ["down"]}
    return {**schema, "properties": {**schema["properties"], "solid": deep}}


parameters = _parameters()
"""Schemas of a tool's arguments: of an object at the root, with the definitions they refer to."""

declarations = st.one_of(
    st.builds(
        lambda name, schema, strict: {
            "type": "function",
            "function": {"name": name, "description": "D.", "parameters": schema, **strict},
        },
        names,
        parameters,
        st.sampled_from([{}, {"strict": False}]),
    ),
    st.builds(
        lambda name, schema, strict: {
            "type": "function",
            "name": name,
            "parameters": schema,
            "strict": strict,
        },
        names,
        parameters,
        st.sampled_from([False, None]),
    ),
)
"""Tool declarations with such schemas."""
