"""One request: whose formats are accepted, in which order contributions are asked, what stands in the context."""

from __future__ import annotations

import pytest
from callboard.actors.board import Board
from callboard.agent.request import compose_request
from callboard.plugins.adapter import PluginAdapter
from callboard.plugins.context import core_context
from callboard.plugins.errors import ContractError
from callboard.tool_interop import (
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

    def __init__(self, name, *formats, contribution=None, **hooks):
        self.name = name
        self.plugin = type(name, (), hooks)
        self.formats = list(formats)
        self.contribution = contribution

    def accepted_tool_schema_formats(self, state):
        return self.formats

    def interop_contribution(self, state):
        return self.contribution


@pytest.fixture
def board():
    with Board() as board:
        board.add(PluginAdapter(Tool(lambda arguments, state: {"success": True}, "echo")), config={})
        yield board


def composed(board, provider=None, extensions=(), config=None, **context):
    layer = core_context(object(), config or {}, extra=context)
    return compose_request(board, provider, extensions, config or {}, context=layer)


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


def test_a_contribution_that_is_none_is_an_error_that_names_the_provider(board):
    with pytest.raises(ContractError, match=r"provider 'openai'.*answered with a dict"):
        composed(board, Stage("openai", contribution={}))


def test_a_request_of_a_provider_that_says_nothing_leaves_the_choice_to_its_target(board):
    request = composed(board)

    assert request.schema_target_formats == ()
    assert request.registry.contributions[-1].contribution != ToolInteropContribution()
