"""A board is stopped once, whoever asks for it: the others wait until that is done, unless they would wait for themselves."""

from __future__ import annotations

import signal
import threading

import pytest
from callboard import Callboard
from callboard.actors.board import Board
from callboard.actors.plugins.manager import BoardStopped
from leaks import no_leaks
from tools import a_tool, tool_call


class Slow:
    """Has the stop of a board last until `go` is set."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    def close(self):
        self.begun.set()
        self.go.wait(4)


class Stop:
    """A stop in a thread of its own."""

    def __init__(self, stop, *values):
        self._thread = threading.Thread(target=stop, args=values)
        self._thread.start()

    def ended(self, within):
        self._thread.join(within)
        return not self._thread.is_alive()


@pytest.fixture(params=[Board, Callboard])
def stopping(request):
    """A board that is just being stopped, the actors' board behind it, what keeps it so, and that first stop."""
    slow = Slow()
    with no_leaks():
        face = request.param()
        board = face if isinstance(face, Board) else face.start().board
        board.tool_runtime.get("slow", lambda: slow)
        yield face, board, slow
        slow.go.set()
        face.stop()


def test_a_second_stop_waits_for_the_first(stopping):
    face, board, slow = stopping
    first = Stop(face.stop)
    assert slow.begun.wait(10)

    second, impatient = Stop(face.stop), Stop(face.stop, 0.0)

    assert impatient.ended(10)
    assert not second.ended(0.05)
    slow.go.set()
    assert second.ended(10)
    assert not board.supervisor.is_alive()
    assert first.ended(10)


def test_a_subscriber_does_not_wait_for_a_stop_that_waits_for_it(stopping):
    face, board, slow = stopping
    told = threading.Event()
    board.events.subscribe(lambda _: (face.stop(), told.set()), ["actor_failed"])
    first = Stop(face.stop)
    assert slow.begun.wait(10)

    board.events.publish("actor_failed", "nobody", message="", error="")

    assert told.wait(2)
    assert not first.ended(0)


def test_within_a_stop_another_returns_at_once_and_the_first_goes_on():
    began, go, order = threading.Event(), threading.Event(), []
    board = Board()
    board.plugin_manager.add(a_tool(lambda *_: (began.set(), go.wait(10))), config={})
    call = board.submit(tool_call("tool"))
    assert began.wait(10)
    call.add_done_callback(lambda: (board.stop(), order.append(board.supervisor.is_alive())))

    board.stop()

    go.set()
    assert order == [True]
    assert not board.supervisor.is_alive()


def test_a_tool_may_stop_the_board_that_runs_it():
    with no_leaks(), Board() as board:
        board.plugin_manager.add(a_tool(lambda *_: board.stop()), config={})

        result = board.submit(tool_call("tool")).result(10)

    assert (result["code"], result["outcome"]) == ("cancelled", "outcome_unknown")


def test_a_stop_that_was_interrupted_is_gone_on_with():
    class Interrupted(Board):
        interrupts = 1

        def _wait_ended(self, ended, timeout):
            if self.interrupts:
                self.interrupts -= 1
                signal.raise_signal(signal.SIGINT)
            super()._wait_ended(ended, timeout)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with no_leaks(), pytest.raises(KeyboardInterrupt), Interrupted() as board:
            board.stop()
        ended = not board.supervisor.is_alive()
    finally:
        signal.signal(signal.SIGINT, before)

    assert ended


@pytest.mark.parametrize("verb", ["restart", "park", "revive"])
def test_an_order_to_a_board_that_was_stopped_is_refused_in_words_of_its_own(verb):
    board = Board()
    board.stop()

    with pytest.raises(BoardStopped):
        board.order(verb, "a")
