"""Hosts start at the same time, and which of two plugins has a tool's name is not a matter of who was quicker."""

from __future__ import annotations

import pytest
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.routing.decision import NameTaken
from callboard.plugins.adapter.adapter import PluginAdapter
from memory_hosts import SLOWLY, MemoryHost, memory_board


def begin(memory, name, *tools, opened=True):
    host = MemoryHost(name, tools)
    if not opened:
        host.opened.clear()
    adapter = PluginAdapter(host.plugin)
    memory.board.begin_hosted(adapter, host.plugin, host=HostSettings({}), policy=SLOWLY)
    return host


def settle(memory, name):
    return [tool.tool_name for tool in memory.board.settle_hosted(name, required=False)]


def test_the_plugin_that_came_first_has_the_name_though_its_host_is_slower():
    with memory_board() as memory:
        first = begin(memory, "first", "tool", opened=False)
        begin(memory, "second", "tool", "other")
        memory.ready("second")

        first.opened.set()
        first_tools = settle(memory, "first")
        with pytest.raises(NameTaken, match="plugin 'second' offers the tool 'tool', which 'first' offers"):
            settle(memory, "second")

        assert first_tools == ["tool"]
        assert [(tool.plugin_name, tool.tool_name) for tool in memory.board.tools()] == [("first", "tool")]
        assert memory.call("other").result()["code"] == "unknown_tool"
        assert list(memory.board.status()["plugins"]) == ["first"]


def test_a_plugin_whose_names_nobody_else_has_stays_though_its_host_is_quicker():
    with memory_board() as memory:
        first = begin(memory, "first", "tool", opened=False)
        begin(memory, "second", "other")
        memory.ready("second")

        first.opened.set()

        assert (settle(memory, "first"), settle(memory, "second")) == (["tool"], ["other"])


def test_who_was_admitted_keeps_the_name_when_an_earlier_one_comes_up_at_last():
    with memory_board() as memory:
        first = begin(memory, "first", "tool", opened=False)
        begin(memory, "second", "tool")
        admitted = settle(memory, "second")

        first.opened.set()
        with pytest.raises(NameTaken, match="plugin 'first' offers the tool 'tool', which 'second' offers"):
            settle(memory, "first")

        assert admitted == ["tool"]
        assert [tool.plugin_name for tool in memory.board.tools()] == ["second"]
