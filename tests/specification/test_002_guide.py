"""The guide to tool plugins, lived through from the outside: its code with `agent_core` replaced by `callboard`.

Here every example goes through `AgentCore`, as the guide's own tests do. The guide's `EchoTool` is the example package, to the letter.
"""

# ruff: noqa: TC003 - written as in the guide

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from callboard import AgentCore, Callboard
from callboard.interop.hub import InspectedCall, InspectedSchema
from callboard.plugins.sources.python import load_package_entry, read_python_package
from callboard.tool_interop import ToolInteropContribution
from callboard.tool_result_payloads import FORMAT_OPENAI_CHAT_COMPLETIONS, make_provider_native_tool_result
from callboard.types import ToolPlugin
from programs import ROOT
from tools import schema, tool_call

MY_TOOLS = ROOT / "examples" / "python-echo-tool"
EchoTool = load_package_entry(read_python_package(MY_TOOLS), "python_echo_tool.echo_tool.EchoTool")


@pytest.fixture
def core() -> Iterator[AgentCore]:
    with AgentCore() as core:
        yield core


def custom_call(name: str, text: str) -> dict[str, Any]:
    return {"type": "custom_tool_call", "call_id": "call_2", "name": name, "input": text}


# Write the first tests before adding complexity (step 2)


def test_echo_tool_round_trip():
    core = AgentCore()
    core.register_tool(EchoTool)

    tool_calls = [
        {
            "id": "call_1",
            "type": "function",
            "function": {
                "name": "echo",
                "arguments": {"value": "hello"},
            },
        }
    ]

    results = core.execute_tool_calls(tool_calls, config={})
    assert results[0]["role"] == "tool"
    assert results[0]["content"] == "hello"
    assert results[0]["metadata"]["tool_name"] == "echo"


# Testing tool plugins


def test_echo_tool_execute_direct():
    tool = EchoTool()
    state = tool.init({})
    result = tool.execute_tool("echo", {"value": "hello"}, state)
    assert result == {"success": True, "result": "hello"}


# Try the tool in a real application config (step 3)


PROJECT = """
[project]
name = "my-tools"
version = "0.1.0"
dependencies = ["callboard"]
"""


def my_tools(folder: Path) -> None:
    """The guide's repo layout and its manifest, as they stand there; the tool is the guide's, by the manifest's name."""
    tool = (MY_TOOLS / "src" / "python_echo_tool" / "echo_tool.py").read_text()
    files = {
        "pyproject.toml": PROJECT,
        "agent_plugin.json": '{\n  "entries": ["my_tools.my_tool.MyTool"],\n  "subdirectory": "."\n}\n',
        "src/my_tools/__init__.py": "",
        "src/my_tools/my_tool.py": tool.replace("class EchoTool", "class MyTool"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize("options", [{}, {"isolate": True}], ids=["in process", "isolated"])
def test_a_path_in_an_application_config_loads_the_tool_package(tmp_path, monkeypatch, options):
    monkeypatch.setattr(sys, "path", list(sys.path))
    my_tools(tmp_path / "my-tools")
    config = tmp_path / "app" / "agent.json"
    config.parent.mkdir()
    config.write_text(
        json.dumps(
            {
                "plugin_cache_dir": "~/.crystal/cache/plugins",
                "plugins": [
                    "plugins.openai_provider.OpenAICompatibleProvider",
                    {"plugin": "path:../my-tools", **options} if options else "path:../my-tools",
                ],
                "provider": "openai_compatible",
                "model": "gpt-4o-mini",
            }
        )
    )

    with Callboard(config) as board:
        result = board.execute(tool_call("echo", value="hello"))

    assert result == {"success": True, "result": "hello"}
    assert board.configuration.agent == {"provider": "openai_compatible", "model": "gpt-4o-mini"}
    assert [failed.source for failed in board.failed] == ["plugins.openai_provider.OpenAICompatibleProvider"]


# Example final tool message shape; example object payload tool


class Calculator(ToolPlugin):
    name = "calculator"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]

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

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        return f"Result: {result['result']:g}"


def test_the_final_message_has_the_shape_of_the_example(core):
    core.register_tool(Calculator)

    (message,) = core.execute_tool_calls([tool_call("add", "call_1", a=2, b=3)], config={})

    assert message.pop("toolResult") == {"type": "tool_result", "text": "Result: 5"}
    assert message == {
        "role": "tool",
        "content": "Result: 5",
        "metadata": {
            "tool_call_id": "call_1",
            "tool_name": "add",
            "tool_plugin": "calculator",
            "display": {"type": "text", "content": "Result: 5"},
        },
    }


# Custom/freeform example; example text payload tool; optional routing


class ApplyPatch(ToolPlugin):
    name = "apply_patch"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": "custom",
                "name": "apply_patch",
                "description": "Apply a freeform patch.",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: /.+/"},
            }
        ]

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


def test_raw_text_and_arguments_find_their_tools_on_one_board(core):
    core.register_tool(ApplyPatch)
    core.register_tool(Calculator)

    messages = core.execute_tool_calls(
        [custom_call("apply_patch", "*** Begin"), tool_call("add", "call_1", a=1, b=2)], config={}
    )

    assert [m["content"] for m in messages] == ["received 9 bytes", "Result: 3"]
    assert [m["metadata"]["tool_call_id"] for m in messages] == ["call_2", "call_1"]


def test_a_call_without_a_name_goes_to_the_tool_that_claims_it(core):
    core.register_tool(ApplyPatch)
    core.register_tool(Calculator)
    nameless = {"type": "custom_tool_call", "call_id": "call_3", "input": "*** Begin"}

    (message,) = core.execute_tool_calls([nameless], config={})

    assert message["content"] == "received 9 bytes"
    assert message["metadata"]["tool_plugin"] == "apply_patch"


class FunctionPatch(ToolPlugin):
    """Shares its name with a tool that claims raw text."""

    name = "function_patch"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": "function", "function": {"name": "apply_patch", "parameters": {"type": "object"}}}]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": f"arguments {sorted(payload)}"}


def test_two_tools_of_one_name_share_it_when_one_of_them_claims(core):
    core.register_tool(ApplyPatch)
    core.register_tool(FunctionPatch)

    messages = core.execute_tool_calls(
        [custom_call("apply_patch", "x"), tool_call("apply_patch", input="x")], config={}
    )

    assert [m["content"] for m in messages] == ["received 1 bytes", "arguments ['input']"]
    assert [m["metadata"]["tool_plugin"] for m in messages] == ["apply_patch", "function_patch"]


# Provider-specific multimodal tools, and what people see of them


class ViewImage(ToolPlugin):
    name = "view_image"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("view_image")]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "image_url": "data:image/png;base64,AA==", "summary": "one image"}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> Any:
        return make_provider_native_tool_result(
            format=FORMAT_OPENAI_CHAT_COMPLETIONS,
            content=[
                {"type": "text", "text": '<image path="/tmp/image.png">'},
                {
                    "type": "image_url",
                    "image_url": {"url": result["image_url"]},
                },
                {"type": "text", "text": "</image>"},
            ],
        )

    def to_display_format(
        self,
        text: str,
        result: dict[str, Any],
        state: dict[str, Any],
    ) -> dict[str, Any]:
        return {
            "type": "text",
            "content": text,
            "single_line": result.get("summary", text.splitlines()[0] if text else ""),
        }


def test_an_envelope_stays_structured_and_display_sees_empty_text(core):
    core.register_tool(ViewImage)

    (message,) = core.execute_tool_calls([tool_call("view_image")], config={})

    assert message["toolResult"]["type"] == "provider_native_tool_result"
    assert message["toolResult"]["format"] == "openai.chat_completions"
    assert message["toolResult"]["content"][1]["image_url"]["url"] == "data:image/png;base64,AA=="
    assert message["metadata"]["display"] == {"type": "text", "content": "", "single_line": "one image"}


# Contribute custom accessors and adapters


class MyCustomSchemaAccessor:
    format = "mine.tool_schema"

    def matches(self, value: Any) -> bool:
        return isinstance(value, dict) and "my_tool" in value

    def inspect(self, value: dict[str, Any]) -> InspectedSchema:
        return InspectedSchema(format=self.format, name=value["my_tool"], kind="text")


class MyCustomToolCallAccessor:
    format = "mine.tool_call"

    def matches(self, value: Any) -> bool:
        return isinstance(value, dict) and "my_call" in value

    def inspect(self, value: dict[str, Any]) -> InspectedCall:
        name, text = value["my_call"]
        return InspectedCall(self.format, value["n"], name, None, text, "text", "mine", {}, text)

    def sanitize(self, value: dict[str, Any]) -> dict[str, Any]:
        return value


class Contributing(ToolPlugin):
    name = "contributing"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"my_tool": "shout"}]

    def get_tool_interop_contribution(self, state: dict[str, Any]) -> ToolInteropContribution:
        return ToolInteropContribution(
            schema_accessors=(MyCustomSchemaAccessor(),),
            call_accessors=(MyCustomToolCallAccessor(),),
        )

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
    ) -> dict[str, Any]:
        return {"success": True, "result": f"{payload.upper()} ({payload_kind}, {payload_format})"}


def test_a_tool_brings_formats_of_its_own_and_the_others_stay(core):
    core.register_tool(Contributing)
    core.register_tool(Calculator)

    messages = core.execute_tool_calls(
        [{"my_call": ["shout", "hey"], "n": "7"}, tool_call("add", a=1, b=2)], config={}
    )

    assert [m["content"] for m in messages] == ["HEY (text, mine)", "Result: 3"]
    assert messages[0]["metadata"]["tool_call_id"] == "7"
