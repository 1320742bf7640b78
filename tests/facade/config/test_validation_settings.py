"""Which tools' arguments are checked, as a configuration says."""

from __future__ import annotations

import pytest
from callboard import Callboard
from tools import schema, tool_call


class Pair:
    """Two tools that need a number."""

    name = "pair"

    def get_tool_schemas(self, state):
        number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        return [schema("one", number), schema("two", number)]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload}


@pytest.mark.parametrize(
    ("configuration", "option", "checked"),
    [
        ({}, {}, ["one", "two"]),
        ({"calls": {"validate": False}}, {}, []),
        ({}, {"validate": False}, []),
        ({"calls": {"validate": False}}, {"validate": True}, ["one", "two"]),
        ({}, {"validate": {"one": False}}, ["two"]),
        ({"calls": {"validate": False}}, {"validate": {"one": True}}, ["one"]),
    ],
)
def test_the_option_of_a_plugin_goes_before_that_of_the_board(configuration, option, checked):
    with Callboard(configuration) as board:
        board.register(Pair(), **option)
        refused = [name for name in ("one", "two") if not board.execute(tool_call(name))["success"]]

    assert refused == checked
