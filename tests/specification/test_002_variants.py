"""The guide to tool plugins, "Choosing among multiple schema variants", rule by rule.

The example stands here as in the guide, with `agent_core` replaced by `callboard`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from callboard import AgentCore, ToolPlugin
from requests_of import CHAT, CUSTOM, offered, request_of
from tools import schema, tool_call


@pytest.fixture
def core():
    with AgentCore() as core:
        yield core


class ApplyPatch(ToolPlugin):
    name = "apply_patch"

    def init(self, config):
        return {"config": config}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        config = state.get("config") or {}
        targets = set(config.get("_tool_schema_target_formats") or [])

        if "openai.responses.custom.tool_schema" in targets:
            return [
                {
                    "type": "custom",
                    "name": "apply_patch",
                    "description": "Apply a freeform patch.",
                    "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
                }
            ]

        return [{
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
        }]  # fmt: skip

    def execute_tool(self, tool_name, payload, state, *, payload_kind=None):
        return {"success": True, "result": [payload_kind, payload, sorted(state["config"])]}


def test_a_tool_is_asked_for_the_variant_that_the_provider_and_extensions_can_send(core):
    core.register_tool(ApplyPatch, config={"mine": 1})

    custom = request_of(core, {}, CUSTOM, CHAT)
    function = request_of(core, {}, CHAT)

    assert [tool.schema["type"] for tool in custom.tools] == ["custom"]
    assert [tool.schema["type"] for tool in function.tools] == ["function"]
    assert [tool.schema["type"] for tool in core.board.tools()] == ["function"]


def test_the_hint_never_reaches_the_running_state_and_calls_are_read_as_their_request_declares_them(core):
    core.register_tool(ApplyPatch, config={"mine": 1})
    custom = request_of(core, {}, CUSTOM, CHAT)
    raw = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "*** Begin Patch"}
    wrapped = tool_call("apply_patch", "c2", input="*** Begin Patch")

    as_custom = core.execute_tool_calls(
        [raw, wrapped], {}, context={"tool_interop": custom.context["tool_interop"]}
    )
    as_function = core.execute_tool_calls([wrapped], {})

    text = ["text", "*** Begin Patch", ["mine"]]
    assert [json.loads(message["content"]) for message in as_custom] == [text, text]
    assert json.loads(as_function[0]["content"]) == ["object", {"input": "*** Begin Patch"}, ["mine"]]


def test_a_tool_is_asked_once_for_each_list_of_formats_and_not_at_all_for_those_it_was_initialised_with(core):
    asked = []

    class Counts(ApplyPatch):
        def init(self, config):
            asked.append(config.get("_tool_schema_target_formats"))
            return {"config": config}

    core.register_tool(Counts, config={"_tool_schema_target_formats": [CUSTOM]})

    kinds = [
        request_of(core, {}, *formats).tools[0].schema["type"] for formats in ([CHAT], [CHAT], [CUSTOM], [])
    ]

    assert kinds == ["function", "function", "custom", "custom"]
    assert asked == [[CUSTOM], [CHAT]]


def test_a_variant_that_fails_leaves_the_tool_as_it_is_registered(core):
    class Fails(ApplyPatch):
        def init(self, config):
            if "_tool_schema_target_formats" in config:
                raise OSError("not twice")
            return {"config": config}

    core.register_tool(Fails)

    assert [tool.schema["type"] for tool in request_of(core, {}, CUSTOM).tools] == ["function"]


def test_arguments_are_held_to_the_variant_too_and_a_name_that_nobody_routes_is_not_offered(core):
    class Renames(ApplyPatch):
        def get_tool_schemas(self, state):
            if "_tool_schema_target_formats" in state["config"]:
                parameters = {
                    "type": "object",
                    "properties": {"patch": {"type": "string"}},
                    "required": ["patch"],
                }
                return [schema("apply_patch", parameters), schema("apply_patch_2")]
            return super().get_tool_schemas(state)

    core.register_tool(Renames)
    request = request_of(core, {}, CHAT)

    calls = [
        tool_call("apply_patch", **arguments) for arguments in ({"patch": "p"}, {"input": "p"}, {"other": 1})
    ]
    messages = core.execute_tool_calls(calls, {}, context=None)

    assert offered(request) == ["apply_patch"]
    assert [(one.tool, "would not reach" in one.reason) for one in request.refused] == [
        ("apply_patch_2", True)
    ]
    assert [message["metadata"].get("failure", {}).get("code") for message in messages] == [
        None,
        None,
        "invalid_call",
    ]
