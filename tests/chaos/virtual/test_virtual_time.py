"""Virtual time: real actors, one at a time, in one order; time passes when it is told to."""

from __future__ import annotations

import threading
from typing import ClassVar

import pykka
import pytest
from callboard.chaos.virtual.clock import VirtualClock
from callboard.chaos.virtual.scheduler import VirtualInbox
from callboard.chaos.virtual.stuck import NeverQuiet, Stuck


class Player(pykka.ThreadingActor):
    """Passes balls on and notes when it had them."""

    use_daemon_thread: ClassVar[bool] = True

    def __init__(self, clock, name, log):
        self.clock = clock
        super().__init__()
        self.name = name
        self.log = log
        self.others = []

    def _create_actor_inbox(self):
        return self.clock.inbox()

    def on_receive(self, message):
        match message:
            case [*others]:
                self.others = others
            case int(left):
                self.log.append((self.name, left, self.clock.elapsed))
                for other in self.others if left else ():
                    other.tell(left - 1)
            case "ask the first":
                return self.others[0].ask("name")
            case "name":
                return self.name
            case "block":
                threading.Event().wait(2)
            case "for ever":
                self.actor_ref.tell("for ever")
        return None


@pytest.fixture
def clock():
    return VirtualClock(patience=0.2)


def players(clock, names="abc"):
    log = []
    refs = [Player.start(clock, name, log) for name in names]
    for ref in refs:
        ref.tell([other for other in refs if other is not ref])
    return refs, log


def stop(refs):
    for ref in refs:
        ref.stop()


def test_a_told_message_waits_until_time_is_run(clock):
    refs, log = players(clock)

    refs[0].tell(1)
    before = list(log)
    clock.settle()

    assert before == []
    assert log == [("a", 1, 0.0), ("b", 0, 0.0), ("c", 0, 0.0)]
    stop(refs)


def test_the_order_is_the_same_each_time():
    def game():
        clock = VirtualClock()
        refs, log = players(clock, "abcde")
        clock.call_at(clock.now() + 1, lambda: refs[2].tell(3))
        refs[0].tell(4)
        clock.advance(2)
        stop(refs)
        return log

    first = game()

    assert len(first) > 300
    assert all(game() == first for _ in range(20))


def test_an_answer_is_there_when_the_question_returns(clock):
    refs, _ = players(clock)

    answer = refs[0].ask("ask the first")

    assert answer == "b"
    stop(refs)


def test_what_one_actor_asks_of_another_is_answered_in_between(clock):
    refs, log = players(clock)

    refs[0].tell(1)
    future = refs[0].ask("ask the first", block=False)

    assert future.get(timeout=0) == "b"
    assert [name for name, *_ in log] == ["a", "b", "c"]
    stop(refs)


def test_an_actor_that_has_stopped_gives_its_turn_back(clock):
    refs, log = players(clock)

    refs[0].stop()
    refs[1].tell(0)
    clock.settle()

    assert log == [("b", 0, 0.0)]
    stop(refs[1:])


def test_questions_behind_a_stop_are_answered_with_the_end(clock):
    refs, _ = players(clock)
    ended = refs[0].stop(block=False)
    refs[1].tell(0)

    with pytest.raises(pykka.ActorDeadError):
        refs[0].ask("name")

    assert ended.get(timeout=0)
    stop(refs[1:])


def test_an_actor_that_blocks_is_named_with_what_it_does(clock):
    refs, _ = players(clock)
    refs[0].tell("block")

    with pytest.raises(Stuck) as caught:
        clock.settle()

    assert "threading.Event().wait(2)" in str(caught.value)
    assert "'block'" in str(caught.value)


def test_an_actor_that_goes_on_for_ever_is_told_of(clock, monkeypatch):
    monkeypatch.setattr("callboard.chaos.virtual.scheduler.MAX_STEPS", 1000)
    refs, _ = players(clock)
    refs[0].tell("for ever")

    with pytest.raises(NeverQuiet, match="for ever"):
        clock.settle()

    stop(refs)


def test_timed_calls_are_made_when_they_are_due_and_in_that_order(clock):
    made = []
    for seconds in (3, 1, 2, 1):
        clock.call_at(clock.now() + seconds, lambda seconds=seconds: made.append((seconds, clock.elapsed)))
    cancelled = clock.call_at(clock.now() + 1, lambda: made.append("cancelled"))
    cancelled.cancel()

    clock.advance(2.5)

    assert made == [(1, 1.0), (1, 1.0), (2, 2.0)]
    assert clock.pending() == (clock.start + 3,)


def test_what_a_timed_call_brings_about_is_over_before_the_next_one(clock):
    refs, log = players(clock)
    clock.call_at(clock.now() + 1, lambda: refs[0].tell(1))
    clock.call_at(clock.now() + 1, lambda: refs[2].tell(0))

    clock.advance(1)

    assert log == [("a", 1, 1.0), ("b", 0, 1.0), ("c", 0, 1.0), ("c", 0, 1.0)]
    stop(refs)


def test_what_is_due_already_is_made_without_time_passing(clock):
    made = []
    clock.call_at(clock.now() - 5, lambda: made.append(clock.elapsed))

    clock.settle()

    assert made == [0.0]


def test_time_goes_to_the_next_call_and_no_further(clock):
    clock.call_at(clock.now() + 7, lambda: None)

    assert clock.advance_to_next() == 7
    with pytest.raises(ValueError, match="nothing is on the clock"):
        clock.advance_to_next()
    assert clock.elapsed == 7


def test_time_passes_until_something_is_so_or_the_time_is_over(clock):
    made = []
    for seconds in range(1, 9):
        clock.call_at(clock.now() + seconds, lambda seconds=seconds: made.append(seconds))

    assert clock.advance_until(lambda: 3 in made, within=5)
    assert clock.elapsed == 3
    assert not clock.advance_until(lambda: 12 in made, within=10)
    assert clock.elapsed == 13


def test_time_does_not_go_back(clock):
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance(-1)


def test_what_fails_in_its_turn_fails_whoever_runs_the_time(clock):
    clock.soon(lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        clock.settle()


def test_a_message_to_nobody_is_counted(clock):
    refs, _ = players(clock)
    inbox = refs[0].actor_inbox
    assert isinstance(inbox, VirtualInbox)
    stop(refs)

    inbox.put("too late")

    assert clock.turns.lost == 1
