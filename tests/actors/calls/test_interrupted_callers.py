"""A signal handler that raises at any line of a caller's thread costs no call its end, and no plugin its next call."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest
from callboard import Callboard, ToolFailed
from callboard.actors.board import Board
from callboard.actors.calls.waiting import _Alarm
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.fallback import WhileDown
from every_point import Interrupted, OutOfThreads, OutOfTime, interrupted_at_each_point
from leaks import no_leaks, wait_until
from manual_clock import ManualClock
from memory_hosts import memory_board
from programs import PROGRAMS
from tools import a_tool, tool_call

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 20.0
SHORT = 0.1

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
    async def echo(text: str = "", seconds: float = 0) -> str:
        await asyncio.sleep(seconds)
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


def an_echo(board, text="x", **arguments):
    return board.submit(tool_call("echo", text=text, **arguments), deadline=PATIENCE)


def works(board) -> bool:
    """Whether the next call is answered, and then no call is under way or waits."""
    answered = an_echo(board, "next").result(PATIENCE)["success"]
    _await_no_place_taken(board)  # an interrupted call that was sent is under way until its host has answered
    return answered and not _places_taken(board)


def _await_no_place_taken(board):
    until = time.monotonic() + PATIENCE
    while _places_taken(board) and time.monotonic() < until:
        threading.Event().wait(0.001)


def _places_taken(board):
    return sum(plugin["running"] + plugin["waiting"] for plugin in board.status()["plugins"].values())


def let_through(_event, _data):
    return None


@KINDS
@pytest.mark.parametrize("hooks", [(), ("tool:pre", "tool:post")], ids=["without hooks", "with hooks"])
def test_an_interrupted_submit_leaves_the_plugin_free_for_the_next_call(board, hooks):
    for event in hooks:
        board.hook(event, let_through, deadline=PATIENCE)

    astray = [place for place in interrupted_at_each_point(lambda: an_echo(board)) if not works(board)]

    assert astray == []


@KINDS
def test_an_interrupted_cancel_ends_its_call(board):
    calls = []

    for place in interrupted_at_each_point(
        lambda: bool(calls[-1].cancel()), before=lambda: calls.append(an_echo(board))
    ):
        assert "success" in calls[-1].result(PATIENCE), place
        assert works(board), place


@contextmanager
def loop_in_a_thread():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


@pytest.mark.parametrize("load", [of_a_thread])
def test_an_interrupted_cancel_wakes_the_loop_that_awaits_the_call(board):
    calls, waits = [], []

    with loop_in_a_thread() as loop:

        def begin():
            calls.append(an_echo(board, seconds=3600))
            begun = threading.Event()
            waits.append(asyncio.run_coroutine_threadsafe(awaited(calls[-1], begun.set), loop))
            assert begun.wait(PATIENCE)

        for place in interrupted_at_each_point(lambda: bool(calls[-1].cancel()), before=begin):
            calls[-1].cancel()  # the first may have been interrupted before it began
            assert waits[-1].result(PATIENCE)["code"] == "cancelled", place


async def awaited(call, begins=lambda: None):
    asyncio.get_running_loop().call_soon(begins)  # once it waits
    return await call


async def read_to_the_end(call):
    async for _ in call:
        pass


@KINDS
@pytest.mark.parametrize(
    "wait",
    [
        lambda call: call.result(PATIENCE),
        lambda call: list(call.parts()),
        lambda call: run_without_cancelling(awaited(call)),
        lambda call: run_without_cancelling(read_to_the_end(call)),
    ],
    ids=["result", "parts", "await", "async for"],
)
def test_an_interrupted_wait_leaves_its_call_as_it_is(board, wait):
    calls = []

    for place in interrupted_at_each_point(
        lambda: wait(calls[-1]), before=lambda: calls.append(an_echo(board))
    ):
        assert calls[-1].result(PATIENCE)["success"], place
        while left:
            left.pop().get_coro().close()


def run_without_cancelling(main):
    """As `asyncio.run`, which cancels the tasks that an interrupt leaves."""
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(main)
    finally:
        left.extend(asyncio.all_tasks(loop))
        loop.close()


left = []
"""Tasks, which no interrupt can come to while they are collected."""


@pytest.mark.parametrize("load", [of_a_thread])
def test_a_loop_that_goes_on_after_an_interrupt_wakes_those_who_wait(board):
    loop = asyncio.new_event_loop()

    def finish(tasks):
        while any(not task.done() for task in tasks):
            with suppress(RuntimeError):  # what has ended in the interrupted run stops the next one
                loop.run_until_complete(asyncio.wait(tasks, timeout=PATIENCE))

    for place in interrupted_at_each_point(lambda: loop.run_until_complete(awaited(an_echo(board)))):
        left = asyncio.all_tasks(loop)
        finish({*left, loop.create_task(awaited(an_echo(board)))})
        assert all(task.result()["success"] for task in left), place
    loop.close()


@pytest.mark.parametrize("load", [of_a_thread])
def test_a_loop_that_goes_on_after_an_interrupt_wakes_those_who_wait_though_nobody_waits_anew(board):
    loop = asyncio.new_event_loop()
    asleep = []

    for place in interrupted_at_each_point(
        lambda: loop.run_until_complete(awaited(an_echo(board, seconds=0.005)))
    ):
        for task in asyncio.all_tasks(loop):
            with suppress(RuntimeError):  # what has ended in the interrupted run stops the next one
                loop.run_until_complete(asyncio.wait({task}, timeout=SHORT))
            if not task.done():
                asleep.append(place)
                ended = an_echo(board)
                ended.result(PATIENCE)
                loop.run_until_complete(awaited(ended))
                loop.run_until_complete(asyncio.wait({task}, timeout=SHORT))
                assert task.done(), place

    loop.close()
    assert set(asleep) <= {BEFORE_THE_FIRST_LINE}


BEFORE_THE_FIRST_LINE = (
    f"calls/waiting.py:{_Alarm._wake_all.__code__.co_firstlineno} in {_Alarm._wake_all.__qualname__}"
)
"""The loop has taken the call of this function for done, and none of its lines has run: it is made good with the next await of any call."""


@KINDS
@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (lambda board: board.call("echo", text="x"), Interrupted),
        (lambda board: board.execute(tool_call("echo", text="x")), OutOfTime),
        (lambda board: list(board.stream(tool_call("echo", text="x"))), Interrupted),
    ],
    ids=["call", "execute", "stream"],
)
def test_an_interrupted_call_that_nobody_else_holds_leaves_nothing_under_way(board, run, kind):
    points = interrupted_at_each_point(lambda: run(board), kind=kind)
    astray = [place for place in points if not works(board)]

    assert astray == []


@pytest.mark.parametrize("kind", [Interrupted, OutOfThreads, OutOfTime])
def test_an_interrupt_as_threads_begin_goes_on_to_the_caller_whatever_error_it_is(kind):
    with ExitStack() as boards:
        made = []

        def begin():
            boards.close()
            board = boards.enter_context(Board())
            board.add(a_tool(lambda _arguments, _state: {"success": True, "result": "done"}), config={})
            made.append(board)

        for place in interrupted_at_each_point(
            lambda: made[-1].submit(tool_call("tool"), deadline=PATIENCE), before=begin, kind=kind
        ):
            assert made[-1].submit(tool_call("tool"), deadline=PATIENCE).result(PATIENCE)["success"], place


def in_loop(coroutine_of):
    async def main(board):
        await coroutine_of(board)

    return lambda board: asyncio.run(main(board))


@pytest.mark.parametrize(
    ("run", "hooks"),
    [
        (lambda board: board.with_options(deadline=SHORT).call("endless"), ()),
        (lambda board: board.execute(tool_call("endless"), deadline=SHORT), ("tool:pre",)),
        (lambda board: list(board.stream(tool_call("endless"), deadline=SHORT)), ()),
        (in_loop(lambda board: board.with_options(deadline=SHORT).acall("endless")), ()),
        (in_loop(lambda board: board.execute_async(tool_call("endless"), deadline=SHORT)), ("tool:pre",)),
        (in_loop(lambda board: anext(board.stream_async(tool_call("endless"), deadline=SHORT))), ()),
    ],
    ids=["call", "execute with hooks", "stream", "acall", "execute_async with hooks", "stream_async"],
)
def test_an_interrupted_call_that_nobody_else_holds_does_not_go_on(run, hooks, tmp_path):
    with no_leaks(), Callboard() as board:

        @board.tool
        async def endless() -> None:
            await asyncio.sleep(3600)

        of_a_thread(board, tmp_path)
        for event in hooks:
            board.hook(event, let_through, deadline=PATIENCE)
        ended = queue.SimpleQueue()
        board.subscribe(ended.put, ["call_ended"])

        began = []

        def step():
            began.append(time.monotonic())
            with suppress(ToolFailed):
                run(board)

        astray = []
        for place in interrupted_at_each_point(step):
            in_time = time.monotonic() < began[-1] + SHORT
            _await_no_place_taken(board)
            assert works(board)
            for event in iter(partial(ended.get, timeout=PATIENCE), None):
                if event.facts["tool"] == "echo":  # of `works`, after all others
                    break
                if in_time and event.facts["code"] != "cancelled":
                    astray.append(place)

    assert astray == []


def test_an_interrupted_trial_of_a_breaker_leaves_its_place_to_the_next_call():
    def tool(arguments, state):
        if arguments.get("do") == "raise":
            raise OSError("the line is down")
        return {"success": True, "result": None}

    settings = ToolSettings(breaker=BreakerPolicy(failures=1, reset=10.0))

    with no_leaks(), ExitStack() as stack:
        boards = []

        def open_the_breaker():
            clock = ManualClock()
            board = Board(clock=clock)
            stack.callback(board.stop)
            board.add(a_tool(tool), config={}, settings=settings)
            board.submit(tool_call("tool", do="raise")).result(PATIENCE)
            clock.advance(20.0)
            boards.append(board)

        for place in interrupted_at_each_point(
            lambda: boards[-1].submit(tool_call("tool")), before=open_the_breaker
        ):
            wait_until(lambda: boards[-1].submit(tool_call("tool")).result(PATIENCE)["success"]), place


def test_an_interrupted_call_for_which_a_stand_in_was_to_be_asked_is_let_go_of():
    with no_leaks(), memory_board() as memory:
        host = memory.add(while_down=WhileDown(answer=lambda call: {"success": True, "result": "instead"}))
        memory.crash(host)
        astray = [
            place
            for place in interrupted_at_each_point(memory.call)
            if memory.call().result(PATIENCE)["result"] != "instead"
        ]
        fallback = memory.board.plugin_manager.handle("host").endpoint.fallback
        wait_until(lambda: not fallback.close())

    assert astray == []


def test_an_interrupted_stop_is_gone_on_with_by_the_next():
    boards, calls = [], []

    def begin():
        board = Board()
        board.add(a_tool(lambda arguments, state: {"success": True}), config={})
        boards.append(board)
        calls.append([board.submit(tool_call("tool")) for _ in range(3)])

    with no_leaks():

        def stop():
            boards[-1].stop()

        for place in interrupted_at_each_point(stop, before=begin):
            boards[-1].stop()
            assert all(call.done() for call in calls[-1]), place
