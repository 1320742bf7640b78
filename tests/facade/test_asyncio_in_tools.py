"""What asyncio gives to a tool: the loop that runs it, programs that it starts, and a loop of its own. Alike in all versions of Python."""

from __future__ import annotations

import asyncio
import sys

import pytest
from callboard import Callboard
from tools import tool_call


async def start(word: str):
    """Start a program, and wait for its end: in a loop that is not the main thread's."""
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys; print(sys.argv[1]); sys.exit(3)",
        word,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await program.communicate()
    return [said.decode().strip(), program.returncode, asyncio.get_event_loop() is asyncio.get_running_loop()]


def start_in_a_loop_of_its_own(word: str):
    return asyncio.run(start(word))


def ask_for_a_loop():
    asyncio.get_event_loop()


@pytest.fixture(scope="module", params=[False, True], ids=["here", "in a host"])
def board(request):
    tools = (start, start_in_a_loop_of_its_own, ask_for_a_loop)
    with Callboard() as board:
        for tool in tools:
            board.register(tool, isolate=request.param)
        yield board


@pytest.mark.parametrize("tool", [start, start_in_a_loop_of_its_own])
def test_a_tool_starts_a_program_by_asyncio_and_sees_its_end(board, tool):
    answer = board.submit(tool_call(tool.__name__, word="hello")).result()

    assert answer["result"] == ["hello", 3, True]


def test_a_plain_function_is_made_no_event_loop(board, request):
    """Python made one in the main thread until 3.13: a host runs its calls there, one at a time."""
    in_a_host = request.node.callspec.params["board"]

    answer = board.submit(tool_call("ask_for_a_loop")).result()

    assert answer["success"] is (in_a_host and sys.version_info < (3, 14))
    assert answer["success"] or "no current event loop" in answer["error"]
