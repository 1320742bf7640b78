"""What is left behind is what is there: a thread that an interrupt has kept from beginning is not."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

import pytest
from callboard.chaos.checker.leak_check import Census
from every_point import Interrupted


def interrupt_its_start(thread):
    """Raise as a handler does: as soon as Python has listed a thread, before it begins one."""

    def trace(frame, _event, _argument):
        listed = frame.f_code is threading.Thread.start.__code__ and thread in threading._limbo
        if listed and not threading._active_limbo_lock._is_owned():  # or it would stay locked for all threads
            sys.settrace(None)
            raise Interrupted
        return trace

    sys.settrace(trace)
    try:
        thread.start()
    finally:
        sys.settrace(None)


@pytest.fixture
def unstarted():
    thread = threading.Thread(target=int, name="never begun", daemon=True)
    yield thread
    threading._limbo.pop(thread, None)


def test_a_thread_that_never_began_is_not_left(unstarted):
    census = Census()
    with suppress(Interrupted):
        interrupt_its_start(unstarted)
    assert unstarted in threading.enumerate()

    assert census.left().threads == ()


def test_a_thread_that_goes_on_is_left():
    census, go = Census(), threading.Event()
    thread = threading.Thread(target=go.wait, name="goes on", daemon=True)
    thread.start()

    left = census.left(within=0.01)

    go.set()
    assert left.threads == ("goes on",)
