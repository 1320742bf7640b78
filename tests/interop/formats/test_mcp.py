"""MCP: tools, calls without an id, results that say the same twice, and two revisions."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, UnknownFormatError
from callboard.interop.parts import JsonPart, MediaPart, TextPart, UnreadPart

OLDER, NEWER = "mcp.2025_11_25.tool", "mcp.2026_07_28.tool"
MCP = ToolInteropTarget("mcp")
CHAT = ToolInteropTarget("openai.chat_completions")
ANTHROPIC = ToolInteropTarget("anthropic.messages")
CALL = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"path": "a"}'}}


def codes(converted):
    return [loss.code for loss in converted.losses]


def text(said):
    return {"type": "text", "text": said}


def test_a_tool_s_schema_reaches_other_providers_whole():
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tool = {"name": "find", "description": "Find.", "inputSchema": schema}

    (chat,) = REGISTRY.convert_schemas([tool], CHAT, refuse_losses=True)
    (claude,) = REGISTRY.convert_schemas([tool], ANTHROPIC, refuse_losses=True)

    assert chat["function"]["parameters"] == schema
    assert claude["input_schema"] == schema


def test_title_and_annotations_are_lost_elsewhere_and_said_to_be():
    tool = {
        "name": "find",
        "title": "Find",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    }

    converted = REGISTRY.convert_schema(tool, CHAT)

    assert [(loss.code, loss.detail) for loss in converted.losses] == [
        (LossCode.EXTRAS, "title, annotations")
    ]


def test_a_result_schema_that_is_no_object_says_the_newer_revision():
    tool = {"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}

    older = REGISTRY.convert_schema(tool, MCP, [OLDER])

    assert REGISTRY.inspect_schema(tool).format == NEWER
    assert "outputSchema" not in older.value
    assert codes(older) == [LossCode.OUTPUT_SCHEMA]
    assert REGISTRY.convert_schema(tool, MCP).value == tool


def test_execution_is_of_the_older_revision_alone():
    tool = {"name": "find", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}

    newer = REGISTRY.convert_schema(tool, MCP, [NEWER])

    assert "execution" not in newer.value
    assert [(loss.code, loss.detail) for loss in newer.losses] == [(LossCode.EXTRAS, "execution")]


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "object", "properties": []}], ids=str)
def test_a_tool_whose_arguments_are_no_object_is_refused_by_name(schema):
    tool = {"type": "function", "function": {"name": "find", "parameters": schema}}

    with pytest.raises(ConversionError, match="the schema of tool 'find'"):
        REGISTRY.convert_schemas([tool], MCP)


def test_a_call_has_no_id_and_its_loss_is_told():
    converted = REGISTRY.convert_tool_call(CALL, MCP)

    assert converted.value == {"method": "tools/call", "params": {"name": "find", "arguments": {"path": "a"}}}
    assert codes(converted) == [LossCode.CALL_ID]


def test_the_id_of_the_request_is_the_transport_s_and_not_the_call_s():
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "find", "arguments": {}}}

    inspected = REGISTRY.inspect_call(request)

    assert (inspected.call_id, inspected.tool_name, inspected.payload) == (None, "find", {})


@pytest.mark.parametrize(
    "call", [{"method": "tools/call", "params": {"name": "now"}}, {"name": "now", "arguments": {}}], ids=str
)
def test_a_call_may_come_without_arguments_and_without_its_request(call):
    assert REGISTRY.inspect_call(call).payload == {}
    assert REGISTRY.sanitize_tool_call(call) is call


@pytest.mark.parametrize(
    "request_", [{"method": "tools/list", "params": {}}, {"method": "tools/call"}], ids=str
)
def test_another_request_is_no_call(request_):
    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_call(request_)


@pytest.mark.parametrize("wrong", [[1], '{"a":', 5], ids=repr)
def test_arguments_that_are_no_object_are_never_run_as_an_empty_one(wrong):
    call = {"method": "tools/call", "params": {"name": "find", "arguments": wrong}}

    assert REGISTRY.inspect_call(call).payload_kind == "malformed"
    with pytest.raises(ConversionError):
        REGISTRY.convert_tool_call(call, ANTHROPIC, turn=0)
    assert REGISTRY.sanitize_tool_call(call)["params"]["arguments"] == {}


def test_what_is_said_as_text_and_as_data_is_told_once():
    result = {"content": [text('{"a": [1]}')], "structuredContent": {"a": [1]}}

    claude = REGISTRY.convert_result(result, ANTHROPIC, call=CALL)
    gemini = REGISTRY.convert_result(result, ToolInteropTarget("gemini.generate_content"), call=CALL)

    assert claude.value["content"] == '{"a": [1]}'
    assert claude.losses == ()
    assert gemini.value["functionResponse"]["response"] == {"output": {"a": [1]}}
    assert gemini.losses == ()


def test_data_without_text_are_told_as_text():
    converted = REGISTRY.convert_result({"content": [], "structuredContent": {"a": 1}}, ANTHROPIC, call=CALL)

    assert converted.value["content"] == '{"a":1}'
    assert codes(converted) == [LossCode.STRUCTURE]


def test_data_that_say_something_else_than_the_text_are_lost_and_said_to_be():
    result = {"content": [text("two files")], "structuredContent": {"files": ["a", "b"]}}

    converted = REGISTRY.convert_result(result, CHAT, call=CALL)

    assert converted.value["content"] == "two files"
    assert codes(converted) == [LossCode.STRUCTURE]


def test_data_are_written_twice_as_the_protocol_asks():
    result = {"toolResult": {"toolUseId": "t1", "content": [{"json": {"a": 1}}], "status": "success"}}

    converted = REGISTRY.convert_result(result, MCP)

    assert converted.value == {
        "content": [text('{"a":1}')],
        "structuredContent": {"a": 1},
        "isError": False,
    }
    assert codes(converted) == [LossCode.CALL_ID]


def test_data_that_are_no_object_are_for_the_newer_revision():
    result = {"success": True, "result": [1, 2]}

    older = REGISTRY.convert_result(result, MCP, call=CALL)
    newer = REGISTRY.convert_result(result, MCP, [NEWER], call=CALL)

    assert older.value == {"content": [text("[1,2]")], "isError": False}
    assert LossCode.STRUCTURE in codes(older)
    assert newer.value == {
        "content": [text("[1,2]")],
        "structuredContent": [1, 2],
        "isError": False,
        "resultType": "complete",
    }


@pytest.mark.parametrize(
    ("result", "revision"),
    [
        ({"content": []}, OLDER),
        ({"content": [], "structuredContent": {}}, OLDER),
        ({"content": [], "resultType": "complete"}, NEWER),
        ({"content": [], "structuredContent": [1]}, NEWER),
    ],
    ids=str,
)
def test_a_result_is_the_older_revision_s_if_that_can_say_it(result, revision):
    assert REGISTRY.inspect_result(result).format == revision


@pytest.mark.parametrize("stated", ["input_required", "task", "of_next_year"])
def test_a_result_that_is_not_complete_is_read_as_what_it_says_it_is(stated):
    inspected = REGISTRY.inspect_result({"content": [], "resultType": stated})

    assert (inspected.format, inspected.parts) == (NEWER, (UnreadPart(stated),))


def test_the_text_of_an_error_is_not_lost():
    result = {"content": [text("no such file")], "isError": True}

    assert REGISTRY.convert_result(result, CHAT, call=CALL).value["content"] == "[tool error]\nno such file"
    assert REGISTRY.convert_result(result, ANTHROPIC, call=CALL).value["is_error"] is True


def test_media_and_resources_are_read():
    result = {
        "content": [
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "of a file"}},
            {"type": "resource_link", "uri": "file:///b", "name": "b"},
        ]
    }

    inspected = REGISTRY.inspect_result(result)

    assert inspected.parts == (
        MediaPart("image", url="data:image/png;base64,AAAA"),
        MediaPart("audio", url="data:audio/wav;base64,AAAA"),
        TextPart("of a file", ("uri",)),
        TextPart("b: file:///b", ("type",)),
    )


def test_an_image_by_address_is_a_link_which_is_no_image():
    image = {"type": "input_image", "image_url": "https://example.com/a.png"}
    result = {"type": "function_call_output", "call_id": "c", "output": [image]}

    converted = REGISTRY.convert_result(result, MCP)

    assert converted.value["content"] == [
        {"type": "resource_link", "uri": "https://example.com/a.png", "name": "image"}
    ]
    assert set(codes(converted)) == {LossCode.MEDIA, LossCode.CALL_ID}


def test_a_result_of_sampling_bears_the_id_of_its_call():
    result = {"type": "tool_result", "toolUseId": "t1", "content": [text("done")], "structuredContent": [1]}

    inspected = REGISTRY.inspect_result(result)

    assert (inspected.format, inspected.call_id) == ("mcp.sampling.tool_result", "t1")
    assert inspected.structured == JsonPart([1])


def test_meta_returns_to_mcp_alone():
    result = {"content": [text("x")], "_meta": {"trace": 1}}

    newer = REGISTRY.convert_result(result, MCP, [NEWER])
    claude = REGISTRY.convert_result(result, ANTHROPIC, call=CALL)

    assert newer.value["_meta"] == {"trace": 1}
    assert "_meta" not in claude.value
    assert codes(claude) == [LossCode.EXTRAS]


@pytest.mark.parametrize("family", ["mcp", "mcp.2025_11_25", "mcp.2026_07_28"])
def test_a_revision_is_a_family_of_its_own(family):
    target = ToolInteropTarget(family)
    tool = {"type": "function", "function": {"name": "find"}}

    (declared,) = REGISTRY.convert_schemas([tool], target)
    (call,) = REGISTRY.convert_tool_calls([CALL], target)
    (result,) = REGISTRY.convert_results([{"type": "tool_result", "text": "x"}], target, calls=[CALL])

    assert declared == {"name": "find", "inputSchema": {"type": "object", "properties": {}}}
    assert call["method"] == "tools/call"
    assert ("resultType" in result) is (family == "mcp.2026_07_28")


WRAPPED = [
    ([text("hello")], "hello"),
    ([text("")], ""),
    ([text("5")], 5),
    ([text("true")], True),
    ([text('["a", 1]')], ["a", 1]),
    ([text("a"), text("1"), text('{"b": 2}')], ["a", 1, {"b": 2}]),
]


@pytest.mark.parametrize(("content", "wrapped"), WRAPPED, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("family", ["gemini.generate_content", "bedrock.converse"])
def test_data_that_a_server_wrapped_are_told_once(content, wrapped, family):
    result = {"content": content, "structuredContent": {"result": wrapped}}

    data = REGISTRY.convert_result(result, ToolInteropTarget(family), call=CALL)
    said = REGISTRY.convert_result(result, CHAT, call=CALL)

    assert REGISTRY.inspect_result(data.value).parts == (JsonPart({"result": wrapped}),)
    assert LossCode.STRUCTURE not in codes(data) + codes(said)
    assert REGISTRY.inspect_result(said.value).parts == tuple(TextPart(each["text"]) for each in content)


@pytest.mark.parametrize(
    ("content", "wrapped"),
    [([text("two files")], ["a", "b"]), ([text("a")], ["a", "b"]), ([text("b"), text("a")], ["a", "b"])],
    ids=str,
)
def test_a_text_that_says_something_else_than_wrapped_data_stays_beside_them(content, wrapped):
    result = {"content": content, "structuredContent": {"result": wrapped}}

    converted = REGISTRY.convert_result(result, ToolInteropTarget("bedrock.converse"), call=CALL)

    assert len(converted.value["toolResult"]["content"]) == len(content) + 1
