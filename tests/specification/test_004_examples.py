"""The examples of the page on the interop flow, to the letter: names, shapes and values are its own."""

from __future__ import annotations

import copy
import json

import pytest
from callboard.agent.replay.server import ReplayServer
from callboard.agent.requests.provider_stack import ProviderStack
from callboard.interop.default_registry import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    ToolInteropTarget,
    compose_registry,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)
from callboard.tool_result_payloads import FORMAT_OPENAI_CHAT_COMPLETIONS, make_provider_native_tool_result
from providers import SCRIPT, Asked, user

PATCH_SCHEMA = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Apply a textual patch to files in the workspace.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
}
CHAT_PATCH_SCHEMA = {
    "type": "function",
    "function": {
        "name": "apply_patch",
        "description": "Apply a textual patch to files in the workspace.",
        "parameters": {
            "type": "object",
            "properties": {"input": {"type": "string", "description": "Patch text."}},
            "required": ["input"],
        },
    },
}
NATIVE_CALL = {
    "type": "function_call",
    "call_id": "call_123",
    "name": "read_file",
    "arguments": '{"path":"README.md"}',
}
CORE_CALL = {
    "id": "call_123",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path":"README.md"}'},
}
TOOL_MESSAGE = {
    "role": "tool",
    "content": '{"path":"README.md","content":"# Project title"}',
    "toolResult": {"type": "tool_result", "text": '{"path":"README.md","content":"# Project title"}'},
    "metadata": {"tool_name": "read_file", "tool_call_id": "call_123"},
}
CHAT = ToolInteropTarget("openai.chat_completions")
RESPONSES = ToolInteropTarget("openai.responses")


def initialize_request(native_messages, state, *, context=None):
    """The specification's example of a provider that injects converted schemas."""
    request = state.get("request") or {}
    payload = dict(request.get("payload") or {})
    tools = state.get("_tools") or []
    if tools and "tools" not in payload:
        registry = get_registry_from_context(context)
        target_formats = get_schema_target_formats_from_context(context)
        payload["tools"] = registry.convert_schemas(
            [tool for tool in tools if isinstance(tool, dict)],
            target=ToolInteropTarget("openai.chat_completions"),
            target_formats=target_formats,
        )
        payload["tool_choice"] = payload.get("tool_choice", "auto")
    return native_messages, {**state, "request": {**request, "payload": payload}}


def finalize(final_messages, native_messages, state, *, context=None):
    """The specification's example of a provider extension that sanitizes streamed calls."""
    partial = state.get("partial")
    if isinstance(partial, dict):
        tool_calls = partial.get("tool_calls")
        if isinstance(tool_calls, list):
            registry = get_registry_from_context(context)
            partial["tool_calls"] = [
                registry.sanitize_tool_call(call) for call in tool_calls if isinstance(call, dict)
            ]
    return final_messages, native_messages, state


def test_a_freeform_schema_is_injected_as_a_chat_function():
    context = {
        "tool_interop": {
            "registry": compose_registry(),
            "schema_target_formats": ["openai.chat_completions.function"],
        }
    }
    state = {"_tools": [PATCH_SCHEMA], "request": {"payload": {"model": "gpt-4.1"}}}
    authored = copy.deepcopy(PATCH_SCHEMA)

    _, state = initialize_request([], state, context=context)

    shown = {"model": "gpt-4.1", "tools": [CHAT_PATCH_SCHEMA], "tool_choice": "auto"}
    assert json.dumps(state["request"]["payload"]) == json.dumps(shown)
    assert authored == PATCH_SCHEMA


def test_the_examples_hooks_inject_the_tools_in_place_of_a_shipped_provider():
    class Injects:
        initialize_request = staticmethod(initialize_request)
        finalize = staticmethod(finalize)

    with ReplayServer(SCRIPT) as server:
        asked = Asked("chat", server.url)
        plain = asked.events(user("How is the weather?"))
        asked.stack = ProviderStack(asked.provider, [Injects()])
        events = asked.events(user("How is the weather?"))
        asked.provider.close()

    sent = server.requests[-1].body
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["get.weather", "patch", "now"]
    assert sent["tool_choice"] == "auto"
    assert events == plain


def test_a_responses_function_call_becomes_a_chat_call():
    converted = DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_calls([NATIVE_CALL], target=CHAT)

    assert json.dumps(converted) == json.dumps([CORE_CALL])


def test_a_responses_custom_call_stays_a_raw_input_call_object():
    call = {
        "type": "custom_tool_call",
        "call_id": "call_7",
        "name": "apply_patch",
        "input": "*** Begin Patch",
    }

    (converted,) = DEFAULT_TOOL_INTEROP_REGISTRY.convert_tool_calls([call], target=CHAT)

    assert converted == call
    inspected = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(converted)
    assert (inspected.payload_kind, inspected.payload) == ("text", "*** Begin Patch")


@pytest.mark.parametrize("tool_call", [NATIVE_CALL, CORE_CALL])
def test_core_extracts_the_normalized_call(tool_call):
    inspected = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_call(tool_call)

    assert inspected.call_id == "call_123"
    assert inspected.tool_name == "read_file"
    assert inspected.payload == {"path": "README.md"}
    assert inspected.payload_kind == "object"


def test_corrupted_streamed_arguments_are_sanitized_before_they_are_retained():
    corrupted = {
        "id": "call_123",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path":'},
    }

    _, _, state = finalize([], [], {"partial": {"tool_calls": [corrupted]}}, context=None)

    assert state["partial"]["tool_calls"] == [
        {"id": "call_123", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    ]


def test_a_core_tool_message_becomes_a_chat_tool_message():
    converted = DEFAULT_TOOL_INTEROP_REGISTRY.convert_results([TOOL_MESSAGE], target=CHAT)

    assert converted == [
        {
            "role": "tool",
            "content": '{"path":"README.md","content":"# Project title"}',
            "tool_call_id": "call_123",  # without the page's `_metadata`: strict servers answer 400 to it
        }
    ]


def test_a_core_tool_message_becomes_a_function_call_output():
    converted = DEFAULT_TOOL_INTEROP_REGISTRY.convert_results([TOOL_MESSAGE], target=RESPONSES)

    assert converted == [
        {
            "type": "function_call_output",
            "call_id": "call_123",
            "output": '{"path":"README.md","content":"# Project title"}',
        }
    ]


def test_a_provider_native_envelope_reaches_its_provider_untouched():
    content = [
        {"type": "text", "text": '<image path="/tmp/image.png">'},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,..."}},
        {"type": "text", "text": "</image>"},
    ]
    envelope = make_provider_native_tool_result(format=FORMAT_OPENAI_CHAT_COMPLETIONS, content=content)
    message = {"role": "tool", "content": envelope, "metadata": {"tool_call_id": "call_1"}}

    converted = DEFAULT_TOOL_INTEROP_REGISTRY.convert_results([message], target=CHAT)

    assert envelope == {
        "type": "provider_native_tool_result",
        "format": "openai.chat_completions",
        "content": content,
    }
    assert converted == [{"role": "tool", "content": content, "tool_call_id": "call_1"}]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (
            {
                "type": "function",
                "function": {
                    "name": "read_file",
                    "description": "Read a file from disk.",
                    "parameters": {
                        "type": "object",
                        "properties": {"file_path": {"type": "string"}},
                        "required": ["file_path"],
                    },
                },
            },
            "object",
        ),
        (
            {
                "type": "custom",
                "name": "apply_patch",
                "description": "Apply a freeform patch.",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
            },
            "text",
        ),
        (
            {
                "type": "function",
                "function": {
                    "name": "apply_patch",
                    "parameters": {
                        "type": "object",
                        "properties": {"input": {"type": "string"}},
                        "required": ["input"],
                        "additionalProperties": False,
                    },
                },
            },
            "object",
        ),
    ],
    ids=["function", "custom", "a tool's own wrapper"],
)
def test_tools_author_schemas_in_either_form(schema, kind):
    inspected = DEFAULT_TOOL_INTEROP_REGISTRY.inspect_schema(schema)

    assert inspected.kind == kind
    assert DEFAULT_TOOL_INTEROP_REGISTRY.convert_schemas([schema], target=CHAT)[0]["type"] == "function"
