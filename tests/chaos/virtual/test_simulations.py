"""Whole boards from one number: the same each time, and what is broken on purpose is found."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from random import SystemRandom

import pytest
from broken_boards import take_the_last_call_first
from callboard.actors.state.cell import StateCell
from callboard.chaos import faults as f
from callboard.chaos import simulation
from callboard.chaos import triggers as t
from callboard.chaos.__main__ import main
from callboard.chaos.checker.facts import Answered
from callboard.chaos.checker.invariants import RULES
from callboard.chaos.every_step import crash_at_every_step
from callboard.chaos.schedule import Schedule
from callboard.chaos.scripted.simulated_tool import work
from callboard.chaos.simulation import simulate
from callboard.chaos.strategies import fault_schedules, trees
from callboard.chaos.virtual.virtual_load import Load, draw_load
from callboard.chaos.virtual_board import VirtualBoard
from callboard.supervision.core import Supervision
from hypothesis import given, settings
from thorough import times


def test_simulations_keep_every_rule():
    broken = {seed: found for seed in range(40) if (found := simulate(seed).violations)}

    assert broken == {}


def traces(seed, times):
    return {simulate(seed).trace for _ in range(times)}


def test_the_same_seed_gives_the_same_trace_each_time():
    assert len(traces(42, 25)) == 1


def test_the_same_seed_gives_the_same_trace_in_another_process():
    program = (
        "import sys; from callboard.chaos.simulation import simulate; sys.stdout.write(simulate(1).trace)"
    )

    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]

    assert told == [simulate(1).trace] * 2


def by_chance(call):
    yield SystemRandom().uniform(0.0, 0.001)
    return (yield from work(call))


def test_a_tool_that_asks_a_chance_of_its_own_does_not_give_the_same_trace(monkeypatch):
    monkeypatch.setattr(simulation, "work", by_chance)

    assert len(traces(42, 5)) > 1


def test_hosts_that_are_started_in_an_order_by_chance_do_not_give_the_same_trace():
    first = simulate(42)
    orders = itertools.permutations(first.load.hosts)

    told = {
        simulate(42, schedule=first.schedule, load=Load(order, first.load.calls)).trace for order in orders
    }

    assert len(told) > 1


def test_a_saved_schedule_gives_the_same_trace_again():
    first = simulate(7)

    again = simulate(7, schedule=Schedule.from_json(first.schedule.to_json()))

    assert again.trace == first.trace


def test_without_faults_every_call_is_answered_by_its_tool():
    load = draw_load(3, hosts=2, calls=20, seconds=10.0)
    patient = tuple(
        type(call)(call.name, call.host, call.at, call.arguments | {"seconds": 0.01}) for call in load.calls
    )
    hosts = tuple(host for host in load.hosts if host.mailbox_size > 1)

    done = simulate(3, schedule=Schedule(), load=Load(load.hosts, patient))

    endings = {fact.ending for fact in done.run.facts if isinstance(fact, Answered)}
    assert hosts
    assert endings <= {"success", "failure", "tool_raised"}


@settings(max_examples=times(8, 50))
@given(fault_schedules(hosts=("ada", "ben"), points=("before the answer",)))
def test_no_schedule_of_faults_breaks_a_rule(schedule):
    assert simulate(5, schedule=schedule, hosts=2, calls=12, seconds=8.0).violations == ()


@settings(max_examples=times(8, 50))
@given(trees())
def test_every_tree_that_is_drawn_is_taken(tree):
    core = Supervision(lambda: 0.0)

    for group in tree.groups:
        core.add_group(group, 0.0)
    for child in tree.children:
        core.add(
            child.id,
            child.policy,
            0.0,
            group=child.group,
            significant=child.significant,
            dynamic=child.dynamic,
        )

    assert set(core.children) == {child.id for child in tree.children}


def test_calls_that_overtake_each_other_are_found(monkeypatch):
    take_the_last_call_first(monkeypatch)

    found = {violation.rule for seed in range(20) for violation in simulate(seed).violations}

    assert "calls begin in order" in found


def test_a_state_that_is_lost_is_found(monkeypatch):
    commits = itertools.count(1)

    def commit(*facts, **more):
        return True if next(commits) % 5 == 0 else in_truth(*facts, **more)

    in_truth = StateCell.commit
    monkeypatch.setattr(StateCell, "commit", commit)

    found = {violation.rule for seed in range(10) for violation in simulate(seed).violations}

    assert "counts without a gap" in found


def count(call):
    call.note("counted")
    call.state["count"] = call.state.get("count", 0) + 1
    yield 0.1
    return {"success": True, "result": call.state["count"]}


def three_calls(schedule):
    with VirtualBoard(schedule) as board:
        board.add_scripted("counter", {"count": count})
        results = [board.execute("counter", "count") for _ in range(3)]
        steps = board.steps
    good = [result["result"] for result in results if result["success"]]
    assert good == list(range(1, len(good) + 1))
    assert len(good) >= 2
    return steps


def test_a_crash_is_put_at_every_step():
    schedules = crash_at_every_step(three_calls)

    triggers = [entry.trigger for schedule in schedules for entry in schedule.entries]
    assert schedules[0].entries == ()
    assert len(set(map(repr, triggers))) == len(triggers) == len(schedules) - 1
    assert {trigger.kind for trigger in triggers} == {"frame", "state"}
    assert t.NthFrame(1, "in") in triggers
    assert t.NthFrame(5, "out") in triggers


def test_with_two_crashes_the_recovery_is_crashed_too():
    def body(schedule):
        with VirtualBoard(schedule) as board:
            board.add_scripted("counter", {"count": count})
            board.execute("counter", "count")
            return board.steps

    once = crash_at_every_step(body, fault=f.Exit(3))
    twice = crash_at_every_step(body, fault=f.Exit(3), crashes=2)

    assert len(twice) > len(once) * 5
    assert any(
        entry.trigger == t.StateEntered("starting", 2) for schedule in twice for entry in schedule.entries
    )


def test_what_fails_at_a_step_names_the_step():
    def body(schedule):
        steps = three_calls(schedule)
        assert not any(entry.trigger == t.NthFrame(4, "out") for entry in schedule.entries)
        return steps

    with pytest.raises(AssertionError) as caught:
        crash_at_every_step(body)

    (note,) = caught.value.__notes__
    schedule = Schedule.from_json(note.removeprefix("under the schedule "))
    assert [entry.trigger for entry in schedule.entries] == [t.NthFrame(4, "out")]


def test_the_command_tells_what_was_simulated(capsys, tmp_path):
    trace = tmp_path / "trace.ndjson"

    ended = main(["simulate", "--seeds", "5", "--from", "3", "--calls", "10", "--trace", str(trace)])

    assert ended == 0
    assert "5 simulations" in capsys.readouterr().out
    assert trace.read_text() == simulate(3, calls=10).trace
    assert all(json.loads(line)["kind"] for line in trace.read_text().splitlines())


def test_every_rule_is_held_against_every_seed_and_has_something_to_look_at():
    checks = [simulate(seed).checks for seed in range(times(6, 20))]

    assert {tuple(one.rule for one in each) for each in checks} == {tuple(RULES)}
    assert [
        rule
        for rule in RULES
        if not any(one.looked_at for each in checks for one in each if one.rule == rule)
    ] == []


def test_the_command_names_a_seed_that_breaks_a_rule(capsys, monkeypatch):
    monkeypatch.setattr(StateCell, "commit", lambda *_args, **_more: None)

    ended = main(["simulate", "--seeds", "2"])

    said = capsys.readouterr().out
    assert ended == 1
    assert "✗ seed 0: " in said
    assert "python -m callboard.chaos simulate --from 0 --seeds 1 --calls 30 --hosts 3 --faults 8" in said
