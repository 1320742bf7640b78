"""As many hosts are killed as were asked for, or it is said of each why not. In virtual time, on hosts that are a table."""

from __future__ import annotations

import math

import pytest
from callboard.chaos.faults import Signal
from callboard.trial.pursuit import LONGEST_WAIT, PATIENCE, TRIES, Pursuit

KILL = Signal(9)


class Hosts:
    """Hosts as a pursuit knows them: what is done to one at its next call ends it, or does not.

    Args:
        back: seconds after its end in which a host is ready again.
        late: seconds after its end in which that is told.
    """

    def __init__(self, *names, immune=(), spared=None, back=0.1, late=0.0, owed=None):
        self.now = 0.0
        self.killed = 0
        self._late, self._untold = late, []
        self.owed = owed or {}
        self.kills = 0
        self.states = dict.fromkeys(names, "ready")
        self.spared = spared or {}
        self.revived, self.calls = [], []
        self._immune, self._back = immune, back
        self._next, self._ready_at = {}, {}

    def pursuit(self, wanted, **more):
        return Pursuit(
            self, list(self.states), wanted, came=lambda: self.kills, draw=lambda: KILL,
            states=lambda: self.states, now=lambda: self.now, **more,
        )  # fmt: skip

    def run(self, pursuit):
        """Do what it wants until it wants no more; how long that takes."""
        while (wanted := pursuit.next()) is not None:
            for name in wanted.plugins:
                self.call(name)
            self.now += wanted.seconds
            self._tell()
            for name, at in tuple(self._ready_at.items()):
                if self.now >= at:
                    self.states[name] = "ready"
                    del self._ready_at[name]
            for name in [name for name, owed in self.owed.items() if owed and self.states[name] == "ready"]:
                self.owed[name] -= 1
                self._end(name)
            assert self.now < 1_000, "it has no end"
        return self.now

    def call(self, name):
        self.calls.append(name)
        if self._next.pop(name, None) is not None and name not in self._immune:
            self._end(name)

    def _end(self, name):
        self.killed += 1
        self._untold.append((name, self.now + self._late))
        self.states[name] = "backoff"
        self._ready_at[name] = self.now + self._back
        self._tell()

    def _tell(self):
        self.kills += sum(at <= self.now for _, at in self._untold)
        self._untold = [(name, at) for name, at in self._untold if at > self.now]

    def at_next_call(self, name, fault):
        self._next[name] = fault

    def forget(self, name):
        self._next.pop(name, None)
        self.owed.pop(name, None)

    def spared_for(self, name):
        return max(0.0, self.spared.get(name, 0.0) - self.now)

    def to_come(self, name):
        return self.owed.get(name, 0) + sum(each == name for each, _ in self._untold)


def test_as_many_are_killed_as_are_wanted_and_no_more():
    hosts = Hosts("a", "b")

    pursuit = hosts.pursuit(7)
    hosts.run(pursuit)

    assert (hosts.kills, pursuit.why) == (7, {})
    assert {hosts.calls.count("a"), hosts.calls.count("b")} == {3, 4}


@pytest.mark.parametrize("late", [0.3, 3.0, PATIENCE + 5])
def test_no_more_are_killed_than_are_wanted_however_late_their_ends_are_told(late):
    hosts = Hosts("a", "b", late=late, owed={"a": 2, "b": 1})

    hosts.run(hosts.pursuit(7))

    assert (hosts.killed, hosts.kills) == (7, 7)


def test_a_kill_whose_end_is_never_told_is_the_reason_why_not():
    hosts = Hosts("a", late=math.inf)
    pursuit = hosts.pursuit(2)

    took = hosts.run(pursuit)

    assert hosts.killed == 2
    assert "not told" in pursuit.why["a"]
    assert took >= LONGEST_WAIT


def test_where_all_have_come_true_nothing_is_done():
    hosts = Hosts("a")
    hosts.kills = 3

    assert hosts.pursuit(3).next() is None
    assert hosts.calls == []


def test_what_was_planned_and_waits_for_the_next_generation_comes_true_without_a_call():
    hosts = Hosts("a", "b", owed={"a": 3})

    hosts.run(hosts.pursuit(3))

    assert (hosts.kills, hosts.calls) == (3, [])


def test_what_was_planned_and_does_not_come_true_is_waited_for_in_vain_only_once():
    hosts = Hosts("a", "b", owed={"a": 1})
    hosts.states["a"] = "stopped"

    took = hosts.run(hosts.pursuit(2))

    assert (hosts.kills, hosts.calls) == (2, ["b", "b"])
    assert took >= PATIENCE


def test_a_restart_budget_is_waited_for():
    hosts = Hosts("a", spared={"a": 12.0})

    took = hosts.run(hosts.pursuit(1))

    assert hosts.kills == 1
    assert took >= 12.0


def test_another_host_is_killed_while_the_budget_of_one_is_spent():
    hosts = Hosts("a", "b", spared={"a": 12.0})

    took = hosts.run(hosts.pursuit(3))

    assert hosts.calls == ["b", "b", "b"]
    assert took < 12.0


@pytest.mark.parametrize("spared", [LONGEST_WAIT + 1, math.inf])
def test_a_budget_that_does_not_come_back_is_the_reason_why_not(spared):
    hosts = Hosts("a", spared={"a": spared})
    pursuit = hosts.pursuit(2)

    took = hosts.run(pursuit)

    assert took == 0
    assert "budget" in pursuit.why["a"]


def test_a_host_that_lives_on_is_tried_some_times_and_given_up_with_the_reason():
    hosts = Hosts("a", "b", immune={"a"})
    pursuit = hosts.pursuit(2)

    took = hosts.run(pursuit)

    assert hosts.kills == 2  # both of the other one
    assert took >= PATIENCE
    alone = Hosts("a", immune={"a"})
    pursuit = alone.pursuit(2)
    took = alone.run(pursuit)
    assert (alone.kills, list(pursuit.why)) == (0, ["a"])
    assert took >= TRIES * PATIENCE


@pytest.mark.parametrize("state", ["parked", "backoff", "stopped"])
def test_a_host_that_is_not_ready_again_is_the_reason_why_not(state):
    hosts = Hosts("a")
    hosts.states["a"] = state
    pursuit = hosts.pursuit(1)

    took = hosts.run(pursuit)

    assert state in pursuit.why["a"]
    assert PATIENCE <= took < 2 * PATIENCE


def test_a_parked_host_is_started_again_where_that_is_wished_and_once():
    hosts = Hosts("a")
    hosts.states["a"] = "parked"

    hosts.run(hosts.pursuit(1, revive=hosts.revived.append))

    assert hosts.revived == ["a"]


def test_a_host_is_not_called_again_at_once_however_often_it_is_asked_for():
    hosts = Hosts("a", immune={"a"})
    pursuit = hosts.pursuit(1)

    wanted = [pursuit.next() for _ in range(50)]  # its answers come at once, and each is news

    assert sum(len(one.plugins) for one in wanted) == 1
    assert all(one.seconds > 0 for one in wanted)
