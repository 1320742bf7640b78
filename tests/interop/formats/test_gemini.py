"""Gemini: what is peculiar to it, and what other converters got wrong there."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError, UnknownFormatError
from callboard.interop.parts import JsonPart, MediaPart, TextPart, UnreadPart

GEMINI = ToolInteropTarget("gemini.generate_content")
CHAT = ToolInteropTarget("openai.chat_completions")
ANTHROPIC = ToolInteropTarget("anthropic.messages")

PARAMETERS = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"path": {"$ref": "#/$defs/path"}, "depth": {"const": 1}},
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {"path": {"type": ["string", "null"]}},
}


def codes(converted):
    return [loss.code for loss in converted.losses]


def part(**call):
    return {"functionCall": {"name": "find", **call}}


def response(said, **more):
    return {"functionResponse": {"name": "find", "response": said, **more}}


def test_a_schema_goes_to_gemini_whole_by_default():
    tool = {"type": "function", "function": {"name": "find", "parameters": PARAMETERS}}

    converted = REGISTRY.convert_schema(tool, GEMINI)

    assert converted.value == {"name": "find", "parametersJsonSchema": PARAMETERS}
    assert converted.losses == ()


def test_a_schema_of_gemini_goes_whole_to_others():
    tool = {"name": "find", "description": "Find.", "parametersJsonSchema": PARAMETERS}

    converted = REGISTRY.convert_schema(tool, CHAT)

    assert converted.value["function"] == {"name": "find", "description": "Find.", "parameters": PARAMETERS}
    assert converted.losses == ()


def test_the_python_sdk_s_spelling_is_read_as_well():
    tool = {"name": "find", "parameters_json_schema": PARAMETERS, "response_json_schema": {"type": "string"}}

    inspected = REGISTRY.inspect_schema(tool)

    assert (inspected.parameters, inspected.output_schema) == (PARAMETERS, {"type": "string"})


def test_a_declaration_without_a_schema_is_a_tool_without_arguments():
    inspected = REGISTRY.inspect_schema({"name": "now", "description": "The time."})
    (there,) = REGISTRY.convert_schemas([{"name": "now"}], ANTHROPIC)

    assert inspected.format == "gemini.generate_content.function"
    assert inspected.parameters is None
    assert there == {"name": "now", "input_schema": {"type": "object", "properties": {}}}


def test_two_schemas_in_one_declaration_are_refused_for_the_server_takes_one():
    tool = {"name": "find", "parameters": {"type": "OBJECT"}, "parametersJsonSchema": {"type": "object"}}

    with pytest.raises(InvalidShapeError, match="'parametersJsonSchema' and 'parameters' exclude each other"):
        REGISTRY.inspect_schema(tool)


def test_several_declarations_in_one_tool_are_no_declaration():
    with pytest.raises(UnknownFormatError, match="functionDeclarations"):
        REGISTRY.inspect_schema({"functionDeclarations": [{"name": "find"}]})


def test_behavior_returns_to_gemini_alone():
    tool = {"name": "find", "parametersJsonSchema": {"type": "object"}, "behavior": "NON_BLOCKING"}

    there = REGISTRY.convert_schema(tool, CHAT)
    older = REGISTRY.convert_schema(tool, GEMINI, ["gemini.generate_content.function_openapi"])

    assert "behavior" not in str(there.value)
    assert codes(there) == [LossCode.EXTRAS]
    assert older.value["behavior"] == "NON_BLOCKING"
    assert older.losses == ()


def test_a_result_schema_is_carried_where_there_is_room_for_it():
    tool = {"name": "n", "parametersJsonSchema": {"type": "object"}, "responseJsonSchema": {"type": "object"}}

    mcp = REGISTRY.convert_schema(tool, ToolInteropTarget("mcp"))
    chat = REGISTRY.convert_schema(tool, CHAT)

    assert mcp.value["outputSchema"] == {"type": "object"}
    assert mcp.losses == ()
    assert codes(chat) == [LossCode.OUTPUT_SCHEMA]


@pytest.mark.parametrize("call", [part(), part(args=None), part(args={})], ids=["missing", "null", "empty"])
def test_a_call_without_arguments_takes_none(call):
    inspected = REGISTRY.inspect_call(call)

    assert (inspected.payload, inspected.payload_kind, inspected.call_id) == ({}, "object", None)
    assert REGISTRY.sanitize_tool_call(call) is call


def test_a_call_without_an_id_is_no_call_of_openai_unless_one_is_made_up():
    with pytest.raises(ConversionError, match="give ``turn`` to have one made up"):
        REGISTRY.convert_tool_call(part(args={"a": 1}), CHAT)

    one = REGISTRY.convert_tool_call(part(args={"a": 1}), CHAT, turn=4)
    same = REGISTRY.convert_tool_call(part(args={"a": 1}), CHAT, turn=4)
    other = REGISTRY.convert_tool_call(part(args={"a": 1}), CHAT, turn=5)

    assert one.value["id"] == same.value["id"] != other.value["id"]
    assert "find" not in one.value["id"]
    assert codes(one) == [LossCode.CALL_ID]


def test_an_id_is_echoed_only_if_the_call_had_one():
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}

    (there,) = REGISTRY.convert_tool_calls([call], GEMINI)
    (bare,) = REGISTRY.convert_tool_calls([{"name": "find", "arguments": {}}], GEMINI)

    assert there == part(args={}, id="call_1")
    assert bare == part(args={})


def test_a_thought_signature_stands_beside_the_call_and_its_loss_is_told():
    call = {**part(args={}, id="f1"), "thoughtSignature": "c2ln"}

    converted = REGISTRY.convert_tool_call(call, CHAT)

    assert REGISTRY.inspect_call(call).payload_metadata == {"thought_signature": "c2ln"}
    assert converted.value["id"] == "f1"  # and nothing is hidden in the id
    assert codes(converted) == [LossCode.SIGNATURE]
    assert REGISTRY.convert_tool_call(call, GEMINI).value == call


@pytest.mark.parametrize("args", ['{"a":', [1], "null", 5], ids=repr)
def test_a_call_whose_args_are_no_object_is_never_run_with_an_empty_one(args):
    call = part(args=args)

    assert REGISTRY.inspect_call(call).payload_kind != "object"
    with pytest.raises(ConversionError):
        REGISTRY.convert_tool_call(call, ANTHROPIC, turn=0)
    assert REGISTRY.sanitize_tool_call(call) == part(args={})


def test_a_response_needs_the_tool_s_name_which_the_call_supplies():
    result = {"role": "tool", "tool_call_id": "call_1", "content": "done"}
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}

    with pytest.raises(ConversionError, match="does not say which tool ran"):
        REGISTRY.convert_result(result, GEMINI)

    assert REGISTRY.convert_result(result, GEMINI, call=call).value == response(
        {"output": "done"}, id="call_1"
    )


def test_a_core_message_supplies_the_name_as_well():
    message = {
        "role": "tool",
        "content": "done",
        "toolResult": {"type": "tool_result", "text": "done"},
        "metadata": {"tool_name": "find", "tool_call_id": "call_1"},
    }

    (there,) = REGISTRY.convert_results([message], GEMINI)

    assert there == response({"output": "done"}, id="call_1")


@pytest.mark.parametrize(
    ("said", "parts", "failed"),
    [
        ({"output": "done"}, (TextPart("done"),), False),
        ({"output": {"a": 1}}, (JsonPart({"a": 1}),), False),
        ({"error": "no such file"}, (TextPart("no such file"),), True),
        ({"error": "no", "output": "half"}, (TextPart("no"), TextPart("half")), True),
        ({"files": ["a"]}, (JsonPart({"files": ["a"]}),), None),
        ({"output": "x", "n": 2}, (JsonPart({"output": "x", "n": 2}),), False),
        ({}, (), None),
    ],
    ids=str,
)
def test_output_and_error_are_conventions_and_all_else_is_the_output(said, parts, failed):
    inspected = REGISTRY.inspect_result(response(said))

    assert (inspected.parts, inspected.is_error) == (parts, failed)


def test_the_text_of_a_failure_is_not_lost():
    failed = {"content": [{"type": "text", "text": "no such file"}], "isError": True}
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": "{}"}}

    (there,) = REGISTRY.convert_results([failed], GEMINI, calls=[call])

    assert there["functionResponse"]["response"] == {"error": "no such file"}


def test_media_stand_beside_the_response():
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    stored = {"fileData": {"fileUri": "https://generativelanguage.example/files/1"}}
    result = response({"output": "seen"}, id="f1", parts=[image, stored])

    inspected = REGISTRY.inspect_result(result)
    there = REGISTRY.convert_result(result, ANTHROPIC)

    assert inspected.parts == (
        TextPart("seen"),
        MediaPart("image", url="data:image/png;base64,AAAA"),
        UnreadPart("file in a file store"),
    )
    assert [block["type"] for block in there.value["content"]] == ["text", "image", "text"]
    assert codes(there) == [LossCode.UNREAD]


def test_an_image_goes_to_gemini_beside_the_text_and_back():
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    content = [{"type": "text", "text": "seen"}, {"type": "image", "source": source}]
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": False}
    call = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}

    (there,) = REGISTRY.convert_results([block], GEMINI, calls=[call])
    (back,) = REGISTRY.convert_results([there], ANTHROPIC)

    assert there["functionResponse"]["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]
    assert back == block


def test_an_object_that_a_tool_wrote_for_gemini_goes_in_untouched():
    envelope = {
        "type": "provider_native_tool_result",
        "format": "gemini.generate_content",
        "content": {"image": {"$ref": "img"}},
    }
    call = part(args={}, id="f1")

    (there,) = REGISTRY.convert_results([envelope], GEMINI, calls=[call])

    assert there == response({"image": {"$ref": "img"}}, id="f1")
    with pytest.raises(ConversionError, match="must be the object of its response"):
        REGISTRY.convert_results([{**envelope, "content": None}], GEMINI, calls=[call])
