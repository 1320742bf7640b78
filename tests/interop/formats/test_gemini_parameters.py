"""Gemini's ``parameters``, the older language: written only where it is named, and honest about what it narrows."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError

OLDER = "gemini.generate_content.function_openapi"
CHAT = ToolInteropTarget("openai.chat_completions")


def tool(schema):
    parameters = {"type": "object", "properties": {"v": schema}}
    return {"type": "function", "function": {"name": "find", "parameters": parameters}}


def narrowed(schema):
    """Return what a property's schema becomes, and the keywords that say less."""
    converted = REGISTRY.convert_schema(tool(schema), ToolInteropTarget(OLDER))
    lost = [loss.detail for loss in converted.losses if loss.code == LossCode.KEYWORDS]
    return converted.value["parameters"]["properties"]["v"], ", ".join(lost)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "description": "A."}, {"type": "STRING", "description": "A."}),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "STRING", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"const": 5}, {"type": "INTEGER", "minimum": 5, "maximum": 5}),
        ({"enum": ["a", "b"]}, {"type": "STRING", "enum": ["a", "b"]}),
        (
            {"type": ["string", "null"], "enum": ["a", None]},
            {"type": "STRING", "enum": ["a"], "nullable": True},
        ),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}),
        ({"type": "array", "items": {"type": "number"}}, {"type": "ARRAY", "items": {"type": "NUMBER"}}),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, {"type": "STRING", "minLength": 2}),
        (
            {"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 3}]},
            {"type": "INTEGER", "minimum": 3},
        ),
        ({"$schema": "https://json-schema.org/draft-07/schema", "type": "boolean"}, {"type": "BOOLEAN"}),
    ],
    ids=str,
)
def test_what_the_language_has_a_word_for_loses_nothing(schema, said):
    assert narrowed(schema) == (said, "")


@pytest.mark.parametrize(
    ("schema", "said", "lost"),
    [
        ({"type": "integer", "enum": [1, 3]}, {"type": "INTEGER", "minimum": 1, "maximum": 3}, "enum"),
        ({"type": "string", "enum": ["", "a"]}, {"type": "STRING"}, "enum"),
        ({"type": "string", "format": "email"}, {"type": "STRING"}, "format"),
        ({"type": "string", "pattern": "(?=x)"}, {"type": "STRING"}, "pattern"),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER", "minimum": 0}, "exclusiveMinimum"),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
            "oneOf",
        ),
        (
            {"type": "array", "prefixItems": [{"type": "string"}], "uniqueItems": True},
            {"type": "ARRAY", "items": {}},
            "prefixItems, uniqueItems",
        ),
        (
            {"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}},
            {"type": "OBJECT", "properties": {}},
            "additionalProperties, required",
        ),
        ({"not": {"type": "string"}}, {}, "not"),
    ],
    ids=str,
)
def test_what_it_has_no_word_for_is_widened_and_named(schema, said, lost):
    assert narrowed(schema) == (said, lost)


def test_references_are_written_out_with_what_stands_beside_them():
    schema = {
        "properties": {"a": {"$ref": "#/$defs/p", "description": "The first."}, "b": {"$ref": "#/$defs/p"}},
        "$defs": {"p": {"type": "string", "minLength": 1}},
    }
    declared = {"type": "function", "function": {"name": "find", "parameters": schema}}

    converted = REGISTRY.convert_schema(declared, ToolInteropTarget(OLDER))

    assert converted.value["parameters"] == {
        "type": "OBJECT",
        "properties": {
            "a": {"type": "STRING", "minLength": 1, "description": "The first."},
            "b": {"type": "STRING", "minLength": 1},
        },
    }
    assert converted.losses == ()  # the same definition twice is no recursion


def test_a_recursion_ends_in_the_bare_type():
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
    schema = {"properties": {"first": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    declared = {"type": "function", "function": {"name": "find", "parameters": schema}}

    converted = REGISTRY.convert_schema(declared, ToolInteropTarget(OLDER))

    first = converted.value["parameters"]["properties"]["first"]
    assert first == {"type": "OBJECT", "properties": {"next": {"type": "OBJECT", "properties": {}}}}
    assert [(loss.code, loss.detail) for loss in converted.losses] == [(LossCode.KEYWORDS, "$ref")]


def test_no_schema_is_written_for_a_tool_without_arguments():
    declared = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}

    converted = REGISTRY.convert_schema(declared, ToolInteropTarget(OLDER))

    assert converted.value == {"name": "now"}


@pytest.mark.parametrize(
    "schema", [{"type": "dict"}, {"type": "str"}, {"anyOf": {}}, {"items": 5, "type": "array"}]
)
def test_what_is_no_json_schema_is_refused_and_names_the_tool(schema):
    with pytest.raises(ConversionError, match="the schema of tool 'find'"):
        REGISTRY.convert_schema(tool(schema), ToolInteropTarget(OLDER))


def test_the_family_does_not_stand_for_it():
    family = ToolInteropTarget("gemini.generate_content")

    assert "parametersJsonSchema" in REGISTRY.convert_schema(tool({}), family).value
    assert "parameters" in REGISTRY.convert_schema(tool({"type": "string"}), family, [OLDER]).value


def test_a_declaration_in_it_stays_as_it_is_for_its_family():
    declared = {
        "name": "find",
        "parameters": {
            "type": "OBJECT",
            "properties": {"a": {"type": "STRING", "nullable": True}},
            "propertyOrdering": ["a"],
        },
    }

    converted = REGISTRY.convert_schema(declared, ToolInteropTarget("gemini.generate_content"))

    assert converted.value == declared
    assert converted.value["parameters"] is not declared["parameters"]


def test_it_is_read_as_the_json_schema_that_means_the_same():
    declared = {
        "name": "find",
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "a": {"type": "STRING", "nullable": True, "enum": ["x"]},
                "b": {"type": "ARRAY", "items": {"type": "INTEGER"}, "maxItems": "5"},
                "c": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}], "nullable": True, "example": 1},
            },
            "propertyOrdering": ["b", "a", "c"],
        },
    }

    converted = REGISTRY.convert_schema(declared, CHAT)

    assert converted.value["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["x", None]},
            "b": {"type": "array", "items": {"type": "integer"}, "maxItems": 5},
            "c": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}], "examples": [1]},
        },
    }
    assert [loss.detail for loss in converted.losses] == ["propertyOrdering"]


def test_a_declaration_in_lower_case_looks_like_anybody_s():
    declared = {"name": "find", "parameters": {"type": "object", "properties": {}}}

    assert REGISTRY.inspect_schema(declared).format == "amplifier.tool"
