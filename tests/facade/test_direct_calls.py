"""Tools made of functions, called by their names; a failure is raised."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest
from callboard import Callboard, ContractError, NotStarted, PluginLoadError, ToolContext, ToolFailed
from leaks import no_leaks


def word_count(text: str, minimum: int = 1) -> dict[str, int]:
    """Count the words of a text."""
    words = text.split()
    return {word: count for word in words if (count := words.count(word)) >= minimum}


def pid() -> int:
    return os.getpid()


def crash() -> None:
    os.kill(os.getpid(), 9)


def in_words(tool: str = "a", arguments: str = "b", self: str = "c", deadline: int = 1) -> str:
    return f"{tool}{arguments}{self}{deadline}"


def test_a_board_that_was_not_started_starts_at_its_first_call_and_once():
    with no_leaks():
        board = Callboard()
        assert board.tool(word_count) is word_count
        barrier, counts = threading.Barrier(8), []

        def call() -> None:
            barrier.wait()
            counts.append(board.call("word_count", text="to be or not to be", minimum=2))

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert counts == [{"to": 2, "be": 2}] * 8
        board.stop()
        with pytest.raises(NotStarted):
            board.call("word_count", text="")


def test_a_first_call_that_is_awaited_starts_the_board_too():
    with no_leaks():
        board = Callboard()
        board.tool(word_count)

        async def main() -> list[Any]:
            return await asyncio.gather(*[board.acall("word_count", {"text": "a"}) for _ in range(5)])

        assert asyncio.run(main()) == [{"a": 1}] * 5
        board.stop()


def test_functions_are_tools_before_and_after_the_start_and_by_register():
    board = Callboard()

    @board.tool(name="first", description="One.")
    def one() -> int:
        return 1

    with board:
        board.tool(word_count)
        board.register(pid)

        assert [tool.tool_name for tool in board.tools()] == ["first", "word_count", "pid"]
        assert (board.call("first"), board.call("pid")) == (1, os.getpid())


def test_no_name_of_ours_collides_with_a_parameter():
    with Callboard() as board:
        board.tool(in_words)

        assert board.call("in_words", {"tool": "x"}, self="y", arguments="z", deadline=2) == "xzy2"


def test_options_hold_for_the_calls_that_are_made_with_them():
    with Callboard() as board:

        @board.tool
        async def hang(context: ToolContext) -> None:
            assert context["user"] == "ann"
            await asyncio.sleep(1000)

        with pytest.raises(ToolFailed) as failed:
            board.with_options(deadline=0.1, context={"user": "ann"}).call("hang")

    assert (failed.value.code, failed.value.outcome) == ("deadline_exceeded", "outcome_unknown")


def test_an_isolated_function_runs_in_a_host_whose_crash_is_told_and_survived():
    with no_leaks(), Callboard() as board:
        board.tool(isolate=True)(pid)
        board.tool(isolate=True, name="kill")(crash)

        with pytest.raises(ToolFailed) as failed:
            board.call("kill")

        assert board.call("pid") != os.getpid()
    assert (failed.value.tool, failed.value.code, failed.value.outcome) == (
        "kill",
        "host_crashed",
        "outcome_unknown",
    )
    assert failed.value.report is not None
    assert failed.value.report["signal"] == 9


def test_a_function_that_no_host_could_find_is_refused():
    with Callboard() as board:
        with pytest.raises(PluginLoadError, match="top level"):
            board.tool(isolate=True)(lambda: None)
        with pytest.raises(ContractError, match="docstring"):
            board.tool(isolate=True, description="x")(pid)


FROM_STDIN = """
from callboard import Callboard, PluginLoadError
try:
    @Callboard().tool(isolate=True)
    def f() -> int: return 1
except PluginLoadError as error:
    print(error)
"""


def test_a_function_of_a_program_that_is_read_from_stdin_is_refused():
    ended = subprocess.run(
        [sys.executable, "-"], input=FROM_STDIN, capture_output=True, text=True, check=True
    )

    assert "is defined in no file" in ended.stdout


@pytest.mark.parametrize("thing", [3, Callboard, print])
def test_what_is_no_function_is_refused_when_it_is_said(thing):
    with pytest.raises(ContractError, match="register"):
        Callboard().tool(thing)


def test_a_code_that_a_tool_gives_its_own_failure_is_none_of_callboards():
    failed = ToolFailed("t", {"success": False, "error": "no", "code": "ENOENT", "outcome": "gone"})

    assert (failed.code, failed.outcome, failed.result.get("code")) == (None, None, "ENOENT")


def test_a_failure_that_was_raised_can_be_sent_elsewhere():
    failed = ToolFailed("t", {"success": False, "error": "no", "code": "cancelled", "outcome": "not_sent"})

    copy = pickle.loads(pickle.dumps(failed))

    assert (str(copy), copy.code, copy.outcome, copy.result) == (
        "t: no",
        "cancelled",
        "not_sent",
        failed.result,
    )
