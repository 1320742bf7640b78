"""Custom tools of Chat Completions: raw text, a nested grammar, and written only where they are named."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, InvalidShapeError

CHAT_CUSTOM = "openai.chat_completions.custom"
CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")
GRAMMAR = {"syntax": "lark", "definition": "start: /.+/"}
FLAT = {"type": "custom", "name": "patch", "description": "Patch.", "format": {"type": "grammar", **GRAMMAR}}
NESTED = {
    "type": "custom",
    "custom": {
        "name": "patch",
        "description": "Patch.",
        "format": {"type": "grammar", "grammar": GRAMMAR},
    },
}
CALL = {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": '{"path":'}}


def codes(converted):
    return [loss.code for loss in converted.losses]


def test_the_grammar_is_nested_in_chat_and_flat_in_responses():
    (nested,) = REGISTRY.convert_schemas([FLAT], CHAT, [CHAT_CUSTOM], refuse_losses=True)
    (flat,) = REGISTRY.convert_schemas([NESTED], RESPONSES, refuse_losses=True)

    assert (nested, flat) == (NESTED, FLAT)


def test_the_family_does_not_stand_for_them_but_lets_them_be():
    wrapped = REGISTRY.convert_schema(FLAT, CHAT)
    kept = REGISTRY.convert_schema(NESTED, CHAT)

    assert wrapped.value["type"] == "function"
    assert LossCode.TEXT_WRAPPED in codes(wrapped)
    assert kept.value == NESTED


def test_a_tool_that_takes_arguments_is_no_custom_tool():
    tool = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}

    with pytest.raises(ConversionError, match="no faithful freeform form"):
        REGISTRY.convert_schemas([tool], CHAT, [CHAT_CUSTOM])


@pytest.mark.parametrize(
    "text_format", [{"type": "grammar"}, {"type": "grammar", **GRAMMAR}, {"type": "json"}, "text"], ids=str
)
def test_a_format_that_chat_does_not_know_is_refused_and_names_the_tool(text_format):
    tool = {"type": "custom", "custom": {"name": "patch", "format": text_format}}

    with pytest.raises(InvalidShapeError, match="tool 'patch': 'format' must be"):
        REGISTRY.inspect_schema(tool)


def test_raw_input_is_text_whatever_it_looks_like():
    inspected = REGISTRY.inspect_call(CALL)

    assert (inspected.payload, inspected.payload_kind) == ('{"path":', "text")
    assert REGISTRY.sanitize_tool_call(CALL) is CALL


def test_a_call_keeps_its_text_on_the_way_to_responses_and_back():
    (flat,) = REGISTRY.convert_tool_calls([CALL], RESPONSES, refuse_losses=True)
    (back,) = REGISTRY.convert_tool_calls([flat], CHAT, [CHAT_CUSTOM], refuse_losses=True)

    assert flat == {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": '{"path":'}
    assert back == CALL


def test_a_call_with_arguments_is_never_made_raw():
    call = {"id": "c", "type": "function", "function": {"name": "patch", "arguments": '{"input": "x"}'}}

    with pytest.raises(ConversionError, match="only raw input"):
        REGISTRY.convert_tool_call(call, CHAT, [CHAT_CUSTOM])


def test_a_function_call_to_a_tool_of_this_request_s_table_is_raw_again():
    registry = REGISTRY.for_request([NESTED])
    call = {"id": "c", "type": "function", "function": {"name": "patch", "arguments": '{"input": "x"}'}}

    inspected = registry.inspect_call(call)
    (there,) = registry.convert_tool_calls([call], CHAT, [CHAT_CUSTOM])

    assert (inspected.payload, inspected.payload_kind, inspected.payload_format) == ("x", "text", "lark")
    assert there == {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "x"}}


@pytest.mark.parametrize("wrong", [None, 5, {"cmd": "ls"}], ids=repr)
def test_input_that_is_no_text_is_malformed_and_empty_for_replay(wrong):
    call = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": wrong}}

    inspected = REGISTRY.inspect_call(call)

    assert (inspected.payload_kind, inspected.payload) == ("malformed", None)
    assert REGISTRY.sanitize_tool_call(call)["custom"]["input"] == ""


def test_its_answer_is_an_ordinary_tool_message():
    (message,) = REGISTRY.convert_results([{"type": "tool_result", "text": "done"}], CHAT, calls=[CALL])
    (output,) = REGISTRY.convert_results([{"type": "tool_result", "text": "done"}], RESPONSES, calls=[CALL])

    assert (message["role"], message["tool_call_id"], message["content"]) == ("tool", "call_1", "done")
    assert output == {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"}
