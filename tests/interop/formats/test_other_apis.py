"""Ollama, Cohere, AG-UI and the AI SDK's interfaces: what their calls and results mean, and how others are said there."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, UnknownFormatError
from callboard.interop.parts import JsonPart, MediaPart, TextPart, UnreadPart
from callboard.interop.registry.request_conversion import RequestConversion
from interop_json import canonical

FAMILIES = ["ollama.chat", "cohere.chat", "ag_ui", "ai_sdk.ui"]
TOOL = {"name": "weather", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}
CALL = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
PART = {"type": "tool-weather", "toolCallId": "c1", "state": "input-available", "input": {"city": "Oslo"}}
PNG = "data:image/png;base64,AA=="


def result(content, *, failed=False):
    return {"type": "tool_result", "tool_use_id": "c1", "content": content, "is_error": failed}


def said(value, family):
    return REGISTRY.convert_result(value, ToolInteropTarget(family), call=CALL)


# --- calls


@pytest.mark.parametrize(
    ("call", "call_id"),
    [
        ({"function": {"name": "weather", "arguments": {"city": "Oslo"}}}, None),
        ({"id": "c1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Oslo"}}}, "c1"),
        (
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
            },
            "c1",
        ),
        (
            {
                "type": "tool-input-available",
                "toolCallId": "c1",
                "toolName": "weather",
                "input": {"city": "Oslo"},
            },
            "c1",
        ),
        (PART, "c1"),
        ({**PART, "type": "dynamic-tool", "toolName": "weather"}, "c1"),
        ({**PART, "state": "output-available", "output": "cold"}, "c1"),
    ],
)
def test_a_call_is_read_in_each_of_its_forms(call, call_id):
    inspected = REGISTRY.inspect_call(call)

    assert (inspected.tool_name, inspected.payload, inspected.call_id) == (
        "weather",
        {"city": "Oslo"},
        call_id,
    )


@pytest.mark.parametrize(
    ("family", "written"),
    [
        ("ollama.chat", {"id": "c1", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}),
        (
            "cohere.chat",
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}},
        ),
        (
            "ag_ui",
            {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}},
        ),
        (
            "ai_sdk.ui",
            {
                "type": "tool-input-available",
                "toolCallId": "c1",
                "toolName": "weather",
                "input": {"city": "Oslo"},
            },
        ),
    ],
)
def test_a_call_is_written_in_the_form_of_each(family, written):
    converted = REGISTRY.convert_tool_call(CALL, ToolInteropTarget(family))

    assert (converted.value, converted.losses) == (written, ())


def test_a_call_of_ollama_goes_to_chat_with_its_arguments_as_text():
    call = {"id": "c1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Oslo"}}}

    converted = REGISTRY.convert_tool_call(call, ToolInteropTarget("openai.chat_completions"))

    assert converted.value["type"] == "function"
    assert converted.value["function"] == {"name": "weather", "arguments": '{"city":"Oslo"}'}


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ({**PART, "state": "input-streaming", "input": {"city": "Os"}}, "cut_off"),
        ({**PART, "providerExecuted": True}, "hosted"),
        ({**PART, "input": None}, "no_arguments"),
        (
            {**PART, "state": "output-error", "input": None, "rawInput": '{"city"', "errorText": "x"},
            "not_json",
        ),
    ],
)
def test_a_part_that_must_not_be_run_is_malformed(part, code):
    inspected = REGISTRY.inspect_call(part)

    assert inspected.payload_kind == "malformed"
    assert inspected.payload_metadata["error"]["code"] == code


# --- results


@pytest.mark.parametrize(
    ("value", "parts", "failed"),
    [
        ({"role": "tool", "tool_name": "weather", "content": "cold"}, (TextPart("cold"),), None),
        (
            {"role": "tool", "tool_name": "weather", "content": "", "images": ["AA=="]},
            (TextPart(""), UnreadPart("image")),
            None,
        ),
        (
            {
                "role": "tool",
                "tool_call_id": "c1",
                "content": [
                    {"type": "document", "document": {"data": {"celsius": 4}}},
                    {"type": "document", "document": {"data": '{"celsius": 4}'}},
                    {"type": "document", "document": {"data": "cold"}},
                    {"type": "document", "document": 5},
                    {"type": "text", "text": "seen"},
                ],
            },
            (
                JsonPart({"celsius": 4}),
                JsonPart({"celsius": 4}),
                TextPart("cold"),
                UnreadPart("document"),
                TextPart("seen"),
            ),
            None,
        ),
        ({"id": "m", "role": "tool", "toolCallId": "c1", "content": "cold"}, (TextPart("cold"),), False),
        (
            {"id": "m", "role": "tool", "toolCallId": "c1", "content": "half", "error": "timed out"},
            (TextPart("half"), TextPart("timed out")),
            True,
        ),
        (
            {"id": "m", "role": "tool", "toolCallId": "c1", "content": "", "error": "timed out"},
            (TextPart("timed out"),),
            True,
        ),
        (
            {"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c1", "content": "cold"},
            (TextPart("cold"),),
            None,
        ),
        (
            {
                "id": "m",
                "role": "tool",
                "toolCallId": "c1",
                "content": [
                    {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}},
                    {"type": "document", "source": {"type": "file", "value": "file_1"}},
                    {"type": "video", "source": {"type": "url", "value": "https://example.com/a.mp4"}},
                ],
            },
            (MediaPart("image", url=PNG), MediaPart("file", file_id="file_1"), UnreadPart("video")),
            False,
        ),
        (
            {"type": "tool-output-available", "toolCallId": "c1", "output": {"celsius": 4}},
            (JsonPart({"celsius": 4}),),
            False,
        ),
        ({**PART, "state": "output-available", "output": "cold"}, (TextPart("cold"),), False),
        ({**PART, "state": "output-error", "errorText": "no"}, (TextPart("no"),), True),
        (
            {**PART, "state": "output-denied", "approval": {"id": "a", "approved": False, "reason": "no"}},
            (TextPart("denied: no"),),
            True,
        ),
        ({"type": "tool-output-denied", "toolCallId": "c1"}, (TextPart("denied by the user"),), True),
    ],
)
def test_a_result_tells_what_it_tells_in_its_own_form(value, parts, failed):
    inspected = REGISTRY.inspect_result(value)

    assert (inspected.parts, inspected.is_error) == (parts, failed)


@pytest.mark.parametrize(
    ("family", "written"),
    [
        ("ollama.chat", {"role": "tool", "tool_name": "weather", "tool_call_id": "c1", "content": "cold"}),
        ("cohere.chat", {"role": "tool", "tool_call_id": "c1", "content": "cold"}),
        ("ag_ui", {"id": "c1-result", "role": "tool", "toolCallId": "c1", "content": "cold"}),
        ("ai_sdk.ui", {"type": "tool-output-available", "toolCallId": "c1", "output": "cold"}),
    ],
)
def test_a_text_is_written_in_the_form_of_each(family, written):
    assert said({"type": "tool_result", "text": "cold"}, family).value == written


@pytest.mark.parametrize(
    ("family", "written", "lost"),
    [
        ("ollama.chat", {"content": "[tool error]\nno"}, {LossCode.ERROR_FLAG}),
        ("cohere.chat", {"content": "[tool error]\nno"}, {LossCode.ERROR_FLAG}),
        ("ag_ui", {"content": "no", "error": "no"}, set()),
        ("ai_sdk.ui", {"type": "tool-output-error", "errorText": "no"}, set()),
    ],
)
def test_a_failure_is_told_by_a_flag_or_by_a_line(family, written, lost):
    converted = said(result("no", failed=True), family)

    assert converted.value.items() >= written.items()
    assert {loss.code for loss in converted.losses} == lost


def test_data_are_a_document_of_cohere_s_and_an_output_of_the_ai_sdk_s():
    data = {"success": True, "result": {"celsius": 4}}

    assert said(data, "cohere.chat").value["content"] == [
        {"type": "document", "document": {"data": {"celsius": 4}}}
    ]
    assert said(data, "ai_sdk.ui").value["output"] == {"celsius": 4}
    assert said(data, "ollama.chat").value["content"] == '{"celsius":4}'


def test_an_image_stays_an_image_in_ag_ui_alone():
    image = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}]

    assert said(result(image), "ag_ui").value["content"] == [
        {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}}
    ]
    for family in ("ollama.chat", "cohere.chat", "ai_sdk.ui"):
        assert LossCode.MEDIA in {loss.code for loss in said(result(image), family).losses}


def test_a_result_for_ollama_needs_the_name_of_its_tool():
    with pytest.raises(ConversionError, match="which tool ran"):
        REGISTRY.convert_result(result("cold"), ToolInteropTarget("ollama.chat"))


def test_a_message_of_chat_that_names_its_tool_and_has_parts_stays_chat_s():
    content = [{"type": "text", "text": "cold"}]
    message = {"role": "tool", "tool_call_id": "c1", "tool_name": "weather", "content": content}

    assert REGISTRY.inspect_result(message).format == "openai.chat_completions.function"


def test_an_output_on_the_way_is_no_result():
    with pytest.raises(UnknownFormatError):
        REGISTRY.inspect_result({**PART, "state": "output-available", "output": 1, "preliminary": True})


@pytest.mark.parametrize("family", ["ollama.chat", "cohere.chat", "ag_ui"])
def test_a_whole_request_is_said_in_each(family):
    message = {"role": "tool", "tool_call_id": "c1", "content": "cold"}
    request = RequestConversion(REGISTRY, ToolInteropTarget(family), [TOOL], turns=[[CALL]])

    (schema,), (call,), (answer,) = request.schemas(), request.calls(0), request.results(0, [message])

    assert REGISTRY.inspect_schema(schema).name == "weather"
    assert REGISTRY.inspect_call(call).payload == {"city": "Oslo"}
    assert REGISTRY.inspect_result(answer).call_id == "c1"


@pytest.mark.parametrize("value", [PART, {**PART, "state": "output-available", "output": "cold"}])
def test_a_part_that_goes_home_is_copied(value):
    converted = REGISTRY.convert_tool_call(value, ToolInteropTarget("ai_sdk.ui"))

    assert (canonical(converted.value), converted.losses) == (canonical(value), ())
