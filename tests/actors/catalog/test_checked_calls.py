"""Arguments are held to the schema of their tool before the tool sees them."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.actors.catalog.argument_validation import Validation
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.plugins.adapter.adapter import PluginAdapter
from memory_hosts import PATIENCE, memory_board
from tools import schema, tool_call

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
TEXT = {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}


class Counting:
    """Tools that remember what they were called with."""

    name = "counting"

    def __init__(self, **parameters: dict[str, Any]) -> None:
        self.parameters = parameters
        self.seen: list[Any] = []

    def get_tool_schemas(self, state):
        return [schema(name, parameters) for name, parameters in self.parameters.items()]

    def execute_tool(self, tool_name, payload, state):
        self.seen.append(payload)
        return {"success": True, "result": payload}


class Patching:
    """A freeform tool."""

    name = "patching"

    def get_tool_schemas(self, state):
        return [{"type": "custom", "name": "patch", "format": {"type": "text"}}]

    def execute_tool(self, tool_name, payload, state):
        return {"success": True, "result": payload}


def add(board: Board, plugin: Any, **settings: Any) -> None:
    board.add(PluginAdapter(plugin), config={}, settings=ToolSettings(**settings))


def test_a_call_whose_arguments_do_not_fit_ends_without_reaching_the_tool():
    tool = Counting(count=NUMBER)
    with Board() as board:
        add(board, tool)
        refused = board.submit(tool_call("count", "c1", n="three")).result(PATIENCE)
        taken = board.submit(tool_call("count", n=3)).result(PATIENCE)
        calls = board.status()["plugins"]["counting"]["calls"]

    assert refused == {
        "success": False,
        "error": "the arguments do not fit the tool 'count': 'n' has to be an integer, and is \"three\"",
        "code": "invalid_call",
        "outcome": "not_sent",
        "problems": [
            {"path": "$.n", "keyword": "type", "message": "'n' has to be an integer, and is \"three\""}
        ],
    }
    assert taken["success"]
    assert tool.seen == [{"n": 3}]
    assert calls["by_result"] == {"invalid_call": 1, "success": 1}


def test_it_is_said_if_there_are_more_problems_than_are_told():
    with Board() as board:
        add(board, Counting(count={"additionalProperties": {"type": "string"}}))
        refused = board.submit(tool_call("count", **{f"k{n}": n for n in range(50)})).result(PATIENCE)

    assert len(refused["problems"]) == 8
    assert refused["more_problems"] is True


def test_a_call_to_a_host_is_held_to_the_schema_too():
    with memory_board() as memory:
        host = memory.add(parameters=NUMBER)
        refused = memory.call(n="three").result(PATIENCE)
        taken = memory.call(n=3)
        host.generation.succeed()

        assert (refused["code"], refused["outcome"]) == ("invalid_call", "not_sent")
        assert taken.result(PATIENCE)["success"]
        assert host.generation.received == 1


def test_a_generation_with_another_schema_has_its_calls_held_to_that_one():
    with memory_board() as memory:
        host = memory.add(parameters=NUMBER)
        before = memory.call(n="three").result(PATIENCE)
        host.parameters = TEXT
        memory.relive(host)
        after = memory.call(n="three")
        host.generation.succeed()

        assert before["code"] == "invalid_call"
        assert after.result(PATIENCE)["success"]
        assert memory.call(n=3).result(PATIENCE)["code"] == "invalid_call"


def test_a_call_that_does_not_fit_is_told_so_while_the_host_is_down():
    with memory_board() as memory:
        host = memory.add(parameters=NUMBER)
        memory.crash(host)

        assert memory.call(n="three").result(PATIENCE)["code"] == "invalid_call"


def test_a_call_that_does_not_fit_says_nothing_of_the_tool_to_its_breaker():
    with memory_board() as memory:
        host = memory.add(parameters=NUMBER, breaker=BreakerPolicy(failures=1))
        memory.call(n="three").result(PATIENCE)
        taken = memory.call(n=3)
        host.generation.succeed()

        assert taken.result(PATIENCE)["success"]


def test_raw_input_is_held_to_nothing():
    with Board() as board:
        add(board, Patching())
        raw = {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "{not json"}
        wrapped = tool_call("patch", input="{not json")

        assert board.submit(raw).result(PATIENCE) == {"success": True, "result": "{not json"}
        assert board.submit(wrapped).result(PATIENCE) == {"success": True, "result": "{not json"}


@pytest.mark.parametrize(
    ("validation", "refused"),
    [
        (Validation(), ["one", "two"]),
        (Validation(default=False), []),
        (Validation(by_tool={"one": False}), ["two"]),
        (Validation(default=False, by_tool={"two": True}), ["two"]),
    ],
)
def test_it_can_be_left_to_the_tool(validation, refused):
    with Board() as board:
        add(board, Counting(one=NUMBER, two=NUMBER), validate=validation)
        results = {name: board.submit(tool_call(name)).result(PATIENCE) for name in ("one", "two")}

    assert [name for name, result in results.items() if not result["success"]] == refused


def test_a_tool_whose_schema_cannot_be_used_is_served_unchecked_and_that_is_told(caplog):
    caplog.set_level(logging.WARNING, "callboard.actors")
    circle = {"type": "object", "$ref": "#"}
    with Board() as board:
        events = Recorder(board)
        add(board, Counting(broken={"type": "dict"}, round=circle, fine=NUMBER))
        results = [board.submit(tool_call(name)).result(PATIENCE) for name in ("broken", "round", "fine")]
        told = [(event.subject, event.facts) for event in events.wait("arguments_unchecked", 2)]
        status = board.status()["plugins"]["counting"]["unchecked"]

    assert [result["success"] for result in results] == [True, True, False]
    assert [(subject, facts["tool"]) for subject, facts in told] == [
        ("counting", "broken"),
        ("counting", "round"),
    ]
    assert status == {facts["tool"]: facts["why"] for _, facts in told}
    assert "circle" in status["round"]
    assert ["'broken'" in line for line in caplog.messages] == [True, False]


def test_tools_that_take_anything_have_nothing_to_tell():
    with Board() as board:
        events = Recorder(board)
        add(board, Counting(any={"type": "object"}))
        result = board.submit(tool_call("any", n=[3])).result(PATIENCE)
        status = board.status()["plugins"]["counting"]["unchecked"]
        board.events.settle(PATIENCE)

    assert result["success"]
    assert status == {}
    assert events.of("arguments_unchecked") == []
