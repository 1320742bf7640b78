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
