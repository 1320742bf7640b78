"""A turn is one's at a time, and free again after an interrupt at any line of taking it and giving it back."""

from __future__ import annotations

import threading

from callboard.actors.threads.turn import Turn
from every_point import interrupted_at_each_point


def test_a_turn_is_taken_once_and_again_when_it_is_given_back():
    turn = Turn()
    assert turn.take("one")
    assert turn.take("one")
    assert not turn.take("another", timeout=0.0)
    turn.give_back("another")
    assert not turn.take("another", timeout=0.01)
    turn.give_back("one")
    assert turn.take("another", timeout=0.0)


def test_all_that_wait_have_it_one_after_another():
    turn, having, most = Turn(), set(), []

    def have_it():
        holder = object()
        assert turn.take(holder)
        having.add(holder)
        most.append(len(having))
        having.discard(holder)
        turn.give_back(holder)

    threads = [threading.Thread(target=have_it) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60.0)
    assert most == [1] * 20


def test_an_interrupt_leaves_it_free_and_wakes_whoever_waits():
    turn = Turn()
    taken = []

    def wait_for_it():
        taken.append(turn.take("waiting", timeout=60.0))
        turn.give_back("waiting")

    def have_it():
        holder = object()
        try:
            assert turn.take(holder)
            waiting.start()
            while not turn._waiting:  # until it waits: nothing else tells of it
                pass
        finally:
            try:
                turn.give_back(holder)
            except BaseException:
                turn.give_back(holder)
                raise

    def begin():
        nonlocal waiting
        taken.clear()
        waiting = threading.Thread(target=wait_for_it)

    waiting = threading.Thread()
    for place in interrupted_at_each_point(have_it, before=begin, points=iter(range(1000))):
        if waiting.ident is not None:
            waiting.join(60.0)
            assert taken == [True], place
        assert turn.take("next", timeout=0.0), place
        turn.give_back("next")
