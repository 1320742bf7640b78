"""The guide to tool plugins, "Tool protocol" and what its message flow says: the hooks, their order, and what each is given."""

# ruff: noqa: TC003 - written as in the guide

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from callboard import AgentCore
from callboard.plugins.sources.python import load_package_entry, read_python_package
from callboard.types import BasePlugin, ToolPlugin
from house_source import ROOT
from requests_of import CHAT, CUSTOM, request_of
from scripted_provider import Scripted, asks, said
from toolbox import asked
from tools import schema, tool_call

FACTS = "payload_kind=None, payload_format=None, payload_metadata=None, tool_call=None"

HOOKS = {
    "init": "(self, config)",
    "prepare": "(self, config, state, *, context=None)",
    "prepare_async": "(self, config, state, *, context=None)",
    "get_tool_schemas": "(self, state, *, prepared=None)",
    "get_tool_interop_contribution": "(self, state)",
    "can_handle_tool_call": f"(self, tool_name, payload, state, *, {FACTS}, tool_schema=None, prepared=None)",
    "execute_tool": f"(self, tool_name, payload, state, *, {FACTS}, prepared=None, context=None)",
    "execute_tool_async": f"(self, tool_name, payload, state, *, {FACTS}, prepared=None, context=None)",
    "format_tool_result": "(self, result, state)",
    "format_tool_call_preview": f"(self, tool_name, payload, state, *, {FACTS}, prepared=None)",
    "stream_tool": f"(self, tool_name, payload, state, *, {FACTS}, prepared=None, context=None)",
    "stream_tool_async": f"(self, tool_name, payload, state, *, {FACTS}, prepared=None, context=None)",
    "to_display_format": "(self, text, result, state)",
    "get_config_schema": "(self)",
    "get_ui_elements": "(self)",
    "get_tags": "(self, config, models)",
    "required_tags": "(self)",
    "forbidden_tags": "(self)",
    "is_enabled": "(self, config, tags, models, context)",
}
"""As in the guide; what runs a tool has the `context` of its later section too."""


@pytest.fixture
def core() -> Iterator[AgentCore]:
    with AgentCore() as core:
        yield core


def test_the_protocol_has_the_hooks_of_the_guide_with_their_parameters():
    public = {
        name: inspect.signature(hook)
        for kind in (BasePlugin, ToolPlugin)
        for name, hook in vars(kind).items()
        if inspect.isfunction(hook) and not name.startswith("_")
    }

    bare = {
        name: str(
            signature.replace(
                parameters=[each.replace(annotation=each.empty) for each in signature.parameters.values()],
                return_annotation=signature.empty,
            )
        )
        for name, signature in public.items()
    }
    assert bare == HOOKS


class Told(ToolPlugin):
    """Keeps each hook that it is asked, with the state and the prepared data that the hook is given."""

    name = "told"

    def __init__(self) -> None:
        self.hooks: list[str] = []
        self.prepared: dict[str, Any] = {}

    def _told(self, hook: str, prepared: Any = None) -> None:
        if hook not in self.hooks:
            self.hooks.append(hook)
        self.prepared[hook] = prepared

    def init(self, config):
        self._told("init")
        return {"mine": 1}

    def prepare(self, config, state, *, context=None):
        self._told("prepare")
        return {"tool": "told"}

    def get_tool_schemas(self, state, *, prepared=None):
        self._told("get_tool_schemas", prepared)
        return [schema(prepared["tool"])]

    def can_handle_tool_call(self, tool_name, payload, state, *, prepared=None):
        self._told("can_handle_tool_call", prepared)

    def format_tool_call_preview(self, tool_name, payload, state, *, prepared=None):
        self._told("format_tool_call_preview", prepared)
        return ""

    def execute_tool(self, tool_name, payload, state, *, prepared=None):
        self._told("execute_tool", prepared)
        return {"success": True, "result": state}

    def format_tool_result(self, result, state):
        self._told("format_tool_result")
        return "formatted"

    def to_display_format(self, text, result, state):
        self._told("to_display_format")
        return {"type": "text", "content": text}


def test_a_tool_is_set_up_described_routed_run_and_formatted_in_that_order(core):
    tool = Told()
    core.register_tool(tool)
    core.register_provider(Scripted(asks(("told", "call_1", "{}")), said("done")))

    *_, done = core.run(asked(core), {})

    claimed = tool.hooks.index("can_handle_tool_call")
    assert [
        hook for hook in tool.hooks if hook not in {"can_handle_tool_call", "format_tool_call_preview"}
    ] == [
        "init",
        "prepare",
        "get_tool_schemas",
        "execute_tool",
        "format_tool_result",
        "to_display_format",
    ]
    assert tool.hooks.index("get_tool_schemas") < claimed < tool.hooks.index("execute_tool")
    assert done["session"].messages[2]["content"] == "formatted"


def test_every_hook_that_asks_for_it_is_given_what_was_prepared(core):
    tool = Told()
    core.register_tool(tool)
    core.register_provider(Scripted(asks(("told", "call_1", "{}")), said("done")))

    list(core.run(asked(core), {}))

    asking = ("get_tool_schemas", "can_handle_tool_call", "format_tool_call_preview", "execute_tool")
    assert [tool.prepared[hook] for hook in asking] == [{"tool": "told"}] * len(asking)


class Counts(ToolPlugin):
    """Counts under a key that another tool and the provider have as well."""

    def __init__(self, name: str) -> None:
        self.name = name

    def init(self, config):
        return {"calls": 0}

    def get_tool_schemas(self, state):
        return [schema(self.name)]

    def execute_tool(self, tool_name, payload, state):
        state["calls"] += 1
        return {"success": True, "result": state}


def test_each_tool_has_a_state_of_its_own_and_nothing_of_the_providers(core):
    class Stateful(Scripted):
        def init(self, config):
            return {"calls": 1000}

    core.register_tool(Counts("one"))
    core.register_tool(Counts("other"))
    core.register_provider(
        Stateful(
            asks(("one", "call_1", "{}"), ("other", "call_2", "{}")),
            asks(("one", "call_3", "{}")),
            said("done"),
        )
    )

    *_, done = core.run(asked(core), {})

    contents = [message["content"] for message in done["session"].messages if message["role"] == "tool"]
    assert contents == ['{"calls":1}', '{"calls":1}', '{"calls":2}']


class Facts(ToolPlugin):
    """Answers with what it is told of a call; claims by the call alone."""

    name = "facts"

    def __init__(self) -> None:
        self.claims: list[tuple[Any, Any]] = []

    def get_tool_schemas(self, state):
        return [schema("structured"), {"type": "custom", "name": "raw", "format": {"type": "text"}}]

    def can_handle_tool_call(self, tool_name, payload, state, *, tool_call=None, tool_schema=None):
        self.claims.append((tool_call, tool_schema))

    def execute_tool(
        self,
        tool_name,
        payload,
        state,
        *,
        payload_kind=None,
        payload_format=None,
        payload_metadata=None,
        tool_call=None,
    ):
        self.seen = (tool_name, payload, payload_kind, payload_format, payload_metadata, tool_call)
        return {"success": True, "result": "seen"}


CALLS = {
    "object": (tool_call("structured", "call_1", a=1), ("structured", {"a": 1}, "object", "json")),
    "text": (
        {"type": "custom_tool_call", "call_id": "call_2", "name": "raw", "input": "*** Begin"},
        ("raw", "*** Begin", "text", "text"),
    ),
}


@pytest.mark.parametrize("kind", CALLS)
def test_a_tool_is_told_name_payload_kind_format_metadata_and_the_call_itself(core, kind):
    call, told = CALLS[kind]
    tool = Facts()
    core.register_tool(tool)

    core.execute_tool_calls([call], {})

    assert tool.seen[:4] == told
    assert isinstance(tool.seen[4], dict)
    assert tool.seen[5] == call


def test_a_claim_sees_the_call_and_no_schema(core):
    call, _ = CALLS["text"]
    tool = Facts()
    core.register_tool(tool)

    core.execute_tool_calls([call], {})

    assert tool.claims == [(call, None)]


def test_a_tool_may_emit_schemas_in_any_format_that_the_registry_understands(core):
    class Many(Counts):
        def get_tool_schemas(self, state):
            return [
                schema("chat"),
                {"type": "function", "name": "responses", "parameters": {"type": "object"}},
                {"type": "custom", "name": "freeform", "format": {"type": "text"}},
                {"name": "anthropic", "input_schema": {"type": "object"}},
            ]

    core.register_tool(Many("many"))

    request = request_of(core, {}, CUSTOM, CHAT)

    assert [tool.tool_name for tool in request.tools] == ["chat", "responses", "freeform", "anthropic"]
    assert request.schemas == Many("many").get_tool_schemas({})


MY_TOOLS = ROOT / "examples" / "python-echo-tool"
EchoTool = load_package_entry(read_python_package(MY_TOOLS), "python_echo_tool.echo_tool.EchoTool")


def test_the_echo_tool_of_the_guide_previews_its_calls_and_refuses_what_it_cannot_echo():
    tool = EchoTool()

    assert tool.format_tool_call_preview("echo", {"value": "hello"}, {}) == "echo value='hello'"
    assert tool.format_tool_call_preview("echo", "hello", {}) == ""
    for name, payload in (("other", {}), ("echo", "hello"), ("echo", {"value": 1})):
        result = tool.execute_tool(name, payload, {})
        assert result["success"] is False
        assert tool.format_tool_result(result, {}) == f"Error: {result['error']}"
