from __future__ import annotations

import pytest
from callboard.interop.calls.ids import made_up_call_id
from callboard.interop.conversion import LossCode, ToolInteropTarget
from callboard.interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY,
)
from callboard.interop.default_registry import (
    Tier,
    TieredContribution,
    ToolInteropContribution,
    compose_registry,
)
from callboard.interop.errors import ConversionError, UnknownFormatError
from callboard.interop.formats.openai_chat_function import ChatFunctionCalls
from hypothesis import given
from hypothesis import strategies as st
from interop_json import canonical, objects
from interop_wire import chat_calls, responses_calls

CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")


def chat_call(arguments, **more):
    return {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": arguments}, **more}


@given(chat_calls | responses_calls, st.sampled_from([CHAT, RESPONSES]))
def test_a_function_call_asks_for_the_same_in_the_other_api(call, target):
    before = REGISTRY.inspect_call(call)

    (converted,) = REGISTRY.convert_tool_calls([call], target)

    after = REGISTRY.inspect_call(converted)
    assert (after.tool_name, after.payload_kind, after.call_id) == (
        before.tool_name,
        before.payload_kind,
        before.call_id,
    )
    assert canonical(after.payload) == canonical(before.payload)


@given(chat_calls)
def test_there_and_back_is_the_same_call_but_for_unknown_keys(call):
    (there,) = REGISTRY.convert_tool_calls([call], RESPONSES)
    (back,) = REGISTRY.convert_tool_calls([there], CHAT)

    assert back == {key: call[key] for key in ("id", "type", "function")}


def test_arguments_keep_the_spelling_of_the_model():
    spelt = '{ "b": 1.0,\n "a": "\\u00e9" }'

    (converted,) = REGISTRY.convert_tool_calls([chat_call(spelt)], RESPONSES)

    assert converted["arguments"] == spelt


@pytest.mark.parametrize("carried", ["", "  ", None])
def test_no_arguments_are_written_as_the_empty_object(carried):
    (converted,) = REGISTRY.convert_tool_calls([chat_call(carried)], RESPONSES)

    assert converted["arguments"] == "{}"


@given(objects)
def test_arguments_that_are_no_text_are_written_as_text(value):
    (converted,) = REGISTRY.convert_tool_calls([chat_call(value)], RESPONSES)

    assert canonical(REGISTRY.inspect_call(converted).payload) == canonical(value)
    assert isinstance(converted["arguments"], str)


@pytest.mark.parametrize("broken", ['{"path":', "ls -l", '{"a":1}{"b":2}', '{"a":1,"a":2}'])
def test_a_malformed_call_stays_malformed_with_its_text(broken):
    (converted,) = REGISTRY.convert_tool_calls([chat_call(broken)], RESPONSES)

    inspected = REGISTRY.inspect_call(converted)
    assert (inspected.payload_kind, inspected.raw) == ("malformed", broken)


def test_a_call_that_is_broken_around_its_arguments_is_not_mended_by_converting_it():
    call = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}", "namespace": 5}

    with pytest.raises(ConversionError, match="malformed"):
        REGISTRY.convert_tool_calls([call], CHAT)


def test_the_id_of_an_item_is_not_taken_for_the_id_of_the_call():
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "ls", "arguments": "{}"}

    converted = REGISTRY.convert_tool_call(item, CHAT)

    assert converted.value["id"] == "call_1"
    assert [loss.code for loss in converted.losses] == [LossCode.ITEM]
    assert "id" not in REGISTRY.convert_tool_calls([converted.value], RESPONSES)[0]


def test_a_call_without_an_id_is_not_converted_unless_one_may_be_made_up():
    nameless = {"type": "function", "function": {"name": "ls", "arguments": "{}"}}

    with pytest.raises(ConversionError, match="has no id"):
        REGISTRY.convert_tool_calls([nameless], RESPONSES)
    first, second = REGISTRY.convert_tool_calls([nameless, nameless], RESPONSES, turn=3)

    assert first["call_id"] != second["call_id"]
    assert [first, second] == REGISTRY.convert_tool_calls([nameless, nameless], RESPONSES, turn=3)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), unique=True))
def test_ids_that_are_made_up_differ_by_turn_and_place(places):
    call = REGISTRY.inspect_call(chat_call("{}"))

    made_up = {made_up_call_id(turn, index, call) for turn, index in places}

    assert len(made_up) == len(places)


def test_a_namespace_that_the_target_cannot_say_is_declared_lost():
    item = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}", "namespace": "files"}

    assert [loss.code for loss in REGISTRY.convert_tool_call(item, CHAT).losses] == [LossCode.NAMESPACE]


def test_arguments_have_no_freeform_form():
    with pytest.raises(ConversionError, match="only raw input can be said so"):
        REGISTRY.convert_tool_calls(
            [chat_call('{"input":"x"}')], ToolInteropTarget("openai.responses.custom")
        )


def test_raw_input_does_not_stay_where_the_target_is_unknown():
    call = {"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "ls"}

    with pytest.raises(ConversionError, match="no adapter leads there"):
        REGISTRY.convert_tool_calls([call], ToolInteropTarget("acme"))


def test_what_cannot_be_converted_can_be_left_out_and_told():
    told = []

    converted = REGISTRY.convert_tool_calls(
        [chat_call("{}"), {"type": "hand_waving"}, chat_call('{"a":1}')],
        RESPONSES,
        refused=lambda index, error: told.append((index, type(error))),
    )

    assert [call["arguments"] for call in converted] == ["{}", '{"a":1}']
    assert told == [(1, UnknownFormatError)]


def test_arguments_encoded_twice_are_decoded_where_the_configuration_says_so():
    lenient = compose_registry(
        [
            TieredContribution(
                Tier.EXPLICIT,
                "configuration",
                ToolInteropContribution(call_accessors=(ChatFunctionCalls(decode_twice=True),)),
            )
        ]
    )
    call = chat_call('"{\\"path\\": \\"a\\"}"')

    assert REGISTRY.inspect_call(call).payload_kind == "malformed"
    assert lenient.inspect_call(call).payload == {"path": "a"}
    assert lenient.convert_tool_calls([call], RESPONSES)[0]["arguments"] == '{"path":"a"}'
