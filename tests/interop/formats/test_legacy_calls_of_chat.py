"""Function calls from before there were tools are read, and written as tool calls."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError
from callboard.interop.parts import TextPart

CHAT = ToolInteropTarget("openai.chat_completions")
CALL = {"name": "ls", "arguments": '{"path": "a"}'}
MESSAGE = {"role": "function", "name": "ls", "content": "done"}


def test_a_call_is_read_and_has_no_id():
    inspected = REGISTRY.inspect_call(CALL)

    assert (inspected.tool_name, inspected.call_id, inspected.payload) == ("ls", None, {"path": "a"})


def test_it_becomes_a_tool_call_with_an_id_of_its_place():
    converted = REGISTRY.convert_tool_call(CALL, CHAT, turn=3)

    assert converted.value["function"] == CALL
    assert converted.value["type"] == "function"
    assert [loss.code for loss in converted.losses] == [LossCode.CALL_ID]
    with pytest.raises(ConversionError, match="it has no id"):
        REGISTRY.convert_tool_call(CALL, CHAT)


@pytest.mark.parametrize(("text", "clean"), [('{"path":', "{}"), ("", "{}"), ('{"a": 1}', '{"a": 1}')])
def test_it_is_fit_for_replay_once_sanitized(text, clean):
    assert REGISTRY.sanitize_tool_call({"name": "ls", "arguments": text}) == {
        "name": "ls",
        "arguments": clean,
    }


def test_a_message_of_a_function_answers_the_call_that_is_given():
    (call,) = REGISTRY.convert_tool_calls([CALL], CHAT, turn=3)

    (message,) = REGISTRY.convert_results([MESSAGE], CHAT, calls=[call])

    assert REGISTRY.inspect_result(MESSAGE).parts == (TextPart("done"),)
    assert (message["role"], message["tool_call_id"], message["content"]) == ("tool", call["id"], "done")


def test_arguments_that_are_an_object_are_a_call_of_mcp():
    assert REGISTRY.inspect_call({"name": "ls", "arguments": {}}).format == "mcp.2025_11_25.tool"
