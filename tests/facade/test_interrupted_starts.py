"""A signal handler that raises at any point as a board with a state file starts leaves nothing behind, and the next start works."""

from __future__ import annotations

import shutil
import traceback
from contextlib import nullcontext

import pytest
from callboard import Callboard
from callboard.actors.state.sqlite import SqliteStore
from every_point import Interrupted, Interruption, some_points
from leaks import census, no_leaks, wait_until
from programs import PROGRAMS
from thorough import times

OLD = PROGRAMS / "kept_files" / "0.1.0" / "state.db"


def no_file(file):
    """The store is made."""


def a_file(file):
    SqliteStore(file).close()


def an_old_file(file):
    shutil.copy(OLD, file)


def store(file, interruption):
    with interruption:
        opened = SqliteStore(file)
    opened.close()


def board(file, interruption):
    with interruption, Callboard(state=file):
        pass


def stop_what_was_not_begun_to_stop(error):
    """An interrupt may come before the first line of ``__exit__``: then nothing of the end has run, and `stop` is to be called."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code is Callboard.__exit__.__code__ and frame.f_lineno == frame.f_code.co_firstlineno:
            frame.f_locals["self"].stop()


@pytest.mark.parametrize("there", [no_file, a_file, an_old_file])
@pytest.mark.parametrize(("begin", "step"), [(store, 1), (board, 30)])
def test_a_state_file_whose_opening_was_interrupted_is_free_for_the_next(tmp_path, begin, step, there):
    file = tmp_path / "state.db"
    raised = []

    def interrupted(point):
        for each in tmp_path.iterdir():
            each.unlink()
        there(file)
        interruption = Interruption(point)
        try:
            begin(file, interruption)
        except Interrupted as error:
            stop_what_was_not_begun_to_stop(error)
            raised.append(error)  # with all frames, as a notebook keeps it
        return interruption.place

    with no_leaks():
        begin(file, nullcontext())  # what is imported with the first is not interrupted
        at_first = census()
        for _ in iter(map(interrupted, some_points(there.__name__, times(step, 1))).__next__, None):
            begin(file, nullcontext())
            wait_until(lambda: not any(census().beyond(at_first)))
    assert raised
