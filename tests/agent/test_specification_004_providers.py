"""The providers' part of specification 004, as it is written there."""

from __future__ import annotations

from callboard.agent.provider_stack import ProviderStack
from callboard.agent.replay.server import ReplayServer
from callboard.tool_interop import (
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)
from providers import SCRIPT, Asked, user

WEATHER = user("How is the weather?")


def test_the_spec_004_example_injects_the_tools_in_place_of_the_provider():
    class Injects:
        def initialize_request(self, native_messages, state, *, context=None):
            request = state.get("request") or {}
            payload = dict(request.get("payload") or {})
            tools = state.get("_tools") or []
            if tools and "tools" not in payload:
                registry = get_registry_from_context(context)
                target_formats = get_schema_target_formats_from_context(context)
                payload["tools"] = registry.convert_schemas(
                    [tool for tool in tools if isinstance(tool, dict)],
                    target=ToolInteropTarget("openai.chat_completions"),
                    target_formats=target_formats,
                )
                payload["tool_choice"] = payload.get("tool_choice", "auto")
            return native_messages, {**state, "request": {**request, "payload": payload}}

        def finalize(self, final_messages, native_messages, state, *, context=None):
            partial = state.get("partial")
            if isinstance(partial, dict):
                tool_calls = partial.get("tool_calls")
                if isinstance(tool_calls, list):
                    registry = get_registry_from_context(context)
                    partial["tool_calls"] = [
                        registry.sanitize_tool_call(call) for call in tool_calls if isinstance(call, dict)
                    ]
            return final_messages, native_messages, state

    with ReplayServer(SCRIPT) as server:
        asked = Asked("chat", server.url)
        plain = asked.events(WEATHER)
        asked.stack = ProviderStack(asked.provider, [Injects()])
        events = asked.events(WEATHER)
        asked.provider.close()

    sent = server.requests[-1].body
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["get.weather", "patch", "now"]
    assert sent["tool_choice"] == "auto"
    assert events == plain
