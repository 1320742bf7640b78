"""A signal handler that raises at any line of a submit costs no later call its order or its end, where plugins claim calls."""

from __future__ import annotations

import pytest
from callboard.actors.board import Board
from callboard.plugins.adapter.adapter import PluginAdapter
from every_point import interrupted_at_each_point
from leaks import no_leaks
from tools import schema, tool_call

PATIENCE = 20.0


class Register:
    """Reads what was written last."""

    name = "register"

    def __init__(self):
        self.value = None

    def get_tool_schemas(self, state):
        return [schema("write"), schema("read")]

    def execute_tool(self, tool_name, payload, state):
        if tool_name == "write":
            self.value = payload["value"]
        return {"success": True, "result": self.value}


class Claiming:
    """Looks at all calls and claims none."""

    name = "claiming"

    def get_tool_schemas(self, state):
        return [schema("own")]

    def can_handle_tool_call(self, tool_name, payload, state):
        return None

    def execute_tool(self, tool_name, payload, state):
        return {"success": True}


@pytest.mark.parametrize("hooks", [False, True], ids=["without hooks", "with hooks"])
@pytest.mark.parametrize("step", ["submit", "cancel"])
def test_an_interrupt_leaves_the_queues_of_all_plugins_free_and_in_order(hooks, step):
    with no_leaks(), Board(claim_patience=PATIENCE) as board:
        board.add(PluginAdapter(Register()), config={})
        board.add(PluginAdapter(Claiming()), config={})
        if hooks:
            board.hooks.add("tool:pre", lambda _event, _data: None)
        made = []

        def write(value=-1):
            made.append(board.submit(tool_call("write", value=value)))

        def write_twice():
            write()
            write()

        steps = {
            "submit": interrupted_at_each_point(write),
            "cancel": interrupted_at_each_point(lambda: bool(made[-2].cancel()), before=write_twice),
        }
        astray = []
        for number, place in enumerate(steps[step]):
            write(number)
            read = board.submit(tool_call("read")).result(PATIENCE)
            if read.get("result") != number or any("success" not in call.result(PATIENCE) for call in made):
                astray.append((place, read))

        assert astray == []
        assert board._routing_table.via_router
        board.remove("claiming")
        assert board.submit(tool_call("read")).result(PATIENCE)["success"]
        assert not board._routing_table.via_router
