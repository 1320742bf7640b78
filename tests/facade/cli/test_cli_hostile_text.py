"""What a tool says is shown and does nothing else: a terminal takes orders from texts."""

from __future__ import annotations

import io

import pytest
from callboard.cli.commands.call import show_result
from rich.console import Console

TITLE = "\x1b]0;owned\x07"
ERASED = "\x1b[2J\x1b[31mred\x1b[0m"


@pytest.mark.parametrize(
    "result",
    [
        {"success": True, "result": TITLE + ERASED},
        {"success": False, "error": TITLE + ERASED},
        {"success": False, "error": "it failed", "output": TITLE, "traceback": ERASED},
        {"success": True, "result": {"deep": [TITLE, ERASED]}},
    ],
)
def test_no_text_of_a_tool_gives_the_terminal_an_order(result):
    shown = io.StringIO()

    show_result(result, 0.1, Console(file=shown, force_terminal=False))

    assert "\x1b" not in shown.getvalue()
    assert "\x07" not in shown.getvalue()
    assert "owned" in shown.getvalue() or "red" in shown.getvalue()
