"""The guide to tool plugins, continued: streaming, results, preparation, older tools, formats of a tool's own.

As `test_specification_002.py`: the guide's code with `agent_core` replaced by `callboard`, through `AgentCore`.
"""

# ruff: noqa: TC003 - written as in the guide

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from callboard import AgentCore
from callboard.interop.hub import InspectedCall, InspectedSchema
from callboard.tool_interop import ToolInteropContribution
from callboard.tool_result_payloads import FORMAT_OPENAI_CHAT_COMPLETIONS, make_provider_native_tool_result
from callboard.types import ToolPlugin
from tools import schema, tool_call
from ways import WAYS, core_with_tools


@pytest.fixture
def core() -> Iterator[AgentCore]:
    with AgentCore() as core:
        yield core


@pytest.fixture(params=WAYS)
def either_core(request: pytest.FixtureRequest) -> Iterator[AgentCore]:
    """A core whose tools run in this process, and one whose tools run in hosts."""
    with core_with_tools(request.param) as core:
        yield core


# The hook that streams


class Streamer(ToolPlugin):
    name = "streamer"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("add")]

    def stream_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        payload_kind: str | None = None,
        payload_format: str | None = None,
        payload_metadata: dict[str, Any] | None = None,
        tool_call: dict[str, Any] | None = None,
    ) -> Iterator[dict[str, Any]]:
        yield {"part": {"type": "text", "content": "starting..."}}
        yield {"part": {"type": "text", "content": "still working..."}}
        yield {"progress": 0.5}
        yield {"success": True, "result": "done"}


def test_stream_tool_becomes_parts_and_one_message(either_core):
    either_core.register_tool(Streamer)

    *parts, message = either_core.iter_tool_messages([tool_call("add")], config={})

    assert [part["part"] for part in parts] == [
        {"type": "text", "content": "starting..."},
        {"type": "text", "content": "still working..."},
        {"progress": 0.5},
    ]
    assert message["content"] == "done"


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


def test_an_envelope_stays_structured_and_display_sees_empty_text(either_core):
    either_core.register_tool(ViewImage)

    (message,) = either_core.execute_tool_calls([tool_call("view_image")], config={})

    assert message["toolResult"]["type"] == "provider_native_tool_result"
    assert message["toolResult"]["format"] == "openai.chat_completions"
    assert message["toolResult"]["content"][1]["image_url"]["url"] == "data:image/png;base64,AA=="
    assert message["metadata"]["display"] == {"type": "text", "content": "", "single_line": "one image"}


# Preparation and prepared data


class Remote(ToolPlugin):
    name = "remote"

    def init(self, config: dict[str, Any]) -> dict[str, Any]:
        return {"config": config}

    def prepare(
        self,
        config: dict[str, Any],
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        remote_schema = self._discover_remote_schema(config)
        return {
            "schemas": [remote_schema],
            "runtime_key": "remote:primary",
        }

    def get_tool_schemas(
        self,
        state: dict[str, Any],
        *,
        prepared: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        return list((prepared or {}).get("schemas") or [])

    def _discover_remote_schema(self, config: dict[str, Any]) -> dict[str, Any]:
        return schema(config["discovers"])

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        prepared: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        return {"success": True, "result": (prepared or {}).get("runtime_key")}


def test_prepared_data_reaches_the_hooks_that_ask_for_it(either_core):
    either_core.register_tool(Remote, config={"discovers": "remote_search"})

    (message,) = either_core.execute_tool_calls([tool_call("remote_search")], config={})

    assert message["content"] == "remote:primary"


# Backward compatibility


class Declares:
    """The guide's two tools show `execute_tool` alone; this is the rest of them."""

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        return [schema("run")]


# Legacy tool without context parameter - still works
class LegacyTool(Declares):
    def execute_tool(self, tool_name: str, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": "done"}


class LegacyArgumentsTool(Declares):
    def execute_tool(
        self, tool_name: str, arguments: dict[str, Any], state: dict[str, Any]
    ) -> dict[str, Any]:
        return {"success": True, "result": "done"}


# New tool with context parameter
class ModernTool(Declares):
    def execute_tool(
        self,
        tool_name: str,
        payload: Any,
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        # Can use context if available
        return {"success": True, "result": sorted(context or ())}


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        (LegacyTool, "done"),
        (LegacyArgumentsTool, "done"),
        (ModernTool, '["config","core","tool_runtime","trigger_source"]'),
    ],
)
def test_tools_of_every_age_run(core, tool, content):
    core.register_tool(tool)

    (message,) = core.execute_tool_calls([tool_call("run")], config={})

    assert message["content"] == content


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
    core.register_tool(LegacyTool)

    messages = core.execute_tool_calls([{"my_call": ["shout", "hey"], "n": "7"}, tool_call("run")], config={})

    assert [m["content"] for m in messages] == ["HEY (text, mine)", "done"]
    assert messages[0]["metadata"]["tool_call_id"] == "7"
