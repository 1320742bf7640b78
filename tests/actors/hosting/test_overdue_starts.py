"""A host whose generations end before they are ready: its start is over within `start_deadline`, and goes on behind that."""

from __future__ import annotations

import threading

import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.base.errors import PluginLoadError
from leaks import wait_until
from manual_clock import ManualClock
from memory_processes import DEADLINE, begin

PATIENCE = 30.0
"""Seconds of the machine's time: a limit that only guards against hanging."""


@pytest.fixture
def started():
    return []


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def board(clock):
    with Board(clock=clock, seed=1) as board:
        yield board


@pytest.fixture
def host(board, started):
    """A host that has been begun, and has its first process."""
    adapter = begin(board, "words", started)
    wait_until(lambda: bool(started and started[-1].asked))
    return adapter


def crash(clock, started):
    """The first process ends after most of a start's time, and the next one is started."""
    clock.advance(DEADLINE - 1.0)
    started[-1].stop("it fell over", None)
    wait_until(lambda: len(started) == 2 and bool(started[-1].asked))


class Settling(threading.Thread):
    """Waits for the start in a thread of its own."""

    def __init__(self, board, *, required):
        super().__init__(daemon=True)
        self.board, self.required, self.outcome = board, required, None
        self.start()

    def run(self):
        try:
            self.outcome = self.board.settle_hosted("words", required=self.required)
        except PluginLoadError as error:
            self.outcome = error

    def over(self):
        self.join(PATIENCE)
        return self.outcome


def test_a_start_that_ends_again_and_again_is_over_at_its_deadline(board, clock, started, host):
    settling = Settling(board, required=False)
    crash(clock, started)
    assert settling.is_alive()

    clock.advance(1.0)

    assert settling.over() == ()
    assert "was not ready within 8 s and is started again" in board.plugin_manager.handle("words").absence


def test_a_required_plugin_whose_start_is_overdue_is_an_error_and_leaves(board, clock, started, host):
    settling = Settling(board, required=True)
    crash(clock, started)

    clock.advance(1.0)

    assert "was not ready within 8 s" in str(settling.over())
    assert "words" not in board.status()["plugins"]


def test_one_that_comes_up_behind_an_overdue_start_offers_its_tools(board, clock, started, host):
    recorder = Recorder(board)
    settling = Settling(board, required=False)
    crash(clock, started)
    clock.advance(1.0)
    settling.over()

    started[-1].go()

    recorder.wait("host_ready")
    assert [tool.tool_name for tool in board.tools()] == ["words"]
    assert board.plugin_manager.handle("words").absence is None


def test_a_start_that_succeeds_in_time_after_an_end_is_no_failure(board, clock, started, host):
    recorder = Recorder(board)
    settling = Settling(board, required=True)
    started[-1].stop("it fell over", None)
    recorder.wait("host_crashed")
    wait_until(lambda: len(started) == 2)

    started[-1].go()

    assert [tool.tool_name for tool in settling.over()] == ["words"]
    clock.advance(2 * DEADLINE)
    assert board.plugin_manager.handle("words").absence is None
