"""The code of the specification's guide to tool plugins, run as it stands there."""

# ruff: noqa: ERA001, TC003 - written as in the guide

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from callboard.plugins import FORMAT_OPENAI_CHAT_COMPLETIONS, ToolPlugin, make_provider_native_tool_result
from callboard.plugins.adapter import PluginAdapter
from callboard.plugins.calling import Invocation
from callboard.plugins.chunks import Part
from callboard.plugins.context import application_context, core_context
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


# What the model sees


class ImageTool(AddTool):
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
        )  # fmt: skip


class SummaryTool(AddTool):
    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        if result.get("success"):
            return f"Read {result.get('bytes_read', 0)} bytes"
        return f"Error: {result.get('error')}"

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
        if tool_name == "read_file" and isinstance(payload, dict):
            return f"read_file {payload.get('file_path', '')}".strip()
        return ""


def test_an_explicit_envelope_reaches_the_model_as_it_is():
    adapter = PluginAdapter(ImageTool)
    result = {"success": True, "image_url": "data:image/png;base64,AA=="}

    seen = adapter.format_result(result, {})

    assert seen == {
        "type": "provider_native_tool_result",
        "format": "openai.chat_completions",
        "content": [
            {"type": "text", "text": '<image path="/tmp/image.png">'},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            {"type": "text", "text": "</image>"},
        ],
    }
    assert adapter.display(seen, result, {}) == {"type": "text", "content": ""}


def test_a_tool_words_its_result_its_display_and_its_preview():
    adapter = PluginAdapter(SummaryTool)
    result = {"success": True, "bytes_read": 12}

    text = adapter.format_result(result, {})

    assert text == "Read 12 bytes"
    assert adapter.display(text, result, {}) == {"type": "text", "content": text, "single_line": text}
    assert adapter.preview(Invocation("read_file", {"file_path": "a.md"}), {}) == "read_file a.md"


# stream_tool(...)


class StreamingTool:
    name = "shell"

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
        yield {"success": True, "result": "done"}


def test_a_streaming_tool_yields_its_parts_and_then_its_result():
    adapter = PluginAdapter(StreamingTool)

    chunks = list(adapter.stream(Invocation("shell", {}), {}))

    assert chunks == [
        Part({"part": {"type": "text", "content": "starting..."}}),
        Part({"part": {"type": "text", "content": "still working..."}}),
        ({"success": True, "result": "done"}, True),
    ]


def test_a_tool_that_does_not_stream_yields_its_result():
    assert list(PluginAdapter(EchoTool).stream(Invocation("echo", {"value": "x"}), {})) == [
        ({"success": True, "result": "x"}, True)
    ]


# Preparation and prepared data


class RemoteTool(AddTool):
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
        return {"type": "function", "function": {"name": config["remote"]}}


def test_cheap_hooks_use_what_was_prepared():
    adapter = PluginAdapter(RemoteTool)
    state = adapter.init({"remote": "search"})

    prepared = adapter.prepare({"remote": "search"}, state, {"tool_runtime": object()})

    assert adapter.schemas(state) == []
    assert adapter.schemas(state, prepared) == [{"type": "function", "function": {"name": "search"}}]


# Tags and enablement


class ModelTool(AddTool):
    def required_tags(self) -> list[str]:
        return ["supports_tools"]

    def is_enabled(
        self,
        config: dict[str, Any],
        tags: list[str],
        models: list[dict[str, Any]],
        context: dict[str, Any],
    ) -> bool | None:
        model = str(config.get("model") or "")
        if model.startswith("gpt-5"):
            return True
        return None


def test_a_tool_is_enabled_by_its_model_or_by_its_tags():
    adapter = PluginAdapter(ModelTool)

    assert adapter.is_enabled({"model": "gpt-5-mini"}, [], [], {})
    assert adapter.is_enabled({"model": "other"}, ["supports_tools"], [], {})
    assert not adapter.is_enabled({"model": "other"}, [], [], {})


# Tool execution context


class SummarizeTool:
    name = "summarize"

    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        core = (context or {}).get("core")

        if core is None:
            # No LLM access - return simple result
            return {"success": True, "result": "processed locally"}

        # Use core to make an LLM call
        temp_session = core.create_session()
        temp_session = core.add_message(temp_session, "user", "Summarize: " + str(payload), None, {})

        # Stream response
        events = list(core.send_request_stream(temp_session, context.get("config", {})))

        # Extract summary from events
        summary = self._extract_summary(events)
        return {"success": True, "result": summary}

    def _extract_summary(self, events):
        return "".join(events)


class Core:
    def create_session(self):
        return []

    def add_message(self, session, role, content, name, metadata):
        return [*session, content]

    def send_request_stream(self, session, config):
        yield f"{config['model']} says of "
        yield session[-1]


class DelegatingTool:
    def execute_tool(
        self,
        tool_name: str | None,
        payload: Any,
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        app = (context or {}).get("app")
        core = (context or {}).get("core")

        if app is not None:
            # Full application context - can switch agents, access session store
            base_config = context.get("base_config", {})
            # Use a dedicated summarizer agent if configured
            summarizer_agent = base_config.get("summarizer_agent")
            if summarizer_agent:
                # Create session for the summarizer agent
                return self._delegate_to_agent(app, core, summarizer_agent, payload, context)

        # Fall back to core-only processing
        return self._process_with_core(core, payload, context)

    def _delegate_to_agent(self, app, core, agent, payload, context):
        return {"success": True, "result": f"{agent} of {app}"}

    def _process_with_core(self, core, payload, context):
        return {"success": True, "result": "core"}


# Legacy tool without context parameter - still works
class LegacyTool:
    def execute_tool(self, tool_name: str, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": "done"}


# New tool with context parameter
class ModernTool:
    def execute_tool(
        self,
        tool_name: str,
        payload: Any,
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        # Can use context if available
        return {"success": True, "result": "done"}


def test_a_tool_may_use_the_core_that_runs_it():
    adapter = PluginAdapter(SummarizeTool)
    context = core_context(Core(), {"model": "m"})

    with_core = adapter.execute(Invocation("summarize", "text", "text", context=context), {})
    without = adapter.execute(Invocation("summarize", "text", "text"), {})

    assert with_core.result["result"] == "m says of Summarize: text"
    assert without.result["result"] == "processed locally"


def test_a_tool_may_use_the_application_that_runs_it():
    adapter = PluginAdapter(DelegatingTool)
    context = application_context(
        core_context(Core(), {}),
        app="app",
        base_config={"summarizer_agent": "short"},
        session_asset_store=None,
    )

    assert adapter.execute(Invocation("x", {}, context=context), {}).result["result"] == "short of app"
    assert adapter.execute(Invocation("x", {}), {}).result["result"] == "core"


@pytest.mark.parametrize("tool", [LegacyTool, ModernTool])
def test_a_tool_takes_the_context_or_leaves_it(tool):
    adapter = PluginAdapter(tool)
    call = Invocation("x", "raw", "text", context=core_context(Core(), {}))

    assert adapter.execute(call, {}) == ({"success": True, "result": "done"}, True)
    assert adapter.name == tool.__name__
    assert adapter.schemas({}) == []
