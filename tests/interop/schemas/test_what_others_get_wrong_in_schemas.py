"""Behaviours of other converters that their users reported, in tool declarations: what happens here instead.

Each test denies what goes wrong elsewhere; its docstring says where that was seen, and how.
"""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.default_registry import ToolInteropTarget
from callboard.interop.errors import ConversionError, InteropError, InvalidShapeError
from callboard.interop.format_ids import (
    ANTHROPIC_TOOL,
    BEDROCK_TOOL,
    CHAT_FUNCTION,
    GEMINI_FUNCTION,
    GEMINI_OPENAPI,
    RESPONSES_FUNCTION,
)
from interop_json import canonical
from interop_routes import WRITABLE, attempt, convert

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def chat(parameters, **keys):
    return {"type": "function", "function": {"name": "find", "parameters": parameters, **keys}}


def of(**properties):
    return {"type": "object", "properties": properties}


def converted(parameters, target):
    """Return the schema of the arguments in a format, and the codes of what was lost."""
    done = convert("schema", chat(parameters), target)
    return REGISTRY.inspect_schema(done.value, target).parameters, {loss.code for loss in done.losses}


def openapi(schema):
    """Return one property's schema in Gemini's older language, and the codes of what was lost."""
    done = convert("schema", chat(of(a=schema)), GEMINI_OPENAPI)
    return done.value["parameters"]["properties"]["a"], {loss.code for loss in done.losses}


@pytest.mark.parametrize(
    "declaration",
    [
        {"name": "find", "description": "F.", "inputSchema": PATH},
        {"name": "find", "description": "F.", "parametersJsonSchema": PATH},
        {"name": "find", "description": "F.", "input_schema": PATH},
        {"toolSpec": {"name": "find", "description": "F.", "inputSchema": {"json": PATH}}},
    ],
    ids=["mcp", "gemini", "anthropic", "bedrock"],
)
@pytest.mark.parametrize("target", [CHAT_FUNCTION, RESPONSES_FUNCTION])
def test_no_parameters_are_dropped_in_silence(declaration, target):
    """langchain-core: every MCP tool, and every Gemini tool, becomes a function without parameters."""
    done = convert("schema", declaration, target)

    assert REGISTRY.inspect_schema(done.value).parameters == PATH


@pytest.mark.parametrize(
    "custom",
    [{"type": "custom", "name": "patch"}, {"type": "custom", "custom": {"name": "patch"}}],
    ids=["flat", "nested"],
)
@pytest.mark.parametrize("target", [CHAT_FUNCTION, ANTHROPIC_TOOL, GEMINI_FUNCTION, BEDROCK_TOOL])
def test_no_freeform_tool_becomes_a_function_without_parameters_or_a_name(custom, target):
    """langchain-core: no parameters, or an error; litellm: a function with the name ``""``."""
    done = convert("schema", custom, target)

    tool = REGISTRY.inspect_schema(done.value)
    assert tool.name == "patch"
    assert tool.parameters["properties"].keys() == {"input"}
    assert LossCode.TEXT_WRAPPED in {loss.code for loss in done.losses}


def test_no_broken_declaration_is_a_key_error():
    """langchain-core: a Bedrock tool whose ``inputSchema`` has no ``json``."""
    with pytest.raises(InvalidShapeError, match="find"):
        REGISTRY.inspect_schema({"toolSpec": {"name": "find", "inputSchema": {"text": "x"}}})


@pytest.mark.parametrize("target", WRITABLE["schema"])
def test_no_conversion_changes_its_source_not_even_one_that_fails(target):
    """litellm changes a third of all schemas; openai-agents leaks the changes of a failed attempt."""
    broken = {"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"type": "wrong"}]}}}
    for parameters in (broken, {**PATH, "anyOf": [{"required": ["path"]}], "$defs": {"A": {"const": 1}}}):
        source = chat(parameters)
        before = canonical(source)

        attempt("schema", source, target)

        assert canonical(source) == before


KEPT = {
    "const becomes an object": {"const": "a"},
    "an enum of integers is deleted": {"type": "integer", "enum": [1, 2]},
    "an empty choice becomes null": {"type": "string", "enum": ["", "a"]},
    "oneOf and allOf become anything": {"oneOf": [{"type": "string"}, {"allOf": [{"type": "integer"}]}]},
    "a default beside anyOf is dropped": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    "a reference to a property becomes an object": {"$ref": "#/properties/b"},
    "exclusive bounds are dropped": {"type": "integer", "exclusiveMinimum": 0},
    "a format is moved into the description": {"type": "string", "format": "email", "title": "T"},
    "additional properties are dropped": {"type": "object", "additionalProperties": {"type": "string"}},
    "a list of types is an attribute error": {"type": ["string", "null"]},
    "of two nulls one survives": {"anyOf": [{"type": "null"}, {"type": "null"}, {"type": "string"}]},
}


@pytest.mark.parametrize("schema", KEPT.values(), ids=KEPT)
def test_no_keyword_of_json_schema_is_lost_on_the_way_to_gemini(schema):
    """litellm, google-genai, pydantic-ai: each loses some. Here the newer field takes JSON Schema whole."""
    parameters = of(a=schema, b={"type": "string"})

    assert converted(parameters, GEMINI_FUNCTION) == (parameters, set())


def test_no_word_that_gemini_does_not_know_is_sent_to_it():
    """CLIProxyAPI, sub2api: ``$schema`` and ``$defs`` are sent to a server that refuses them."""
    parameters = {
        **of(a={"$ref": "#/$defs/A"}),
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$defs": {"A": {"type": "string"}},
    }

    done = convert("schema", chat(parameters), GEMINI_OPENAPI)

    assert done.value["parameters"] == {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}
    assert done.losses == ()


NARROWED = [
    ({"const": "a"}, {"type": "STRING", "enum": ["a"]}, set()),
    ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}, set()),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}, set()),
    (
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
        {LossCode.KEYWORDS},
    ),
    (
        {"anyOf": [{"type": "null"}, {"type": "null"}, {"type": "string"}], "default": "x"},
        {"type": "STRING", "nullable": True, "default": "x"},
        set(),
    ),
    (
        {"type": "object", "properties": {}, "additionalProperties": False},
        {"type": "OBJECT", "properties": {}},
        {LossCode.KEYWORDS},
    ),
    ({"type": "string", "properties": {"x": {}}}, {"type": "STRING"}, {LossCode.KEYWORDS}),
]


@pytest.mark.parametrize(("schema", "written", "lost"), NARROWED, ids=[str(case[0]) for case in NARROWED])
def test_no_keyword_is_sent_to_a_server_that_refuses_it_nor_dropped_without_a_word(schema, written, lost):
    """opencode, zed, pizza-bot, 5ire, OmniRoute, sub2api, agentscope-java: Gemini's older language."""
    assert openapi(schema) == (written, lost)


@pytest.mark.parametrize("target", [GEMINI_OPENAPI, ANTHROPIC_TOOL, BEDROCK_TOOL])
def test_no_root_goes_without_its_type_where_servers_ask_for_it(target):
    """gemini-cli, codex: no root type; and alternatives at the root in its stead."""
    for parameters in ({"properties": {"a": {"type": "string"}}}, {"anyOf": [PATH, of(a={})]}):
        schema, _ = converted(parameters, target)

        assert schema["type"] == "object"


def test_no_recursion_is_cut_without_a_word_and_no_reuse_is_taken_for_one():
    """pydantic-ai, litellm: recursion is an error, or a bare object; reuse is taken for recursion."""
    tree = {
        **of(left={"$ref": "#/$defs/T"}),
        "$defs": {"T": of(left={"$ref": "#/$defs/T"}, right={"$ref": "#/$defs/V"}), "V": {"type": "string"}},
    }
    reused = {**of(a={"$ref": "#/$defs/V"}, b={"$ref": "#/$defs/V"}), "$defs": {"V": {"type": "string"}}}

    assert converted(tree, GEMINI_FUNCTION) == (tree, set())
    assert converted(tree, GEMINI_OPENAPI)[1] == {LossCode.KEYWORDS}
    assert converted(reused, GEMINI_OPENAPI) == (of(a={"type": "string"}, b={"type": "string"}), set())


@pytest.mark.parametrize(
    "target", [CHAT_FUNCTION, RESPONSES_FUNCTION, ANTHROPIC_TOOL, GEMINI_FUNCTION, BEDROCK_TOOL]
)
def test_no_reference_is_written_out_where_it_may_stay(target):
    """langchain: a schema with definitions grows with every use of them."""
    parameters = {**of(a={"$ref": "#/$defs/V"}), "$defs": {"V": {"type": "string"}}}

    assert converted(parameters, target) == (parameters, set())


def test_no_bad_tool_fails_all_the_others():
    """copilot-cli: a server answers 400 to the whole request. Here the bad one is told, by its place."""
    tools = [chat(PATH), chat({"type": "string"}, name="bad"), chat(of(a={}), name="good")]
    refused = []

    kept = REGISTRY.convert_schemas(
        tools,
        ToolInteropTarget("anthropic.messages"),
        refused=lambda index, error: refused.append((index, str(error))),
    )

    assert [tool["name"] for tool in kept] == ["find", "good"]
    assert refused[0][0] == 1
    assert "'bad'" in refused[0][1]


@pytest.mark.parametrize("key", ["anyOf", "oneOf", "allOf"])
def test_no_alternatives_at_the_root_are_sent_to_anthropic(key):
    """claude-code, mempalace, mobile-mcp: the server refuses them, and with them the request."""
    parameters = {"type": "object", "properties": {"a": {}, "b": {}}, key: [{"required": ["a"]}]}

    schema, lost = converted(parameters, ANTHROPIC_TOOL)

    assert key not in schema
    assert schema["required"] == ["a"]
    assert lost == {LossCode.ROOT_COMBINATORS}


@pytest.mark.parametrize("strict", [None, False])
def test_no_loose_schema_becomes_strict(strict):
    """open-webui, langchain, docker-agent, vercel/ai: unsaid means "no" in Chat, and "try" in Responses."""
    done = convert("schema", chat(PATH, **({} if strict is None else {"strict": strict})), RESPONSES_FUNCTION)

    assert done.value["strict"] is False
    assert done.value["parameters"] == PATH


def test_no_word_beside_a_reference_overwrites_what_it_leads_to():
    """openai-agents: the values that are accepted turn into their opposite. Here both must hold."""
    schema = {"$ref": "#/$defs/V", "enum": ["a", "b"]}
    parameters = {**of(a=schema), "$defs": {"V": {"type": "string", "enum": ["b", "c"]}}}

    done = convert("schema", chat(parameters), GEMINI_OPENAPI)

    assert done.value["parameters"]["properties"]["a"] == {"type": "STRING", "enum": ["b"]}


def test_no_unknown_tool_becomes_a_function_without_parameters():
    """langchain-core guesses; here it is refused, by what it looks like."""
    with pytest.raises(InteropError, match="keys 'name', 'arguments'"):
        REGISTRY.inspect_schema({"name": "find", "arguments": PATH})


def test_no_empty_description_is_sent_to_bedrock():
    """Bedrock asks for one character at least."""
    done = convert("schema", chat(PATH, description=""), BEDROCK_TOOL)

    assert "description" not in done.value["toolSpec"]
    assert {loss.code for loss in done.losses} == {LossCode.DESCRIPTION}


def test_no_grammar_is_dropped_without_a_word():
    """codex-proxy: a freeform tool is called with ``{}``."""
    grammar = {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"}
    tool = {"type": "custom", "name": "patch", "format": grammar}

    done = convert("schema", tool, CHAT_FUNCTION)

    assert {loss.code for loss in done.losses} == {LossCode.TEXT_WRAPPED, LossCode.GRAMMAR}
    with pytest.raises(ConversionError):
        REGISTRY.convert_schemas([tool], ToolInteropTarget("x"), [CHAT_FUNCTION], refuse_losses=True)
