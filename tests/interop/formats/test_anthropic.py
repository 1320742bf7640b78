"""Anthropic Messages: what is peculiar to it, and what other converters got wrong there."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, LossRefusedError
from callboard.interop.parts import MediaPart, TextPart

ANTHROPIC = ToolInteropTarget("anthropic.messages")
CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")


def chat_tool(parameters):
    return {"type": "function", "function": {"name": "find", "parameters": parameters}}


def chat_call(arguments):
    return {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": arguments}}


def codes(converted):
    return [loss.code for loss in converted.losses]


def test_type_custom_with_an_input_schema_is_an_ordinary_tool():
    tool = {"type": "custom", "name": "find", "input_schema": {"type": "object"}}

    inspected = REGISTRY.inspect_schema(tool)

    assert (inspected.format, inspected.kind) == ("anthropic.messages.tool", "object")


def test_what_the_provider_executes_itself_is_no_call_of_ours():
    call = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "ls", "input": {}}

    inspected = REGISTRY.inspect_call(call)

    assert (inspected.tool_name, inspected.payload_kind) == (None, "malformed")


def test_a_tool_without_parameters_takes_an_empty_object():
    (tool,) = REGISTRY.convert_schemas([{"type": "function", "function": {"name": "now"}}], ANTHROPIC)

    assert tool == {"name": "now", "input_schema": {"type": "object", "properties": {}}}


def test_alternatives_at_the_root_are_widened_to_one_object_and_declared():
    one = {"properties": {"path": {"type": "string"}, "n": {"type": "integer"}}, "required": ["path"]}
    other = {"properties": {"url": {"type": "string"}, "n": {"type": "string"}}, "required": ["url"]}
    tool = chat_tool({"type": "object", "oneOf": [one, {"$ref": "#/$defs/other"}], "$defs": {"other": other}})

    converted = REGISTRY.convert_schema(tool, ANTHROPIC)

    schema = converted.value["input_schema"]
    assert schema["properties"] == {
        "path": {"anyOf": [{"type": "string"}, {}]},  # in the other branch it is anything
        "n": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "url": {"anyOf": [{}, {"type": "string"}]},
    }
    assert "oneOf" not in schema
    assert "required" not in schema
    assert codes(converted) == [LossCode.ROOT_COMBINATORS]
    with pytest.raises(LossRefusedError, match="root_combinators"):
        REGISTRY.convert_schemas([tool], ANTHROPIC, refuse_losses=True)


def test_a_property_that_the_other_alternatives_forbid_keeps_its_word():
    one = {"properties": {"path": {"type": "string"}}, "additionalProperties": False}
    other = {"properties": {"url": {"type": "string"}}, "additionalProperties": False}

    converted = REGISTRY.convert_schema(chat_tool({"anyOf": [one, other]}), ANTHROPIC)

    assert converted.value["input_schema"]["properties"] == {**one["properties"], **other["properties"]}


def test_alternatives_that_multiply_by_their_references_are_refused():
    definition = {"properties": {f"p{number}": {} for number in range(1000)}}
    branches = [{"$ref": "#/$defs/d"}] * 1000

    with pytest.raises(ConversionError, match="the alternatives at its root say more than 100000 things"):
        REGISTRY.convert_schema(chat_tool({"oneOf": branches, "$defs": {"d": definition}}), ANTHROPIC)


def test_what_every_alternative_requires_stays_required():
    branches = [{"required": ["a", "b"]}, {"required": ["b", "c"]}]
    tool = chat_tool({"properties": {"a": {}, "b": {}, "c": {}}, "required": ["d"], "anyOf": branches})

    converted = REGISTRY.convert_schema(tool, ANTHROPIC)

    assert converted.value["input_schema"]["required"] == ["d", "b"]


def test_what_all_of_several_schemas_require_stays_required():
    tool = chat_tool({"allOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": False})

    converted = REGISTRY.convert_schema(tool, ANTHROPIC)

    assert converted.value["input_schema"]["required"] == ["a", "b"]


def test_alternatives_below_the_root_stay():
    parameters = {"type": "object", "properties": {"v": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}}

    converted = REGISTRY.convert_schema(chat_tool(parameters), ANTHROPIC)

    assert converted.value["input_schema"] == parameters
    assert converted.losses == ()


@pytest.mark.parametrize("parameters", [{"type": "dict"}, {"type": "array"}, {"properties": []}], ids=str)
def test_a_tool_whose_arguments_are_no_object_is_refused_by_name(parameters):
    with pytest.raises(ConversionError, match="the schema of tool 'find'"):
        REGISTRY.convert_schemas([chat_tool(parameters)], ANTHROPIC)


def test_keys_of_anthropic_never_reach_openai():
    tool = {"name": "find", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}

    converted = REGISTRY.convert_schema(tool, RESPONSES)

    assert "cache_control" not in converted.value
    assert converted.value["strict"] is False
    assert codes(converted) == [LossCode.EXTRAS]


@pytest.mark.parametrize("arguments", ["", "  ", None, {}, "{}"], ids=repr)
def test_a_call_without_arguments_has_an_empty_input(arguments):
    (call,) = REGISTRY.convert_tool_calls([chat_call(arguments)], ANTHROPIC)

    assert call == {"type": "tool_use", "id": "call_1", "name": "find", "input": {}}


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "null", '"{}"', "[1]"])
def test_a_call_that_is_no_object_is_refused_and_never_emptied(arguments):
    with pytest.raises(ConversionError, match="the call 'call_1' to tool 'find'"):
        REGISTRY.convert_tool_calls([chat_call(arguments)], ANTHROPIC)


@pytest.mark.parametrize(("written", "kind"), [("", "object"), ("{}", "object"), ('{"a":', "malformed")])
def test_text_in_place_of_input_means_what_it_means_as_arguments(written, kind):
    call = {"type": "tool_use", "id": "t", "name": "find", "input": written}

    inspected = REGISTRY.inspect_call(call)
    sanitized = REGISTRY.sanitize_tool_call(call)

    assert inspected.payload_kind == kind
    assert sanitized == {**call, "input": {}}


def test_a_call_with_an_input_is_its_own_sanitized_form():
    call = {"type": "tool_use", "id": "t", "name": "find", "input": {"a": 1}}

    assert REGISTRY.sanitize_tool_call(call) is call


@pytest.mark.parametrize("flag", [True, False])
def test_failure_is_a_flag_here_and_a_line_of_text_in_openai(flag):
    block = {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": flag}

    converted = REGISTRY.convert_result(block, CHAT)

    assert converted.value["content"] == ("[tool error]\nno" if flag else "no")
    assert codes(converted) == [LossCode.ERROR_FLAG]


def test_a_flag_that_is_null_says_nothing_and_is_not_written():
    block = {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": None}

    assert REGISTRY.inspect_result(block).is_error is None
    (there,) = REGISTRY.convert_results([block], RESPONSES)
    (back,) = REGISTRY.convert_results([there], ANTHROPIC)
    assert "is_error" not in back


def test_an_image_goes_to_openai_and_back():
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    block = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image", "source": source}]}

    (output,) = REGISTRY.convert_results([block], RESPONSES)
    (back,) = REGISTRY.convert_results([output], ANTHROPIC)

    assert output["output"] == [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]
    assert back == block


@pytest.mark.parametrize(
    "image", ["data:image/png;base64,A", "data:image/tiff;base64,AAAA", "data:\u2026", "file:///a.png"]
)
def test_an_image_that_the_provider_would_refuse_becomes_a_note(image):
    output = {
        "type": "function_call_output",
        "call_id": "c",
        "output": [{"type": "input_image", "image_url": image}],
    }

    converted = REGISTRY.convert_result(output, ANTHROPIC)

    assert converted.value["content"] == "[1 part not representable: image]"
    assert codes(converted) == [LossCode.MEDIA]


def test_a_file_of_one_provider_is_nothing_to_another():
    image = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
    block = {"type": "tool_result", "tool_use_id": "t", "content": [image]}

    converted = REGISTRY.convert_result(block, RESPONSES)

    assert converted.value["output"] == "[1 part not representable: image in a file store]"
    assert codes(converted) == [LossCode.UNREAD]


def test_documents_and_search_results_are_read_as_far_as_they_can_be():
    content = [
        {"type": "document", "title": "a", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
        {
            "type": "search_result",
            "source": "s",
            "title": "t",
            "content": [{"type": "text", "text": "found"}],
        },
    ]
    block = {"type": "tool_result", "tool_use_id": "t", "content": content}

    inspected = REGISTRY.inspect_result(block)

    assert inspected.parts == (
        MediaPart("file", url="https://example.com/a.pdf", filename="a"),
        TextPart("found", ("source", "title")),
    )
