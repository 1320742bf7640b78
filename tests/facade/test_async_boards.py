"""A board in an event loop: neither its start nor its stop blocks that, and a cancel leaves nothing behind."""

from __future__ import annotations

import asyncio
import sys
import threading
import time

import anyio
import pytest
from callboard import Callboard, NotStarted
from callboard.actors.calls.waiting import in_thread, until_done
from callboard.actors.state.store import StateStoreInUse
from leaks import TEST_MARK, no_leaks, wait_until
from node_packages import write
from tools import tool_call

# Its sleeps are what is tested: a host that takes so long to start, and to end.
SLOW_TO_COME_AND_GO = """#!PYTHON
import json, pathlib, sys, time

SCHEMA = {"type": "function", "function": {"name": sys.argv[1], "parameters": {"type": "object"}}}
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "init":
        pathlib.Path("begun").touch()
        time.sleep(float(sys.argv[2]))
    value = {"init": {}, "get_tool_schemas": [SCHEMA]}.get(request["method"], {"success": True, "result": 1})
    print(json.dumps({"v": 1, "id": request["id"], "ok": True, "result": {"value": value, "state": {}}}), flush=True)
time.sleep(float(sys.argv[2]))
"""

both_loops = pytest.mark.parametrize("backend", ["asyncio", "trio"])


def slow_hosts(folder, *, seconds, count=3):
    """A configuration whose hosts take so long to be ready, and to end when they are asked to."""
    write(folder, {"slow": SLOW_TO_COME_AND_GO.replace("PYTHON", sys.executable)})
    (folder / "slow").chmod(0o755)
    hosts = [
        {
            "host": {
                "command": ["./slow", f"tool_{n}", str(seconds)],
                "protocol": "thp/1",
                "id": f"host-{n}",
            },
            "env": TEST_MARK,
        }
        for n in range(count)
    ]
    write(folder, {"agent.json": {"plugins": hosts}})
    return folder / "agent.json"


async def longest_gap(gaps):
    last = time.monotonic()
    while True:
        await anyio.sleep(0.001)
        now = time.monotonic()
        gaps.append(now - last)
        last = now


@both_loops
def test_neither_the_start_nor_the_stop_of_a_board_blocks_the_event_loop(backend, tmp_path):
    seconds = 1.5
    config, gaps = slow_hosts(tmp_path, seconds=seconds), []

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(longest_gap, gaps)
            async with Callboard(config) as board:
                results = [await board.execute_async(tool_call(f"tool_{n}")) for n in range(3)]
            group.cancel_scope.cancel()
        assert [result["success"] for result in results] == [True] * 3

    with no_leaks():
        anyio.run(main, backend=backend)

    assert max(gaps) < seconds / 1.5


@both_loops
def test_a_stop_whose_task_is_cancelled_is_completed_before_the_task_goes(backend, tmp_path):
    config, seen = slow_hosts(tmp_path, seconds=0.5, count=1), []

    async def main():
        with anyio.CancelScope() as scope:
            async with Callboard(config) as board:
                scope.cancel()
                seen.append(board)
            seen.append("on")
        with pytest.raises(NotStarted):
            seen[0].tools()

    with no_leaks():
        anyio.run(main, backend=backend)

    assert len(seen) == 1


def test_a_stop_that_is_cancelled_again_and_again_is_completed_all_the_same(tmp_path):
    config = slow_hosts(tmp_path, seconds=0.5, count=1)
    board = Callboard(config)

    async def use(entered):
        async with board:
            entered.set()
            await asyncio.sleep(100)

    async def main():
        entered = asyncio.Event()
        task = asyncio.create_task(use(entered))
        await entered.wait()
        while not task.done():
            task.cancel()
            await asyncio.sleep(0.01)
        return task.cancelled(), board.status()["running"]

    with no_leaks():
        assert asyncio.run(main()) == (True, False)


@both_loops
def test_a_start_whose_task_is_cancelled_is_undone(backend, tmp_path):
    config, entered = slow_hosts(tmp_path, seconds=1000), []
    board = Callboard(config)

    async def start():
        async with board:
            entered.append(board)

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(start)
            await until_done(in_thread(lambda: wait_until((tmp_path / "begun").exists), "test"))
            group.cancel_scope.cancel()

    with no_leaks():
        began = time.monotonic()
        anyio.run(main, backend=backend)
        assert time.monotonic() - began < 15.0

    assert entered == []
    wait_until(lambda: not board.status()["running"])


@both_loops
def test_a_start_that_fails_raises_where_it_is_awaited(backend):
    async def main():
        async with Callboard({"plugins": [{"plugin": "nowhere.Tool", "required": True}]}):
            raise AssertionError

    with no_leaks(), pytest.raises(Exception, match="nowhere"):
        anyio.run(main, backend=backend)


@both_loops
def test_a_board_that_was_stopped_within_can_be_left(backend):
    async def main():
        async with Callboard() as board:
            board.stop()

    with no_leaks():
        anyio.run(main, backend=backend)


class Raised(Exception):
    """Raised by a signal handler."""


@pytest.mark.parametrize("has_begun", [True, False], ids=["once it has begun", "before it has begun"])
@pytest.mark.parametrize("thread", ["callboard-start", "callboard-stop"])
def test_a_handler_that_raises_as_the_thread_of_a_start_or_stop_begins_leaves_no_board_running(
    thread, has_begun, monkeypatch, tmp_path
):
    start, threads = threading.Thread.start, []
    file = tmp_path / "state.db"

    def interrupted(begun):
        if begun.name == thread:
            monkeypatch.undo()
            if has_begun:
                start(begun)
                threads.append(begun)
            raise Raised
        start(begun)

    async def main(board):
        async with board:
            pass

    with no_leaks():
        monkeypatch.setattr(threading.Thread, "start", interrupted)
        board = Callboard(state=file)
        with pytest.raises(Raised):
            asyncio.run(main(board))
        for each in threads:
            each.join()

        wait_until(lambda: not board.status()["running"])
        wait_until(lambda: is_free(file))


def is_free(file):
    try:
        Callboard(state=file).start().stop()
    except StateStoreInUse:
        return False
    return True
