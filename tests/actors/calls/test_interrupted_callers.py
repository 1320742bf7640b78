"""A signal handler that raises at any line of a caller's thread costs no call its end, and no plugin its next call."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from callboard import Callboard
from every_line import interrupted_at_each_line
from leaks import no_leaks
from programs import PROGRAMS
from tools import tool_call

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 20.0

NODE = """
export default {
  name: "echo",
  init() { return {}; },
  get_tool_schemas() { return [{ type: "function", function: { name: "echo", parameters: { type: "object" } } }]; },
  execute_tool(name, { text }) { return { success: true, result: text }; },
};
"""


def of_a_thread(board: Callboard, _folder: Path) -> None:
    @board.tool
    def echo(text: str = "") -> str:
        return text


def of_node(board: Callboard, folder: Path) -> None:
    file = folder / "echo.mjs"
    file.write_text(NODE)
    board.load({"node_tool": {"file": str(file), "id": "echo"}})


def of_mcp(board: Callboard, _folder: Path) -> None:
    server = str(PROGRAMS / "python" / "mcp_echo_server.py")
    board.load({"mcp": {"command": sys.executable, "args": [server]}})


KINDS = pytest.mark.parametrize("load", [of_a_thread, of_node, of_mcp])


@pytest.fixture
def board(load, tmp_path):
    with no_leaks(), Callboard() as board:
        load(board, tmp_path)
        yield board


def an_echo(board, text="x"):
    return board.submit(tool_call("echo", text=text), deadline=PATIENCE)


def works(board) -> bool:
    """Whether the next call is answered, and then no call is under way or waits."""
    answered = an_echo(board, "next").result(PATIENCE)["success"]
    until = time.monotonic() + PATIENCE
    while _places_taken(board) and time.monotonic() < until:
        threading.Event().wait(
            0.001
        )  # an interrupted call that was sent is under way until its host has answered
    return answered and not _places_taken(board)


def _places_taken(board):
    return sum(plugin["running"] + plugin["waiting"] for plugin in board.status()["plugins"].values())


def let_through(_event, _data):
    return None


@KINDS
@pytest.mark.parametrize("hooks", [(), ("tool:pre", "tool:post")], ids=["without hooks", "with hooks"])
def test_an_interrupted_submit_leaves_the_plugin_free_for_the_next_call(board, hooks):
    for event in hooks:
        board.hook(event, let_through)

    astray = [place for place in interrupted_at_each_line(lambda: an_echo(board)) if not works(board)]

    assert astray == []


@KINDS
def test_an_interrupted_cancel_ends_its_call(board):
    calls = []

    for place in interrupted_at_each_line(
        lambda: bool(calls[-1].cancel()), before=lambda: calls.append(an_echo(board))
    ):
        assert "success" in calls[-1].result(PATIENCE), place
        assert works(board), place


@KINDS
def test_an_interrupted_wait_leaves_its_call_as_it_is(board):
    calls = []

    for place in interrupted_at_each_line(
        lambda: calls[-1].result(PATIENCE), before=lambda: calls.append(an_echo(board))
    ):
        assert calls[-1].result(PATIENCE)["success"], place


@KINDS
@pytest.mark.parametrize(
    "run",
    [
        lambda board: board.call("echo", text="x"),
        lambda board: board.execute(tool_call("echo", text="x")),
        lambda board: list(board.stream(tool_call("echo", text="x"))),
    ],
    ids=["call", "execute", "stream"],
)
def test_an_interrupted_call_that_nobody_else_holds_leaves_nothing_under_way(board, run):
    astray = [place for place in interrupted_at_each_line(lambda: run(board)) if not works(board)]

    assert astray == []
