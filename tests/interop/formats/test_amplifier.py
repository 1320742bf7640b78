"""Amplifier: its declarations, calls and results, as they are and as the specification shows them."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError
from callboard.interop.parts import JsonPart, TextPart

AMPLIFIER = ToolInteropTarget("amplifier.tool")
CHAT = ToolInteropTarget("openai.chat_completions")
ANTHROPIC = ToolInteropTarget("anthropic.messages")
CALL = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"path": "a"}'}}


def codes(converted):
    return [loss.code for loss in converted.losses]


def test_a_declaration_is_written_as_nobody_else_s():
    tool = {"name": "find", "description": "Find.", "input_schema": {"type": "object"}}

    converted = REGISTRY.convert_schema(tool, AMPLIFIER)

    assert converted.value == {"name": "find", "description": "Find.", "parameters": {"type": "object"}}
    assert REGISTRY.inspect_schema(converted.value).format == "amplifier.tool"


def test_an_empty_schema_takes_an_object_elsewhere():
    (there,) = REGISTRY.convert_schemas(
        [{"name": "now", "description": "", "input_schema": {}}], CHAT, source_format="amplifier.tool"
    )

    assert there["function"]["name"] == "now"
    assert REGISTRY.inspect_schema(there).parameters == {}


@pytest.mark.parametrize(
    "call",
    [
        {"id": "call_1", "name": "find", "arguments": {"path": "a"}},
        {"type": "tool_call", "id": "call_1", "name": "find", "input": {"path": "a"}},
        {"type": "tool_call", "id": "call_1", "name": "find", "arguments": {"path": "a"}},
    ],
    ids=["ToolCall", "block of history", "block of a stream"],
)
def test_a_call_is_read_in_each_of_its_shapes(call):
    inspected = REGISTRY.inspect_call(call)
    (there,) = REGISTRY.convert_tool_calls([call], ANTHROPIC, refuse_losses=True)

    assert inspected.format == "amplifier.tool"
    assert there == {"type": "tool_use", "id": "call_1", "name": "find", "input": {"path": "a"}}
    assert REGISTRY.sanitize_tool_call(call) is call


def test_a_call_is_written_as_a_block():
    (there,) = REGISTRY.convert_tool_calls([CALL], AMPLIFIER, refuse_losses=True)

    assert there == {"type": "tool_call", "id": "call_1", "name": "find", "arguments": {"path": "a"}}


@pytest.mark.parametrize("key", ["arguments", "input"])
def test_broken_arguments_are_emptied_for_replay_alone(key):
    call = {"type": "tool_call", "id": "call_1", "name": "find", key: '{"path":'}

    assert REGISTRY.inspect_call(call).payload_kind == "malformed"
    assert REGISTRY.sanitize_tool_call(call) == {**call, key: {}}
    with pytest.raises(ConversionError):
        REGISTRY.convert_tool_call(call, ANTHROPIC)


@pytest.mark.parametrize(
    ("result", "parts", "failed"),
    [
        ({"success": True, "output": "done", "error": None}, (TextPart("done"),), False),
        ({"success": True, "output": {"a": 1}, "error": None}, (JsonPart({"a": 1}),), False),
        ({"success": True, "output": None}, (), False),
        ({"success": False, "output": None, "error": {"message": "no"}}, (TextPart("no"),), True),
        ({"success": False, "output": "no", "error": {"message": "no"}}, (TextPart("no"),), True),
        ({"success": False, "output": "half", "error": "no"}, (TextPart("half"), TextPart("no")), True),
        ({"type": "tool_result", "tool_call_id": "call_1", "output": "done"}, (TextPart("done"),), None),
    ],
    ids=str,
)
def test_a_result_tells_its_output_and_what_went_wrong_once(result, parts, failed):
    inspected = REGISTRY.inspect_result(result)

    assert (inspected.format, inspected.parts, inspected.is_error) == ("amplifier.tool", parts, failed)


def test_what_an_error_says_beside_its_message_is_kept_for_amplifier_alone():
    result = {"success": False, "output": None, "error": {"message": "no", "code": 5}}

    converted = REGISTRY.convert_result(result, ANTHROPIC, call=CALL)

    assert converted.value["content"] == "no"
    assert converted.value["is_error"] is True
    assert codes(converted) == [LossCode.EXTRAS]


def test_a_failure_is_written_as_amplifier_fills_it():
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "no such file", "is_error": True}

    converted = REGISTRY.convert_result(block, AMPLIFIER)

    assert converted.value == {
        "success": False,
        "output": "no such file",
        "error": {"message": "no such file"},
    }
    assert codes(converted) == [LossCode.CALL_ID]
    assert REGISTRY.inspect_result(converted.value).parts == (TextPart("no such file"),)


def test_data_stay_data():
    result = {"toolResult": {"toolUseId": "t1", "content": [{"json": {"a": 1}}]}}

    (there,) = REGISTRY.convert_results([result], AMPLIFIER)

    assert there == {"success": True, "output": {"a": 1}}


@pytest.mark.parametrize("success", ["yes", 1], ids=repr)
def test_success_is_true_or_false(success):
    result = {"type": "tool_result", "tool_call_id": "call_1", "success": success, "output": "x"}

    with pytest.raises(InvalidShapeError, match="'success' must be true or false"):
        REGISTRY.inspect_result(result)
