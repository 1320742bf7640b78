"""The guide to tool plugins, "Tool execution context", rule by rule.

The examples stand here as in the guide, with `agent_core` replaced by `callboard`.
"""

from __future__ import annotations

from typing import Any

import pytest
from callboard import AgentCore, ToolPlugin
from callboard.actors.board import Board
from callboard.plugins.contract.context import ReservedContextKeyWarning, application_context, core_context
from requests_of import CHAT, request_of
from scripted_provider import Scripted, asks, said
from tools import schema, tool_call


class Sees(ToolPlugin):
    """Keeps the context of each call."""

    name = "sees"

    def __init__(self) -> None:
        self.contexts: list[dict[str, Any]] = []

    def get_tool_schemas(self, state):
        return [schema("sees")]

    def execute_tool(self, tool_name, payload, state, *, context=None):
        self.contexts.append(context)
        return {"success": True, "result": "seen"}


@pytest.fixture
def core():
    with AgentCore() as core:
        yield core


@pytest.fixture
def sees(core):
    plugin = Sees()
    core.register_tool(plugin)
    return plugin


def seen(core, sees, config=None, context=None):
    core.execute_tool_calls([tool_call("sees")], config or {}, context=context)
    return sees.contexts[-1]


# Context structure


def test_layer_1_is_always_present_when_called_from_the_core(core, sees):
    config = {"model": "m"}

    context = seen(core, sees, config)

    assert context == {
        "core": core,
        "config": config,
        "trigger_source": "core",
        "tool_runtime": core.board.tool_runtime,
    }


def test_layer_2_is_layer_1_and_what_the_application_has_when_called_from_one(core, sees):
    app, config, base, store, runtime = object(), {"model": "m"}, {"agents": {}}, object(), object()
    layer = application_context(
        core_context(core, config), app=app, base_config=base, session_asset_store=store, tool_runtime=runtime
    )

    context = seen(core, sees, config, layer)

    assert context == {
        "core": core,
        "config": config,
        "app": app,
        "application": app,
        "base_config": base,
        "session_asset_store": store,
        "tool_runtime": runtime,
        "trigger_source": "application",
    }


def test_caller_supplied_context_is_additive_only(core, sees):
    with pytest.warns(ReservedContextKeyWarning, match="the context key 'core' belongs to") as caught:
        context = seen(core, sees, context={"core": "mine", "request_id": 7})

    assert (context["core"], context["request_id"]) == (core, 7)
    assert len(caught) == 1


def test_the_context_of_another_core_or_request_is_not_taken_for_ones_own(core, sees):
    foreign = application_context(
        core_context(object(), {}), app=object(), base_config={}, session_asset_store=object()
    )

    with pytest.warns(ReservedContextKeyWarning) as caught:
        context = seen(core, sees, context=foreign)

    assert (context["core"], context["trigger_source"]) == (core, "core")
    assert {str(warning.message).split("'")[1] for warning in caught} == {"core", "config", "trigger_source"}


def test_what_a_request_owns_is_kept_for_it_and_the_caller_is_warned(core):
    outer = request_of(core, {}, CHAT)

    with pytest.warns(ReservedContextKeyWarning, match="'tool_interop'"):
        inner = request_of(core, {}, context=outer.context)

    assert inner.context["tool_interop"]["registry"] is inner.registry
    assert inner.context["tool_interop"]["schema_target_formats"] == []
    assert outer.context["tool_interop"]["schema_target_formats"] == [CHAT]


def test_the_loop_gives_its_tools_the_context_of_their_request(core, sees):
    core.register_provider(Scripted(asks(("sees", "call_1", "{}")), said("done")))

    list(core.run(core.add_message(core.create_session(), "user", "go"), {"model": "m"}, context={"mine": 1}))

    (context,) = sees.contexts
    assert context.keys() == {
        "core",
        "config",
        "trigger_source",
        "mine",
        "session_id",
        "tool_interop",
        "tool_runtime",
    }


# Using application context for enhanced features


class Delegating(ToolPlugin):
    name = "delegating"

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
        return {"success": True, "result": app.ask(agent, payload)}

    def _process_with_core(self, core, payload, context):
        return {"success": True, "result": f"by the core, with {context['config']['model']}"}


class Application:
    def ask(self, agent, payload):
        return f"{agent} was asked about {payload['of']}"


@pytest.mark.parametrize(
    ("base", "content"),
    [
        ({"summarizer_agent": "brief"}, "brief was asked about it"),
        ({}, "by the core, with m"),
        (None, "by the core, with m"),
    ],
    ids=["an agent of the application", "an application without that agent", "no application"],
)
def test_application_context_gives_access_to_the_application_and_without_it_the_core_does(
    core, base, content
):
    core.register_tool(Delegating)
    config = {"model": "m"}
    context = None
    if base is not None:
        context = application_context(
            core_context(core, config), app=Application(), base_config=base, session_asset_store=object()
        )

    (message,) = core.execute_tool_calls([tool_call("summarize", of="it")], config, context=context)

    assert message["content"] == content


# Backward compatibility


class LegacyTool:
    def execute_tool(self, tool_name: str, payload: Any, state: dict[str, Any]) -> dict[str, Any]:
        return {"success": True, "result": "done"}

    def get_tool_schemas(self, state):
        return [schema(type(self).__name__)]


class ModernTool(LegacyTool):
    def execute_tool(
        self,
        tool_name: str,
        payload: Any,
        state: dict[str, Any],
        *,
        context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        # Can use context if available
        return {"success": True, "result": f"done by {context['trigger_source']}"}


class LegacyArgumentsTool(LegacyTool):
    def execute_tool(
        self, tool_name: str, arguments: dict[str, Any], state: dict[str, Any]
    ) -> dict[str, Any]:
        return {"success": True, "result": "done"}


class TakesAnything(LegacyTool):
    def execute_tool(self, tool_name, payload, state, **facts):
        return {"success": True, "result": f"done by {facts['context']['trigger_source']}"}


def test_inspection_determines_who_accepts_the_context_and_nobody_else_is_given_it(core):
    tools = (LegacyTool, LegacyArgumentsTool, ModernTool, TakesAnything)
    for tool in tools:
        core.register_tool(tool)

    messages = core.execute_tool_calls([tool_call(tool.__name__) for tool in tools], {})

    assert [message["content"] for message in messages] == ["done", "done", "done by core", "done by core"]


# The tool runtime


class Pooled(ToolPlugin):
    """Prepares a live pool, and counts its uses."""

    name = "pooled"

    def prepare(self, config, state, *, context=None):
        context["tool_runtime"].get("pooled:pool", list, close=config["closed"].append)
        return {"pool": "pooled:pool"}

    def get_tool_schemas(self, state, *, prepared=None, context="never given"):
        assert context == "never given"
        return [schema(prepared["pool"].partition(":")[0])]

    def format_tool_call_preview(self, tool_name, payload, state, *, prepared=None):
        return f"uses {prepared['pool']}"

    def execute_tool(self, tool_name, payload, state, *, prepared=None, context=None):
        pool = context["tool_runtime"].get(prepared["pool"], dict)
        pool.append(context["core"])
        return {"success": True, "result": len(pool)}


def test_the_tool_runtime_is_for_long_running_and_execution_hooks_and_outlives_a_core():
    closed: list[Any] = []
    previews = []
    with Board() as board:
        for number in range(2):
            with AgentCore(board) as core:
                if number == 0:
                    core.register_tool(Pooled, config={"closed": closed})
                core.register_provider(Scripted(asks(("pooled", "call_1", "{}")), said("done")))
                events = list(core.run(core.add_message(core.create_session(), "user", "go"), {}))
                previews += [event["preview"] for event in events if event["type"] == "preview"]
        assert closed == []
        cores = list(board.tool_runtime.get("pooled:pool", dict))

    assert len(set(map(id, cores))) == 2
    assert previews == ["uses pooled:pool"] * 2
    assert closed == [cores]
