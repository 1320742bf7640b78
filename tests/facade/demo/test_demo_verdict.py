"""The verdict on the demonstration: true numbers pass, and each lie is found in its own line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from callboard.chaos.checker.facts import Answered, Asked, Broken, Happened, Left, Run, Terms
from callboard.chaos.checker.invariants import check
from callboard.chaos.schedule import Schedule
from callboard.demo.plan import LANES
from callboard.demo.verdict import HOSTED, verdict
from callboard.trial.trial import Ended, Plan

CALLS = 4
LOST = "ledger-2"
"""The call that was under way when its host was killed."""


def host(at, kind, name, generation, **facts):
    return Happened(at, name, kind, {"generation": generation, **facts})


def a_run(*, left=None):
    """As it has to be: four calls to each plugin, and one kill, which cost a call of ``ledger`` its answer."""
    facts = []
    for name in HOSTED:
        facts += [host(0.0, "host_starting", name, 1), host(0.1, "host_ready", name, 1)]
    for lane in LANES:
        counted = 0
        for n in range(1, CALLS + 1):
            call, at = f"{lane.name}-{n}", float(n)
            facts.append(Asked(at, lane.name, call, 30.0))
            if call == LOST:
                report = {"exit": "signal SIGKILL", "in_flight": [{"call": call}]}
                facts += [
                    Broken(at, lane.name, "SIGKILL"),
                    Answered(at + 0.1, lane.name, call, "host_crashed", "outcome_unknown"),
                    host(at + 0.1, "host_crashed", lane.name, 1, report=report, cause="killed"),
                    host(at + 0.2, "host_starting", lane.name, 2),
                    host(at + 0.3, "host_ready", lane.name, 2),
                ]
                continue
            counted += 1
            count = counted if lane.hosted else None
            facts.append(Answered(at + 0.4, lane.name, call, "success", counted=count, judged=True))
    terms = {lane.name: Terms(hosted=lane.hosted, counts=lane.hosted) for lane in LANES}
    facts.sort(key=lambda fact: fact.at)
    return Run(tuple(facts), terms, healed=3.5, ended=6.0, left=left or Left())


def an_end(run=None, **changes):
    run = run or a_run()
    plugins = {lane.name: {"calls": {"submitted": CALLS, "ended": CALLS}} for lane in LANES}
    for name in HOSTED:
        crashes = int(name == "ledger")
        plugins[name]["host"] = {"state": "ready", "crashes": crashes, "restarts": crashes}
    states = {name: {"count": CALLS - int(name == "ledger")} for name in HOSTED}
    plan = Plan({}, (CALLS - 1) * len(LANES), 1, 1, kinds=("kill",))
    ended = Ended(plan, run, check(run), Schedule(1), 1, {}, {}, {}, plugins, states)
    return replace(ended, **changes)


def failed(ended):
    return [line.name for line in verdict(ended).checks if not line.ok]


def changed(call, **changes):
    run = a_run()
    facts = tuple(
        fact._replace(**changes) if isinstance(fact, Answered) and fact.call == call else fact
        for fact in run.facts
    )
    return an_end(replace(run, facts=facts))


def test_true_numbers_pass():
    found = verdict(an_end())

    assert [line for line in found.checks if not line.ok] == []
    assert found.told.spans("answered") == pytest.approx([1.4])
    assert {one.ending: one.count for one in found.tallied} == {"success": 19, "host_crashed": 1}


def test_a_call_that_was_not_answered_is_found():
    run = a_run()
    facts = tuple(fact for fact in run.facts if not (isinstance(fact, Answered) and fact.call == "sums-3"))

    assert "answered" in failed(an_end(replace(run, facts=facts)))


def test_a_call_that_was_answered_twice_is_found():
    run = a_run()
    again = next(fact for fact in run.facts if isinstance(fact, Answered) and fact.call == "sums-3")

    assert "answered" in failed(an_end(replace(run, facts=(*run.facts, again))))


@pytest.mark.parametrize(("planned", "found"), [(-1, []), (1, ["answered"])])
def test_more_calls_than_planned_make_good_for_a_kill_and_fewer_are_found(planned, found):
    ended = an_end()

    assert failed(replace(ended, plan=replace(ended.plan, calls=ended.plan.calls + planned))) == found


def test_counts_of_the_board_that_differ_are_found():
    ended = an_end()
    ended.plugins["sums"]["calls"]["ended"] = CALLS - 1

    assert failed(ended) == ["answered"]


@pytest.mark.parametrize("code", ["deadline_exceeded", "host_crashed"])
def test_a_failure_that_nothing_asked_for_is_found(code):
    assert "as asked" in failed(changed("sums-3", ending=code, outcome="outcome_unknown"))


def test_an_answer_that_is_wrong_is_found():
    assert failed(changed("sums-3", wrong="it says {}")) == ["answers"]


@pytest.mark.parametrize("fact", ["crashes", "restarts"])
def test_a_crash_or_restart_that_the_board_has_not_counted_is_found(fact):
    ended = an_end()
    ended.plugins["ledger"]["host"][fact] = 0

    assert failed(ended) == ["crashes"]


def test_a_kill_that_did_not_come_true_is_found():
    assert failed(an_end(kills=0)) == ["crashes"]


def test_a_call_under_way_that_was_told_nothing_is_found():
    assert "told" in failed(changed(LOST, ending="success", outcome=None, counted=2))


def test_a_failure_that_does_not_say_whether_the_tool_may_have_run_is_found():
    assert "outcomes" in failed(changed(LOST, outcome=None))


def test_a_gap_in_the_counts_is_found():
    assert failed(changed("words-3", counted=4)) == ["state"]


def test_a_state_that_has_not_counted_every_answer_is_found():
    assert failed(an_end(states={name: {"count": 0} for name in HOSTED})) == ["state"]


def test_a_host_that_never_answered_again_is_found():
    run = a_run()
    facts = tuple(
        fact
        for fact in run.facts
        if not (isinstance(fact, Answered) and fact.plugin == "ledger" and fact.at > 3)
    )

    assert "recovery" in failed(an_end(replace(run, facts=facts)))


def test_what_is_left_behind_is_found():
    assert failed(an_end(a_run(left=Left(processes=("7: node",))))) == ["left behind"]


def test_every_rule_of_the_kit_has_its_line():
    every = verdict(an_end(checks=tuple(replace(one, violations=("broken",)) for one in check(a_run()))))

    assert len(every.checks) == len(verdict(an_end()).checks)
