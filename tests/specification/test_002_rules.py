"""The guide to tool plugins, rules that its examples only show: what stays text, what is held apart, who is asked first.

Of "Results, previews, display payloads, and streaming", "Tool state and enablement" and "Testing tool plugins".
"""

# ruff: noqa: TC003 - written as in the guide

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from callboard import AgentCore
from callboard.tool_interop import ToolInteropTarget, get_registry_from_context
from callboard.types import ToolPlugin
from requests_of import CHAT, CUSTOM, request_of
from tools import schema, tool_call


@pytest.fixture
def core() -> Iterator[AgentCore]:
    with AgentCore() as core:
        yield core


class Formats(ToolPlugin):
    """Formats its result as it is told."""

    name = "formats"

    def __init__(self, formatted: Any) -> None:
        self.formatted = formatted

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("formats")]

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": "done"}

    def format_tool_result(self, result: dict[str, Any], state: dict[str, Any]) -> Any:
        return self.formatted


@pytest.mark.parametrize(
    "formatted",
    [
        {"type": "image", "format": "openai.chat_completions", "content": []},
        [{"type": "text", "text": "in a list"}],
        7,
    ],
    ids=["an accidental dictionary", "a list", "a number"],
)
def test_only_explicit_envelopes_are_preserved_and_ordinary_values_are_stringified(core, formatted):
    core.register_tool(Formats(formatted))

    (message,) = core.execute_tool_calls([tool_call("formats")], config={})

    assert json.loads(message["content"]) == formatted
    assert message["toolResult"] == {"type": "tool_result", "text": message["content"]}


def broken_call(name: str, call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"path":'}}


class Chunks(ToolPlugin):
    """Yields what the call names."""

    name = "chunks"
    chunks = (
        ({"success": True, "result": "final", "part": "no part"}, "final"),
        ({"part": "a display payload"}, "part"),
        ({"progress": 0.5}, "wrapped"),
    )

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("chunks")]

    def stream_tool(
        self, tool_name: str | None, payload: Any, state: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        yield self.chunks[payload["number"]][0]
        yield {"success": True, "result": "the end"}


@pytest.mark.parametrize("number", range(3), ids=[kind for _, kind in Chunks.chunks])
def test_a_dict_with_success_is_final_one_with_part_is_partial_and_any_other_is_wrapped(core, number):
    core.register_tool(Chunks)
    chunk, kind = Chunks.chunks[number]

    *parts, message = core.iter_tool_messages([tool_call("chunks", number=number)], config={})

    told = {"final": [], "part": ["a display payload"], "wrapped": [chunk]}
    assert [part["part"] for part in parts] == told[kind]
    assert message["content"] == ("final" if kind == "final" else "the end")


class Claims(ToolPlugin):
    """Claims, rejects, or has no opinion."""

    def __init__(self, name: str, answer: bool | None) -> None:
        self.name = name
        self.answer = answer

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [schema("shared")]

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
        return self.answer

    def execute_tool(self, tool_name: str | None, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": self.name}


@pytest.mark.parametrize(
    ("first", "second", "who"),
    [
        (None, True, "second"),
        (True, None, "first"),
        (False, None, "second"),
        (None, False, "first"),
        (False, False, None),
    ],
)
def test_true_claims_the_call_false_rejects_it_and_none_falls_back_to_the_name(core, first, second, who):
    core.register_tool(Claims("first", first))
    core.register_tool(Claims("second", second))

    (message,) = core.execute_tool_calls([tool_call("shared")], config={})

    if who is None:
        assert message["metadata"]["failure"]["code"] == "unknown_tool"
    else:
        assert message["content"] == who


class Patch(ToolPlugin):
    """Declares a freeform tool, in the format of one provider."""

    name = "patch"
    declared: ClassVar[dict[str, Any]] = {"type": "custom", "name": "patch", "format": {"type": "text"}}

    def get_tool_schemas(self, state: dict[str, Any]) -> list[dict[str, Any]]:
        return [self.declared]

    def execute_tool(
        self, tool_name: str | None, payload: Any, state: dict[str, Any], *, payload_kind: str | None = None
    ) -> dict[str, Any]:
        return {"success": True, "result": f"{payload_kind}: {payload}"}


CALLS = {
    CUSTOM: {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** Begin"},
    CHAT: tool_call("patch", "c", input="*** Begin"),
}


@pytest.mark.parametrize("target", CALLS, ids=["passthrough", "adaptation"])
def test_advanced_interop_is_inspected_routed_and_passed_through_or_adapted_by_the_target_formats(
    core, target
):
    core.register_tool(Patch)
    request = request_of(core, {}, target)
    registry = get_registry_from_context(request.context)

    (sent,) = registry.convert_schemas(request.schemas, ToolInteropTarget("openai"), [target])
    inspected = registry.inspect_call(CALLS[target])
    (message,) = core.execute_tool_calls(
        [CALLS[target]], {}, context={"tool_interop": request.context["tool_interop"]}
    )

    assert registry.inspect_schema(sent).name == "patch"
    assert (sent == Patch.declared) is (target == CUSTOM)
    assert (inspected.tool_name, inspected.payload, inspected.payload_kind) == ("patch", "*** Begin", "text")
    assert message["content"] == "text: *** Begin"


def test_a_call_that_reaches_no_tool_has_its_message_with_the_failure_and_no_plugin(core):
    core.register_tool(Formats("never asked"))

    unknown, broken, taken = core.execute_tool_calls(
        [tool_call("nobody", "c1"), broken_call("formats", "c2"), tool_call("formats", "c3")], config={}
    )

    assert [message["metadata"].get("tool_plugin") for message in (unknown, taken)] == [None, "formats"]
    codes = [message["metadata"]["failure"]["code"] for message in (unknown, broken)]
    assert codes == ["unknown_tool", "invalid_call"]
    assert "never asked" not in unknown["content"] + broken["content"]
    assert [message["metadata"]["tool_call_id"] for message in (unknown, broken, taken)] == ["c1", "c2", "c3"]
