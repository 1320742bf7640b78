"""`callboard.testing`: what a call of a tool says, asserted in a line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from callboard import ToolFailed
from callboard.testing import failing, parts_and_result

if TYPE_CHECKING:
    from collections.abc import Iterator


def words(text: str) -> Iterator[str]:
    yield from text.split()
    if not text:
        raise ValueError("there is no text")
    return len(text.split())


class Refusing:
    name = "refuse"

    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "refuse"}}]

    def execute_tool(self, tool_name, arguments, state):
        return {"success": False, "error": "no"}


def leave() -> None:
    os._exit(3)


@pytest.fixture
def board_tools():
    return [words, Refusing]


def test_the_fixture_gives_a_board_with_ones_tools(board):
    assert [tool.tool_name for tool in board.tools()] == ["words", "refuse"]
    assert parts_and_result(board, "words", text="to be") == (["to", "be"], 2)
    assert parts_and_result(board, "words", {"text": "a"}) == (["a"], 1)


def test_failures_are_expected_by_their_codes(board):
    with failing("tool_raised", outcome="outcome_unknown") as failed:
        parts_and_result(board, "words", text="")
    with failing():
        board.call("refuse")

    assert isinstance(failed.error, ToolFailed)


def test_a_crash_is_expected_with_its_report(board):
    board.register(leave, isolate=True)

    with failing("host_crashed") as failed:
        board.call("leave")

    assert failed.error.report is not None


def test_another_end_than_the_expected_one_fails_the_test(board):
    with pytest.raises(AssertionError), failing("host_crashed"):
        board.call("words", text=3)
    with pytest.raises(AssertionError), failing("invalid_call", outcome="outcome_unknown"):
        board.call("words", text=3)
    with pytest.raises(AssertionError), failing("invalid_call"):
        board.call("words", text="a")
