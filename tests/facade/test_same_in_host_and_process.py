"""A tool in this process and the same tool in a host: nobody who calls it can tell one from the other."""

from __future__ import annotations

import pytest
from callboard import AgentCore, Callboard
from thorough import each_once
from tool_styles import STYLES, Awaited, Plain, Prepared
from tools import tool_call

CASES = [(style.__name__, case) for style, cases in STYLES.items() for case in cases]
CONFIG = {"told": "beforehand"}


def board_of(*, isolate):
    entries = [
        {"plugin": f"tool_styles.{style.__name__}", "config": CONFIG, "isolate": isolate, "required": True}
        for style in STYLES
    ]
    return Callboard({"plugins": entries})


@pytest.fixture(scope="module")
def here():
    with board_of(isolate=False) as board:
        yield board


@pytest.fixture(scope="module")
def there():
    with board_of(isolate=True) as board:
        yield board


def all_of(board, style, streaming, **arguments):
    """Everything that a caller can see of a call, but for the lines of a traceback, which name the house's own."""
    call = board.submit(tool_call(style, **arguments), streaming=streaming)
    parts = list(call.parts())
    result = call.result()
    traceback = result.pop("traceback", "")
    return parts, result, traceback.splitlines()[-1:], board.board.state_of(style)


@pytest.mark.parametrize(("told", "streaming"), each_once(CASES, [True, False]))
def test_a_call_looks_the_same_either_way(here, there, told, streaming):
    style, case = told
    mine = all_of(here, style, streaming, case=case)
    theirs = all_of(there, style, streaming, case=case)

    assert theirs == mine


def test_a_state_that_is_no_json_is_refused_either_way(here, there):
    mine, theirs = (all_of(board, "Plain", True, case="result", spoil=True) for board in (here, there))

    assert theirs == mine
    assert mine[1]["code"] == "invalid_result"


def test_tools_look_the_same_either_way(here, there):
    assert there.tools() == here.tools()


SHOWN = [
    *((style, case) for style in (Plain, Awaited) for case in ("result", "failure", "object", "raises")),
    (Prepared, "any"),
]


@pytest.mark.parametrize(("style", "case"), SHOWN)
def test_messages_look_the_same_either_way(here, there, style, case):
    def message_of(board):
        (message,) = AgentCore(board).execute_tool_calls(
            [tool_call(style.__name__, "call", case=case)], config={}
        )
        return message

    assert message_of(there) == message_of(here)
