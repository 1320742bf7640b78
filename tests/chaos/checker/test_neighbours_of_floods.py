"""What a flood of one host costs the calls of another, out of a recorded run."""

from __future__ import annotations

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Broken, Run, Terms
from callboard.chaos.report.neighbours import neighbours


def run_of(*facts, **terms):
    return Run(tuple(sorted(facts, key=lambda fact: fact.at)), terms)


def call(name, begin, seconds, plugin="other", ending="success"):
    return Asked(begin, plugin, name), Answered(begin + seconds, plugin, name, ending)


FLOOD = Broken(10.0, "flooder", "stdout flood (bytes 300000)")


def test_calls_of_another_host_are_told_apart_by_whether_a_flood_had_just_begun():
    beside, quiet = neighbours(
        run_of(
            FLOOD,
            *call("a", 9.0, 0.001),
            *call("b", 10.1, 0.008),
            *call("c", 10.9, 0.006),
            *call("d", 11.5, 0.002),
        )
    )

    assert (beside.calls, beside.p50, beside.p99) == (2, pytest.approx(0.008), pytest.approx(0.008))
    assert (quiet.calls, quiet.p50) == (2, pytest.approx(0.002))


@pytest.mark.parametrize(
    "fault", ["stdout flood (bytes 1000)", "part flood (parts 20)", "reply flood (times 20)"]
)
def test_each_kind_of_flood_counts(fault):
    assert neighbours(run_of(Broken(10.0, "flooder", fault), *call("a", 10.1, 0.01))).flooded.calls == 1


def test_a_fault_that_is_no_flood_makes_no_neighbours():
    assert neighbours(run_of(Broken(10.0, "flooder", "SIGKILL"), *call("a", 10.1, 0.01))).flooded.calls == 0


def test_the_host_that_floods_is_not_its_own_neighbour_whichever_plugin_of_it_is_called():
    facts = (FLOOD, *call("a", 10.1, 0.01, "flooder"), *call("b", 10.1, 0.01, "shares it"))

    beside, quiet = neighbours(run_of(*facts, **{"shares it": Terms(host="flooder")}))

    assert (beside.calls, quiet.calls) == (0, 0)


def test_a_call_whose_own_host_was_hurt_or_that_failed_says_nothing_of_a_neighbour():
    killed = Broken(10.05, "other", "SIGKILL")

    assert neighbours(run_of(FLOOD, killed, *call("a", 10.1, 2.0))) == neighbours(run_of())
    assert neighbours(run_of(FLOOD, *call("a", 10.1, 2.0, ending="host_crashed"))) == neighbours(run_of())
