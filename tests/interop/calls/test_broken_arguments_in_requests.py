"""Arguments that are no object: the call is malformed, is never run, and does not keep a request from being sent."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import ConversionError, LossRefusedError
from callboard.interop.registry.request_conversion import RequestConversion
from sdks import needs_sdk, sdks

FAMILIES = [
    "openai.chat_completions",
    "openai.responses",
    "anthropic.messages",
    "gemini.generate_content",
    "bedrock.converse",
]
ANTHROPIC = ToolInteropTarget("anthropic.messages")


def spelt(arguments):
    """A call with arguments, in every format that has calls of functions."""
    return [
        {"id": "1", "type": "function", "function": {"name": "ls", "arguments": arguments}},
        {"type": "function_call", "call_id": "1", "name": "ls", "arguments": arguments},
        {"type": "tool_use", "id": "1", "name": "ls", "input": arguments},
        {"functionCall": {"name": "ls", "args": arguments}},
        {"toolUse": {"toolUseId": "1", "name": "ls", "input": arguments}},
        {"method": "tools/call", "params": {"name": "ls", "arguments": arguments}},
        {"type": "tool_call", "id": "1", "name": "ls", "arguments": arguments},
    ]


@pytest.mark.parametrize("arguments", ["[]", "null", "3", '"x"', '"{}"', [], [1], 3, True])
def test_arguments_that_are_json_and_no_object_are_malformed_and_kept_as_they_came(arguments):
    for call in spelt(arguments):
        inspected = REGISTRY.inspect_call(call)

        assert (inspected.payload_kind, inspected.payload) == ("malformed", None)
        assert inspected.payload_metadata["error"]["code"] == "not_an_object"
        assert inspected.raw == (arguments if isinstance(arguments, str) else str(arguments).lower())


@pytest.mark.parametrize("broken", [{"name": "ls", "arguments": []}, {"name": "ls", "arguments": "[]"}])
def test_a_call_without_a_type_is_malformed_too_and_not_unknown(broken):
    assert REGISTRY.inspect_call(broken).payload_kind == "malformed"


@pytest.mark.parametrize("arguments", ["[]", '{"a":', "x"])
def test_such_a_call_stays_malformed_as_text_and_is_refused_as_an_object(arguments):
    call = spelt(arguments)[0]

    assert (
        REGISTRY.inspect_call(
            REGISTRY.convert_tool_call(call, ToolInteropTarget("openai.responses")).value
        ).raw
        == arguments
    )
    with pytest.raises(ConversionError):
        REGISTRY.convert_tool_call(call, ANTHROPIC)


@needs_sdk
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("arguments", ["[]", [], '{"a":', "null"])
def test_a_request_is_made_whatever_the_arguments_of_its_history_are(family, arguments):
    turn = [call for call in spelt(arguments) if not ("method" in call and not isinstance(arguments, str))]
    answers = [{"type": "tool_result", "text": "invalid"}] * len(turn)
    request = RequestConversion(REGISTRY, ToolInteropTarget(family), [], turns=[turn])

    calls, results = request.calls(0), request.results(0, answers)

    assert len(calls) == len(results) == len(turn)
    for call in calls:
        inspected = REGISTRY.inspect_call(call)
        assert (inspected.payload_kind, inspected.payload) == ("object", {})
        assert sdks().refusals("call", inspected.format, call) == []


def test_that_arguments_went_is_a_loss():
    request = RequestConversion(REGISTRY, ANTHROPIC, [], turns=[[spelt("[]")[0]]])

    with pytest.raises(LossRefusedError) as refusal:
        request.calls(0, refuse_losses=True)

    assert [loss.code for loss in refusal.value.losses] == ["arguments"]


MARK = {"_metadata": {"error": {"code": "cut_off", "message": "x"}}}


@pytest.mark.parametrize(
    "call",
    [
        {"type": "custom_tool_call", "call_id": "1", "name": "patch", "input": "half of", **MARK},
        {"type": "function_call", "call_id": "1", "name": "ls", "arguments": "{}", **MARK},
        {"type": "function_call", "call_id": "1", "name": "ls", "arguments": "{}", "_metadata": {"note": 1}},
    ],
)
def test_nothing_of_ours_is_in_a_call_or_a_result_that_is_sent(call):
    request = RequestConversion(REGISTRY, ToolInteropTarget("openai.responses"), [], turns=[[call]])
    result = {"type": "tool_result", "text": "x"}

    (sent,), (answer,) = request.calls(0), request.results(0, [result])

    assert sent == {key: item for key, item in call.items() if key != "_metadata"}
    assert "_metadata" not in answer


def test_a_note_beside_a_tool_message_is_kept_out_of_a_request():
    call = {"id": "1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    noted = {"role": "tool", "tool_call_id": "1", "content": "x", "_metadata": {"tool_name": "ls"}}
    request = RequestConversion(REGISTRY, ToolInteropTarget("openai.chat_completions"), [], turns=[[call]])

    assert request.results(0, [noted]) == [{"role": "tool", "tool_call_id": "1", "content": "x"}]


@needs_sdk
@pytest.mark.parametrize("family", FAMILIES)
def test_raw_input_goes_out_in_a_form_that_the_provider_has(family):
    raw = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "1", "name": "patch", "input": "x"}
    request = RequestConversion(REGISTRY, ToolInteropTarget(family), [], turns=[[raw]])

    (call,), (answer,) = request.calls(0), request.results(0, [{"type": "tool_result", "text": "x"}])

    for kind, value in (("call", call), ("result", answer)):
        read = REGISTRY.inspect_call if kind == "call" else REGISTRY.inspect_result
        assert read(value).format.startswith(family)
        assert sdks().refusals(kind, read(value).format, value) == []
