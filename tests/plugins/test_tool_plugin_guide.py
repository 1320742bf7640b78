"""The code of the specification's guide to tool plugins, run as it stands there."""

from __future__ import annotations

from typing import Any

import pytest
from callboard.plugins import ToolPlugin
from callboard.plugins.adapter import PluginAdapter
from callboard.plugins.calling import Invocation
from callboard.plugins.modes import CallMode

# Step 1: implement one small tool first


class EchoTool(ToolPlugin):
    name = "echo_tool"
    version = "0.1.0"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"config": config}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": "function",
                "function": {
                    "name": "echo",
                    "description": "Echo back the provided value.",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "value": {"type": "string"},
                        },
                        "required": ["value"],
                    },
                },
            }
        ]

    def format_tool_call_preview(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
    ) -> str:
        if tool_name != "echo" or not isinstance(payload, dict):
            return ""
        return f"echo value={payload.get('value')!r}"

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        if tool_name != "echo":
            return {"success": False, "error": f"Unknown tool: {tool_name}"}
        if not isinstance(payload, dict):
            return {"success": False, "error": "payload must be an object"}

        value = payload.get("value")
        if not isinstance(value, str):
            return {"success": False, "error": "value must be a string"}
        return {"success": True, "result": value}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        if result.get("success"):
            return str(result.get("result") or "")
        return f"Error: {result.get('error')}"


def test_echo_tool_execute_direct():
    tool = EchoTool()
    state = tool.init({})
    result = tool.execute_tool("echo", {"value": "hello"}, state)
    assert result == {"success": True, "result": "hello"}


@pytest.mark.parametrize(
    ("call", "result", "text"),
    [
        (Invocation("echo", {"value": "hello"}), {"success": True, "result": "hello"}, "hello"),
        (Invocation("add", {}), {"success": False, "error": "Unknown tool: add"}, "Error: Unknown tool: add"),
        (
            Invocation("echo", "hello", "text"),
            {"success": False, "error": "payload must be an object"},
            "Error: payload must be an object",
        ),
    ],
)
def test_the_echo_tool_is_run_through_its_adapter(call, result, text):
    adapter = PluginAdapter(EchoTool)
    state = adapter.init({"n": 1})

    assert state == {"config": {"n": 1}}
    assert (adapter.name, adapter.version) == ("echo_tool", "0.1.0")
    assert adapter.call_mode(stream=True) is CallMode.EXECUTE
    assert adapter.execute(call, state) == (result, True)
    assert adapter.format_result(result, state) == text
    assert adapter.display(text, result, state) == {"type": "text", "content": text}


def test_the_echo_tool_declares_and_previews_itself():
    adapter = PluginAdapter(EchoTool)

    assert [schema["function"]["name"] for schema in adapter.schemas({}, {})] == ["echo"]
    assert adapter.preview(Invocation("echo", {"value": "hello"}), {}) == "echo value='hello'"
    assert not adapter.has_claim


# Payload-first execution


class AddTool:
    name = "calculator"

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        if tool_name != "add" or not isinstance(payload, dict):
            return {"success": False, "error": "unsupported call"}
        return {
            "success": True,
            "result": float(payload.get("a", 0)) + float(payload.get("b", 0)),
        }


class ApplyPatchTool:
    name = "apply_patch"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
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

    def can_handle_tool_call(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
        tool_schema: dict[str, Any] | None = None,
    ) -> bool | None:
        if tool_name not in {None, "apply_patch"}:
            return False
        return payload_kind == "text" and isinstance(payload, str)

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        if tool_name not in {None, "apply_patch"}:
            return {"success": False, "error": f"Unknown tool: {tool_name}"}
        if payload_kind != "text" or not isinstance(payload, str) or not payload:
            return {"success": False, "error": "expected raw patch text"}
        return {"success": True, "result": f"received {len(payload)} bytes"}


def test_an_object_payload_tool_adds():
    adapter = PluginAdapter(AddTool)

    assert adapter.execute(Invocation("add", {"a": 2, "b": 3}, "object"), {}).result["result"] == 5.0
    assert adapter.execute(Invocation("add", "2+3", "text"), {}).result["error"] == "unsupported call"


@pytest.mark.parametrize(
    ("call", "claim", "result"),
    [
        (Invocation(None, "*** Begin", "text"), True, {"success": True, "result": "received 9 bytes"}),
        (Invocation("apply_patch", "", "text"), True, {"success": False, "error": "expected raw patch text"}),
        (
            Invocation("apply_patch", {}, "object"),
            False,
            {"success": False, "error": "expected raw patch text"},
        ),
        (Invocation("echo", "x", "text"), False, {"success": False, "error": "Unknown tool: echo"}),
    ],
)
def test_a_text_payload_tool_claims_and_takes_raw_text(call, claim, result):
    adapter = PluginAdapter(ApplyPatchTool)

    assert adapter.claim(call, {}) is claim
    assert adapter.execute(call, {}) == (result, True)


def test_a_tool_may_choose_its_schema_by_the_target_formats():
    adapter = PluginAdapter(ApplyPatchTool)

    freeform = adapter.init({"_tool_schema_target_formats": ["openai.responses.custom.tool_schema"]})

    assert adapter.schemas(freeform)[0]["type"] == "custom"
    assert adapter.schemas(adapter.init({}))[0]["type"] == "function"


# Legacy dict-argument tools still work


class LegacyArgumentsTool:
    def execute_tool(
        self, tool_name: str, arguments: dict[str, Any], state: dict[str, Any]
    ) -> dict[str, Any]:
        return {"success": True, "result": arguments["value"]}


def test_a_legacy_tool_is_run_with_objects_and_with_nothing_else():
    adapter = PluginAdapter(LegacyArgumentsTool)

    assert adapter.execute(Invocation("x", {"value": 7}, "object"), {}).result["result"] == 7
    assert adapter.execute(Invocation("x", "7", "text"), {}).result["code"] == "invalid_call"


def test_a_tool_that_does_not_stream_yields_its_result():
    assert list(PluginAdapter(EchoTool).stream(Invocation("echo", {"value": "x"}), {})) == [
        ({"success": True, "result": "x"}, True)
    ]
