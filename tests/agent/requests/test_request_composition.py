"""One request: whose formats are accepted, in which order contributions are asked, what stands in the context."""

from __future__ import annotations

import pytest
from callboard.actors.board import Board
from callboard.agent.requests.provider_adapter import ProviderAdapter
from callboard.agent.requests.request import RequestError, compose_request
from callboard.base.errors import ContractError
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.contract.context import core_context
from callboard.tool_interop import (
    DEFAULT_TOOL_INTEROP_REGISTRY,
    ToolInteropContribution,
    ToolInteropTarget,
    get_registry_from_context,
    get_schema_target_formats_from_context,
)
from tools import Tool, schema

CUSTOM = "openai.responses.custom.tool_schema"
FUNCTION = "openai.responses.function"
CHAT = "openai.chat_completions.function"


class Stage:
    """A provider or an extension that says what it accepts and adds."""

    def __init__(self, name, *formats, contribution=None):
        self.name = name
        self.formats = list(formats)
        self.contribution = contribution

    def accepted_tool_schema_formats(self, state):
        return self.formats

    def get_tool_interop_contribution(self, state):
        return self.contribution

    def send_request_stream(self, native_messages, state):
        raise NotImplementedError


class Signs:
    """An accessor of declarations that reads any ``{"sign"}``, and names the tool after who reads it."""

    def __init__(self, who):
        self.format = f"signs.{who}"
        self.who = who

    def matches(self, value):
        return isinstance(value, dict) and "sign" in value

    def inspect(self, value):
        return DEFAULT_TOOL_INTEROP_REGISTRY.inspect_schema(schema(self.who))


def signs(who):
    return ToolInteropContribution(schema_accessors=(Signs(who),))


class Signed(Tool):
    """A tool that brings a format of its own."""

    def get_tool_interop_contribution(self, state):
        return signs("tool")


@pytest.fixture
def board():
    with Board() as board:
        board.add(PluginAdapter(Tool(lambda arguments, state: {"success": True}, "echo")), config={})
        yield board


def composed(board, provider=None, extensions=(), config=None, **context):
    return compose_request(
        board,
        None if provider is None else ProviderAdapter(provider),
        [ProviderAdapter(each, extension=True) for each in extensions],
        config or {},
        context=core_context(object(), config or {}, extra=context),
    )


def test_formats_of_extensions_come_before_those_of_the_provider_and_each_once(board):
    provider = Stage("openai", CHAT, FUNCTION)
    extensions = [Stage("responses", CUSTOM, FUNCTION)]

    request = composed(board, provider, extensions)

    assert request.schema_target_formats == (CUSTOM, FUNCTION, CHAT)


def test_the_context_carries_what_the_request_owns_beside_what_the_core_has(board):
    request = composed(board, Stage("openai", CHAT), mine=1)

    assert get_registry_from_context(request.context) is request.registry
    assert get_schema_target_formats_from_context(request.context) == [CHAT]
    assert request.context["trigger_source"] == "core"
    assert request.context["mine"] == 1


def test_source_schemas_are_handed_on_as_the_tools_wrote_them(board):
    request = composed(board, Stage("openai", FUNCTION))

    assert request.schemas == [schema("echo")]
    (converted,) = request.registry.convert_schemas(
        request.schemas, ToolInteropTarget("openai.responses"), list(request.schema_target_formats)
    )
    assert converted["name"] == "echo"


def test_contributions_are_asked_in_tiers_explicit_provider_extension_tool_built_in():
    with Board(contributions=[signs("explicit")]) as board:
        board.add(PluginAdapter(Signed(lambda arguments, state: {}, "echo")), config={})
        provider, extension = (
            Stage("p", contribution=signs("provider")),
            Stage("e", contribution=signs("ext")),
        )
        tiers = [entry.tier.name for entry in composed(board, provider, [extension]).registry.contributions]
        readers = [composed(board, provider, [extension]).registry.inspect_schema({"sign": 1}).name]
    with Board() as board:
        board.add(PluginAdapter(Signed(lambda arguments, state: {}, "echo")), config={})
        stacks = ((provider, [extension]), (Stage("p"), [extension]), (Stage("p"), []))
        readers += [composed(board, *stack).registry.inspect_schema({"sign": 1}).name for stack in stacks]
        echo = composed(board, provider, [extension]).registry.inspect_schema(schema("echo")).name

    assert tiers == ["EXPLICIT", "PROVIDER", "EXTENSION", "TOOL", "BUILT_IN"]
    assert readers == ["explicit", "provider", "ext", "tool"]
    assert echo == "echo"


def test_what_a_provider_contributes_is_the_requests_alone(board):
    request = composed(board, Stage("p", contribution=signs("provider")))

    assert len(request.registry.contributions) == len(board.catalog.registry.contributions) + 1


def test_a_contribution_that_is_none_is_an_error_that_names_the_provider(board):
    with pytest.raises(ContractError, match=r"'openai'.*ToolInteropContribution"):
        composed(board, Stage("openai", contribution={}))


def test_a_request_of_a_provider_that_says_nothing_leaves_the_choice_to_its_target(board):
    request = composed(board)

    assert request.schema_target_formats == ()
    assert request.schemas == [schema("echo")]


@pytest.mark.parametrize(
    ("config", "path"),
    [({"tags": "one"}, "$.tags"), ({"tags": [1]}, "$.tags"), ({"models": ["m"]}, "$.models")],
)
def test_tags_and_models_that_are_no_lists_are_refused_by_their_path(board, config, path):
    with pytest.raises(RequestError, match="has to be a list of") as caught:
        composed(board, config=config)

    assert caught.value.path == path
