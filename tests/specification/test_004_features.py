"""Features, the fourth kind of plugin that the flow of tool interop names.

The documents say that a feature shares the provider's state (002), is given the request's context in
``initialize_request`` and ``finalize`` (004), and takes part in enablement "just like other plugin kinds" (002).
"""

from __future__ import annotations

import pytest
from callboard import AgentCore, ContractError
from callboard.agent.replay.server import ReplayServer
from callboard.interop.hub import InspectedSchema
from callboard.tool_interop import ToolInteropContribution, get_registry_from_context
from providers import STACKS
from toolbox import asked
from tools import Tool


class Remembers:
    """Says what it saw, and has the model told something more."""

    name = "remembers"

    def __init__(self):
        self.seen = {}

    def init(self, config):
        return {"memory": config.get("memory", "nothing")}

    def initialize_request(self, native_messages, state, *, context=None):
        self.seen["initialize_request"] = (dict(state), context)
        request = state.get("request") or {}
        payload = {**(request.get("payload") or {}), "metadata": {"memory": state["memory"]}}
        return native_messages, {**state, "request": {**request, "payload": payload}}

    def finalize(self, final_messages, native_messages, state, *, context=None):
        self.seen["finalize"] = (dict(state), context)
        return final_messages, native_messages, state


class Provider:
    """Keeps what it is to send, and asks nobody."""

    name = "p"

    def __init__(self):
        self.states = {}

    def init(self, config):
        return {"own": True}

    def initialize_request(self, native_messages, state, *, context=None):
        self.states["initialize_request"] = dict(state)
        return native_messages, {**state, "made": "by the provider"}

    def send_request_stream(self, native_messages, state, *, context=None):
        self.states["send_request_stream"] = dict(state)
        yield {"type": "text", "text": "well"}

    def finalize(self, final_messages, native_messages, state, *, context=None):
        return final_messages, native_messages, {**state, "settled": True}


def run(core, config=None):
    *_, done = core.run(asked(core), config or {})
    return done


def test_a_feature_shares_the_state_of_the_provider():
    feature, provider = Remembers(), Provider()
    with AgentCore() as core:
        core.register_provider(provider)
        core.register_feature(feature, {"memory": "of elephants"})

        run(core)

    before, _ = feature.seen["initialize_request"]
    after, _ = feature.seen["finalize"]
    assert (before["own"], before["memory"], "made" in before) == (True, "of elephants", False)
    assert provider.states["initialize_request"]["memory"] == "of elephants"
    assert (
        provider.states["send_request_stream"]["request"]["payload"]["metadata"]["memory"] == "of elephants"
    )
    assert (after["made"], after["settled"], after["partial"]["content"]) == ("by the provider", True, "well")


def test_a_feature_is_given_the_requests_context_in_initialize_request_and_finalize():
    feature = Remembers()
    with AgentCore() as core:
        core.register_provider(Provider())
        core.register_feature(feature)

        run(core, {"model": "m"})

        for hook in ("initialize_request", "finalize"):
            _, context = feature.seen[hook]
            assert (context["core"], context["config"]) == (core, {"model": "m"})
            assert {"registry", "schema_target_formats"} <= context["tool_interop"].keys()


@pytest.mark.parametrize("stack", STACKS)
def test_what_a_feature_puts_into_the_payload_of_a_shipped_provider_is_sent(stack):
    provider, extensions = STACKS[stack]
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)
        core.register_feature(Remembers, {"memory": "of elephants"})

        done = run(core)

        assert done["reason"] == "answered"
        assert server.requests[0].body["metadata"] == {"memory": "of elephants"}
        assert server.requests[0].body["model"] == "m"


@pytest.mark.parametrize("stack", STACKS)
def test_what_a_feature_says_in_the_history_is_sent_with_the_history(stack):
    class Dates:
        def initialize_request(self, native_messages, state, *, context=None):
            return [*native_messages, {"role": "user", "content": "It is Tuesday."}], state

    provider, extensions = STACKS[stack]
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)
        core.register_feature(Dates)

        run(core)

        body = server.requests[0].body
        assert "Tuesday" in str(body.get("messages") or body["input"])


class Signs:
    """Reads declarations ``{"sign"}``."""

    format = "signs.tool"

    def matches(self, value):
        return isinstance(value, dict) and "sign" in value

    def inspect(self, value):
        return InspectedSchema(format=self.format, name=value["sign"], parameters={"type": "object"})


def test_a_feature_contributes_formats_to_the_requests_registry():
    found = []

    class Reads:
        def get_tool_interop_contribution(self, state):
            return ToolInteropContribution(schema_accessors=(Signs(),))

        def initialize_request(self, native_messages, state, *, context=None):
            found.append(get_registry_from_context(context).inspect_schema({"sign": "stop"}).name)

    with AgentCore() as core:
        core.register_provider(Provider())
        core.register_feature(Reads)

        run(core)

    assert found == ["stop"]


class Gated(Remembers):
    name = "gated"

    def required_tags(self):
        return ["has_memory"]


def test_a_feature_that_is_not_enabled_takes_no_part_and_sets_nothing():
    feature, provider = Gated(), Provider()
    with AgentCore() as core:
        core.register_provider(provider)
        core.register_feature(feature)

        run(core)
        assert feature.seen == {}
        assert "memory" not in provider.states["initialize_request"]

        run(core, {"tags": ["has_memory"]})
        assert "finalize" in feature.seen


def test_is_enabled_of_a_feature_goes_before_its_tags():
    class Decides(Gated):
        def is_enabled(self, config, tags, models, context):
            return str(config.get("model") or "").startswith("gpt-5") or None

    feature = Decides()
    with AgentCore() as core:
        core.register_provider(Provider())
        core.register_feature(feature)

        run(core, {"model": "other"})
        assert feature.seen == {}
        run(core, {"model": "gpt-5-mini"})
        assert "finalize" in feature.seen


def test_the_tags_of_a_feature_are_in_force_for_tools():
    class Brings:
        def get_tags(self, config, models):
            return ["has_memory"]

    class Needs(Tool):
        def required_tags(self):
            return ["has_memory"]

    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        provider, _ = STACKS["chat"]
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        core.register_tool(Needs(lambda arguments, state: {"success": True}, "remember"))
        core.register_feature(Brings)

        run(core)

        assert [tool["function"]["name"] for tool in server.requests[0].body["tools"]] == ["remember"]


def test_a_tool_does_not_share_the_state_of_the_provider():
    states = []

    def tell(arguments, state):
        states.append(dict(state))
        return {"success": True, "result": "told"}

    class Asks(Provider):
        def send_request_stream(self, native_messages, state, *, context=None):
            if native_messages[-1]["role"] == "user":
                call = {"id": "1", "type": "function", "function": {"name": "tell", "arguments": "{}"}}
                yield {"type": "tool_call", "tool_call": call}
            else:
                yield {"type": "text", "text": "so"}

    with AgentCore() as core:
        core.register_provider(Asks())
        core.register_feature(Remembers)
        core.register_tool(Tool(tell, "tell"))

        run(core)

    assert len(states) == 1
    assert {"own", "memory", "request", "_tools"}.isdisjoint(states[0])


def test_what_is_no_feature_is_refused_at_once():
    class Waits:
        async def initialize_request(self, native_messages, state, *, context=None):
            return native_messages, state

    with AgentCore() as core, pytest.raises(ContractError):
        core.register_feature(Waits)
