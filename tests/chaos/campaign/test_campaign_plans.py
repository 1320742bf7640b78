"""What a round of the campaign is to be: the same for a seed, smaller where that is asked for, and a board takes it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from callboard.chaos.campaign.drawing import draw_plan
from callboard.chaos.campaign.plan import DEEDS, KINDS, WAYS
from callboard.chaos.campaign.sources import Sources
from callboard.config.configuration import read_configuration
from callboard.config.plugin_options import complete
from callboard.sources.entry import parse_entry

SEEDS = range(80)


@pytest.fixture(scope="module")
def plans():
    return [draw_plan(seed) for seed in SEEDS]


def test_a_seed_draws_the_same_plan_and_another_seed_another(plans):
    assert [draw_plan(seed) for seed in SEEDS] == plans
    assert len({json.dumps(replace(plan, seed=0).as_dict()) for plan in plans}) == len(plans)


def test_a_plan_of_a_seed_is_the_same_on_every_machine():
    plan = draw_plan(5, plugins=2, callers=1, calls=2, happenings=2)

    assert plan.as_dict() == PLAN_5


def test_a_plan_can_be_printed_and_names_each_call_once(plans):
    for plan in plans:
        told = json.loads(json.dumps(plan.as_dict()))
        names = [call["name"] for caller in told["callers"] for call in caller["calls"]]

        assert told["seed"] == plan.seed
        assert len(names) == len(set(names)) == 120


def test_with_fewer_of_them_the_others_are_as_they_were():
    whole = draw_plan(8, plugins=3, callers=4, calls=120, happenings=8)
    fewer = draw_plan(8, plugins=2, callers=4, calls=120, happenings=8)
    calmer = draw_plan(8, plugins=3, callers=4, calls=120, happenings=3)

    assert fewer.plugins == whole.plugins[:2]
    assert calmer.callers == whole.callers
    assert set(calmer.schedule.entries) <= set(whole.schedule.entries)
    assert set(calmer.deeds) <= set(whole.deeds)
    assert len(calmer.schedule.entries) + len(calmer.deeds) == 3


def test_every_kind_of_configuration_load_and_happening_is_drawn(plans):
    plugins = [plugin for plan in plans for plugin in plan.plugins]
    options = [plugin.options for plugin in plugins]
    calls = [call for plan in plans for call in plan.all_calls()]

    assert {plugin.kind for plugin in plugins} == set(KINDS)
    assert {caller.way for plan in plans for caller in plan.callers} == set(WAYS)
    assert {deed.do for plan in plans for deed in plan.deeds} == set(DEEDS)
    assert {plan.keeps for plan in plans} == {plan.stops is None for plan in plans} == {True, False}
    assert {plan.groups["team"]["strategy"] for plan in plans if plan.groups} == {
        "one_for_one", "one_for_all", "rest_for_one",
    }  # fmt: skip
    assert any(len(names) > 1 for plan in plans for names in plan.hosts.values())
    for option in ("standby", "limits", "breaker", "share", "idempotent", "hold", "idle_deadline", "group"):
        assert any(given.get(option) for given in options), option
    assert {given.get("while_down") for given in options} == {"hold", "refuse", None}
    assert {given.get("quarantine") is False for given in options} == {True, False}
    assert {entry.fault.kind for plan in plans for entry in plan.schedule.entries} == {
        "signal", "pause", "garbage", "duplicate_reply", "partial_line", "truncate", "wrong_id",
    }  # fmt: skip
    assert {call.arguments["mood"] for call in calls} == {
        "well", "fail", "raise", "invalid", "exit", "exit late", "deaf", "hang", "spin",
    }  # fmt: skip
    assert any(call.cancel_after is not None for call in calls)


def test_a_call_that_would_never_end_has_a_deadline_of_its_own(plans):
    endless = [
        call for plan in plans for call in plan.all_calls() if call.arguments["mood"] in {"hang", "spin"}
    ]

    assert all(call.deadline is not None for call in endless)


def test_every_fault_and_every_deed_is_for_a_plugin_that_is_there(plans):
    for plan in plans:
        assert {entry.host for entry in plan.schedule.entries} <= set(plan.hosts)
        assert {deed.plugin for deed in plan.deeds} <= {plugin.name for plugin in plan.plugins}
        assert all(
            plan.of(deed.plugin).hosted for deed in plan.deeds if deed.do in {"restart", "park", "reload"}
        )


def test_a_board_takes_every_configuration_that_is_drawn(plans, tmp_path):
    for plan in plans:
        configuration = read_configuration(Sources(plan, tmp_path).configuration())

        for entry in configuration.plugins:
            complete(parse_entry(dict(entry), configuration.base).options, configuration)
        assert len(configuration.plugins) == len(plan.plugins) + plan.claiming


def test_those_who_share_a_host_agree_in_what_is_of_the_host(plans):
    for plan in plans:
        for names in plan.hosts.values():
            of_host = [
                {key: plan.of(name).options.get(key) for key in ("restart", "standby", "limits", "group")}
                for name in names
            ]
            assert all(one == of_host[0] for one in of_host)


def test_without_node_no_plugin_is_written_for_it():
    kinds = tuple(kind for kind in KINDS if kind != "node")

    drawn = {plugin.kind for seed in SEEDS for plugin in draw_plan(seed, kinds=kinds).plugins}

    assert drawn == set(kinds)


PLAN_5 = {
    "seed": 5,
    "plugins": [
        {
            "name": "ada",
            "kind": "node",
            "concurrency": 1,
            "deadline": 2.0,
            "breaker": {"failures": 3, "reset": 0.2, "max_reset": 0.4},
            "idempotent": False,
            "repeats": 0,
            "quarantine": True,
            "while_down": "hold",
            "restart": {
                "backoff": {"first": 0.0, "min": 0.02, "max": 0.2},
                "intensity": 50,
                "period": 10.0,
                "stable_for": 0.3,
                "cool_down": 0.5,
            },
            "standby": 0,
            "limits": {},
        },
        {
            "name": "ben",
            "kind": "node",
            "concurrency": 1,
            "deadline": 1.0,
            "breaker": {"failures": 3, "reset": 0.2, "max_reset": 0.4},
            "idempotent": True,
            "repeats": 0,
            "quarantine": {"crashes": 2, "seconds": 0.5},
            "while_down": "hold",
            "idle_deadline": 0.3,
            "restart": {
                "backoff": {"first": 0.0, "min": 0.02, "max": 0.2},
                "intensity": 2,
                "period": 10.0,
                "stable_for": 5.0,
                "cool_down": 0.2,
            },
            "standby": 0,
            "limits": {"age": 0.4, "drain": 0.3, "jitter": 0.5},
        },
    ],
    "groups": {},
    "calls": {"grace": 0.1, "deadline": 3.0, "mailbox_size": 1000},
    "claiming": False,
    "keeps": False,
    "stops": None,
    "callers": [
        {
            "way": "wait",
            "calls": (
                {
                    "name": "5-0-0",
                    "host": "ada",
                    "at": 0.516,
                    "arguments": {"mood": "well", "seconds": 0.005, "parts": 0},
                    "deadline": None,
                    "cancel_after": 0.1,
                },
                {
                    "name": "5-0-1",
                    "host": "ada",
                    "at": 0.837,
                    "arguments": {"mood": "well", "seconds": 0.005, "parts": 3},
                    "deadline": None,
                    "cancel_after": None,
                },
            ),
        }
    ],
    "schedule": {
        "format": 2,
        "seed": 5,
        "entries": [{"trigger": {"on": "call", "n": 1}, "fault": {"do": "signal"}, "host": "ada"}],
    },
    "deeds": [{"at": 0.777, "do": "break", "plugin": "ada", "after": 0.101}],
}
