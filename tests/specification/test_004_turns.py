"""The page on tool interop, its "End-to-end" sections and what it says of results, in whole turns over a real wire."""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard import AgentCore
from callboard.agent.replay.server import ReplayServer
from callboard.agent.sessions.session import calls_to_run
from callboard.types import ToolPlugin
from conversations import chat_call
from providers import STACKS
from scripted_provider import Scripted, said
from toolbox import asked, of
from tools import schema

RESULT = '{"path":"README.md","content":"# Project title"}'

APPLY_PATCH = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Apply a textual patch to files in the workspace.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
}

SCRIPT = [
    {
        "steps": [
            {"calls": [{"name": "read_file", "arguments": {"path": "README.md"}}]},
            {"calls": [{"name": "apply_patch", "input": "*** Begin"}]},
            {"text": "done"},
        ]
    }
]


class Workspace(ToolPlugin):
    name = "workspace"

    def __init__(self) -> None:
        self.payloads: list[Any] = []
        self.contexts: list[Any] = []

    def get_tool_schemas(self, state):
        return [schema("read_file"), APPLY_PATCH]

    def execute_tool(self, tool_name, payload, state, *, payload_kind=None, context=None):
        self.payloads.append((tool_name, payload, payload_kind))
        self.contexts.append(context)
        if tool_name == "apply_patch":
            return {"success": True, "result": "patched"}
        return {"path": "README.md", "content": "# Project title"}


def turn_over_the_wire(name):
    """A turn through one of the APIs; returns its session, the bodies that were sent, and the tool."""
    provider, extensions = STACKS[name]
    workspace = Workspace()
    with ReplayServer(SCRIPT) as server, AgentCore() as core:
        core.register_tool(workspace)
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)
        *_, done = core.run(asked(core), {})
        assert [tool.schema for tool in core.board.tools()] == [schema("read_file"), APPLY_PATCH]
    return done["session"], [request.body for request in server.requests], workspace


@pytest.fixture(scope="module")
def chat_turn():
    return turn_over_the_wire("chat")


@pytest.fixture(scope="module")
def responses_turn():
    return turn_over_the_wire("responses extension")


def turn_with(tool_call, *more):
    """A turn in which the model makes one native call; returns its session, the provider and the tool."""
    workspace, model = Workspace(), Scripted({"content": "", "tool_calls": [tool_call]}, *more, said("done"))
    with AgentCore() as core:
        core.register_tool(workspace)
        core.register_provider(model)
        *_, done = core.run(asked(core), {})
    return done["session"], model, workspace


def test_tool_schema_flow_the_source_stays_and_the_converted_one_is_sent(chat_turn):
    _, sent, _ = chat_turn

    (converted,) = [tool for tool in sent[0]["tools"] if tool["function"]["name"] == "apply_patch"]
    assert converted["type"] == "function"
    assert converted["function"]["description"].startswith(APPLY_PATCH["description"])
    assert converted["function"]["parameters"]["required"] == ["input"]
    assert sent[0]["tool_choice"] == "auto"


def test_the_runtime_context_has_the_registry_and_the_formats_and_the_config_has_not(chat_turn):
    _, _, workspace = chat_turn

    for context in workspace.contexts:
        interop = context["tool_interop"]
        assert interop["schema_target_formats"] == ["openai.chat_completions.function"]
        assert interop["registry"].inspect_schema(APPLY_PATCH).name == "apply_patch"
        assert json.dumps(context["config"])


def test_tool_call_flow_a_native_call_is_stored_as_core_metadata():
    native = {
        "type": "function_call",
        "call_id": "call_123",
        "name": "read_file",
        "arguments": '{"path":"README.md"}',
    }

    session, _, workspace = turn_with(native)

    assert session.messages[1] == {
        "role": "assistant",
        "content": "",
        "metadata": {
            "tool_calls": [
                {
                    "id": "call_123",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path":"README.md"}'},
                }
            ]
        },
    }
    assert workspace.payloads == [("read_file", {"path": "README.md"}, "object")]


def test_core_decides_by_inspected_semantics_structured_data_or_raw_input(chat_turn, responses_turn):
    for _, _, workspace in (chat_turn, responses_turn):
        assert workspace.payloads == [
            ("read_file", {"path": "README.md"}, "object"),
            ("apply_patch", "*** Begin", "text"),
        ]


def test_streaming_and_sanitization_what_is_sent_next_is_the_sanitized_version_and_nothing_ran():
    session, model, workspace = turn_with(chat_call("read_file", "call_123", '{"path":'))

    (stored,) = session.messages[1]["metadata"]["tool_calls"]
    (replayed,) = model.requests[1][1]["metadata"]["tool_calls"]
    assert stored == replayed == chat_call("read_file", "call_123", "{}")
    assert workspace.payloads == []
    assert session.messages[2]["metadata"]["failure"]["code"] == "invalid_call"


def test_a_broken_call_that_a_request_tells_is_not_run_by_a_loop_of_ones_own_either():
    workspace = Workspace()
    with AgentCore() as core:
        core.register_tool(workspace)
        core.register_provider(
            Scripted({"content": "", "tool_calls": [chat_call("read_file", "a", '{"path":')]})
        )
        events = list(core.send_request_stream(asked(core), {}))
        (told,) = [event["tool_call"] for event in of("tool_call", events)]
        (kept,) = of("message", events)
        stored = [calls_to_run(kept["message"]), calls_to_run(json.loads(json.dumps(kept["message"])))]
        answers = [core.execute_tool_calls(calls, {})[0] for calls in ([told], *stored)]

    assert kept["message"]["metadata"]["tool_calls"] == [chat_call("read_file", "a", "{}")]
    assert {answer["metadata"]["failure"]["code"] for answer in answers} == {"invalid_call"}
    assert workspace.payloads == []


def test_tool_result_flow_text_structured_result_and_display_are_stored_as_shown():
    session, _, _ = turn_with(chat_call("read_file", "call_123", '{"path":"README.md"}'))

    message = session.messages[2]
    metadata = message.pop("metadata")
    assert metadata.items() >= {"tool_name": "read_file", "tool_call_id": "call_123"}.items()
    assert metadata["display"] == {"type": "text", "content": RESULT}
    assert message == {
        "role": "tool",
        "content": RESULT,
        "toolResult": {"type": "tool_result", "text": RESULT},
    }


def test_what_is_sent_later_is_the_native_result_of_a_chat_provider(chat_turn):
    session, sent, _ = chat_turn

    its_id = session.messages[1]["metadata"]["tool_calls"][0]["id"]
    assert sent[1]["messages"][-1] == {"role": "tool", "content": RESULT, "tool_call_id": its_id}
    assert sent[2]["messages"][-3] == sent[1]["messages"][-1]


def test_what_is_sent_later_is_the_native_item_of_a_responses_provider(responses_turn):
    session, sent, _ = responses_turn

    first, second = (session.messages[place]["metadata"]["tool_calls"][0]["id"] for place in (1, 3))
    assert sent[1]["input"][-1] == {"type": "function_call_output", "call_id": first, "output": RESULT}
    assert sent[2]["input"][-1]["call_id"] == second
    assert sent[2]["input"][-1]["output"] == "patched"


def test_mistake_to_expect_schema_or_call_adapters_for_results_message_hooks_place_them():
    class Places(Scripted):
        def to_native_messages(self, messages, state, *, context=None):
            registry = context["tool_interop"]["registry"]
            return [
                {"observation": registry.inspect_result(message).call_id}
                if message["role"] == "tool"
                else message
                for message in messages
            ]

    model = Places({"content": "", "tool_calls": [chat_call("read_file", "call_123")]}, said("done"))
    with AgentCore() as core:
        core.register_tool(Workspace)
        core.register_provider(model)
        events = list(core.run(asked(core), {}))

    assert model.requests[1][-1] == {"observation": "call_123"}
    assert of("error", events) == []


class Photographer(ToolPlugin):
    name = "photographer"

    def get_tool_schemas(self, state):
        return [schema("shoot")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "data:image/png;base64,AAAA"}

    def format_tool_result(self, result, state):
        content = [
            {"type": "text", "text": "one picture"},
            {"type": "image_url", "image_url": {"url": result["result"]}},
        ]
        return {
            "type": "provider_native_tool_result",
            "format": "openai.chat_completions",
            "content": content,
        }


@pytest.mark.parametrize("name", ["chat", "anthropic"])
def test_a_native_envelope_is_stored_whole_with_its_text_and_interpreted_by_providers_that_know_it(name):
    provider, _ = STACKS[name]
    script = [{"steps": [{"calls": [{"name": "shoot", "arguments": {}}]}, {"text": "{result}"}]}]
    with ReplayServer(script) as server, AgentCore() as core:
        core.register_tool(Photographer)
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        *_, done = core.run(asked(core), {})
        sent = json.dumps(server.requests[1].body)

    stored = done["session"].messages[2]
    assert stored["content"] == "one picture"
    assert stored["toolResult"]["content"][1]["image_url"]["url"] == "data:image/png;base64,AAAA"
    assert sent.count("AAAA") == 1
    assert "one picture" in sent
    assert "provider_native_tool_result" not in sent
