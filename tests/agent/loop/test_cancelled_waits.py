"""Whoever stops waiting for an agent's calls ends them: by a task that is cancelled, and by an iterator that is closed."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing

import pytest
from callboard import AgentCore, Callboard
from leaks import wait_until
from tools import Tool, tool_call

PATIENCE = 20.0


@pytest.fixture
def waiting():
    """A core whose tool waits, what says that it does, and how its calls have ended."""
    begun, go, ended = threading.Event(), threading.Event(), []

    def function(arguments, state):
        begun.set()
        go.wait(PATIENCE)
        return {"success": True, "result": None}

    with Callboard() as board:
        board.register(Tool(function))
        board.subscribe(lambda event: ended.append(event.facts["code"]), {"call_ended"})
        yield AgentCore(board), begun, ended
        go.set()


async def execute(core):
    await core.aexecute_tool_calls([tool_call("tool"), tool_call("tool")], {})


async def iterate(core):
    async for _ in core.aiter_tool_messages([tool_call("tool"), tool_call("tool")], {}):
        pass


@pytest.mark.parametrize("run", [execute, iterate])
def test_a_task_that_is_cancelled_while_it_awaits_messages_ends_all_their_calls(waiting, run):
    core, begun, ended = waiting

    async def main():
        task = asyncio.create_task(run(core))
        await asyncio.to_thread(begun.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())

    wait_until(lambda: ended == ["cancelled", "cancelled"])


def test_messages_that_are_no_longer_iterated_over_end_their_calls(waiting):
    core, begun, ended = waiting

    async def main():
        async with aclosing(core.aiter_tool_messages([tool_call("tool")], {})) as messages:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(messages), 0.01)
            await asyncio.to_thread(begun.wait, PATIENCE)

    asyncio.run(main())

    wait_until(lambda: ended == ["cancelled"])
