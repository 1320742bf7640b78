"""Freeform tools where there are only function tools, and back, within one request."""

from __future__ import annotations

import pytest
from callboard.interop.calls.arguments import parse_arguments
from callboard.interop.custom_wrapper import CustomToolWrapper
from callboard.interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    LossCode,
    ToolInteropTarget,
    compose_registry,
)
from callboard.interop.errors import LossRefusedError
from hypothesis import given
from interop_json import anything, canonical, names, objects
from interop_wire import chat_calls

CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")
CHAT_ONLY = ["openai.chat_completions.function"]
PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Apply a patch.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
}
REQUEST = DEFAULT_TOOL_INTEROP_REGISTRY.for_request([PATCH])


def function_call(arguments, name="apply_patch"):
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def custom_call(text, name="apply_patch"):
    return {"type": "custom_tool_call", "call_id": "call_1", "name": name, "input": text}


@given(anything)
def test_what_is_wrapped_is_unwrapped_to_the_letter(text):
    wrapper = CustomToolWrapper()

    assert wrapper.unwrap(parse_arguments(wrapper.wrap(text)).payload) == text


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"input": 5},
        {"input": None},
        {"input": ["x"]},
        {"input": "x", "more": 1},
        {"text": "x"},
        "x",
        None,
        [],
    ],
    ids=repr,
)
def test_what_is_not_just_the_one_string_is_not_unwrapped(payload):
    assert CustomToolWrapper().unwrap(payload) is None


@given(anything)
def test_a_function_call_to_a_wrapped_tool_carries_its_raw_input(text):
    (call,) = REQUEST.convert_tool_calls([custom_call(text)], CHAT, CHAT_ONLY)

    inspected = REQUEST.inspect_call(call)

    assert call["function"]["name"] == "apply_patch"
    assert (inspected.payload_kind, inspected.payload, inspected.payload_format) == ("text", text, "lark")
    assert REQUEST.convert_tool_calls([call], RESPONSES) == [custom_call(text)]


@pytest.mark.parametrize(
    "arguments", ["", "{}", '{"input": 5}', '{"input": "x", "y": 1}', '"x"', '{"input": "', "x"]
)
def test_a_wrapped_tool_is_never_run_on_arguments_that_are_not_its_own(arguments):
    inspected = REQUEST.inspect_call(function_call(arguments))

    assert (inspected.payload_kind, inspected.payload, inspected.raw) == ("malformed", None, arguments)
    assert inspected.payload_metadata["error"]["message"]


def test_a_malformed_call_to_a_wrapped_tool_stays_malformed_in_another_format():
    call = function_call('{"patch": "x"}')

    (converted,) = REQUEST.convert_tool_calls([call], ToolInteropTarget("openai.responses.function"))

    assert REQUEST.inspect_call(call).payload_metadata["error"]["code"] == "not_wrapped_text"
    assert REQUEST.inspect_call(converted).payload_kind == "malformed"


@given(chat_calls.filter(lambda call: call["function"]["name"] != "apply_patch"))
def test_a_call_to_another_tool_is_read_as_ever(call):
    assert REQUEST.inspect_call(call) == DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(call)


def test_a_tool_with_one_string_of_its_own_is_not_unwrapped():
    schema = {
        "type": "function",
        "function": {
            "name": "note",
            "parameters": {
                "type": "object",
                "properties": {"input": {"type": "string"}},
                "required": ["input"],
            },
        },
    }
    request = DEFAULT_TOOL_INTEROP_REGISTRY.for_request([PATCH, schema])

    inspected = request.inspect_call(function_call('{"input":"x"}', name="note"))

    assert (inspected.payload_kind, inspected.payload) == ("object", {"input": "x"})


def test_a_name_that_a_function_tool_bears_too_is_not_unwrapped():
    rival = {"type": "function", "function": {"name": "apply_patch"}}
    request = DEFAULT_TOOL_INTEROP_REGISTRY.for_request([PATCH, rival])

    assert request.inspect_call(function_call('{"input":"x"}')).payload_kind == "object"


def test_the_table_of_one_request_is_unknown_to_all_others():
    assert DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(function_call('{"input":"x"}')).payload_kind == "object"
    assert REQUEST.for_request([]).inspect_call(function_call('{"input":"x"}')).payload_kind == "object"


def test_the_same_tools_give_the_same_table():
    assert dict(REQUEST.text_tools) == dict(DEFAULT_TOOL_INTEROP_REGISTRY.for_request([PATCH]).text_tools)


def test_a_native_custom_call_tells_the_syntax_that_the_request_declares():
    assert REQUEST.inspect_call(custom_call("x")).payload_format == "lark"
    assert DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(custom_call("x")).payload_format is None


@given(names, objects)
def test_a_wrapped_declaration_asks_for_one_string_and_declares_the_loss(name, more):
    schema = {**PATCH, "name": name, "x": more}

    converted = DEFAULT_TOOL_INTEROP_REGISTRY.convert_schema(schema, CHAT)

    parameters = converted.value["function"]["parameters"]
    assert list(parameters["properties"]) == parameters["required"] == ["input"]
    assert {LossCode.TEXT_WRAPPED, LossCode.GRAMMAR} <= {loss.code for loss in converted.losses}


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("apply_patch", "Patch text."),
        ("ApplyPatch", "Patch text."),
        ("write-sql", "Sql text."),
        ("python3", "Python text."),
        ("SQL", "Sql text."),
        ("_42_", "Input text."),
    ],
)
def test_the_input_is_described_by_the_last_word_of_the_name(name, about):
    schema = DEFAULT_TOOL_INTEROP_REGISTRY.convert_schemas([{"type": "custom", "name": name}], CHAT)[0]

    assert schema["function"]["parameters"]["properties"]["input"]["description"] == about


def test_the_wrapper_can_show_the_grammar_and_close_the_object():
    wrapper = CustomToolWrapper(
        key="patch", input_description="A patch.", grammar_in_description=True, closed=True
    )
    registry = compose_registry(wrapper=wrapper).for_request([PATCH])

    (schema,) = registry.convert_schemas([PATCH], CHAT)

    assert schema["function"] == {
        "name": "apply_patch",
        "description": "Apply a patch.\n\nThe input must match this grammar:\n```lark\nstart: /.+/\n```",
        "parameters": {
            "type": "object",
            "properties": {"patch": {"type": "string", "description": "A patch."}},
            "required": ["patch"],
            "additionalProperties": False,
        },
    }
    assert registry.inspect_call(function_call('{"patch":"x"}')).payload == "x"


def test_a_freeform_tool_goes_where_it_loses_nothing_even_if_that_is_second():
    accepted = ["openai.responses.function", "openai.responses.custom.tool_schema"]

    assert DEFAULT_TOOL_INTEROP_REGISTRY.convert_schemas([PATCH], RESPONSES, accepted) == [PATCH]


def test_wrapping_is_a_loss_that_can_be_refused():
    with pytest.raises(LossRefusedError, match="apply_patch"):
        DEFAULT_TOOL_INTEROP_REGISTRY.convert_schemas([PATCH], CHAT, refuse_losses=True)


def test_raw_input_is_wrapped_only_if_a_function_format_is_asked_for_by_name():
    call = custom_call("x")

    stays = DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_calls([call], CHAT)
    goes = DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_calls([call], CHAT, CHAT_ONLY)

    assert stays == [call]
    assert stays[0] is not call
    assert goes == [function_call('{"input":"x"}')]


def test_a_result_takes_the_form_of_the_call_it_answers():
    result = {"type": "tool_result", "text": "done"}

    def answer(call):
        return REQUEST.convert_results([result], RESPONSES, calls=[call])[0]

    assert answer(custom_call("x"))["type"] == "custom_tool_call_output"
    assert answer(function_call('{"input":"x"}'))["type"] == "custom_tool_call_output"
    assert answer(function_call("{}", name="ls"))["type"] == "function_call_output"
    assert canonical(answer(custom_call("x"))) == canonical(
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "done"}
    )
