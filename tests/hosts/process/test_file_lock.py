"""A lock on a file is had by one, or shared by many, and goes with its descriptor."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager

import pytest
from callboard.hosts.process.file_lock import lock, try_lock


@contextmanager
def opened(file):
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [(False, False, False), (False, True, False), (True, False, False), (True, True, True)],
)
def test_only_those_who_share_hold_a_lock_together(tmp_path, first, second, both):
    with opened(tmp_path / "lock") as one, opened(tmp_path / "lock") as another:
        assert try_lock(one, shared=first)
        assert try_lock(another, shared=second) is both


def test_a_lock_goes_with_its_descriptor_to_whoever_waits_for_it(tmp_path):
    had = threading.Event()
    with opened(tmp_path / "lock") as mine, opened(tmp_path / "lock") as theirs:
        lock(mine)
        waits = threading.Thread(target=lambda: (lock(theirs), had.set()))
        waits.start()
        early = had.is_set()
        os.close(os.dup(mine))  # another name of the same descriptor may come and go
        with opened(os.devnull) as nothing:
            os.dup2(nothing, mine)
        waits.join(20)

        assert (early, had.is_set()) == (False, True)


def test_what_is_locked_can_be_read_and_written_by_others(tmp_path):
    file = tmp_path / "lock"
    with opened(file) as mine:
        lock(mine)
        file.write_text("by somebody else")

        assert file.read_text() == "by somebody else"
