"""The campaign in short: five rounds on real boards, and what the command says of those that prove nothing."""

from __future__ import annotations

import json
import threading

import pytest
from broken_boards import queue_by_name
from callboard.actors.hosted.request import HostedRun
from callboard.chaos.__main__ import main
from callboard.chaos.campaign.drawing import draw_plan
from callboard.chaos.campaign.plan import DEEDS, KINDS, WAYS, CallerPlan, Plan, PluginPlan
from callboard.chaos.campaign.round import Round
from callboard.chaos.campaign.sources import Sources
from callboard.chaos.checker.exits import NOT_TESTED
from callboard.chaos.faults import Pause
from callboard.chaos.schedule import Entry, Schedule
from callboard.chaos.triggers import NthCall
from callboard.chaos.virtual.virtual_load import CallPlan
from callboard.trial.tampered_board import TamperedBoard
from late_ends import carried_with_late_ends
from leaks import no_leaks
from thorough import every

SEEDS = (396, 481, 551, 976, 1028)
"""Rounds that have, all five together, everything that can be drawn. A hundred others: ``make campaign``."""

SMALL = ["--plugins", "1", "--callers", "2", "--seconds", "0.3"]

BY_CHANCE = {
    "no reply crosses generations",
    "no start before its time",
    "one generation at a time",
    "generations count up",
    "orders are done or refused",
    "restarts within budget",
    "works after the faults",
}
"""Rules about what need not happen in each round: another generation of a host that answers, an order, a fault."""


@pytest.mark.parametrize("seed", every(3, SEEDS))
def test_a_round_of_the_campaign_keeps_every_rule(seed, tmp_path):
    with no_leaks():
        ended = Round(draw_plan(seed), tmp_path, TamperedBoard).run()

    assert [(one.rule, one.what) for one in ended.violations] == []
    assert (ended.untested, ended.ok) == ("", True)
    assert {one.rule for one in ended.checks if not one.looked_at} <= BY_CHANCE


@pytest.mark.parametrize("seed", every(2, (100, 102, 104, 105)))
def test_a_round_with_mcp_servers_keeps_every_rule(seed, tmp_path):
    plan = draw_plan(seed, kinds=["mcp"], plugins=2, calls=60)

    with no_leaks():
        ended = Round(plan, tmp_path, TamperedBoard).run()

    assert {plugin.kind for plugin in plan.plugins} == {"mcp"}
    assert [(one.rule, one.what) for one in ended.violations] == []
    assert (ended.untested, ended.ok) == ("", True)


class BoardOfABusyMachine(TamperedBoard):
    """It hears of the end of each host half a second late."""

    def _begin(self, board, one):
        one.hosted.carry = carried_with_late_ends(lambda: threading.Event().wait(0.5), one.hosted.carry)
        super()._begin(board, one)


def test_a_round_waits_for_a_host_of_whose_end_the_supervisor_has_not_heard_yet(tmp_path):
    options = {"concurrency": 2, "deadline": 5.0, "while_down": "refuse"}
    hang = CallPlan("hang", "one", 0.0, {"mood": "hang", "seconds": 0.0, "parts": 0}, 0.1)
    plan = Plan(
        1,
        (PluginPlan("one", "node", options),),
        (CallerPlan("wait", (hang,)),),
        Schedule(1),
        calls={"grace": 0.1},
    )

    with no_leaks():
        ended = Round(plan, tmp_path, BoardOfABusyMachine).run()

    assert [(one.rule, one.what) for one in ended.violations] == []


def test_a_stopped_server_that_runs_late_what_was_given_up_long_ago_is_no_fault_of_the_board(tmp_path):
    options = {"concurrency": 1, "deadline": 5.0, "limits": {"calls": 2, "drain": 1.0}}
    calls = tuple(
        CallPlan(f"call-{number}", "one", 0.0, {"mood": "well", "seconds": 0.0, "parts": 0}, 0.15)
        for number in range(30)
    )
    stopped = Schedule(1, [Entry(NthCall(1), Pause(), "one")])
    plan = Plan(1, (PluginPlan("one", "mcp", options),), (CallerPlan("wait", calls),), stopped)

    with no_leaks():
        ended = Round(plan, tmp_path, TamperedBoard).run()

    assert [(one.rule, one.what) for one in ended.violations] == []


def test_the_five_rounds_have_everything_that_can_be_drawn():
    plans = [draw_plan(seed) for seed in SEEDS]
    options = [plugin.options for plan in plans for plugin in plan.plugins]

    assert {plugin.kind for plan in plans for plugin in plan.plugins} == set(KINDS)
    assert {caller.way for plan in plans for caller in plan.callers} == set(WAYS)
    assert {deed.do for plan in plans for deed in plan.deeds} == set(DEEDS)
    assert {plan.claiming for plan in plans} == {True, False}
    assert {plan.keeps for plan in plans} == {plan.stops is None for plan in plans} == {True, False}
    assert any(len(names) > 1 for plan in plans for names in plan.hosts.values())
    for option in ("standby", "limits", "breaker", "group", "share", "idempotent"):
        assert any(given.get(option) for given in options), option


def test_a_hundred_rounds_are_one_command_and_each_has_its_seed(capsys):
    sizes = ["--plugins", "2", "--callers", "2", "--calls", "40", "--happenings", "6", "--seconds", "0.5"]
    status = main(["campaign", "--rounds", "2", "--seed", "7", *sizes])

    said = capsys.readouterr().out
    assert (status, said.count("✓ seed 7 "), said.count("✓ seed 8 ")) == (0, 1, 1)
    assert "every rule holds" in said


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        (["--calls", "0", "--happenings", "3"], "no call came through"),
        (["--calls", "60", "--happenings", "0"], "nothing happened to a plugin"),
    ],
    ids=["no calls", "no happenings"],
)
def test_a_round_in_which_nothing_was_tested_says_so_and_fails_the_command(sizes, why, capsys):
    status = main(["campaign", "--rounds", "1", "--seed", "1", *sizes, *SMALL])

    said = capsys.readouterr().out
    assert status == NOT_TESTED
    assert f"not tested: {why}" in said
    assert "--rounds 1 --seed 1 " in said


def test_a_board_that_is_broken_fails_the_command_at_once_with_the_plan_and_the_command_that_does_it_again(
    capsys, monkeypatch
):
    monkeypatch.setattr(HostedRun, "_settle", lambda run, *_: run._endpoint.mailbox.release(run.call))

    rounds = ["--rounds", "50", "--fail-fast", "--seed", "7", "--calls", "30", "--happenings", "4"]
    status = main(["campaign", *rounds, *SMALL])

    said = capsys.readouterr().out
    assert status == 1
    assert " 1 rounds in" in said
    assert "✗ state goes up by one" in said
    plan = json.loads(said.split("The plan: ")[1].splitlines()[0])
    assert (plan["seed"], len(plan["plugins"])) == (7, 1)
    assert "The same again: python -m callboard.chaos campaign --rounds 1 --seed 7 --plugins 1" in said


def test_a_board_that_has_calls_wait_by_name_while_a_neighbour_is_asked_is_convicted(tmp_path, monkeypatch):
    queue_by_name(monkeypatch)
    options = {"concurrency": 1, "deadline": 5.0}
    calls = tuple(
        CallPlan(f"burst-{number}", "one", 0.0, {"mood": "well", "seconds": 0.0, "parts": 0})
        for number in range(40)
    )
    plan = Plan(
        1, (PluginPlan("one", "thread", options),), (CallerPlan("burst", calls),), Schedule(1), claiming=True
    )

    ended = Round(plan, tmp_path, TamperedBoard).run()

    assert {one.rule for one in ended.violations} >= {"calls begin in order", "runs begin in order"}


def test_a_seed_that_was_drawn_is_said(capsys):
    main(["campaign", "--rounds", "1", "--calls", "0", "--happenings", "0", *SMALL])

    assert "--seed " in capsys.readouterr().out


def test_plans_can_be_looked_at_without_carrying_them_out(capsys):
    status = main(["campaign", "--rounds", "3", "--seed", "40", "--print"])

    plans = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (status, [plan["seed"] for plan in plans]) == (0, [40, 41, 42])


def test_a_module_that_is_broken_for_a_reload_is_mended_afterwards(tmp_path):
    plan = draw_plan(1)
    sources = Sources(plan, tmp_path)
    (file,) = [tmp_path / f"{one.name}.mjs" for one in plan.plugins if one.kind == "node"][:1]
    before = file.read_text()

    with sources.changed(file.stem, broken=True):
        broken = file.read_text()

    assert broken != before
    assert file.read_text() == before
