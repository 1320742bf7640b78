"""The work mailbox: bounded, in order, never more under way than allowed, and nothing lost."""

from __future__ import annotations

import pytest
from callboard.actors.calls.call import Call
from callboard.actors.endpoint.mailbox import Mailbox
from callboard.plugins.contract.invocation import Invocation
from callboard.plugins.results.codes import Code
from callboard.plugins.results.failures import failure
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from thorough import times


def a_call(name: str = "c") -> Call:
    return Call(name, Invocation(tool_name="t", payload={}))


def test_a_call_beyond_the_limit_is_refused_at_once():
    mailbox = Mailbox(limit=2, concurrency=1, grant=lambda _granted: None)
    for _ in range(2):
        assert mailbox.offer(a_call()) is None

    refusal = mailbox.offer(a_call())

    assert refusal is not None
    assert refusal(a_call())["code"] == "overloaded"
    assert mailbox.waiting == 2


def test_a_call_that_is_put_back_stands_where_it_stood():
    mailbox = Mailbox(limit=10, concurrency=2, grant=lambda _granted: None)
    calls = [a_call(str(n)) for n in range(4)]
    for call in calls:
        mailbox.offer(call)
    taken = [mailbox.take(), mailbox.take()]

    for call in reversed(taken):
        mailbox.put_back(call)

    assert [mailbox.take(), mailbox.take()] == calls[:2]


class Watched(Call):
    """Counts how often its place in the order is looked at."""

    looks = 0

    @property
    def sequence(self) -> int:
        Watched.looks += 1
        return self.place

    @sequence.setter
    def sequence(self, place: int) -> None:
        self.place = place


@pytest.mark.parametrize("descending", [True, False])
def test_putting_calls_back_takes_no_more_steps_if_many_wait(descending):
    steps = []
    for waiting in (0, 1000):
        mailbox = Mailbox(limit=2000, concurrency=20, grant=lambda _granted: None)
        calls = [Watched(str(n), Invocation(tool_name="t", payload={})) for n in range(20 + waiting)]
        for call in calls:
            mailbox.offer(call)
        taken = mailbox.take_all()

        Watched.looks = 0
        for call in reversed(taken) if descending else taken:
            mailbox.put_back(call)
        steps.append(Watched.looks)

        assert mailbox.empty() == calls
    assert steps[0] == steps[1] < 5 * len(taken)


def test_a_call_that_is_put_back_before_it_had_left_its_place_waits_once():
    """An interrupt may come at any line of a `take`, and what it leaves is put back."""
    mailbox = Mailbox(limit=10, concurrency=1, grant=lambda _granted: None)
    call, later = a_call(), a_call()
    mailbox.offer(call)
    mailbox.offer(later)

    mailbox.put_back(call)
    mailbox.put_back(call)

    assert mailbox.empty() == [call, later]


def test_nothing_is_kept_of_a_call_that_was_released():
    mailbox = Mailbox(limit=10, concurrency=1, grant=lambda _granted: None)
    call = a_call()
    mailbox.offer(call)
    mailbox.take()

    mailbox.release(call)

    assert (mailbox.in_hand(), mailbox.under_way(), mailbox.waiting) == ([], [], 0)


def test_a_call_that_is_put_back_and_taken_again_is_under_way():
    mailbox = Mailbox(limit=10, concurrency=1, grant=lambda _granted: None)
    call, later = a_call(), a_call()
    mailbox.offer(call)
    mailbox.offer(later)
    mailbox.take()

    mailbox.put_back(call)

    assert mailbox.untaken == 1
    assert mailbox.take() is call
    assert mailbox.under_way() == [call]
    assert mailbox.untaken == 0


def test_a_mailbox_that_is_shut_hands_back_what_waited_and_takes_nothing_more():
    mailbox = Mailbox(limit=10, concurrency=1, grant=lambda _granted: None)
    call = a_call()
    mailbox.offer(call)

    waited = mailbox.shut(lambda _: failure(Code.HOST_UNAVAILABLE, "parked"))
    refusal = mailbox.offer(a_call())

    assert waited == [call]
    assert refusal is not None
    assert mailbox.take() is None


def test_news_that_a_host_is_out_shuts_no_mailbox_that_holds_calls_for_the_next_one():
    mailbox = Mailbox(limit=10, concurrency=1, grant=lambda _granted: None)
    call, at_that_time = a_call(), mailbox.holds
    mailbox.pause()
    mailbox.hold()
    mailbox.offer(call)

    stale = mailbox.shut(lambda _: failure(Code.HOST_UNAVAILABLE, "parked"), holds=at_that_time)
    fresh = mailbox.shut(lambda _: failure(Code.HOST_UNAVAILABLE, "parked"), holds=mailbox.holds)

    assert (stale, fresh) == ([], [call])


class LaneMachine(RuleBasedStateMachine):
    """Any order of registration, taking, releasing, discarding, pausing: against a plain model."""

    def __init__(self) -> None:
        super().__init__()
        self.granted = 0
        self.mailbox = Mailbox(limit=4, concurrency=2, grant=self._grant)
        self.waiting: list[Call] = []
        self.running: list[Call] = []
        self.open = True
        self.in_hand: list[Call] = []

    def _grant(self, _granted: int) -> None:
        self.granted += 1

    @rule()
    def offer(self) -> None:
        call = a_call()
        refused = self.mailbox.offer(call) is not None
        assert refused == (len(self.waiting) >= 4)
        if not refused:
            self.waiting.append(call)

    @precondition(lambda self: self.granted)
    @rule()
    def take(self) -> None:
        self.granted -= 1
        call = self.mailbox.take()
        if call is None:
            assert not self.open or not self.waiting
        else:
            assert call is self.waiting.pop(0)
            self.running.append(call)
            # One that was put back meanwhile is in the same hand still.
            self.in_hand = [*(other for other in self.in_hand if other is not call), call]

    @precondition(lambda self: self.in_hand)
    @rule()
    def handed_over(self) -> None:
        self.mailbox.handed_over([self.in_hand.pop()])

    @rule()
    def enter(self) -> None:
        call = a_call()
        idle = self.open and not (self.waiting or self.running or self.in_hand or self.granted)
        assert self.mailbox.enter(call) == idle
        if idle:
            self.running.append(call)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.running))
        self.running.remove(call)
        self.in_hand = [other for other in self.in_hand if other is not call]
        self.mailbox.release(call)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def put_back(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.running))
        self.running.remove(call)
        assert self.mailbox.put_back(call) is None
        self.waiting.append(call)
        self.waiting.sort(key=lambda call: call.sequence)

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        call = data.draw(st.sampled_from(self.waiting))
        self.waiting.remove(call)
        assert self.mailbox.discard(call)

    @rule()
    def pause(self) -> None:
        self.mailbox.pause()
        self.open = False

    @rule()
    def resume(self) -> None:
        self.mailbox.resume()
        self.open = True

    @invariant()
    def never_more_under_way_than_allowed(self) -> None:
        assert len(self.running) + self.granted <= 2
        assert self.mailbox.running == len(self.running)
        assert self.mailbox.waiting == len(self.waiting)

    @invariant()
    def no_call_waits_while_there_is_a_place(self) -> None:
        if self.open and self.waiting and len(self.running) + self.granted < 2:
            assert self.granted >= len(self.waiting)


TestLaneMachine = LaneMachine.TestCase
TestLaneMachine.settings = settings(max_examples=times(25, 200), stateful_step_count=40)
