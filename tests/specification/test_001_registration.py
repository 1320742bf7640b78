"""The guide to JavaScript tools: `NodeToolPlugin`, registered with a core as any other tool."""

from __future__ import annotations

from pathlib import Path

import pytest
from boards import MOODY
from callboard import AgentCore, NodeToolPlugin, PluginError
from leaks import TEST_MARK, no_leaks
from tools import tool_call


def test_a_node_tool_is_registered_with_a_core_and_runs_in_its_host():
    with no_leaks(), AgentCore() as core:
        core.register_tool(NodeToolPlugin("moody", MOODY, env=TEST_MARK), config={"greeting": "hi"})

        (message,) = core.execute_tool_calls([tool_call("moody", "c1", value="hello")], config={})

        assert "failure" not in message["metadata"]
        assert message["metadata"]["tool_plugin"] == "moody"
        assert core.board.status()["plugins"]["moody"]["host"]["state"] == "ready"


def test_a_node_tool_whose_host_does_not_come_up_is_refused_and_leaves_nothing():
    with no_leaks(), AgentCore() as core:
        with pytest.raises(PluginError, match="nowhere"):
            core.register_tool(NodeToolPlugin("gone", Path("/nowhere/tool.mjs"), env=TEST_MARK))

        assert core.board.status()["plugins"] == {}
