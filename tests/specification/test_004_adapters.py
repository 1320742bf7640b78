"""The page on the interop flow, "Where result conversion happens": an adapter of results that is a provider's own."""

from __future__ import annotations

from callboard import AgentCore
from callboard.tool_interop import (
    HUB,
    Converted,
    ToolInteropContribution,
    ToolInteropTarget,
    get_registry_from_context,
)
from callboard.types import ToolPlugin
from conversations import chat_call
from scripted_provider import Scripted, said
from toolbox import asked
from tools import schema


class Observes:
    """Writes results as observations, which no built-in format is."""

    source = HUB
    target = "acme.observation"

    def convert(self, value, context):
        return Converted({"observed": value.parts[0].text, "of": value.call_id})


class Acme(Scripted):
    """Brings the adapter, and decides where what it writes lands in its history."""

    name = "acme"

    def get_tool_interop_contribution(self, state):
        return ToolInteropContribution(result_adapters=(Observes(),))

    def to_native_messages(self, messages, state, *, context=None):
        registry = get_registry_from_context(context)
        return [
            {"turn": registry.convert_results([message], target=ToolInteropTarget("acme"))}
            if message["role"] == "tool"
            else message
            for message in messages
        ]


class Adds(ToolPlugin):
    name = "adds"

    def get_tool_schemas(self, state):
        return [schema("add")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": 4}


def test_a_result_adapter_converts_the_structured_payload_and_the_provider_places_it():
    acme = Acme({"content": "", "tool_calls": [chat_call("add", "call_1")]}, said("four"))
    with AgentCore() as core:
        core.register_tool(Adds)
        core.register_provider(acme)

        list(core.run(asked(core), {}))

    assert acme.requests[1][-1] == {"turn": [{"observed": "4", "of": "call_1"}]}
