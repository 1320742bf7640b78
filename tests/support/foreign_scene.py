"""What the scenes at the borders to foreign code have in common; see `foreign_borders`."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager

from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0
STOPS_WITHIN = 5.0
"""Seconds; a board that waits for a dead thread takes ten."""


class Strange(BaseException):
    """What somebody has derived from `BaseException`."""


KINDS = {
    "SystemExit": SystemExit,
    "KeyboardInterrupt": KeyboardInterrupt,
    "CancelledError": asyncio.CancelledError,
    "GeneratorExit": GeneratorExit,
    "Strange": Strange,
}

BORDERS = {}
"""By the words of the page that lists them, ``docs/design/foreign-code.md``."""


def border(words):
    def noted(scene):
        assert words not in BORDERS, words
        BORDERS[words] = scene
        return scene

    return noted


class Raises:
    """A callable that raises, and counts that it did; ``times`` at most, and answers after that."""

    def __init__(self, kind, times=1_000_000, answer=None):
        self.kind = kind
        self.left = times
        self.answer = answer
        self.called = threading.Event()

    def __call__(self, *_args, **_kwargs):
        self.called.set()
        if self.left > 0:
            self.left -= 1
            raise self.kind("raised on purpose")
        return self.answer


@contextmanager
def a_board(**options):
    """A board that has to stop quickly, and to say of nobody that it is available who is not."""
    board = Board(**options)
    try:
        yield board
        for name, status in board.status()["plugins"].items():
            if status["available"]:
                assert answers(board, name), f"{name} is said to be available"
    finally:
        began = time.monotonic()
        board.stop()
        took = time.monotonic() - began
    assert took < STOPS_WITHIN


def answers(board, name="tool", **arguments):
    """Whether a call of this tool works; a caller that is not told fails the test by its patience."""
    return elsewhere(lambda: board.submit(tool_call(name, **arguments)).result(PATIENCE))["success"]


def elsewhere(function):
    """What a function returns in a thread that is not the main one, where an interrupt would be the program's."""
    returned = []
    thread = threading.Thread(target=lambda: returned.append(function()), daemon=True)
    thread.start()
    thread.join(PATIENCE * 2)
    assert returned, "it did not return"
    return returned[0]


def gated(board, name="tool", **settings):
    """A counting tool that waits for the returned event in each call."""
    go = threading.Event()

    def tool(arguments, state):
        go.wait(PATIENCE)
        return count(arguments, state)

    board.add(a_tool(tool, name), config={}, settings=ToolSettings(**settings))
    return go


class EveryPlugin:
    """Offers one tool and the given hooks."""

    name = "tool"

    def __init__(self, **hooks):
        vars(self).update(hooks)

    def init(self, config):
        return {"count": 0}

    def get_tool_schemas(self, state):
        return [schema("tool")]

    def execute_tool(self, tool_name, payload, state):
        return count(payload, state)


def other_tool_works(board):
    board.add(a_tool(count, "other"), config={})
    assert answers(board, "other")


def refusal_of(function):
    try:
        return function()
    except BaseException as error:
        return error
