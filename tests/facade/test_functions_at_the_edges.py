"""Functions as tools where things meet: starts and stops, interrupts, values that are not quite JSON, hosts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, TypedDict

import pytest
from callboard import Callboard, NotStarted, PluginError, ToolFailed
from callboard.actors.registration_errors import PluginNameTaken
from leaks import no_leaks, wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class Small:
    number: int

    def __post_init__(self):
        if self.number > 3:
            raise ValueError("the number is at most 3")


class Options(TypedDict):
    depth: int
    note: NotRequired[str]


def process() -> int:
    return os.getpid()


@pytest.fixture
def board():
    with no_leaks(), Callboard({"calls": {"grace": 0.1}}) as board:
        yield board


def test_a_first_call_waits_for_a_start_that_is_under_way():
    board, begun, go_on, found = Callboard(), threading.Event(), threading.Event(), []

    class Slow:
        name = "slow"

        def init(self, config):
            begun.set()
            go_on.wait(60)

        def get_tool_schemas(self, state):
            return [{"type": "function", "function": {"name": "slow"}}]

        def execute_tool(self, tool_name, arguments, state):
            return {"success": True}

    board._add_function(Slow, {})
    board.tool(process)
    starting = threading.Thread(target=board.start)
    calling = threading.Thread(target=lambda: found.append(board.call("process")))

    starting.start()
    begun.wait(60)
    calling.start()
    calling.join(0.1)
    go_on.set()
    for thread in (starting, calling):
        thread.join(60)
    board.stop()

    assert found == [os.getpid()]


def test_a_board_that_was_stopped_before_is_not_started_by_a_call():
    board = Callboard()
    board.stop()

    with pytest.raises(NotStarted):
        board.call("process")


def test_an_interrupted_call_is_cancelled(board):
    going, go_on, ended = threading.Event(), threading.Event(), []

    @board.tool
    def waits() -> None:
        going.set()
        go_on.wait(60)

    board.subscribe(ended.append, ["call_ended"])
    threading.Thread(target=lambda: (going.wait(60), os.kill(os.getpid(), signal.SIGINT))).start()
    with pytest.raises(KeyboardInterrupt):
        board.call("waits")
    wait_until(lambda: ended)
    go_on.set()

    assert ended[0].facts["code"] == "cancelled"


def test_numbers_are_of_the_kind_that_the_hint_says(board):
    @board.tool
    def kinds(whole: int, fraction: float, either: float | None, any_of: int | str) -> list[str]:
        return [type(value).__name__ for value in (whole, fraction, either, any_of)]

    assert board.call("kinds", whole=3.0, fraction=3, either=3, any_of=3) == ["int", "float", "float", "int"]


def test_a_key_that_is_not_required_may_be_left_out_with_hints_that_are_texts(board):
    @board.tool
    def depth(options: Options) -> int:
        return options["depth"]

    assert board.call("depth", options={"depth": 1}) == 1


def test_dataclasses_come_and_go_at_any_depth(board):
    @board.tool
    def doubled(values: dict[str, Small]) -> dict[str, list[Small]]:
        return {name: [value, value] for name, value in values.items()}

    assert board.call("doubled", values={"a": Small(1)}) == {"a": [{"number": 1}, {"number": 1}]}


def test_arguments_that_a_dataclass_refuses_do_not_count_as_run(board):
    ran = []

    @board.tool
    def takes(small: Small) -> None:
        ran.append(small)

    with pytest.raises(ToolFailed) as raised:
        board.call("takes", small={"number": 9})

    assert (raised.value.code, raised.value.outcome, ran) == (None, None, [])


def test_what_a_function_returns_may_be_known_to_type_checkers_alone(board):
    @board.tool
    def numbers(to: int) -> Sequence[int]:
        return list(range(to))

    assert board.call("numbers", to=2) == [0, 1]


@pytest.mark.parametrize("started", [False, True])
def test_a_second_function_of_a_name_is_refused_where_it_stands(started):
    board = Callboard()
    if started:
        board.start()
    try:
        board.tool(name="twice")(lambda: 1)

        with pytest.raises(PluginNameTaken) as refused:
            board.tool(name="twice")(lambda: 2)
        first = board.call("twice")
    finally:
        board.stop()

    assert refused.value.plugin == "twice"
    assert started or str(refused.value).count(f"{__file__}:") == 2
    assert first == 1


def test_what_is_wrong_with_an_option_or_a_place_is_told_before_the_start():
    board = Callboard()

    def local() -> int:
        return 1

    with pytest.raises(PluginError):
        board.tool(isolated=True)(local)
    with pytest.raises(PluginError):
        board.tool(isolate=True)(local)


PROGRAM = """
import os
import sys
from callboard import Callboard

board = Callboard()
if __name__ == "__main__" and sys.argv[1:] == ["early"]:
    board.start()

@board.tool(isolate=True)
def away() -> int:
    return os.getpid()

if __name__ == "__main__":
    print(board.call("away") != os.getpid())
"""


@pytest.mark.parametrize("when", ["early", "late"])
def test_a_function_is_isolated_where_it_is_decorated(tmp_path, when):
    (tmp_path / "program.py").write_text(PROGRAM)

    with no_leaks():
        ran = subprocess.run(
            [sys.executable, tmp_path / "program.py", when],
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True\n", "")
