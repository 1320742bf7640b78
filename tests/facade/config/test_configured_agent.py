"""The agent of a configuration: what may be said of it, and a conversation with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from callboard import Callboard, ConfigurationError, read_configuration
from callboard.agent.replay.server import ReplayServer
from callboard.base.errors import PluginLoadError
from callboard.base.suggestions import meant
from callboard.config.agent_section import PROVIDERS, AgentSettings, read_agent_settings
from tools import Tool

BASE = Path("/base")
CHAT = "callboard.agent.providers.openai_chat.OpenAIChatProvider"


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ({}, AgentSettings()),
        ({"provider": "openai_compatible"}, AgentSettings(CHAT)),
        ({"provider": {"type": "openai_chat", "model": "m"}}, AgentSettings(CHAT, {"model": "m"})),
        ({"provider": {"type": "mine.Provider"}, "tags": ["a"]}, AgentSettings("mine.Provider", tags=("a",))),
        (
            {"system": "Be brief.", "max_rounds": 3, "deadline": 60, "session_dir": "kept"},
            AgentSettings(system="Be brief.", max_rounds=3, deadline=60.0, session_dir=BASE / "kept"),
        ),
    ],
)
def test_the_section_is_read_and_paths_are_relative_to_its_file(given, settings):
    assert read_agent_settings(given, BASE) == settings


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("openai_chat", "$.agent"),
        ({"modl": "m"}, "$.agent.modl"),
        ({"provider": 7}, "$.agent.provider"),
        ({"provider": {"model": "m"}}, "$.agent.provider"),
        ({"provider": "openai_chta"}, "$.agent.provider.type"),
        ({"system": ""}, "$.agent.system"),
        ({"max_rounds": 0}, "$.agent.max_rounds"),
        ({"max_rounds": True}, "$.agent.max_rounds"),
        ({"deadline": 0}, "$.agent.deadline"),
        ({"tags": "a"}, "$.agent.tags"),
        ({"session_dir": 1}, "$.agent.session_dir"),
    ],
)
def test_what_is_wrong_in_the_section_is_refused_by_its_path(given, path):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"agent": given})

    assert caught.value.path == path


@pytest.mark.parametrize("kind", ["openai_chta", "nothing near"])
def test_an_unknown_type_of_providers_is_told_what_it_may_be(kind):
    with pytest.raises(ConfigurationError) as caught:
        read_configuration({"agent": {"provider": kind}})

    assert str(caught.value).endswith(meant(kind, PROVIDERS))
    assert "dotted path" in str(caught.value)


@pytest.mark.parametrize(
    ("agent", "error"),
    [
        ({}, ConfigurationError),
        ({"provider": {"type": "openai_chat", "model": "m", "timeout": "soon"}}, ConfigurationError),
        ({"provider": {"type": "nowhere.Provider"}}, PluginLoadError),
    ],
)
def test_a_provider_that_cannot_be_used_is_refused_before_anything_is_asked(agent, error):
    with Callboard({"agent": agent}) as board, pytest.raises(error):
        board.agent()


SCRIPT = [
    {
        "when": "twice",
        "steps": [{"calls": [{"name": "double", "arguments": {"of": 21}}]}, {"text": "{result}"}],
    },
    {"steps": [{"text": "You said: {user}"}]},
]


class Sees(Tool):
    """Keeps the contexts that its calls come with."""

    def __init__(self):
        super().__init__(None, "double")
        self.contexts = []

    def execute_tool(self, tool_name, arguments, state, *, context=None):
        self.contexts.append(context)
        return {"success": True, "result": arguments["of"] * 2}


def test_a_turn_of_an_agent_has_the_context_of_an_application():
    store, sees = object(), Sees()
    with ReplayServer(SCRIPT) as server:
        provider = {"type": "openai_chat", "model": "m", "base_url": server.url}
        written = {"agent": {"provider": provider}}

        with Callboard(written) as board, board.agent() as agent:
            board.register(sees)
            for more in ({}, {"session_asset_store": store, "mine": 1}):
                *_, done = agent.run(agent.session(), "What is 21 twice?", context=more)
            runtime = board.board.tool_runtime

    assert done["reason"] == "answered"
    plain, given = sees.contexts
    assert plain["app"] is plain["application"] is agent
    assert plain["core"] is agent.core
    assert plain["base_config"] == written
    assert plain["trigger_source"] == "application"
    assert plain["tool_runtime"] is runtime
    assert plain["session_asset_store"] is None
    assert (given["session_asset_store"], given["mine"]) == (store, 1)


@pytest.mark.parametrize("kind", ["openai_chat", "anthropic"])
def test_a_conversation_with_the_agent_of_a_configuration(tmp_path, kind):
    with ReplayServer(SCRIPT) as server:
        provider = {"type": kind, "model": "m", "base_url": server.url}
        config = tmp_path / "agent.json"
        agent = {
            "provider": provider,
            "system": "Be brief.",
            "max_rounds": 4,
            "session_dir": "kept",
            "tags": ["t"],
        }
        config.write_text(json.dumps({"agent": agent}))

        with Callboard(config) as board, board.agent() as agent:
            board.register(
                Tool(lambda arguments, _: {"success": True, "result": arguments["of"] * 2}, "double")
            )
            *_, first = agent.run(agent.session(title="sums"), "What is 21 twice?")
            *_, second = agent.run(first["session"], "Thank you")
            kept = agent.core.sessions.load(second["session"].id).session

    assert [message["role"] for message in kept.messages] == [
        "system", "user", "assistant", "tool", "assistant", "user", "assistant",
    ]  # fmt: skip
    assert kept == second["session"]
    assert [message["content"] for message in kept.messages[-3:]] == [
        "42",
        "Thank you",
        "You said: Thank you",
    ]
    assert kept.metadata == {"title": "sums"}
    assert agent.config["model"] == "m"
    assert agent.config["tags"] == ["t"]
    assert (tmp_path / "kept").is_dir()
