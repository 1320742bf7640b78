"""A state whose save failed is saved again by itself; events tell the failure and the recovery of each plugin."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.actors.state.sqlite import SqliteStore
from callboard.actors.state.store import MemoryStore, StateStoreError
from callboard.base.json import load_json
from leaks import wait_until
from manual_clock import ManualClock
from tools import a_tool, count, tool_call


class FullStore(MemoryStore):
    """Takes no states while it is full, each of which it counts; a save that has begun waits for the gate."""

    def __init__(self):
        super().__init__()
        self.full = False
        self.refused = 0
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()

    def save(self, plugin, saved):
        if self.full:
            self.refused += 1
            raise StateStoreError("no space left", store="memory")
        self.waiting.set()
        assert self.gate.wait(30)
        super().save(plugin, saved)


@pytest.fixture
def store():
    return FullStore()


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def board(store, clock):
    with Board(state_store=store, clock=clock) as board:
        yield board


def counted(board, tool):
    return board.submit(tool_call(tool)).result(30)


def kept(store, plugin):
    saved = store.load(plugin)
    return None if saved is None else load_json(saved.state)["count"]


def told(events, kind):
    return sorted(event.subject for event in events.of(kind))


def status(board):
    return board.status()["state_store"]


def test_states_are_saved_when_there_is_room_again_without_another_call(board, store, clock):
    events = Recorder(board)
    for name in ("a", "b"):
        board.add(a_tool(count, name), config={})
    store.full = True
    answers = [counted(board, name) for name in ("a", "b", "a")]
    failing = status(board)["not_saved"]

    store.full = False
    clock.wait_pending()
    clock.advance(0.2)
    events.wait("state_store_recovered", 2)

    assert [answer["state_saved"] for answer in answers] == [False] * 3
    assert failing == ["a", "b"]
    assert (kept(store, "a"), kept(store, "b")) == (2, 1)
    assert told(events, "state_store_failing") == told(events, "state_store_recovered") == ["a", "b"]
    assert (status(board)["not_saved"], status(board)["failing"]) == ([], None)
    assert counted(board, "a") == {"success": True, "result": 3}


def test_the_wait_grows_with_each_failure_up_to_ten_seconds(board, store, clock):
    board.add(a_tool(count, "a"), config={})
    store.full = True
    counted(board, "a")
    waits = []

    for _ in range(9):
        refused = store.refused
        clock.wait_pending()
        waits.append(clock.advance_to_next())
        wait_until(lambda refused=refused: store.refused > refused)
        wait_until(clock.pending)

    assert waits == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10])


def test_a_state_of_one_plugin_that_can_be_saved_has_the_others_saved_too(board, store, clock):
    events = Recorder(board)
    for name in ("a", "b"):
        board.add(a_tool(count, name), config={})
    store.full = True
    counted(board, "a")
    for _ in range(6):
        refused = store.refused
        clock.wait_pending()
        clock.advance_to_next()
        wait_until(lambda refused=refused: store.refused > refused)
        wait_until(clock.pending)

    store.full = False
    counted(board, "b")
    clock.advance(0.2)
    events.wait("state_store_recovered")

    assert (kept(store, "a"), kept(store, "b")) == (1, 1)


def test_a_state_that_is_saved_again_does_not_replace_a_later_one(board, store, clock):
    board.add(a_tool(count, "a"), config={})
    store.full = True
    counted(board, "a")
    store.full = False
    store.gate.clear()
    clock.wait_pending()
    clock.advance(0.2)
    wait_until(store.waiting.is_set)  # the first state is being saved again

    call = board.submit(tool_call("a"))
    store.gate.set()

    assert call.result(30) == {"success": True, "result": 2}
    assert kept(store, "a") == 2


def test_a_state_that_was_forgotten_is_not_saved_again(board, store, clock):
    board.add(a_tool(count, "a"), config={})
    store.full = True
    counted(board, "a")
    board.remove("a", forget_state=True)

    store.full = False
    clock.advance(0.2)
    board.add(a_tool(count, "a"), config={})

    assert counted(board, "a") == {"success": True, "result": 1}
    assert status(board)["not_saved"] == []


def test_a_plugin_that_comes_back_goes_on_with_the_state_that_is_not_saved(board, store, clock):
    events = Recorder(board)
    board.add(a_tool(count, "a"), config={})
    store.full = True
    counted(board, "a")
    board.remove("a")
    board.add(a_tool(count, "a"), config={})
    answer = counted(board, "a")

    store.full = False
    clock.advance(0.2)
    events.wait("state_store_recovered")

    assert answer["result"] == 2
    assert kept(store, "a") == 2
    assert told(events, "state_store_failing") == ["a"]


def test_a_board_that_stops_saves_what_it_can_and_leaves_no_timer(store, clock):
    with Board(state_store=store, clock=clock) as board:
        events = Recorder(board)
        board.add(a_tool(count, "a"), config={})
        store.full = True
        counted(board, "a")
        store.full = False

    assert kept(store, "a") == 1
    assert told(events, "state_store_recovered") == ["a"]
    assert clock.pending() == ()


def test_two_boards_on_stores_of_their_own_do_not_share_a_failure(store, clock):
    other = FullStore()
    with Board(state_store=store, clock=clock) as board, Board(state_store=other, clock=clock) as second:
        for each in (board, second):
            each.add(a_tool(count, "a"), config={})
        store.full = True
        counted(board, "a")
        counted(second, "a")

        assert (status(board)["not_saved"], status(second)["not_saved"]) == (["a"], [])
        store.full = False


FULL_DISK = """
import os, resource, sys, threading
from callboard import Callboard

(_, most) = resource.getrlimit(resource.RLIMIT_FSIZE)
recovered = threading.Event()
told = []

def hear(event):
    if event.kind.startswith("state_store_"):
        told.append((event.kind, event.subject))
        if event.kind == "state_store_recovered":
            recovered.set()

class Grow:
    name = "grow"
    def get_tool_schemas(self, state):
        return [{"type": "function", "function": {"name": "grow", "parameters": {"type": "object"}}}]
    def execute_tool(self, tool_name, payload, state):
        state["text"] = "x" * payload["n"]
        return {"success": True, "result": payload["n"]}

with Callboard(state=sys.argv[1], subscribers=[hear]) as board:
    board.register(Grow)
    board.call("grow", n=10)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most))
    call = {"type": "function_call", "call_id": "1", "name": "grow", "arguments": {"n": 300_000}}
    assert board.execute(call)["state_saved"] is False
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert recovered.wait(30)
    assert board.status()["state_store"]["unsaved"] == 0
    print(told, flush=True)
    os._exit(0)  # nothing is saved by a stop
"""


def test_a_state_comes_to_a_disk_that_has_space_again(tmp_path):
    path = tmp_path / "state.db"

    ended = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False
    )

    assert ended.stdout.splitlines() == [
        "[('state_store_failing', 'grow'), ('state_store_recovered', 'grow')]"
    ], ended.stderr
    store = SqliteStore(path)
    assert len(load_json(store.load("grow").state)["text"]) == 300_000
    store.close()
