"""A lock is free once its ``with`` statement has been left, wherever a signal handler raised. On each version of Python."""

from __future__ import annotations

import signal
import threading

import pytest
from callboard.base.locks import Lock, RLock
from thorough import times

STORM = 0.00002
"""Seconds between two signals: within a few steps of the loops below."""

INTERRUPTS = times(3_000, 100_000)


class Interrupted(Exception):
    """Raised by the handler, as Ctrl-C is."""


@pytest.fixture
def alarms():
    """A handler that raises, at any line; the signals themselves are the test's."""

    def interrupt(_signum, _frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def interrupted_once(step):
    """Do a step again and again, until one alarm has come; how often it was done before."""
    done = 0
    try:
        signal.setitimer(signal.ITIMER_REAL, STORM)
        while True:
            step()
            done += 1
    except Interrupted:
        return done


def is_free(lock):
    """Whether another thread can take it, and does."""
    taken = []

    def take():
        with lock:
            taken.append(True)

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    thread.join(10)
    return bool(taken)


def is_taken_by_nobody(lock):
    """As `is_free`, without a thread: for each of many interrupts. A reentrant lock says whether this thread has it."""
    return not (lock._is_owned() if hasattr(lock, "_is_owned") else lock.locked())


@pytest.mark.parametrize("make", [Lock, RLock])
def test_a_lock_is_free_wherever_a_handler_raised(make, alarms):
    lock = make()

    def step():
        with lock:
            pass

    done = 0
    for number in range(INTERRUPTS):
        done += interrupted_once(step)
        assert is_taken_by_nobody(lock), f"after {number + 1} interrupts"
    assert done
    assert is_free(lock)


def test_a_lock_that_this_thread_has_twice_is_given_back_as_often(alarms):
    lock = RLock()

    def step():
        with lock, lock:
            pass

    for number in range(INTERRUPTS):
        with lock:
            interrupted_once(step)
            assert lock._is_owned(), f"after {number + 1} interrupts"
        assert not lock._is_owned(), f"after {number + 1} interrupts"
    assert is_free(lock)


def test_an_interrupt_of_the_wait_for_a_lock_takes_it_from_nobody(alarms):
    lock, taken, enough = Lock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            taken.set()
            enough.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(10)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    with pytest.raises(Interrupted), lock:
        pytest.fail("two have it")
    assert not lock.acquire(blocking=False)
    enough.set()
    holder.join()
    assert is_free(lock)
