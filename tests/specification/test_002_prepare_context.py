"""What `prepare` and `is_enabled` see of the core, the provider and the request."""

from __future__ import annotations

import pytest
from callboard import AgentCore, Callboard
from scripted_provider import Scripted, said
from toolbox import asked
from tools import schema


class Watching:
    """Keeps what its hooks are given."""

    name = "watching"

    def __init__(self):
        self.prepared_with = []
        self.asked_with = []

    def prepare(self, config, state, *, context=None):
        self.prepared_with.append((dict(config), context))
        return {}

    def is_enabled(self, config, tags, models, context):
        self.asked_with.append((dict(config), dict(context["config"])))
        return True if str(config.get("model") or "").startswith("gpt-5") else None

    def required_tags(self):
        return ["never"]

    def get_tool_schemas(self, state, *, prepared=None):
        return [schema("tell")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "told"}


class WatchingAwaiting(Watching):
    """The same, prepared in an event loop."""

    prepare = None

    async def prepare_async(self, config, state, *, context=None):
        return Watching.prepare(self, config, state, context=context)


@pytest.mark.parametrize("kind", [Watching, WatchingAwaiting])
def test_prepare_sees_the_core_that_registers_it_and_the_configuration(kind):
    tool = kind()
    with AgentCore() as core:
        core.register_tool(tool, config={"of": "the tool"})

        ((config, context),) = tool.prepared_with
        assert config == {"of": "the tool"}
        assert context["core"] is core
        assert context["config"] == {}
        assert context["trigger_source"] == "core"
        assert context["tool_runtime"] is core.board.tool_runtime


def test_prepare_sees_the_model_that_requests_will_be_for_when_that_is_known():
    tool = Watching()
    with AgentCore() as core:
        core.register_provider(Scripted(said("well")), {"model": "gpt-5", "secret": "of the provider"})
        core.register_tool(tool)

        assert tool.prepared_with[0][1]["config"] == {"model": "gpt-5"}


def test_prepare_sees_what_the_configuration_of_the_board_says_of_requests():
    tool = Watching()
    with Callboard({"provider": "not there", "model": "m"}) as board, AgentCore(board) as core:
        core.register_tool(tool)

        assert tool.prepared_with[0][1]["config"] == {"provider": "not there", "model": "m"}


def test_prepare_of_a_plain_board_has_no_core():
    tool = Watching()
    with Callboard() as board:
        board.register(tool)

    assert set(tool.prepared_with[0][1]) == {"tool_runtime"}


def test_a_tool_that_is_prepared_may_ask_the_model():
    class Asks(Watching):
        def prepare(self, config, state, *, context=None):
            core = context["core"]
            session = core.add_message(core.create_session(), "user", "hello")
            *_, last = core.send_request_stream(session, context["config"])
            return {"name": last["message"]["content"].strip()}

        def get_tool_schemas(self, state, *, prepared=None):
            return [schema((prepared or {}).get("name", "nothing"))]

    with AgentCore() as core:
        core.register_provider(Scripted(said("named_by_the_model")))
        core.register_tool(Asks())

        assert [tool.tool_name for tool in core.board.tools()] == ["named_by_the_model"]


@pytest.mark.parametrize(
    ("registered", "request_", "offered"),
    [
        ({"model": "gpt-5"}, {}, True),
        ({"model": "gpt-4"}, {}, False),
        ({"model": "gpt-5"}, {"model": "gpt-4"}, False),
        ({"model": "gpt-4"}, {"model": "gpt-5.2"}, True),
        ({"model": "gpt-5"}, {"model": None}, True),
        ({}, {}, False),
    ],
)
def test_is_enabled_sees_the_model_that_is_asked_wherever_it_was_said(registered, request_, offered):
    tool, provider = Watching(), Scripted(said("well"))
    with AgentCore() as core:
        core.register_provider(provider, registered)
        core.register_tool(tool)

        list(core.run(asked(core), request_))

    assert provider.tools == [["tell"] if offered else []]
    config, of_context = tool.asked_with[-1]
    assert config == of_context
    assert config.get("model") == (request_.get("model") or registered.get("model"))


def test_nothing_else_of_a_providers_registration_is_seen_by_tools():
    tool = Watching()
    with AgentCore() as core:
        core.register_provider(
            Scripted(said("well")), {"model": "gpt-5", "api_key_env": "KEY", "base_url": "x"}
        )
        core.register_tool(tool)

        list(core.run(asked(core), {"mine": 1}))

    assert tool.asked_with[-1][0] == {"mine": 1, "model": "gpt-5"}
