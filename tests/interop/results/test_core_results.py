"""What the core's own tools return, in front of the formats that providers send."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError
from callboard.interop.parts import JsonPart, TextPart

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
