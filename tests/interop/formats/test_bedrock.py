"""Bedrock Converse: what is peculiar to it, and what other converters got wrong there."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError, UnknownFormatError
from callboard.interop.parts import JsonPart, MediaPart, TextPart, UnreadPart

BEDROCK = ToolInteropTarget("bedrock.converse")
CHAT = ToolInteropTarget("openai.chat_completions")
ANTHROPIC = ToolInteropTarget("anthropic.messages")


def codes(converted):
    return [loss.code for loss in converted.losses]


def spec(**facts):
    return {"toolSpec": {"name": "find", "inputSchema": {"json": {"type": "object"}}, **facts}}


def chat_call(arguments):
    return {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": arguments}}


def output(*content, **facts):
    return {"toolResult": {"toolUseId": "t1", "content": list(content), **facts}}


def test_an_empty_description_is_left_out_for_the_server_refuses_it():
    tool = {"type": "function", "function": {"name": "find", "description": ""}}

    converted = REGISTRY.convert_schema(tool, BEDROCK)

    assert converted.value == {
        "toolSpec": {"name": "find", "inputSchema": {"json": {"type": "object", "properties": {}}}}
    }
    assert codes(converted) == [LossCode.DESCRIPTION]


@pytest.mark.parametrize("strict", [True, False, None])
def test_strict_is_carried_as_it_was_said(strict):
    tool = spec() if strict is None else spec(strict=strict)

    (chat,) = REGISTRY.convert_schemas([tool], CHAT, refuse_losses=True)
    (back,) = REGISTRY.convert_schemas([chat], BEDROCK, refuse_losses=True)

    assert chat["function"].get("strict") is strict
    assert back["toolSpec"].get("strict") is strict


@pytest.mark.parametrize("schema", [None, {}, {"json": None}, {"json": "{}"}, {"type": "object"}], ids=repr)
def test_a_schema_that_is_not_under_json_is_refused_and_names_the_tool(schema):
    with pytest.raises(InvalidShapeError, match="tool 'find': 'inputSchema' must be an object"):
        REGISTRY.inspect_schema(spec(inputSchema=schema))


@pytest.mark.parametrize(
    "tool", [{"systemTool": {"name": "nova"}, "x": 1}, {"cachePoint": "default"}, {"toolSpec": None}], ids=str
)
def test_what_else_stands_among_the_tools_is_no_declaration(tool):
    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_schema(tool)


def test_keys_of_bedrock_return_to_bedrock_alone():
    tool = {**spec(x_new=1), "x_beside": 2}

    converted = REGISTRY.convert_schema(tool, CHAT)

    assert "x_" not in str(converted.value)
    assert codes(converted) == [LossCode.EXTRAS]
    assert REGISTRY.convert_schema(tool, BEDROCK).value == tool


@pytest.mark.parametrize("arguments", ["", "  ", "{}", {}, None], ids=repr)
def test_a_call_without_arguments_has_an_empty_input(arguments):
    (call,) = REGISTRY.convert_tool_calls([chat_call(arguments)], BEDROCK)

    assert call == {"toolUse": {"toolUseId": "call_1", "name": "find", "input": {}}}


@pytest.mark.parametrize("arguments", ['{"path":', '{"a":1}{"b":2}', "null", "[]", '"{}"'])
def test_broken_arguments_are_refused_and_neither_emptied_nor_split(arguments):
    with pytest.raises(ConversionError, match="the call 'call_1' to tool 'find'"):
        REGISTRY.convert_tool_calls([chat_call(arguments)], BEDROCK)


@pytest.mark.parametrize(
    ("written", "kind"), [("", "object"), ('{"a": 1}', "object"), ('{"a":', "malformed")]
)
def test_text_in_place_of_input_means_what_it_means_as_arguments(written, kind):
    call = {"toolUse": {"toolUseId": "t1", "name": "find", "input": written}}

    inspected = REGISTRY.inspect_call(call)
    sanitized = REGISTRY.sanitize_tool_call(call)

    assert inspected.payload_kind == kind
    assert isinstance(sanitized["toolUse"]["input"], dict)
    assert call["toolUse"]["input"] == written


@pytest.mark.parametrize(("flag", "status"), [(True, "error"), (False, "success")])
def test_the_error_flag_of_anthropic_is_the_status_here(flag, status):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "said", "is_error": flag}

    (there,) = REGISTRY.convert_results([block], BEDROCK, refuse_losses=True)
    (back,) = REGISTRY.convert_results([there], ANTHROPIC, refuse_losses=True)

    assert there == output({"text": "said"}, status=status)
    assert back == block


def test_a_flag_that_is_not_said_is_not_made_up():
    (there,) = REGISTRY.convert_results([{"role": "tool", "tool_call_id": "t1", "content": "x"}], BEDROCK)

    assert there == output({"text": "x"})


def test_a_status_nobody_knows_is_refused():
    with pytest.raises(InvalidShapeError, match="'status' must be 'success' or 'error'"):
        REGISTRY.inspect_result(output(status="bogus"))


def test_structured_content_is_json_here_if_it_is_an_object_and_said_once():
    of_mcp = {
        "content": [{"type": "text", "text": '{"files": ["a"]}'}],
        "structuredContent": {"files": ["a"]},
        "isError": False,
    }
    call = chat_call("{}")

    converted = REGISTRY.convert_result(of_mcp, BEDROCK, call=call)

    assert converted.value["toolResult"]["content"] == [{"json": {"files": ["a"]}}]
    assert converted.losses == ()


def test_json_that_is_no_object_becomes_its_text():
    of_mcp = {"resultType": "complete", "content": [], "structuredContent": [1, 2]}

    converted = REGISTRY.convert_result(of_mcp, BEDROCK, call=chat_call("{}"))

    assert converted.value["toolResult"]["content"] == [{"text": "[1,2]"}]
    assert codes(converted) == [LossCode.STRUCTURE]


def test_json_becomes_text_where_there_is_none():
    converted = REGISTRY.convert_result(output({"json": {"a": 1}}), CHAT)

    assert converted.value["content"] == '{"a":1}'
    assert codes(converted) == [LossCode.STRUCTURE]


def test_images_and_documents_are_read_and_what_lies_in_s3_is_not():
    result = output(
        {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
        {"document": {"format": "pdf", "name": "a", "source": {"bytes": "AAAA"}}},
        {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://bucket/key"}}}},
        {"video": {"format": "mp4", "source": {"bytes": "AAAA"}}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "found"}]}},
    )

    inspected = REGISTRY.inspect_result(result)

    assert inspected.parts == (
        MediaPart("image", url="data:image/png;base64,AAAA"),
        MediaPart("file", url="data:application/pdf;base64,AAAA", filename="a"),
        UnreadPart("image"),
        UnreadPart("video"),
        TextPart("found", ("source", "title")),
    )


@pytest.mark.parametrize(
    ("filename", "name"),
    [("a report.pdf", "a report pdf"), ("../../etc/passwd", "etc passwd"), ("", "document")],
)
def test_a_document_s_name_is_one_the_server_takes(filename, name):
    file = {"type": "input_file", "file_data": "data:application/pdf;base64,AAAA", "filename": filename}
    result = {"type": "function_call_output", "call_id": "t1", "output": [file]}

    (there,) = REGISTRY.convert_results([result], BEDROCK)

    assert there["toolResult"]["content"][0]["document"]["name"] == name


def test_an_image_by_address_becomes_a_note_for_the_server_fetches_none():
    image = {"type": "input_image", "image_url": "https://example.com/a.png"}
    result = {"type": "function_call_output", "call_id": "t1", "output": [image]}

    converted = REGISTRY.convert_result(result, BEDROCK)

    assert converted.value["toolResult"]["content"] == [{"text": "[1 part not representable: image]"}]
    assert codes(converted) == [LossCode.MEDIA]


def test_a_result_in_the_core_s_own_message_is_not_taken_for_bedrock_s():
    message = {
        "role": "tool",
        "content": "done",
        "toolResult": {"type": "tool_result", "text": "done"},
        "metadata": {"tool_call_id": "t1"},
    }

    assert REGISTRY.inspect_result(message).format == "core.tool_result"
    assert REGISTRY.inspect_result(output({"json": {"a": 1}})).parts == (JsonPart({"a": 1}),)
