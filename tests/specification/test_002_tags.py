"""The tool guide's own example of tags, in a conversation with a shipped provider."""

from __future__ import annotations

import logging

import pytest
from boards import Recorder
from callboard import AgentCore
from callboard.authoring.replay_server import ReplayServer
from providers import STACKS
from toolbox import asked
from tools import schema


class Tagged:
    """Requires what the guide's example requires."""

    name = "tagged"

    def __init__(self, *required):
        self.required = list(required)

    def required_tags(self):
        return self.required

    def get_tool_schemas(self, state):
        return [schema("tell")]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": "told"}


@pytest.mark.parametrize("stack", STACKS)
def test_a_tool_that_requires_supports_tools_is_offered_by_each_shipped_provider(stack):
    provider, extensions = STACKS[stack]
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_tool(Tagged("supports_tools"))
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        for extension in extensions:
            core.register_provider_extension(extension)

        list(core.run(asked(core), {}))

        assert "tell" in str(server.requests[0].body["tools"])


def test_what_is_not_offered_is_told_in_the_log_by_an_event_and_in_the_status(caplog):
    provider, _ = STACKS["chat"]
    tool = Tagged("supports_magic")
    with ReplayServer([{"steps": [{"text": "well"}]}]) as server, AgentCore() as core:
        core.register_tool(tool)
        core.register_provider(provider, {"model": "m", "base_url": server.url})
        events = Recorder(core.board)
        with caplog.at_level(logging.WARNING, "callboard"):
            for _ in range(2):
                list(core.run(asked(core), {}))
        while_it_lacks = core.board.status()["plugins"]["tagged"]["withheld"]
        list(core.run(asked(core), {"tags": ["supports_magic"]}))
        events.wait("offer_restored")

        why = "it requires the tag 'supports_magic', which is not in force"
        assert while_it_lacks == [{"tool": None, "why": why}]
        assert [(event.subject, event.facts) for event in events.of("offer_withheld")] == [
            ("tagged", {"tool": None, "why": why})
        ]
        assert len([record for record in caplog.records if "'tagged'" in record.getMessage()]) == 1
        assert core.board.status()["plugins"]["tagged"]["withheld"] == []
