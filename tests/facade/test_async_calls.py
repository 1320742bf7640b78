"""Calls of a board in an event loop: what becomes of them when their task is cancelled, or their stream closed."""

from __future__ import annotations

import threading
from contextlib import aclosing

import anyio
import pytest
from callboard import Callboard
from leaks import wait_until
from tools import Tool, tool_call

PATIENCE = 20.0

both_loops = pytest.mark.parametrize("backend", ["asyncio", "trio"])


async def give_up(function):
    """Have it run until it waits for what never comes, and cancel it."""
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(function)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()


class Waiting(Tool):
    """A tool in a thread that streams one part, and waits until it is let go."""

    def __init__(self):
        super().__init__(None)
        self.go = threading.Event()

    def stream_tool(self, tool_name, payload, state):
        yield {"part": 1}
        self.go.wait(PATIENCE)
        yield {"part": 2}
        yield {"success": True, "result": None}


@pytest.fixture
def front():
    """A board with such a tool, and a function that says how its calls have ended."""
    tool, ended = Waiting(), []
    with Callboard() as board:
        board.register(tool)
        with board.subscribe(lambda event: ended.append(event.facts["code"]), {"call_ended"}):

            def endings():
                tool.go.set()
                wait_until(lambda: ended)
                return ended

            yield board, endings
            tool.go.set()


async def stream(board, body=None):
    async for item in board.stream_async(tool_call("tool")):
        if "part" in item and body is not None:
            await body()


@both_loops
def test_a_cancelled_execute_async_cancels_its_call(front, backend):
    board, endings = front

    anyio.run(give_up, lambda: board.execute_async(tool_call("tool")), backend=backend)

    assert endings() == ["cancelled"]


@both_loops
@pytest.mark.parametrize("body", [None, anyio.sleep_forever])
def test_a_cancelled_stream_async_cancels_its_call(front, backend, body):
    board, endings = front

    async def main():
        await give_up(lambda: stream(board, body))
        await anyio.wait_all_tasks_blocked()

    anyio.run(main, backend=backend)

    assert endings() == ["cancelled"]


@both_loops
def test_a_stream_that_is_closed_cancels_its_call(front, backend):
    board, endings = front

    async def main():
        async with aclosing(board.stream_async(tool_call("tool"))) as items:
            assert await anext(items) == {"part": 1}
        return [item async for item in items]

    assert anyio.run(main, backend=backend) == []
    assert endings() == ["cancelled"]


@both_loops
def test_a_break_out_of_a_stream_cancels_nothing(front, backend):
    board, endings = front

    async def main():
        async for _ in board.stream_async(tool_call("tool")):
            break
        await anyio.wait_all_tasks_blocked()

    anyio.run(main, backend=backend)

    assert endings() == [None]


@both_loops
def test_a_stream_ends_with_the_result(front, backend):
    board, endings = front

    async def main():
        items = board.stream_async(tool_call("tool"))
        first = await anext(items)
        endings()
        return [first] + [item async for item in items]

    assert anyio.run(main, backend=backend) == [{"part": 1}, {"part": 2}, {"success": True, "result": None}]
