"""The rules that nothing is kept of generations that have ended: what is there at half of a run and at its end."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext

import pytest
from boards import node_board
from callboard.actors.hosting import host_actor
from callboard.chaos.checker.facts import Happened, Run, Terms
from callboard.chaos.checker.kept import (
    LEVEL,
    RULE,
    Inventory,
    Usage,
    check_kept,
    check_level,
    inventory,
    last_inventory,
    usage,
)
from callboard.chaos.checker.standings import Standing
from callboard.chaos.load.soak import Soak
from memory_hosts import PATIENCE
from thorough import thorough
from tools import tool_call

HOST = "hosts.host.Host"
KILLS = 8


def run_of(generations):
    """A run of one host, whose generations began one a second."""
    facts = [
        Happened(float(number), "book", "host_starting", {"generation": number}, number)
        for number in range(1, generations + 1)
    ]
    return Run(tuple(facts), {"book": Terms()}, ended=float(generations))


@pytest.mark.parametrize(
    ("half", "end", "standing"),
    [
        (1, 1, Standing.HELD),
        (2, 1, Standing.HELD),
        (1, 26, Standing.HELD),
        (1, 28, Standing.BROKEN),
        (50, 100, Standing.BROKEN),
        (101, 101, Standing.HELD),
        (0, 100, Standing.BROKEN),
    ],
)
def test_what_grows_with_the_generations_is_kept(half, end, standing):
    check = check_kept(run_of(200), Inventory(101.0, {HOST: half}), Inventory(200.0, {HOST: end}))

    assert (check.rule, check.standing, check.looked_at) == (RULE, standing, 200)


def test_each_type_is_judged_by_itself():
    half, end = {"a": 10, "b": 10, "c": 10}, {"a": 5, "b": 100, "d": 100}

    check = check_kept(run_of(100), Inventory(51.0, half), Inventory(100.0, end))

    assert [violation.what.split(" of ")[1].split(" at")[0] for violation in check.violations] == ["b", "d"]


def test_a_run_without_a_generation_has_not_tested_it():
    assert check_kept(run_of(0), Inventory(0.0, {}), Inventory(1.0, {})).standing is Standing.NOT_TESTED


USED = {"threads": 10, "descriptors": 20, "files": 5}
MIB = 1 << 20


def used(at, memory=100 * MIB, recorded=0, **counts):
    return Usage(at, {**USED, **counts}, memory, recorded)


@pytest.mark.parametrize(
    ("end", "broken"),
    [
        ({}, 0),
        ({"threads": 37}, 0),
        ({"threads": 38}, 1),
        ({"descriptors": 120, "files": 105}, 2),
        ({"memory": 112 * MIB}, 0),
        ({"memory": 113 * MIB}, 1),
        ({"memory": 331 * MIB, "recorded": 200 * MIB}, 0),
        ({"memory": 333 * MIB, "recorded": 200 * MIB}, 1),
        ({"memory": None}, 0),
        ({"memory": 60 * MIB}, 0),
    ],
)
def test_a_process_that_grows_by_more_than_its_record_with_the_generations_is_convicted(end, broken):
    check = check_level(run_of(200), used(101.0), used(200.0, **end))

    assert (check.rule, len(check.violations), check.looked_at) == (LEVEL, broken, 200)


@pytest.mark.parametrize(("leak", "standing"), [(0, Standing.HELD), (35, Standing.BROKEN)])
def test_the_memory_of_this_process_is_judged_beside_the_facts_that_it_has_recorded(leak, standing, tmp_path):
    facts, kept = list(run_of(2_000).facts), []
    half = usage(101.0, facts, tmp_path)

    facts += run_of(5_000).facts
    kept += [[bytes(1024) + b"a" for _ in range(leak)] for _ in range(600)]
    check = check_level(run_of(700), half, usage(700.0, facts, tmp_path))

    assert check.standing is standing, check.said


@contextmanager
def hosts_that_are_kept(monkeypatch):
    """A planted bug: each generation is kept."""
    kept, start_host = [], host_actor.start_host

    def keeping(*given, **named):
        kept.append(start_host(*given, **named))
        return kept[-1]

    with monkeypatch.context() as patched:
        patched.setattr(host_actor, "start_host", keeping)
        yield


BUGS = pytest.mark.parametrize("bug", [None, hosts_that_are_kept], ids=["none", "hosts are kept"])


@BUGS
def test_generations_of_a_real_host_that_are_kept_are_found(bug, monkeypatch):
    with bug(monkeypatch) if bug else nullcontext():
        with node_board() as (board, _, recorder):
            half = inventory(0.0)
            for number in range(1, KILLS + 1):
                board.submit(tool_call("moody", do="crash")).result(PATIENCE)
                recorder.wait("host_ready", number + 1)
        run = run_of(KILLS)
        check = check_kept(run, half, last_inventory(run, half, within=0.5 if bug else PATIENCE))

    assert check.standing is (Standing.BROKEN if bug else Standing.HELD), check.said
    assert any(HOST in violation.what for violation in check.violations) == bool(bug)


@thorough
@BUGS
def test_a_soak_finds_generations_that_are_kept(bug, tmp_path, monkeypatch):
    soak = Soak(calls=240, hosts=2, faults=24, seed=11, folder=tmp_path, languages=("python",), seconds=1.0)

    with bug(monkeypatch) if bug else nullcontext():
        (check,) = [one for one in soak.run().checks if one.rule == RULE]

    assert check.standing is (Standing.BROKEN if bug else Standing.HELD), check.said
