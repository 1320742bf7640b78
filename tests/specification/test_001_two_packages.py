"""Two packages whose entries have the same ids, on one board: the configuration's ``name`` tells their plugins apart."""

from __future__ import annotations

import json
import sys

import pytest
from callboard import Callboard, PluginLoadError
from node_packages import tool, write
from tools import Tool, tool_call


def node_package(folder, *tools, name="my-js-tools"):
    """A package with a tool of each name, whose plugins are ``echo``, ``reverse`` and so on, as in the guide."""
    ids = ("echo", "reverse", "count")[: len(tools)]
    entries = [{"id": each, "entry": f"dist/{offered}.js"} for each, offered in zip(ids, tools, strict=True)]
    files = {f"dist/{offered}.js": tool(offered, f"'{offered}'") for offered in tools}
    return write(
        folder, {"package.json": {"name": name, "type": "module", "agent": {"tools": entries}}, **files}
    )


PYTHON_TOOL = """
class {name}:
    name = "{plugin}"
    def get_tool_schemas(self, state):
        return [{{"type": "function", "function": {{"name": "{tool}", "parameters": {{"type": "object"}}}}}}]
    def execute_tool(self, tool_name, payload, state):
        return {{"success": True, "result": "{tool}"}}
"""


def python_package(folder, module, **tools):
    """A package with plugins of these names, each with one tool."""
    code = "".join(
        PYTHON_TOOL.format(name=plugin.title(), plugin=plugin, tool=offered)
        for plugin, offered in tools.items()
    )
    entries = [f"{module}.{plugin.title()}" for plugin in tools]
    return write(folder, {"agent_plugin.json": {"entries": entries}, f"{module}.py": code})


def answers(board, *names):
    return [board.execute(tool_call(name))["result"] for name in names]


def plugins(board):
    return {tool.plugin_name: tool.tool_name for tool in board.tools()}


def test_the_name_of_an_entry_goes_before_the_ids_of_a_package_with_several_tools(tmp_path):
    ours = node_package(tmp_path / "ours", "echo", "reverse")
    theirs = node_package(tmp_path / "theirs", "echo_too", "reverse_too")
    entries = [f"node:{ours}", {"node_tool": {"path": str(theirs)}, "name": "theirs"}]

    with Callboard({"plugins": entries}) as board:
        assert board.failed == []
        assert plugins(board) == {
            "echo": "echo",
            "reverse": "reverse",
            "theirs.echo": "echo_too",
            "theirs.reverse": "reverse_too",
        }
        assert answers(board, "echo", "reverse_too") == ["echo", "reverse_too"]
        assert board.status()["hosts"]["theirs"]["plugins"] == ["theirs.echo", "theirs.reverse"]
        assert board.restart("theirs.echo") == ["theirs.echo", "theirs.reverse"]


def test_with_one_tool_the_name_is_the_name(tmp_path):
    package = node_package(tmp_path / "one", "echo")

    with Callboard({"plugins": [{"plugin": f"node:{package}", "name": "mine"}]}) as board:
        assert plugins(board) == {"mine": "echo"}


@pytest.mark.parametrize("isolate", [False, True])
def test_plugins_of_a_python_package_take_the_name_before_their_own_too(tmp_path, monkeypatch, isolate):
    monkeypatch.setattr(sys, "path", list(sys.path))
    package = python_package(tmp_path, f"two_packages_{isolate}".lower(), echo="one", reverse="two")
    entry = {"plugin": f"path:{package}", "name": "theirs", "isolate": isolate}

    with Callboard({"plugins": [entry]}) as board:
        assert board.failed == []
        assert list(plugins(board)) == ["theirs.echo", "theirs.reverse"]
        assert answers(board, "one", "two") == ["one", "two"]


def test_one_package_stands_on_a_board_twice_in_hosts_of_their_own(tmp_path):
    package = node_package(tmp_path / "tools", "echo", "reverse")
    entries = [{"plugin": f"node:{package}", "name": name} for name in ("a", "b")]

    with Callboard({"plugins": entries}) as board:
        hosts = board.status()["hosts"]
        assert {name: host["plugins"] for name, host in hosts.items()}["a"] == ["a.echo", "a.reverse"]
        # The names of tools are what the model calls, and are not changed: the earlier entry has them.
        assert plugins(board) == {"a.echo": "echo", "a.reverse": "reverse"}
        assert len(board.failed) == 2
        for failed, offered in zip(board.failed, ("echo", "reverse"), strict=True):
            assert f"offers the tool {offered!r}, which 'a.{offered}' offers already" in failed.error


def test_a_collision_says_what_to_write_and_what_it_says_can_be_written(tmp_path):
    node_package(tmp_path / "ours", "echo", "reverse")
    node_package(tmp_path / "theirs", "echo_too", "reverse_too")
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"plugins": ["node:./ours", "node:./theirs"]}))

    with Callboard(file) as board:
        (failed,) = board.failed

    said = '{"plugin": "node:./theirs", "name": "theirs"}'
    assert failed.source == "node:./theirs"
    assert "'echo'" in failed.error
    assert "node:./ours" in failed.error
    assert said in failed.error
    assert "'theirs.echo'" in failed.error
    assert failed.error.count('"name"') == 1
    file.write_text(json.dumps({"plugins": ["node:./ours", json.loads(said)]}))
    with Callboard(file) as board:
        assert board.failed == []
        assert answers(board, "echo", "echo_too") == ["echo", "echo_too"]


def test_a_name_that_is_taken_by_what_a_program_registered_is_told_for_a_program():
    with Callboard() as board:
        board.register(Tool(lambda _a, _s: {"success": True}, "one", plugin="mine"))

        with pytest.raises(PluginLoadError, match="name='mine-2'") as caught:
            board.register(Tool(lambda _a, _s: {"success": True}, "two", plugin="mine"))

        assert caught.value.plugin == "mine"
        board.register(Tool(lambda _a, _s: {"success": True}, "two", plugin="mine"), name="mine-2")
        assert plugins(board) == {"mine": "one", "mine-2": "two"}


def test_a_suggested_name_is_free(tmp_path):
    one = node_package(tmp_path / "a" / "tools", "echo")
    two = node_package(tmp_path / "b" / "tools", "echo_too")
    with Callboard({"plugins": [f"node:{one}"]}) as board:
        board.register(Tool(lambda _a, _s: {"success": True}, "other", plugin="tools"))

        with pytest.raises(PluginLoadError, match='"name": "tools-2"'):
            board.load(f"node:{two}")

        assert [each.tool_name for each in board.load(f"node:{two}", name="tools-2")] == ["echo_too"]
