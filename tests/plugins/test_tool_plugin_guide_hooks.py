"""The code of the specification's guide to tool plugins, hook by hook, run as it stands there."""

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


class GuideTool(ToolPlugin):
    """The guide shows single hooks; this is the rest of the tool."""

    name = "guide"

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True}


# What the model sees


class ImageTool(GuideTool):
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


class SummaryTool(GuideTool):
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


# Preparation and prepared data


class RemoteTool(GuideTool):
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


class ModelTool(GuideTool):
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
