"""A schema in a format that only the provider's side knows (004): registered in either order, offered, called.

"Those schemas may already be in the provider's native format, or they may be in some other supported source format."
"""

from __future__ import annotations

import itertools

import pytest
from callboard import AgentCore, ContractError
from callboard.authoring.replay_server import ReplayServer
from callboard.interop.hub import InspectedSchema
from callboard.providers import OpenAIChatProvider
from callboard.tool_interop import (
    HUB,
    Converted,
    ToolInteropContribution,
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
    parse_arguments,
    read_function_call,
)
from toolbox import asked

FORMAT = "acme.tool"


class AcmeSchemas:
    format = FORMAT

    def matches(self, value):
        return isinstance(value, dict) and value.keys() >= {"fn", "takes"}

    def inspect(self, value):
        properties = {name: {} for name in value["takes"]}
        return InspectedSchema(FORMAT, value["fn"], parameters={"type": "object", "properties": properties})


class AcmeCalls:
    format = FORMAT

    def matches(self, value):
        return isinstance(value, dict) and value.keys() >= {"ref", "fn", "with"}

    def inspect(self, value):
        return read_function_call(
            FORMAT, value["ref"], value["fn"], parse_arguments(value["with"]), metadata={}
        )

    def sanitize(self, value):
        return value


class ToAcme:
    source, target = HUB, FORMAT

    def convert(self, value, context):
        return Converted({"fn": value.name, "takes": list((value.parameters or {}).get("properties", {}))})


class Brings:
    """Contributes the format, as a provider or an extension does."""

    def __init__(self):
        self.offered = []

    def get_tool_interop_contribution(self, state):
        return ToolInteropContribution(
            schema_accessors=(AcmeSchemas(),), call_accessors=(AcmeCalls(),), schema_adapters=(ToAcme(),)
        )

    def accepted_tool_schema_formats(self, state):
        return [FORMAT]

    def initialize_request(self, native_messages, state, *, context=None):
        self.offered = get_registry_from_context(context).convert_schemas(
            state["_tools"],
            ToolInteropTarget("acme"),
            target_formats=get_schema_target_formats_from_context(context),
        )


class Asks:
    """Asks for the tool in Acme's format, and says what it answered."""

    def send_request_stream(self, native_messages, state, *, context=None):
        last = native_messages[-1]
        if last["role"] == "tool":
            yield {"type": "text", "text": f"it said {last['content']}"}
        else:
            yield {"type": "tool_call", "tool_call": {"ref": "r1", "fn": "buy", "with": {"what": "milk"}}}


class AcmeProvider(Brings, Asks):
    name = "acme"


class Plain(Asks):
    name = "plain"


class NeedsModel(AcmeProvider):
    """Cannot be asked anything before a request says which model is meant."""

    name = "needs_model"

    def init(self, config):
        return {"model": config["model"]}


class Shop:
    """Declares its tool as only Acme does."""

    name = "shop"
    made = itertools.count()

    def __init__(self):
        self.number = next(Shop.made)

    def get_tool_schemas(self, state):
        return [{"fn": "buy", "takes": ["what"]}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": f"bought {payload['what']}"}


def registrations(core):
    """What has to be registered, by two ways of bringing the format."""
    acme, brings = AcmeProvider(), Brings()
    return {
        "provider": (acme, [lambda: core.register_provider(acme), lambda: core.register_tool(Shop)]),
        "extension": (
            brings,
            [
                lambda: core.register_provider(Plain()),
                lambda: core.register_provider_extension(brings),
                lambda: core.register_tool(Shop),
            ],
        ),
    }


ORDERS = [("provider", order) for order in itertools.permutations(range(2))] + [
    ("extension", order) for order in itertools.permutations(range(3))
]


@pytest.mark.parametrize(("way", "order"), ORDERS)
def test_a_schema_in_a_format_of_the_providers_side_is_registered_offered_and_called(way, order):
    with AgentCore() as core:
        brings, steps = registrations(core)[way]
        for number in order:
            steps[number]()

        *_, done = core.run(asked(core), {})

        assert brings.offered == [{"fn": "buy", "takes": ["what"]}]
        assert done["reason"] == "answered"
        assert done["session"].messages[-1]["content"] == "it said bought milk"


@pytest.mark.parametrize("tool_first", [False, True])
def test_a_provider_that_needs_the_configuration_of_a_request_brings_its_format_with_the_request(tool_first):
    with AgentCore() as core:
        if tool_first:
            core.register_tool(Shop)
        core.register_provider(NeedsModel)
        if not tool_first:
            core.register_tool(Shop)

        *_, done = core.run(asked(core), {"model": "m"})

        assert done["session"].messages[-1]["content"] == "it said bought milk"


def test_a_class_that_waits_for_its_format_is_made_once():
    before = next(Shop.made)
    with AgentCore() as core:
        core.register_tool(Shop)
        core.register_provider(AcmeProvider)

        assert [tool.tool_name for tool in core.board.tools()] == ["buy"]
    assert next(Shop.made) == before + 2


def test_a_tool_in_one_providers_format_is_offered_by_another_in_its_own():
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_tool(Shop)
        core.register_provider(AcmeProvider)
        core.register_provider(OpenAIChatProvider, {"model": "m", "base_url": server.url})

        list(core.run(asked(core), {"provider": "openai_chat"}))

        (sent,) = server.requests[0].body["tools"]
        assert sent["function"]["name"] == "buy"


def test_tools_in_a_providers_format_run_without_a_request_too():
    with AgentCore() as core:
        core.register_tool(Shop)
        core.register_provider(AcmeProvider)

        (message,) = core.execute_tool_calls([{"ref": "r", "fn": "buy", "with": {"what": "tea"}}], {})

        assert message["content"] == "bought tea"


def test_a_format_that_nobody_brings_is_told_with_the_first_use():
    with AgentCore() as core:
        core.register_tool(Shop)
        core.register_provider(Plain)

        for use in (
            lambda: list(core.send_request_stream(asked(core), {})),
            lambda: core.execute_tool_calls([{"ref": "r", "fn": "buy", "with": {}}], {}),
            lambda: core.submit({"ref": "r", "fn": "buy", "with": {}}, {}),
        ):
            with pytest.raises(ContractError) as caught:
                use()
            assert caught.value.plugin == "shop"
        *_, error, done = core.run(asked(core), {})
        assert (error["type"], done["reason"]) == ("error", "error")


def test_a_declaration_that_breaks_a_known_format_is_refused_at_once():
    class Broken(Shop):
        def get_tool_schemas(self, state):
            return [{"type": "function", "function": {"name": 3}}]

    with AgentCore() as core, pytest.raises(ContractError):
        core.register_tool(Broken)
