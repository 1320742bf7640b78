"""What the core's own tools return, in front of the formats that providers send."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError
from callboard.interop.parts import JsonPart, TextPart
from interop_routes import WRITABLE

ANTHROPIC = ToolInteropTarget("anthropic.messages")
CHAT = ToolInteropTarget("openai.chat_completions")
CALL = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("result", "parts", "failed"),
    [
        ({"success": True, "result": "done"}, (TextPart("done"),), False),
        ({"success": True, "result": {"a": 1}}, (JsonPart({"a": 1}),), False),
        ({"success": True, "result": None}, (), False),
        ({"success": False, "error": "no"}, (TextPart("no"),), True),
        ({"success": False, "error": "no", "result": "half"}, (TextPart("no"), TextPart("half")), True),
    ],
    ids=str,
)
def test_a_host_result_tells_what_went_wrong_and_what_came_out(result, parts, failed):
    inspected = REGISTRY.inspect_result(result)

    assert (inspected.format, inspected.parts, inspected.is_error) == ("core.host_result", parts, failed)


def test_a_failure_keeps_its_flag_where_there_is_one_and_a_line_where_there_is_none():
    failure = {"success": False, "error": "no such file", "code": "tool_failed"}

    flagged = REGISTRY.convert_result(failure, ANTHROPIC, call=CALL)
    told = REGISTRY.convert_result(failure, CHAT, call=CALL)

    assert flagged.value["is_error"] is True
    assert [(loss.code, loss.detail) for loss in flagged.losses] == [(LossCode.EXTRAS, "code")]
    assert told.value["content"] == "[tool error]\nno such file"


def test_nobody_writes_a_host_result():
    with pytest.raises(ConversionError, match="no adapter leads there"):
        REGISTRY.convert_result({"type": "tool_result", "text": "x"}, ToolInteropTarget("core.host_result"))


def test_the_core_s_own_text_result_can_be_written():
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}

    converted = REGISTRY.convert_result(block, ToolInteropTarget("core.tool_result"))

    assert converted.value == {"type": "tool_result", "text": "done"}


def message(result, **metadata):
    about = {"tool_call_id": "call_1", "tool_name": "ls", **metadata}
    return {"role": "tool", "content": "Error: no", "toolResult": result, "metadata": about}


RESULTS = {
    "text": {"type": "tool_result", "text": "Error: no"},
    "envelope": {
        "type": "provider_native_tool_result",
        "format": "mcp",
        "content": [{"type": "text", "text": "no"}],
    },
    "block": {"type": "tool_result", "tool_use_id": "call_1", "content": "Error: no"},
    "success": {"success": True, "output": "Error: no"},
}


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("target", WRITABLE["result"])
def test_a_failure_that_only_the_metadata_report_is_flagged_or_declared_lost(target, result):
    failed = message(RESULTS[result], failure={"code": "unknown_tool", "outcome": "not_sent"})
    try:
        converted = REGISTRY.convert_result(failed, ToolInteropTarget(target), [target], call=CALL)
    except ConversionError:
        assert target == "openai.responses.action"
        return

    declared = LossCode.ERROR_FLAG in {loss.code for loss in converted.losses}
    assert declared is not bool(REGISTRY.inspect_result(converted.value).is_error)


def test_a_result_that_nobody_writes_is_copied_and_its_failure_declared_lost():
    hosted = {"type": "program_output", "id": "po_1", "call_id": "c1", "result": "x", "status": "completed"}

    converted = REGISTRY.convert_result(message(hosted, failure={}), ToolInteropTarget("openai.responses"))

    assert converted.value == hosted
    assert [loss.code for loss in converted.losses] == [LossCode.ERROR_FLAG]


def test_a_message_without_a_report_of_failure_says_nothing_of_one():
    assert REGISTRY.inspect_result(message(RESULTS["text"])).is_error is None
