"""A thread of the house that fails is told of, and what it was for goes on; the host of one that reads is replaced."""

from __future__ import annotations

import ctypes
import threading

import pykka
import pytest
from boards import Recorder, node_board
from callboard.actors.board import Board
from callboard.actors.hosting.messages import LimitReached
from callboard.actors.threads.actor import BaseActor
from callboard.supervision.runtime.clock import SystemClock
from callboard.supervision.runtime.events import EventStream
from foreign_scene import KINDS, Strange
from leaks import no_leaks
from scarcity import no_more_threads
from tools import a_tool, count, tool_call

PATIENCE = 20.0


def set_off(name, kind=Strange):
    """Raise in the one thread whose name begins so, as debuggers and time limits of others do: when it next runs."""
    (thread,) = (each for each in threading.enumerate() if each.name.startswith(name))
    assert (
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(kind)) == 1
    )


def run(board, name="tool", deadline=PATIENCE, **arguments):
    return board.submit(tool_call(name, **arguments), deadline=deadline).result(PATIENCE)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_host_whose_reading_thread_fails_is_replaced_and_its_calls_are_told(kind):
    with no_leaks(), node_board() as (board, _, events):
        pid = run(board, "moody")["result"]["pid"]
        set_off("callboard-host-moody", kind)
        lost = run(board, "moody")
        after = run(board, "moody")
        status = board.status()

        (told,) = events.wait("thread_failed")
    assert (lost["code"], lost["outcome"]) == ("host_crashed", "outcome_unknown")
    assert "the thread that reads it failed" in lost["crash_report"]["cause"]
    assert after["result"]["pid"] != pid
    assert (told.subject, kind.__name__ in told.facts["error"]) == ("moody", True)
    assert (status["threads_failed"], status["plugins"]["moody"]["available"]) == (1, True)
    assert status["plugins"]["moody"]["quarantine"] == []


def test_a_host_whose_actor_fails_is_replaced():
    with no_leaks(), node_board() as (board, _, events):
        pid = run(board, "moody")["result"]["pid"]
        (generation,) = pykka.ActorRegistry.get_by_class_name("HostActor")
        generation.tell(LimitReached(None))
        events.wait("host_ready", 2)

        assert run(board, "moody")["result"]["pid"] != pid
        (failed,) = events.of("actor_failed")
    assert failed.subject == "moody#1"


def test_a_message_that_a_generation_does_not_know_does_not_end_it():
    with no_leaks(), node_board() as (board, _, events):
        pid = run(board, "moody")["result"]["pid"]
        (generation,) = pykka.ActorRegistry.get_by_class_name("HostActor")
        generation.tell("what is this?")
        events.wait("actor_failed")

        assert run(board, "moody")["result"]["pid"] == pid


def test_events_are_told_on_after_their_thread_has_failed():
    with no_leaks(), Board() as board:
        events = Recorder(board)
        board.add(a_tool(count), config={})
        assert board.events.settle(PATIENCE)
        set_off("callboard-events")
        run(board)
        run(board)

        (told,) = events.wait("thread_failed")
        assert events.wait("call_ended")
        assert board.status()["threads_failed"] == 1
    assert told.subject == "events"


def test_deadlines_hold_on_after_the_thread_of_the_clock_has_failed():
    go = threading.Event()
    with no_leaks(), Board() as board:
        events = Recorder(board)
        board.add(a_tool(lambda *_: go.wait(PATIENCE)), config={})
        waiting = board.submit(tool_call("tool"), deadline=PATIENCE)
        set_off("callboard-clock")
        late = run(board, deadline=0.05)

        (told,) = events.wait("thread_failed")
        go.set()
        assert waiting.result(PATIENCE)["code"] == "invalid_result"
    assert (late["code"], told.subject) == ("deadline_exceeded", "clock")


def test_calls_are_run_on_after_the_thread_of_a_tool_has_failed():
    with no_leaks(), Board() as board:
        events = Recorder(board)
        board.add(a_tool(count), config={})
        run(board)
        set_off("callboard-tool-tool")
        results = [run(board) for _ in range(3)]

        (told,) = events.wait("thread_failed")
    assert results[1:] == [{"success": True, "result": n} for n in (3, 4)] or results == [
        {"success": True, "result": n} for n in (2, 3, 4)
    ]
    assert told.subject == "tool"


def test_hooks_are_asked_on_after_their_thread_has_failed():
    with no_leaks(), Board() as board:
        board.add(a_tool(count), config={})
        board.hooks.add("tool:pre", lambda *_: None)
        assert run(board)["success"]
        set_off("callboard-hooks")
        first = run(board)

        assert first.get("code") in {None, "denied"}
        assert run(board)["success"]


class Evil(BaseActor):
    def receive(self, message):
        if isinstance(message, type):
            raise message("raised on purpose")
        return message


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_what_is_raised_in_an_actor_stops_neither_it_nor_another_of_the_process(kind):
    with no_leaks():
        neighbour = pykka.ThreadingActor.start()
        clock, events = SystemClock(), EventStream()
        evil = Evil.start("evil", events, clock)

        evil.tell(kind)
        asked = evil.ask(kind, timeout=PATIENCE)
        evil.proxy().receive(kind)

        assert (asked, evil.ask("there", timeout=PATIENCE)) == (None, "there")
        assert neighbour.is_alive()
        neighbour.stop()
        evil.stop()
        assert not evil.is_alive()


def test_an_actor_stops_though_what_it_does_at_its_end_raises():
    class Bad(BaseActor):
        def on_start(self):
            raise SystemExit

        def on_stop(self):
            raise SystemExit

    with no_leaks():
        neighbour = pykka.ThreadingActor.start()
        bad = Bad.start("bad", EventStream(), SystemClock())
        bad.stop()

        assert (bad.is_alive(), neighbour.is_alive()) == (False, True)
        neighbour.stop()


def test_an_actor_for_which_there_is_no_thread_is_not_left_in_the_registry():
    clock = SystemClock()
    actor = BaseActor("unborn", EventStream(), clock)

    with no_more_threads(), pytest.raises(RuntimeError):
        BaseActor.launch(actor)

    assert actor.actor_ref not in pykka.ActorRegistry.get_all()
    assert not actor.actor_ref.is_alive()
