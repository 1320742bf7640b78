"""A generation that brings other tools: what differs is told before it is sent calls."""

from __future__ import annotations

import json

from boards import add_node, node_board
from callboard.actors.catalog.catalog import ToolDescriptor
from callboard.actors.catalog.diff import tool_changes
from programs import NODE
from tools import tool_call

RENAMES = NODE / "renames.mjs"


def tools(**schemas: str) -> list[ToolDescriptor]:
    return [ToolDescriptor("plugin", name, {"said": said}) for name, said in schemas.items()]


def test_tools_are_added_removed_or_changed():
    changes = tool_changes(tools(a="1", b="1", c="1"), tools(d="1", c="1", b="2"))

    assert changes == (["d"], ["a"], ["b"])


def test_tools_that_only_change_places_have_not_changed():
    assert tool_changes(tools(a="1", b="1"), tools(b="1", a="1")) == ([], [], [])


def test_other_tools_after_a_restart_are_told_before_calls_are_served(tmp_path):
    names = tmp_path / "names.json"
    names.write_text(json.dumps(["leave", "old"]))
    with node_board() as (board, _plugin, events):
        add_node(board, RENAMES, name="renames", config={"file": str(names)})
        before = events.of("tools_changed")
        names.write_text(json.dumps(["leave", "new"]))
        board.submit(tool_call("leave")).result(30.0)
        (changed,) = events.wait("tools_changed")
        ready = events.wait("host_ready", 3)[-1]
        offered = [tool.tool_name for tool in board.tools() if tool.plugin_name == "renames"]

    assert before == []
    assert changed.facts == {"added": ["new"], "removed": ["old"], "changed": []}
    assert changed.sequence < ready.sequence
    assert offered == ["leave", "new"]


def test_tools_stay_registered_while_the_host_is_parked_and_say_that_they_are_not_available():
    with node_board() as (board, _plugin, events):
        board.order("park", "moody")
        events.wait("host_parked")
        parked = [(tool.tool_name, tool.available) for tool in board.tools()]
        board.order("revive", "moody")
        events.wait("host_ready", 2)
        revived = [(tool.tool_name, tool.available) for tool in board.tools()]

    assert parked == [("moody", False)]
    assert revived == [("moody", True)]
