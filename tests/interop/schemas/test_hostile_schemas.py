"""Schemas and calls made to tire us: deep, large, circular, or multiplying by their references.

None may take long, and none may raise anything but an error of ours that names what is wrong. The times
given are far beyond what is needed; without the bounds each of these would run for minutes.
"""

from __future__ import annotations

import time
from itertools import product

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError
from callboard.interop.limits import MAX_SCHEMA_CHARS, MAX_SCHEMA_NODES
from interop_shapes import TARGETS
from thorough import each_once

REWRITING = ("gemini.generate_content.function_openapi", "anthropic.messages.tool")
"""Formats in which a schema is written otherwise than it was: references and alternatives are written out."""

OPENAPI = ToolInteropTarget(REWRITING[0])
SOON = 2.0


def tool(parameters):
    return {"type": "function", "function": {"name": "find", "parameters": parameters}}


def nested(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def doubling(levels):
    """A schema of a few lines whose references write out to 2 ** ``levels`` schemas."""
    definitions = {
        f"d{level}": {
            "type": "object",
            "properties": {side: {"$ref": f"#/$defs/d{level + 1}"} for side in ("left", "right")},
        }
        for level in range(levels)
    }
    definitions[f"d{levels}"] = {"type": "string"}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}


many = [str(number) for number in range(20_000)]
wide = {f"k{number}": {} for number in range(20_000)}
shared = {"type": "object", "properties": {f"p{number}": {} for number in range(2000)}}

TIRING = {
    "references that double at every level": doubling(40),
    "a long chain of references": {
        "properties": {"a": {"$ref": "#/$defs/0"}},
        "$defs": {str(at): {"$ref": f"#/$defs/{at + 1}"} for at in range(5000)},
    },
    "a reference to itself": {
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"$ref": "#/$defs/a"}},
    },
    "two lists to compare": {
        "properties": {"a": {"allOf": [{"enum": many}, {"enum": [*reversed(many)]}]}},
    },
    "two lists of required names": {"allOf": [{"required": many}, {"required": [*reversed(many)]}]},
    "many alternatives": {"properties": {"a": {"anyOf": [{"const": name} for name in many]}}},
    "alternatives beside many words": {
        "properties": {"a": {**wide, "anyOf": [{"minLength": at} for at in range(20_000)]}}
    },
    "many types beside many words": {"properties": {"a": {**wide, "type": ["string"] * 20_000}}},
    "one definition for many alternatives": {
        "oneOf": [{"$ref": "#/$defs/d"}] * 20_000,
        "$defs": {"d": shared},
    },
    "one definition for many parts": {"allOf": [{"$ref": "#/$defs/d"}] * 20_000, "$defs": {"d": shared}},
    "a recursion with branches": {
        "properties": {"a": {"$ref": "#"}, "b": {"anyOf": [{"$ref": "#"}, {"$ref": "#/properties/a"}]}},
    },
}


def outcome(schema, target):
    """Return a converted schema, or what it was refused with, as text."""
    try:
        return str(REGISTRY.convert_schema(schema, ToolInteropTarget(target), [target]).value)
    except (ConversionError, InvalidShapeError) as refusal:
        return str(refusal)


@pytest.mark.parametrize(
    ("schema", "target"),
    [
        pytest.param(TIRING[name], target, id=f"{name}-{target}")
        for name, target in dict.fromkeys(
            [*each_once(TIRING, TARGETS["schema"]), *product(TIRING, REWRITING)]
        )
    ],
)
def test_a_schema_made_to_tire_us_is_converted_or_refused_soon(schema, target):
    began = time.process_time()

    said = outcome(tool(schema), target)

    assert time.process_time() - began < SOON
    assert "find" in said


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (nested(60), "nested"),
        ({"enum": [0] * (MAX_SCHEMA_NODES + 1)}, "has more than 100000 values"),
        ({"description": "x" * (MAX_SCHEMA_CHARS + 1)}, "has more than 4194304 characters"),
    ],
    ids=["deep", "many values", "long text"],
)
def test_a_schema_beyond_the_bounds_is_refused_where_it_is_read(schema, problem):
    with pytest.raises(InvalidShapeError, match=problem):
        REGISTRY.inspect_schema(tool(schema))


def test_references_that_multiply_are_refused_by_name_where_they_are_written_out():
    with pytest.raises(ConversionError, match=r"tool 'find'.* write out to more than 100000"):
        REGISTRY.convert_schema(tool(doubling(40)), OPENAPI)


def test_references_that_multiply_are_nothing_where_they_stay_references():
    converted = REGISTRY.convert_schema(tool(doubling(40)), ToolInteropTarget("anthropic.messages"))

    assert converted.value["input_schema"]["$defs"] == doubling(40)["$defs"]


@pytest.mark.parametrize(
    "reference", ["https://example.com/s.json", "file:///etc/passwd", "#/nowhere", "#x", 5]
)
def test_a_reference_that_leads_out_or_nowhere_is_never_followed(reference):
    schema = {"type": "object", "properties": {"a": {"$ref": reference, "description": "A."}}}

    converted = REGISTRY.convert_schema(tool(schema), OPENAPI)

    assert converted.value["parameters"]["properties"] == {"a": {"description": "A."}}
    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.KEYWORDS, "$ref")]


def test_arguments_beyond_the_bounds_are_malformed_and_say_why():
    deep = '{"a":' * 200 + "1" + "}" * 200

    for form in (deep, {"a": nested(200)}):
        call = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": form}}
        inspected = REGISTRY.inspect_call(call)

        assert inspected.payload_kind == "malformed"
        assert inspected.payload_metadata["error"]["code"] in {"too_deep", "not_json_value"}
