"""The borders of calls and boards; see `foreign_borders`."""

from __future__ import annotations

import asyncio
import threading

from boards import QUICK, Recorder, add_node
from callboard.actors.endpoint.circuit_breaker import BreakerPolicy
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.fallback import WhileDown
from callboard.actors.state.store import MemoryStore
from foreign_scene import (
    PATIENCE,
    Raises,
    a_board,
    answers,
    border,
    elsewhere,
    gated,
    other_tool_works,
    refusal_of,
)
from tools import a_tool, count, tool_call

# Of a call


@border("`Call.add_done_callback`, of a tool in a thread")
def done_callback(kind):
    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        call.add_done_callback(Raises(kind))
        call.add_done_callback(told.set)
        go.set()
        assert told.wait(PATIENCE)
        assert call.result(PATIENCE)["success"]


@border("`Call.add_done_callback`, of a tool in a host")
def done_callback_of_a_host(kind):
    with a_board() as board:
        add_node(board)
        pid = board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"]
        told = threading.Event()
        call = board.submit(tool_call("moody", do="wait", ms=50))
        call.add_done_callback(Raises(kind))
        call.add_done_callback(told.set)
        assert told.wait(PATIENCE)
        assert board.submit(tool_call("moody")).result(PATIENCE)["result"]["pid"] == pid


@border("a callback of `Call.future`")
def future_callback(kind):
    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        call.future.add_done_callback(Raises(kind))
        call.future.add_done_callback(lambda _: told.set())
        go.set()
        assert told.wait(PATIENCE)
        assert call.future.result(PATIENCE)["success"]


@border("the event loop of a caller that awaits")
def loop_of_the_caller(kind):
    class Broken(asyncio.SelectorEventLoop):
        broken = False

        def call_soon_threadsafe(self, *args, **kwargs):
            if self.broken:
                self.broken = False
                raise kind("raised on purpose")
            return super().call_soon_threadsafe(*args, **kwargs)

    with a_board() as board:
        go, told = gated(board), threading.Event()
        call = board.submit(tool_call("tool"))
        loop = Broken()

        async def wait():
            loop.broken = True
            waiting = asyncio.ensure_future(_awaited(call))
            await asyncio.sleep(0)
            call.add_done_callback(told.set)
            go.set()
            await asyncio.get_running_loop().run_in_executor(None, told.wait, PATIENCE)
            waiting.cancel()

        loop.run_until_complete(wait())
        loop.close()
        assert call.result(PATIENCE)["success"]


async def _awaited(call):
    return await call


# Of a board


@border("a subscriber")
def subscriber(kind):
    with a_board() as board:
        raising = Raises(kind)
        board.subscribe(raising)
        recorder = Recorder(board)
        board.add(a_tool(count), config={})
        assert raising.called.wait(PATIENCE)
        assert answers(board)
        recorder.wait("call_ended")
        assert board.events.settle(PATIENCE)


@border("`StateStore.save`, of a tool in a thread")
def store_save(kind):
    store = MemoryStore()
    save, store.save = store.save, Raises(kind, 1)
    with a_board(state_store=store) as board:
        board.add(a_tool(count), config={})
        first = board.submit(tool_call("tool")).result(PATIENCE)
        store.save = save
        second = board.submit(tool_call("tool")).result(PATIENCE)
    assert (first["result"], first["state_saved"], second) == (1, False, {"success": True, "result": 2})


@border("`StateStore.save`, of a tool in a host")
def store_save_of_a_host(kind):
    store = MemoryStore()
    store.save = Raises(kind)
    with a_board(state_store=store) as board:
        add_node(board)
        for number in (1, 2):
            result = board.submit(tool_call("moody")).result(PATIENCE)
            assert (result["result"]["count"], result["state_saved"]) == (number, False)


@border("`StateStore.load`")
def store_load(kind):
    store = MemoryStore()
    load, store.load = store.load, Raises(kind)
    with a_board(state_store=store) as board:
        refusals = elsewhere(lambda: [refusal_of(lambda: add_node(board)), refusal_of(lambda: _add(board))])
        store.load = load
        elsewhere(lambda: add_node(board))
        assert answers(board, "moody")
        elsewhere(lambda: _add(board))
        assert answers(board)
    assert [isinstance(refusal, BaseException) for refusal in refusals] == [True, True]


def _add(board):
    board.add(a_tool(count), config={})
    return True


@border("`StateStore.attach`, `status` and `forget`")
def store_others(kind):
    store = MemoryStore()
    store.attach = store.status = store.forget = Raises(kind)

    def scene():
        with a_board(state_store=store) as board:
            board.add(a_tool(count), config={})
            status = board.status()["state_store"]
            refusal_of(lambda: board.remove("tool", forget_state=True))
            other_tool_works(board)
            return status

    assert "failing" in elsewhere(scene)


@border("a hook of calls")
def call_hook(kind):
    with a_board() as board:
        board.add(a_tool(count), config={})
        raising = Raises(kind, 1)
        board.hooks.add("tool:pre", raising)
        board.hooks.add("tool:post", Raises(kind), observes=True)
        board.hooks.add("tool:error", Raises(kind))
        assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"
        assert answers(board)


@border("an answer of a hook, as it is read")
def hook_answer(kind):
    class Answer:
        @property
        def action(self):
            raise kind("raised on purpose")

    with a_board() as board:
        board.add(a_tool(count), config={})
        with board.hooks.add("tool:pre", lambda *_: Answer()):
            assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"


@border("an approver")
def approver(kind):
    class Person:
        ask = withdraw = Raises(kind, 1, True)

    with a_board() as board:
        board.add(a_tool(count), config={})
        board.hooks.approver = Person()
        board.hooks.add("tool:pre", lambda *_: {"action": "ask_user"})
        assert board.submit(tool_call("tool")).result(PATIENCE)["code"] == "denied"
        assert answers(board)


@border("`is_failure` of a breaker")
def is_failure(kind):
    with a_board() as board:
        breaker = BreakerPolicy(is_failure=Raises(kind))
        board.add(a_tool(count), config={}, settings=ToolSettings(breaker=breaker))
        assert answers(board)
        assert answers(board)


@border("`answer` of what stands in while a host is down")
def while_down(kind):
    with a_board() as board:
        stand_in = Raises(kind, 1, {"success": True, "result": "instead"})
        recorder = Recorder(board)
        add_node(board, policy=QUICK, while_down=WhileDown(answer=stand_in))
        board.order("park", "moody")
        recorder.wait("host_parked")
        results = [board.submit(tool_call("moody")).result(PATIENCE) for _ in range(2)]
        assert results[0]["code"] == "host_unavailable"
        board.order("revive", "moody")
        recorder.wait("host_ready", 2)


@border("a resource of the tool runtime, as it is closed")
def closing_a_resource(kind):
    class Resource:
        close = Raises(kind)

    closed = threading.Event()
    with a_board() as board:
        board.tool_runtime.get("first", object, close=lambda _: closed.set())
        board.tool_runtime.get("second", Resource)
    assert closed.is_set()


@border("a module that was mounted, in its loop")
def mounted_module(kind):
    class Shout:
        name = "shout"
        description = ""
        input_schema = {"type": "object"}  # noqa: RUF012 - as Amplifier's contract has it

        async def execute(self, input):  # noqa: A002 - as Amplifier's contract has it
            if input.get("rogue"):
                asyncio.get_running_loop().call_soon(Raises(kind))
                await asyncio.sleep(0)
            return {"success": True, "result": "!"}

    async def mount(coordinator, _config):
        await coordinator.mount("tools", Shout(), name="shout")
        return Raises(kind)

    with a_board() as board:
        board.mount(mount)
        board.submit(tool_call("shout", rogue=True)).result(PATIENCE)
        assert answers(board, "shout")
