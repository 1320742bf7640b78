"""Each kind of event carries the facts that the table promises, and no others."""

from __future__ import annotations

import pytest
from callboard.supervision.restart.exits import Exit, ExitKind
from callboard.supervision.runtime.event_kinds import EVENT_KINDS, FACTS, TYPES, Fact, faults_of
from callboard.supervision.runtime.events import KINDS

READY = {"generation": 1}


def test_the_kinds_that_can_be_subscribed_to_are_those_of_the_table():
    assert set(EVENT_KINDS) == KINDS


def test_every_fact_is_described_and_belongs_to_a_kind():
    used = {name for kind in EVENT_KINDS.values() for name in kind.facts}

    assert used == set(FACTS)
    assert list(FACTS) == sorted(FACTS)


def test_every_fact_has_a_type_there_is():
    assert {fact.type.rstrip("?") for fact in FACTS.values()} <= set(TYPES)


def test_the_ways_to_crash_are_told_as_the_house_knows_them():
    crashes = [kind for kind in ExitKind if Exit(kind, "").is_crash]

    assert [kind.value for kind in crashes if f"`{kind.value}`" not in FACTS["exit"].meaning] == []


@pytest.mark.parametrize(
    ("kind", "facts", "fault"),
    [
        ("host_exploded", {}, "there is no kind of event 'host_exploded'"),
        ("host_ready", {}, "host_ready lacks the fact 'generation'"),
        ("host_ready", READY | {"pid": 3}, "host_ready has no fact 'pid'"),
        ("host_ready", {"generation": "1"}, "host_ready: 'generation' is '1', which is no integer"),
        ("host_ready", {"generation": True}, "host_ready: 'generation' is True, which is no integer"),
        ("host_ready", {"generation": None}, "host_ready: 'generation' is None, which is no integer"),
    ],
)
def test_an_event_that_breaks_its_contract_is_told_how(kind, facts, fault):
    assert faults_of(kind, facts) == [fault]


def test_an_event_that_keeps_its_contract_has_no_faults():
    assert faults_of("host_ready", READY) == []
    assert faults_of("host_parked", READY | {"seconds": None, "why": "by hand"}) == []
    assert faults_of("host_parked", READY | {"seconds": 60, "why": "by hand"}) == []


def test_only_a_fact_that_may_be_null_is():
    assert Fact("string?", "").admits(None)
    assert not Fact("string", "").admits(None)
