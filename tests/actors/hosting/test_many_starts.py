"""Many hosts that are to start at once: some at a time, and each has its whole deadline from its own start on."""

from __future__ import annotations

import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.runtime.start_slots import AT_ONCE, LOOK_EVERY
from leaks import wait_until
from manual_clock import ManualClock
from memory_processes import DEADLINE, begin


@pytest.fixture
def started():
    return []


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def board(clock, started):
    """A board with three more hosts than may start at once."""
    with Board(clock=clock, seed=1) as board:
        for number in range(AT_ONCE + 3):
            begin(board, f"host_{number}", started, policy=RestartPolicy(intensity=0))
        wait_until(lambda: sum(bool(process.asked) for process in started) == AT_ONCE)
        yield board


def state_of(board, name):
    return board.status()["plugins"][name]["host"]["state"]


def test_the_next_starts_when_one_is_ready(board, started):
    started[2].go()

    wait_until(lambda: len(started) == AT_ONCE + 1)
    wait_until(lambda: state_of(board, started[2].name) == "ready")


def test_the_next_starts_when_one_has_failed(board, started):
    started[0].stop("it was killed", None)

    wait_until(lambda: len(started) == AT_ONCE + 1)


def test_a_start_that_does_not_compute_keeps_the_others_waiting_until_it_is_looked_at(clock, board, started):
    clock.advance(LOOK_EVERY)

    wait_until(lambda: len(started) == AT_ONCE + 3)


def test_the_deadline_of_a_start_does_not_count_while_it_waits(clock, board, started):
    clock.advance(LOOK_EVERY)
    wait_until(lambda: len(started) == AT_ONCE + 3)
    clock.wait_pending(AT_ONCE + 3 + 3)  # all deadlines, and the slots of the last three

    clock.advance(DEADLINE - LOOK_EVERY)

    wait_until(lambda: all(process.ended for process in started[:AT_ONCE]))
    assert [process.ended for process in started[AT_ONCE:]] == [None] * 3


def test_one_that_is_removed_while_it_waits_is_never_started(clock, board, started):
    removed, *others = set(board.status()["plugins"]) - {process.name for process in started}

    recorder = Recorder(board)
    board.remove(removed)
    recorder.wait("host_stopped")
    clock.advance(LOOK_EVERY)

    wait_until(lambda: len(started) == AT_ONCE + len(others))
    assert removed not in {process.name for process in started}
