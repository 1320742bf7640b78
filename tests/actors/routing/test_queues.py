"""Laws of the queues of calls, over any course of things: which call has its turn, and which waits for what."""

from __future__ import annotations

import itertools

from callboard.actors.routing.queues import PluginQueues
from hypothesis import given
from hypothesis import strategies as st

PLUGINS = st.sampled_from("abc")
ENTER = st.tuples(st.just("enter"), st.lists(PLUGINS, unique=True, max_size=2))
DECIDE = st.tuples(st.just("decide"), st.integers(0, 20), st.none() | PLUGINS)
LEAVE = st.tuples(st.just("leave"), st.integers(0, 20))
COURSES = st.lists(ENTER | DECIDE | LEAVE, max_size=60)


class Course:
    """Takes steps with calls that are numbers, and notes where each stands and which turns are given."""

    def __init__(self):
        self.queues = PluginQueues()
        self.stands = {}
        self.decided = set()
        self.turns = []
        self._calls = itertools.count()

    def take(self, step):
        """Take one step; returns the calls whose turn it is now by that."""
        kind, which, *more = step
        if kind == "enter":
            call = next(self._calls)
            self.queues.enter(call, which)
            self.stands[call] = tuple(which)
            return []
        if not self.stands:
            return []
        call = list(self.stands)[which % len(self.stands)]
        return self.leave(call) if kind == "leave" else self.decide(call, *more)

    def decide(self, call, plugin):
        if call in self.turns:
            return []
        self.decided.add(call)
        self.stands[call] = () if plugin is None else (plugin,)
        return self._noted(self.queues.decide(call, plugin))

    def leave(self, call):
        del self.stands[call]
        self.turns = [each for each in self.turns if each != call]
        return self._noted(self.queues.leave(call))

    def earlier(self, call):
        """The calls that entered before this one and stand in a queue of its plugin's."""
        return [
            each for each in self.stands if each < call and set(self.stands[each]) & set(self.stands[call])
        ]

    def _noted(self, freed):
        self.turns += freed
        return freed


@given(COURSES)
def test_a_call_has_its_turn_when_no_earlier_call_stands_in_the_queue_of_its_plugin(steps):
    course = Course()

    for step in steps:
        for call in course.take(step):
            assert call in course.decided
            assert course.earlier(call) == []


@given(COURSES)
def test_a_decided_call_waits_for_nothing_but_calls_of_its_own_plugin(steps):
    course = Course()

    for step in steps:
        course.take(step)
        for call in course.decided & set(course.stands) - set(course.turns):
            (plugin,) = course.stands[call]
            in_its_turn = [each for each in course.turns if course.stands[each] == (plugin,)]
            assert in_its_turn or course.earlier(call)


@given(COURSES)
def test_one_call_of_a_plugin_has_its_turn_at_a_time_and_each_call_has_it_once(steps):
    course = Course()

    given_turns = [call for step in steps for call in course.take(step)]
    plugins = [course.stands[call] for call in course.turns if course.stands[call]]

    assert len(given_turns) == len(set(given_turns))
    assert len(plugins) == len(set(plugins))
    assert sorted(course.queues.turns()) == sorted(course.turns)


@given(COURSES, st.data())
def test_every_call_gets_its_turn_once_all_are_decided_and_nothing_is_kept_then(steps, data):
    course = Course()
    for step in steps:
        course.take(step)

    for call in data.draw(st.permutations([each for each in course.stands if each not in course.decided])):
        course.decide(call, data.draw(st.none() | PLUGINS))
    while course.turns:
        course.leave(course.turns[0])

    assert course.stands == {}
    assert vars(course.queues) | {"_numbers": None} == vars(PluginQueues()) | {"_numbers": None}


@given(COURSES, st.integers(0, 20), st.none() | PLUGINS)
def test_a_call_in_its_turn_may_be_decided_for_another_plugin_and_keeps_its_place(steps, which, plugin):
    course = Course()
    for step in steps:
        course.take(step)
    if not course.turns:
        return
    call = course.turns.pop(which % len(course.turns))

    freed = course.decide(call, plugin)

    assert all(course.earlier(each) == [] for each in freed)
    holders = [
        each for each in course.turns if each != call and course.stands[each] == course.stands[call] != ()
    ]
    assert (call in course.queues.turns()) == (not holders and course.earlier(call) == [])


PATIENCE = 10
OWN = PLUGINS.map(lambda plugin: ([plugin], plugin))
"""Most calls are for the plugin that offers their name."""

BURSTS = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.integers(0, PATIENCE),
        OWN | OWN | st.tuples(st.lists(PLUGINS, unique=True, max_size=2), st.none() | PLUGINS),
    ).map(lambda each: (*each[:2], *each[2])),
    min_size=8,
    max_size=40,
)
"""Calls: seconds after the call before, seconds until it is decided, who offers its name, who takes it."""


def given_on(burst):
    """The calls in the order in which they are given on at once when their turn comes, with the time of each."""
    queues, order, now, happenings = PluginQueues(), [], 0, []
    for call, (after, takes, offered, taker) in enumerate(burst):
        now += after
        happenings += [(now, 0, call, offered), (now + takes, 1, call, taker)]
    for at, decided, call, plugins in sorted(happenings, key=lambda each: each[:3]):
        if not decided:
            queues.enter(call, plugins)
            continue
        ready = queues.decide(call, plugins)
        while ready:
            order.append((ready[0], at))
            ready += queues.leave(ready.pop(0))
    return order


@given(BURSTS)
def test_no_call_is_lost_and_none_is_held_for_longer_than_claims_may_take(burst):
    submitted = list(itertools.accumulate(after for after, *_ in burst))

    order = given_on(burst)

    assert sorted(call for call, _ in order) == list(range(len(burst)))
    assert all(at <= submitted[call] + PATIENCE for call, at in order)


@given(BURSTS)
def test_the_calls_that_name_a_plugin_and_come_to_it_come_in_the_order_of_their_submission(burst):
    came = [call for call, _ in given_on(burst) if burst[call][3] in burst[call][2]]

    for plugin in "abc":
        of_one = [call for call in came if burst[call][3] == plugin]
        assert of_one == sorted(of_one)


@given(BURSTS, PLUGINS)
def test_slow_claims_about_the_calls_of_one_plugin_hold_no_call_of_another(burst, slow):
    at_once = [
        (after, 0 if set(offered) <= {slow} and taker in {slow, None} else takes, offered, taker)
        for after, takes, offered, taker in burst
    ]

    held, free = dict(given_on(burst)), dict(given_on(at_once))

    others = [call for call, (*_, taker) in enumerate(burst) if taker not in {slow, None}]
    assert [held[call] for call in others] == [free[call] for call in others]


def test_ten_thousand_calls_are_decided_backwards_in_a_moment():
    course, many = Course(), 10_000
    for _ in range(many):
        course.take(("enter", ["a"]))

    early = [call for number in reversed(range(1, many)) for call in course.decide(number, "a")]
    course.decide(0, "a")
    left = 0
    while course.turns:
        course.leave(course.turns[0])
        left += 1

    assert (early, left) == ([], many)
