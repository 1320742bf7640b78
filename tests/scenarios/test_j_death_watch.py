"""J: death watch, with fake lives on a manual clock."""

from __future__ import annotations

from dataclasses import replace

from callboard.supervision.messages import WatchChild
from callboard.supervision.watch import Down
from fake_children import TalkingChild, a_house
from supervision_cases import CLEAN, CRASH, POLICY

TRANSIENT = replace(POLICY, restart="transient")


class Watcher:
    """Notes what it is told."""

    def __init__(self):
        self.heard = []

    def told(self, down):
        self.heard.append(down)


def test_scenario_J1_each_watcher_hears_once_and_with_a_reason_of_the_end_for_good():
    with a_house() as house:
        child = house.add(TalkingChild(house, "a", TRANSIENT))
        watchers = [Watcher(), Watcher(), Watcher()]
        for watcher in [*watchers, watchers[0]]:  # the first one twice
            house.ask(WatchChild("a", watcher.told))

        house.crash(child, CLEAN)
        house.order("revive")
        house.settle()
        house.crash(child, CLEAN)

    assert [watcher.heard for watcher in watchers] == [[Down("a", "it ended well and is transient")]] * 3


def test_scenario_J2_who_watches_the_dead_is_told_at_once():
    with a_house() as house:
        house.add(TalkingChild(house, "stopped"))
        house.order("stop", "stopped", "not needed")
        house.settle()
        watcher = Watcher()

        for name in ("stopped", "nobody"):
            house.ask(WatchChild(name, watcher.told))

    assert watcher.heard == [Down("stopped", "not needed"), Down("nobody", "not found")]


def test_scenario_J3_who_gave_up_watching_hears_nothing_of_an_end_that_was_not_told_yet():
    watches, watcher = [], Watcher()

    def give_up(kind, _facts):
        if kind == "host_stopped":  # it has happened, and the watcher is to be told next
            watches[0].close()

    with a_house() as house:
        child = house.add(TalkingChild(house, "a", TRANSIENT, on_change=give_up))
        watches.append(house.ask(WatchChild("a", watcher.told)))
        house.crash(child, CLEAN)
        state = house.state()

    assert (state, watcher.heard) == ("stopped", [])


def test_scenario_J4_a_restart_is_no_end_and_is_heard_by_those_who_asked_for_restarts():
    with a_house() as house:
        house.group("g", intensity=1, on_limit="stop", restart="permanent")
        child = house.family("a", group="g")["a"]
        watcher, changes = Watcher(), []
        house.ask(WatchChild("a", watcher.told))
        house.stream.subscribe(lambda event: changes.append(event.kind), {"host_starting"})

        house.crash(child, CRASH)  # restarted by itself
        house.crash(child, CRASH)  # restarted with its group, which had to stop
        house.kinds()
        while_alive = watcher.heard.copy()
        house.order("remove")
        house.settle()

    assert child.generations == [1, 2, 3]
    assert (while_alive, changes) == ([], ["host_starting"] * 2)
    assert watcher.heard == [Down("a", "it was removed")]
