"""Calls that say themselves that they must not run: they are not whole, not approved, or answered."""

from __future__ import annotations

import pytest
from callboard.interop.conversion import ToolInteropTarget
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY as REGISTRY

FUNCTION = {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"path": "a"}'}
CUSTOM = {"type": "custom_tool_call", "id": "ctc", "call_id": "c", "name": "f", "input": "a"}
PART = {"type": "tool-f", "toolCallId": "c", "state": "input-available", "input": {"path": "a"}}
PATCH = {"jsonPath": "$.path", "stringValue": "a"}


@pytest.mark.parametrize(
    "call",
    [
        {**FUNCTION, "status": "in_progress", "arguments": ""},
        {**FUNCTION, "status": "in_progress", "arguments": "{}"},
        {**FUNCTION, "status": "incomplete", "arguments": ""},
        {**FUNCTION, "status": "incomplete", "arguments": "{}"},
        {**FUNCTION, "status": "incomplete"},
        {**CUSTOM, "status": "in_progress"},
        {**CUSTOM, "status": "incomplete"},
        {"functionCall": {"name": "f", "willContinue": True}},
        {"functionCall": {"name": "f", "args": {"path": "a"}, "willContinue": True}},
        {"functionCall": {"name": "f", "args": {"path": "a"}, "partialArgs": [PATCH]}},
        {"functionCall": {"name": "f", "args": {}, "partialArgs": [PATCH], "willContinue": True}},
        {"function_call": {"name": "f", "args": None, "partial_args": None, "will_continue": True}},
        {"function_call": {"name": "f", "args": None, "partial_args": [{"json_path": "$.a"}]}},
    ],
)
def test_a_call_that_says_it_is_not_whole_is_malformed(call):
    read = REGISTRY.inspect_call(call)

    assert (read.payload_kind, read.payload) == ("malformed", None)
    assert read.payload_metadata["error"]["code"] == "cut_off"


@pytest.mark.parametrize("family", ["openai.chat_completions", "openai.responses"])
@pytest.mark.parametrize(
    "call",
    [
        {**FUNCTION, "status": "incomplete"},
        {**CUSTOM, "status": "in_progress"},
        {"functionCall": {"id": "c", "name": "f", "args": '{"path": "a"}', "willContinue": True}},
        {**PART, "state": "input-streaming", "input": '{"path": "a"}'},
    ],
)
def test_a_call_that_is_not_whole_does_not_become_whole_by_a_conversion(call, family):
    converted = REGISTRY.convert_tool_call(call, ToolInteropTarget(family))

    assert REGISTRY.inspect_call(converted.value).payload_kind == "malformed"


@pytest.mark.parametrize(
    "call",
    [
        FUNCTION,
        {**FUNCTION, "status": None},
        {**FUNCTION, "status": "completed"},
        {**FUNCTION, "status": "in_progress"},  # as some servers leave an item that is done
        {"functionCall": {"name": "f", "args": {"path": "a"}, "willContinue": False}},
        {"function_call": {"name": "f", "args": {"path": "a"}, "partial_args": None, "will_continue": None}},
        {"functionCall": {"name": "f", "args": {"path": "a"}, "partialArgs": []}},
    ],
)
def test_a_call_that_says_it_is_whole_keeps_its_arguments(call):
    assert REGISTRY.inspect_call(call).payload == {"path": "a"}


@pytest.mark.parametrize("named", [{}, {"type": "dynamic-tool", "toolName": "f"}], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    ("state", "code"),
    [
        ({"state": "approval-requested", "approval": {"id": "x"}}, "not_approved"),
        ({"state": "approval-responded", "approval": {"id": "x", "approved": False}}, "not_approved"),
        ({"state": "approval-responded", "approval": {"id": "x"}}, "not_approved"),
        ({"state": "approval-responded"}, "not_approved"),
        ({"state": "a-state-to-come"}, "bad_call"),
    ],
)
def test_a_part_that_does_not_wait_for_its_tool_is_malformed(named, state, code):
    read = REGISTRY.inspect_call({**PART, **named, **state})

    assert (read.payload_kind, read.payload_metadata["error"]["code"]) == ("malformed", code)


def test_an_approved_part_waits_for_its_tool():
    read = REGISTRY.inspect_call(
        {**PART, "state": "approval-responded", "approval": {"id": "x", "approved": True}}
    )

    assert (read.payload, "answered" in read.payload_metadata) == ({"path": "a"}, False)


@pytest.mark.parametrize("state", ["output-available", "output-error", "output-denied"])
def test_an_answered_part_says_so_beside_its_arguments(state):
    read = REGISTRY.inspect_call({**PART, "state": state})

    assert (read.payload, read.payload_metadata["answered"]) == ({"path": "a"}, state)
