"""Input is read by a thread where a system lets nobody wait for a pipe and an interruption at once."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager

import pytest
from callboard.cli.ui.line_input import bites_by_thread
from callboard.cli.ui.signals import Interruption


@contextmanager
def a_pipe():
    reader, writer = os.pipe()
    try:
        yield reader, writer
    finally:
        os.close(writer)
        for thread in threading.enumerate():
            if thread.name == "callboard-input":
                thread.join(20)
        os.close(reader)


def test_what_is_read_comes_in_order_to_its_end(tmp_path):
    file = tmp_path / "input"
    file.write_bytes(b"a" * 100_000)
    descriptor = os.open(file, os.O_RDONLY)
    with Interruption(lambda: None) as interruption:
        bites = list(bites_by_thread(descriptor, interruption))
    os.close(descriptor)

    assert b"".join(bites) == b"a" * 100_000
    assert bites[-1] == b""


def test_an_interruption_ends_the_wait_and_what_was_read_is_had_all_the_same():
    with a_pipe() as (reader, writer), Interruption(lambda: None) as interruption:
        os.write(writer, b"early\n")
        bites = bites_by_thread(reader, interruption)
        first = next(bites)
        interruption.stop(signal.SIGINT)

        assert (first, list(bites)) == (b"early\n", [])


def test_what_cannot_be_read_is_told_to_whoever_asked(tmp_path):
    with Interruption(lambda: None) as interruption:
        descriptor = os.open(tmp_path, os.O_RDONLY)
        with pytest.raises(IsADirectoryError):
            list(bites_by_thread(descriptor, interruption))
        os.close(descriptor)
