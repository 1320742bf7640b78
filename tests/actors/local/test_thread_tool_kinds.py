"""Tools of this process that stream, await or prepare."""

from __future__ import annotations

import asyncio
import threading

import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.base.errors import PluginError
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import a_tool, count, schema, tool_call

PATIENCE = 20.0


@pytest.fixture
def board():
    with Board() as board:
        yield board


class Streaming:
    name = "streaming"

    def get_tool_schemas(self, state):
        return [schema("stream")]

    def stream_tool(self, tool_name, payload, state):
        for number in range(payload["parts"]):
            yield {"part": number}
        if payload.get("raise"):
            raise ValueError("in the middle")
        if not payload.get("endless"):
            yield {"success": True, "result": "done"}


def test_parts_come_before_the_result_and_survive_a_raise(board):
    board.add(PluginAdapter(Streaming()), config={})

    good = board.submit(tool_call("stream", parts=3))
    bad = board.submit(tool_call("stream", parts=2, **{"raise": True}))

    assert (list(good.parts()), good.result(PATIENCE)["result"]) == ([0, 1, 2], "done")
    assert (list(bad.parts()), bad.result(PATIENCE)["code"]) == ([0, 1], "tool_raised")


def test_a_stream_without_an_end_result_is_an_invalid_result(board):
    board.add(PluginAdapter(Streaming()), config={})

    result = board.submit(tool_call("stream", parts=1, endless=True)).result(PATIENCE)

    assert result["code"] == "invalid_result"


class Asynchronous:
    name = "asynchronous"

    def __init__(self):
        self.cancelled = threading.Event()
        self.begun = threading.Event()

    def get_tool_schemas(self, state):
        return [schema("wait"), schema("answer")]

    async def execute_tool_async(self, tool_name, payload, state):
        if tool_name == "answer":
            await asyncio.sleep(0)
            return {"success": True, "result": "answered"}
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()


def test_an_asynchronous_tool_is_cancelled_at_its_deadline_and_costs_no_thread():
    clock, plugin = ManualClock(), Asynchronous()
    with Board(clock=clock) as board:
        board.add(PluginAdapter(plugin), config={}, settings=ToolSettings(deadline=3.0))
        call = board.submit(tool_call("wait"))
        assert plugin.begun.wait(PATIENCE)

        clock.advance(3.0)

        assert call.result(PATIENCE)["code"] == "deadline_exceeded"
        assert plugin.cancelled.wait(PATIENCE)
        assert board.submit(tool_call("answer")).result(PATIENCE)["result"] == "answered"
        assert board.status()["plugins"]["asynchronous"]["fenced_total"] == 0


class Prepared:
    name = "prepared"

    def __init__(self, hang=None):
        self.hang = hang

    def prepare(self, config, state, *, context=None):
        if self.hang is not None:
            self.hang.wait()
        return {"schemas": [schema(config["tool"])], "secret": 42}

    def get_tool_schemas(self, state, *, prepared=None):
        return list((prepared or {}).get("schemas") or [])

    def execute_tool(self, tool_name, payload, state, *, prepared=None):
        return {"success": True, "result": prepared["secret"]}


def test_what_a_plugin_has_prepared_is_given_to_its_hooks(board):
    board.add(PluginAdapter(Prepared()), config={"tool": "found"})

    assert board.submit(tool_call("found")).result(PATIENCE)["result"] == 42


def test_a_plugin_whose_preparation_hangs_is_refused_and_the_others_work():
    hang = threading.Event()
    with Board(prepare_timeout=0.1) as board:
        board.add(a_tool(count), config={})

        with pytest.raises(PluginError, match=r"preparing the plugin failed.*did not return within 0\.1 s"):
            board.add(PluginAdapter(Prepared(hang)), config={"tool": "found"})

        assert board.submit(tool_call("tool")).result(PATIENCE)["success"]
        hang.set()
