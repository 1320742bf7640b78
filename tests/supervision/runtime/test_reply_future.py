"""The answer of an actor reaches whoever asked, and an interrupted asker keeps no actor from answering."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import every_point
import pykka
import pytest
from callboard import Callboard
from callboard.supervision.runtime.actor_loop import ReplyFuture, SteadyActor, stop_and_wait
from every_point import interrupted_at_each_point

PATIENCE = 10.0


def test_it_is_read_as_often_as_one_likes_and_set_once():
    answer: ReplyFuture[int] = ReplyFuture()
    answer.set(5)

    assert (answer.get(timeout=0), answer.get()) == (5, 5)
    with pytest.raises(queue.Full):
        answer.set(6)
    with pytest.raises(queue.Full):
        answer.set_get_hook(lambda _timeout: 7)


def test_all_that_wait_for_it_get_it():
    answer: ReplyFuture[int] = ReplyFuture()
    got: list[int] = []
    readers = [threading.Thread(target=lambda: got.append(answer.get(timeout=PATIENCE))) for _ in range(5)]
    for reader in readers:
        reader.start()

    answer.set(1)
    for reader in readers:
        reader.join(PATIENCE)

    assert got == [1] * 5


def test_there_is_a_timeout():
    with pytest.raises(pykka.Timeout, match=r"0\.01 seconds"):
        ReplyFuture[int]().get(timeout=0.01)


def test_what_the_actor_raised_is_raised():
    answer: ReplyFuture[int] = ReplyFuture()
    error = ValueError("no")
    answer.set_exception((ValueError, error, None))

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            answer.get()


def test_it_can_be_mapped_filtered_and_joined_as_any_future():
    one, two = ReplyFuture[list[int]](), ReplyFuture[list[int]]()
    one.set([1, 2, 3])
    two.set([4])

    assert one.filter(lambda item: item > 1).get() == [2, 3]
    assert one.map(len).get() == 3
    assert one.join(two).get() == [[1, 2, 3], [4]]


def test_a_status_that_is_interrupted_in_the_midst_of_waiting_harms_no_later_one(monkeypatch):
    """Also where pykka and `threading` wait, which are not ours: signal handlers run there too."""
    foreign = (str(Path(pykka.__file__).parent), threading.__file__, queue.__file__)
    monkeypatch.setattr(every_point, "_ROOTS", (*every_point._ROOTS, *foreign))
    with Callboard() as board:
        for place in interrupted_at_each_point(board.status):
            assert board.status()["running"], place


class LateInbox:
    """A second stop finds the actor alive; the first one arrives as that is found, and the second once the actor has ended."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue = queue.SimpleQueue()
        self.get, self.empty = self._items.get, self._items.empty
        self.ended = threading.Event()
        self._first = None

    def put(self, envelope):
        if self._first is None:
            self._first = envelope
            return
        self._items.put(self._first)
        assert self.ended.wait(PATIENCE)
        self._items.put(envelope)


class LateClock:
    """Its actor's inbox is late."""

    def __init__(self) -> None:
        self.late = LateInbox()

    def inbox(self):
        return self.late


def test_a_stop_that_comes_as_the_actor_ends_for_an_earlier_one_returns():
    clock = LateClock()

    class Ends(SteadyActor):
        def _actor_loop_teardown(self):
            super()._actor_loop_teardown()
            clock.late.ended.set()

    actor = Ends.start(clock)
    actor.stop(block=False)
    stopping = threading.Thread(target=stop_and_wait, args=(actor,), daemon=True)

    stopping.start()
    stopping.join(PATIENCE)

    assert not stopping.is_alive()
