"""The providers' part of specification 004, as it is written there."""

from __future__ import annotations

import pytest
from callboard.agent.replay.faults import Fault
from callboard.agent.replay.server import ReplayServer
from callboard.agent.requests.exchange import exchange
from callboard.agent.requests.provider_stack import ProviderStack
from callboard.base.json import copy_json
from callboard.interop.default_registry import DEFAULT_TOOL_INTEROP_REGISTRY, compose_registry
from callboard.interop.errors import UnknownFormatError
from callboard.interop.hub import InspectedSchema
from callboard.tool_interop import ToolInteropContribution
from providers import SCRIPT, STACKS, TOOLS, Asked, calls_of, user

WEATHER = user("How is the weather?")


def test_mistake_to_convert_schemas_in_tools_one_source_schema_is_sent_to_every_provider_in_its_own_format():
    sent = {}
    for name in STACKS:
        asked = Asked(name, "http://127.0.0.1:1/v1")
        state, context = asked.state_and_context()
        _, state = asked.stack.initialize_request([], state, context)
        sent[name] = state["request"]["payload"]["tools"]
        assert state["_tools"] == TOOLS

    assert [set(tools[0]) for tools in sent.values()] == [
        {"type", "function"},
        {"type", "name", "description", "parameters", "strict"},
        {"type", "name", "description", "parameters", "strict"},
        {"name", "description", "input_schema"},
    ]
    assert [tools[1].get("type") for tools in sent.values()] == ["function", "custom", "custom", None]


class AcmeSchemas:
    """Reads declarations that only the provider that contributes it knows."""

    format = "acme.tool"

    def matches(self, value):
        return "acme" in value

    def inspect(self, value):
        return InspectedSchema(format=self.format, name=value["acme"], parameters={"type": "object"})


@pytest.mark.parametrize("name", STACKS)
def test_mistake_to_use_the_default_registry_what_a_request_contributes_is_known_to_its_own_alone(name):
    class Contributes:
        def get_tool_interop_contribution(self, state):
            return ToolInteropContribution(schema_accessors=(AcmeSchemas(),))

    tool = {"acme": "buy"}
    asked = Asked(name, "http://127.0.0.1:1/v1")
    asked.stack = ProviderStack(asked.provider, [*asked.stack.extensions, Contributes()])
    state, context = asked.state_and_context([tool])

    _, state = asked.stack.initialize_request([], state, context)

    (sent,) = state["request"]["payload"]["tools"]
    assert sent.get("function", sent)["name"] == "buy"
    with pytest.raises(UnknownFormatError):
        DEFAULT_TOOL_INTEROP_REGISTRY.inspect_schema(tool)


@pytest.mark.parametrize("name", STACKS)
def test_mistake_to_store_the_registry_a_state_is_json_before_and_after_a_request(name):
    with ReplayServer(SCRIPT) as server:
        asked = Asked(name, server.url)
        state, context = asked.state_and_context()
        native, state = asked.stack.initialize_request([], state, context)

        list(asked.provider.send_request_stream(native, state, context=context))
        _, native, state = asked.stack.finalize(native, state, context)

        asked.provider.close()
    assert copy_json(state) == state
    assert copy_json(native) == native
    assert copy_json(asked.config) == asked.config


@pytest.mark.parametrize("name", STACKS)
def test_sanitization_a_corrupted_call_is_retained_sanitized_and_never_sent_corrupted(name):
    registry = compose_registry()
    with ReplayServer(SCRIPT) as server:
        asked = Asked(name, server.url)
        server.next(Fault(cut_after=8 if name == "chat" else 12))  # in the midst of the first call
        state, context = asked.state_and_context()
        *_, last = exchange(asked.stack, [WEATHER], state, context=context)
        message = last["message"]
        asked.events(WEATHER, message, user("Go on"))
        asked.provider.close()

    (call,) = calls_of(message)
    assert registry.inspect_call(call).payload_kind == "malformed"
    assert call["function"]["arguments"] == "{}"
    sent = server.requests[-1].body
    (turn,) = [each for each in sent.get("input", sent.get("messages")) if _calls(each)]
    (resent,) = _calls(turn)
    assert registry.inspect_call(resent).payload == {}


def _calls(message):
    """The calls in one message, or item, of any of the three APIs."""
    if message.get("type") == "function_call":
        return [message]
    blocks = message.get("content") if isinstance(message.get("content"), list) else []
    return message.get("tool_calls") or [block for block in blocks if block.get("type") == "tool_use"]
