from __future__ import annotations

import json

import pytest
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY
from callboard.interop.errors import UnknownFormatError
from callboard.interop.format_ids import HOSTED
from hypothesis import given
from hypothesis import strategies as st
from interop_corpus import records
from interop_json import anything, canonical, ids, names, objects, values
from thorough import every

arguments = anything | objects.map(json.dumps) | objects.map(json.dumps).map(lambda text: text[:-1]) | values
chat_calls = st.builds(
    lambda call_id, name, said, extra: {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": said},
        **extra,
    },
    ids,
    names,
    arguments,
    st.dictionaries(st.sampled_from(["index", "x"]), values),
)
responses_calls = st.builds(
    lambda call_id, name, said, extra: {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": said,
        **extra,
    },
    ids,
    names,
    arguments,
    st.dictionaries(st.sampled_from(["status", "x"]), values),
)


def arguments_of(call):
    return call["function"]["arguments"] if "function" in call else call["arguments"]


def without_arguments(call):
    function = {key: item for key, item in call.get("function", {}).items() if key != "arguments"}
    return {key: item for key, item in call.items() if key not in {"arguments", "function"}} | {
        "function": function
    }


@given(chat_calls | responses_calls)
def test_what_is_sanitized_has_an_object_for_arguments(call):
    sanitized = REGISTRY.sanitize_tool_call(call)

    assert isinstance(arguments_of(sanitized), str)
    assert isinstance(json.loads(arguments_of(sanitized)), dict)


@given(chat_calls | responses_calls)
def test_sanitizing_changes_nothing_but_the_arguments(call):
    before = canonical(call)

    sanitized = REGISTRY.sanitize_tool_call(call)

    assert canonical(call) == before
    assert canonical(without_arguments(sanitized)) == canonical(without_arguments(call))


@given(chat_calls | responses_calls)
def test_sanitizing_twice_is_sanitizing_once(call):
    once = REGISTRY.sanitize_tool_call(call)

    assert REGISTRY.sanitize_tool_call(once) is once


@given(names, objects.map(json.dumps))
def test_a_valid_call_is_returned_itself(name, said):
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": said}}

    assert REGISTRY.sanitize_tool_call(call) is call


@given(names, anything)
def test_raw_input_is_never_touched(name, text):
    call = {"type": "custom_tool_call", "call_id": "call_1", "name": name, "input": text}

    assert REGISTRY.sanitize_tool_call(call) is call


def test_a_custom_call_without_input_gets_an_empty_one():
    call = {"type": "custom_tool_call", "name": "exec", "arguments": "{}"}

    assert REGISTRY.sanitize_tool_call(call) == {**call, "input": ""}


def test_arguments_that_are_an_object_become_its_text():
    call = {"id": "call_1", "type": "function", "function": {"name": "echo", "arguments": {"value": "hello"}}}

    sanitized = REGISTRY.sanitize_tool_call(call)

    assert sanitized["function"]["arguments"] == '{"value":"hello"}'


def test_a_copy_shares_nothing_with_the_broken_call():
    trace = {"spans": [1]}
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": "{", "x": trace},
        "y": trace,
    }

    sanitized = REGISTRY.sanitize_tool_call(call)

    assert sanitized["y"] == sanitized["function"]["x"] == trace
    assert sanitized["y"] is not trace
    assert sanitized["function"]["x"] is not trace


@given(names, anything.filter(lambda text: text.strip()))
def test_the_call_as_it_came_still_tells_that_it_was_broken(name, text):
    broken = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": '{"cut": "' + text}}

    REGISTRY.sanitize_tool_call(broken)
    inspected = REGISTRY.inspect_call(broken)

    if inspected.payload_kind != "object":  # some texts complete the object
        assert inspected.payload_kind == "malformed"
        assert inspected.payload is None
        assert inspected.raw == '{"cut": "' + text


@pytest.mark.parametrize("record", every(4, records(kind="call")))
def test_recorded_calls_are_fit_for_replay_once_sanitized(record):
    sanitized = REGISTRY.sanitize_tool_call(record.value)

    inspected = REGISTRY.inspect_call(sanitized)
    assert inspected.payload_kind in {"object", "text"} or inspected.format in HOSTED
    assert REGISTRY.sanitize_tool_call(sanitized) is sanitized


def test_what_is_no_call_cannot_be_sanitized():
    with pytest.raises(UnknownFormatError):
        REGISTRY.sanitize_tool_call({"type": "hand_waving", "id": "toolu_1", "name": "ls", "input": {}})
