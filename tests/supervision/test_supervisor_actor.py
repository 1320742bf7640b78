from __future__ import annotations

import json
import threading
from functools import partial

import pykka
import pytest
from callboard.supervision.errors import UnknownChild
from callboard.supervision.generation import ChildSpec
from callboard.supervision.messages import AddChild, Order
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.restart.policy import RestartPolicy
from callboard.supervision.runtime.telling import ask_supervisor, tell
from fake_children import FakeChild, FakeGeneration, House
from leaks import no_leaks
from supervision_cases import CRASH, HOPELESS, POLICY, REQUESTED

PATIENCE = 10.0


@pytest.fixture
def house():
    with no_leaks():
        house = House()
        yield house
        house.ref.stop()
        house.stream.close()


def test_a_child_that_is_added_is_started_and_told_of(house):
    child = house.add(FakeChild("a"))

    assert child.generations == [1]
    assert house.state() == "starting"
    assert house.kinds() == ["host_starting"]


def test_a_generation_reports_how_it_goes_from_any_thread(house):
    child = house.add(FakeChild("a"))
    thread = threading.Thread(target=child.present.report.ready)
    thread.start()
    thread.join()

    assert house.state() == "ready"
    assert house.kinds() == ["host_starting", "host_ready"]


def test_a_generation_may_report_before_its_start_has_returned(house):
    def start(reporter):
        reporter.ready()
        return FakeGeneration(reporter)

    house.add(FakeChild("a"))
    ask_supervisor(house.ref, AddChild(ChildSpec("b", start, POLICY)))

    assert house.state("b") == "ready"


def test_a_restart_happens_once_at_its_time_and_not_before(house):
    child = house.add(FakeChild("a"))
    child.present.report.ended(CRASH)
    house.status()
    child.present.report.ended(CRASH)
    house.status()

    house.advance(0.25)
    before = child.generations.copy()
    rest = house.clock.advance_to_next()
    house.advance(100.0)

    assert (before, rest) == ([1, 2], 0.25)
    assert child.generations == [1, 2, 3]


def test_the_waits_grow_and_all_of_it_is_told(house):
    policy = RestartPolicy(backoff=Backoff(min=0.5, max=2.0, jitter=0.0), intensity=4, cool_down=30.0)
    child = house.add(FakeChild("a", policy))
    waits = []

    for _ in range(5):
        child.present.report.ended(CRASH)
        house.status()
        waits += [due - house.clock.now() for due in house.clock.pending()]
        if house.clock.pending():
            house.clock.advance_to_next()
            house.status()

    assert waits == [0.5, 1.0, 2.0, 30.0]
    assert child.generations == [1, 2, 3, 4, 5, 6]
    assert house.kinds().count("host_crashed") == 5
    assert house.kinds()[-2:] == ["host_parked", "host_starting"]


def test_a_crash_is_told_with_its_report(house):
    child = house.add(FakeChild("a"))

    child.present.report.ended(Exit(ExitKind.SIGNAL, "signal SIGKILL", report={"stderr": "last words"}))
    status = house.status()
    house.kinds()

    (crashed,) = [event for event in house.heard if event.kind == "host_crashed"]
    assert crashed.subject == "a"
    assert crashed.facts["report"] == {"stderr": "last words"}
    assert status["last_crash"] == {"stderr": "last words"}
    assert json.loads(json.dumps(status)) == status


def test_who_asked_to_be_told_of_changes_is_told_each_in_order(house):
    told = []
    child = house.add(
        FakeChild("a", on_change=lambda kind, facts: told.append((kind, facts.get("generation"))))
    )

    child.present.report.ready()
    child.present.report.ended(CRASH)
    house.status()

    assert told == [("host_starting", 1), ("host_ready", 1), ("host_crashed", 1), ("host_starting", 2)]


def test_children_fare_each_for_itself(house):
    one, other = house.add(FakeChild("a")), house.add(FakeChild("b"))
    other.present.report.ready()

    one.present.report.ended(HOPELESS)
    house.order("stop", "a")

    assert (house.state("a"), house.state("b")) == ("stopped", "ready")
    assert other.generations == [1]


# Orders


@pytest.mark.parametrize("exit_", [REQUESTED, CRASH])
def test_a_stop_is_passed_on_to_the_generation_and_its_end_is_a_crash_only_if_it_is_reported_as_one(
    house, exit_
):
    child = house.add(FakeChild("a"))

    house.order("stop", reason="not needed")
    while_stopping = house.state()
    child.present.report.ended(exit_)

    assert child.present.stopped == ["not needed"]
    assert (while_stopping, house.state()) == ("stopping", "stopped")
    assert ("host_crashed" in house.kinds()) == exit_.is_crash


def test_a_restart_starts_the_next_generation_only_when_the_old_one_is_gone(house):
    child = house.add(FakeChild("a"))

    house.order("restart")
    while_stopping = child.generations.copy()
    child.present.report.ended(REQUESTED)
    house.status()

    assert (while_stopping, child.generations) == ([1], [1, 2])


def test_a_child_that_waits_can_be_started_now_and_its_timer_starts_no_second(house):
    child = house.add(FakeChild("a"))
    for _ in range(2):
        child.present.report.ended(CRASH)
        house.status()

    house.order("restart")
    pending = house.clock.pending()
    house.advance(1000.0)

    assert pending == ()
    assert child.generations == [1, 2, 3]


@pytest.mark.parametrize("order", ["stop", "remove", "park"])
def test_nothing_is_left_on_the_clock_for_a_child_that_waits_no_more(house, order):
    child = house.add(FakeChild("a"))
    for _ in range(2):
        child.present.report.ended(CRASH)
        house.status()

    house.order(order)

    assert house.clock.pending() == ()


def test_a_parked_child_can_be_revived(house):
    child = house.add(FakeChild("a"))
    child.present.report.ended(HOPELESS)
    parked = house.state()

    house.order("revive")

    assert (parked, house.state()) == ("parked", "starting")
    assert house.clock.pending() == ()


def test_a_removed_child_is_forgotten_and_its_id_is_free(house):
    child = house.add(FakeChild("a"))
    house.order("remove")
    child.present.report.ended(REQUESTED)
    gone = house.status()

    successor = house.add(FakeChild("a"))

    assert gone is None
    assert successor.generations == [1]


def test_an_order_for_nobody_names_those_there_are(house):
    house.add(FakeChild("a"))

    with pytest.raises(UnknownChild, match="there is no host 'x'; there are: a") as caught:
        house.order("stop", "x")

    assert (caught.value.child, caught.value.children) == ("x", ["a"])


@pytest.mark.parametrize("message", [Order("explode", "a"), "hello", None])
def test_a_message_that_makes_no_sense_is_an_answer_and_stops_nobody(house, message):
    house.add(FakeChild("a"))

    with pytest.raises((TypeError, ValueError)):
        ask_supervisor(house.ref, message)
    tell(house.ref, message)

    assert house.state() == "starting"
    assert house.kinds().count("actor_failed") == 2


def test_a_second_child_of_the_same_id_is_refused_and_the_first_lives_on(house):
    first = house.add(FakeChild("a"))
    second = FakeChild("a")

    with pytest.raises(ValueError, match="there is a child 'a' already"):
        house.add(second)
    house.order("stop")

    assert second.started == []
    assert first.present.stopped == ["by hand"]


# What others do wrong


@pytest.mark.parametrize("rubbish", [None, "rubbish"])
def test_a_start_that_fails_later_on_parks_its_child_and_no_other(house, caplog, rubbish):
    child = FakeChild("a")

    def start(reporter):
        if reporter.generation == 1:
            return child.start(reporter)
        if rubbish is not None:
            return rubbish
        raise RuntimeError("no way")

    house.add(FakeChild("b"))
    ask_supervisor(house.ref, AddChild(ChildSpec("a", start, POLICY)))
    child.present.report.ended(CRASH)
    house.status()

    assert house.state("a") == "parked"
    assert ("RuntimeError('no way')" if rubbish is None else "no running generation") in house.status("a")[
        "why"
    ]
    assert house.state("b") == "starting"
    assert "starting 'a' failed" in caplog.text


def test_a_start_that_fails_while_its_child_is_stopped_ends_it(house):
    orders = partial(tell, house.ref, Order("stop", "a"))
    child = FakeChild("a")

    def start(reporter):
        if reporter.generation == 1:
            return child.start(reporter)
        orders()
        raise RuntimeError("no way")

    ask_supervisor(house.ref, AddChild(ChildSpec("a", start, POLICY)))
    child.present.report.ended(CRASH)
    house.status()

    assert house.state() == "stopped"


def test_a_listener_that_fails_stops_no_restart(house, caplog):
    def fail(_kind, _facts):
        raise RuntimeError("a bug")

    child = house.add(FakeChild("a", on_change=fail))
    for _ in range(2):
        child.present.report.ended(CRASH)
        house.status()
    house.clock.advance_to_next()
    house.status()

    assert child.generations == [1, 2, 3]
    assert "a bug" in caplog.text
    assert "actor_failed" in house.kinds()


def test_a_generation_that_fails_to_stop_stops_nobody_else(house, caplog):
    def fail(_reason):
        raise RuntimeError("a bug")

    child = house.add(FakeChild("a"))
    child.present.stop = fail

    house.order("stop")
    child.present.report.ended(CRASH)

    assert house.state() == "stopped"
    assert "a bug" in caplog.text


def test_an_end_that_is_told_twice_costs_the_next_generation_nothing(house):
    child = house.add(FakeChild("a"))
    child.present.report.ended(CRASH)
    house.status()
    child.started[0].report.ended(CRASH)
    house.status()

    house.order("stop", reason="not needed")

    assert child.generations == [1, 2]
    assert child.present.stopped == ["not needed"]


# The end


def test_after_its_end_nothing_is_started_and_no_report_is_an_error(house):
    child = house.add(FakeChild("a"))
    for _ in range(2):
        child.present.report.ended(CRASH)
        house.status()
    house.ref.stop()

    assert house.clock.pending() == ()
    child.present.report.ready()
    child.present.report.ended(CRASH)

    assert child.generations == [1, 2]
    with pytest.raises(pykka.ActorDeadError):
        house.status()
