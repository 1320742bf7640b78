"""The guide to tool plugins, "Results, previews, display payloads, and streaming" and "Using context to make LLM calls".

Its code with `agent_core` replaced by `callboard`, in a whole turn. Envelopes are in `test_002_guide.py`.
"""

# ruff: noqa: TC003 - written as in the guide

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from callboard import AgentCore
from callboard.types import ToolPlugin
from scripted_provider import Scripted, asks, said
from toolbox import asked, of
from tools import schema, tool_call


@pytest.fixture
def core() -> Iterator[AgentCore]:
    with AgentCore() as core:
        yield core


class ReadFile(ToolPlugin):
    name = "file_reader"

    def __init__(self):
        self.told = []

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("read_file")]

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
        self.told.append("preview")
        if tool_name == "read_file" and isinstance(payload, dict):
            return f"read_file {payload.get('file_path', '')}".strip()
        return ""

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
        self.told.append("run")
        yield {"part": {"type": "text", "content": "starting..."}}
        yield {"part": {"type": "text", "content": "still working..."}}
        if payload["file_path"] == "nowhere":
            yield {"success": False, "error": "no such file"}
        yield {"success": True, "bytes_read": 42, "summary": "README.md, 42 bytes"}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> str:
        if result.get("success"):
            return f"Read {result.get('bytes_read', 0)} bytes\nof it"
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


def turn(core, path):
    model = Scripted(asks(("read_file", "call_1", f'{{"file_path":"{path}"}}')), said("well"))
    core.register_provider(model)
    return list(core.run(asked(core), {})), model


def test_format_tool_result_is_what_the_model_sees(core):
    core.register_tool(ReadFile)

    _, model = turn(core, "README.md")

    assert model.requests[1][-1]["content"] == "Read 42 bytes\nof it"
    assert model.requests[1][-1]["toolResult"] == {"type": "tool_result", "text": "Read 42 bytes\nof it"}


def test_to_display_format_is_for_richer_ui_output_and_does_not_change_what_the_model_sees(core):
    core.register_tool(ReadFile)

    events, _ = turn(core, "README.md")
    (failed,) = core.execute_tool_calls([tool_call("read_file", file_path="nowhere")], config={})

    assert events[-1]["session"].messages[2]["metadata"]["display"] == {
        "type": "text", "content": "Read 42 bytes\nof it", "single_line": "README.md, 42 bytes",
    }  # fmt: skip
    assert failed["content"] == "Error: no such file"
    assert failed["metadata"]["display"]["single_line"] == "Error: no such file"


def test_format_tool_call_preview_is_used_by_the_loop_before_the_call_executes(core):
    tool = ReadFile()
    core.register_tool(tool)

    events, _ = turn(core, "README.md")

    assert of("preview", events) == [
        {
            "type": "preview",
            "tool_call_id": "call_1",
            "tool_name": "read_file",
            "preview": "read_file README.md",
        }
    ]
    kinds = [event["type"] for event in events]
    assert kinds.index("tool_call") < kinds.index("preview") < kinds.index("part")
    assert tool.told == ["preview", "run"]


def test_stream_tool_produces_incremental_output_in_the_loop(core):
    core.register_tool(ReadFile)

    events, _ = turn(core, "README.md")

    assert of("part", events) == [
        {"type": "part", "part": part, "tool_call_id": "call_1", "tool_name": "read_file"}
        for part in (
            {"type": "text", "content": "starting..."},
            {"type": "text", "content": "still working..."},
        )
    ]


class Plain(ToolPlugin):
    name = "plain"
    runs = 0

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("plain")]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        self.runs += 1
        return {"success": True, "result": {"an": "object"}}


def test_without_stream_tool_execute_tool_is_called_once_and_its_result_yielded(core):
    tool = Plain()
    core.register_tool(tool)

    (message,) = core.iter_tool_messages([tool_call("plain")], config={})

    assert tool.runs == 1
    assert message["content"] == '{"an":"object"}'


class Summarizer(ToolPlugin):
    name = "summarizer"

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("summarize")]

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

    def _extract_summary(self, events: list[dict[str, Any]]) -> str:
        return "".join(event["text"] for event in events if event["type"] == "text")


def test_using_context_to_make_llm_calls(core):
    core.register_tool(Summarizer)
    model = Scripted(asks(("summarize", "call_1", '{"long":"story"}')), said("short story"), said("done"))
    core.register_provider(model)

    events = list(core.run(asked(core), {"model": "m"}))

    assert Summarizer().execute_tool("summarize", {}, {})["result"] == "processed locally"
    assert events[-1]["session"].messages[2]["content"] == "short story "
    assert model.requests[1] == [{"role": "user", "content": "Summarize: {'long': 'story'}"}]
    assert [context["config"] for context in model.contexts] == [{"model": "m"}] * 3
