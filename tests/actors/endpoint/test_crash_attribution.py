"""Who is blamed for crashes, and who is not: no host, no clock."""

from __future__ import annotations

import pytest
from callboard.actors.endpoint.crash_attribution import CrashAttribution, InFlight, QuarantinePolicy, Suspect

POLICY = QuarantinePolicy(crashes=3, seconds=60.0)


def crashes(blame, *in_flight, now=0.0, several=True, first=1):
    """Let the host crash once with each of the groups in flight; returns all that is blamed."""
    blamed = []
    for generation, calls in enumerate(in_flight, first):
        for call in calls if isinstance(calls, list) else [calls]:
            blamed += blame.lost(generation, call, now, several=several)
    return blamed


def flight(tool="t", digest="d", state=1):
    return InFlight(tool, digest, state)


def test_the_very_same_arguments_at_three_crashes_are_blamed_and_nothing_else():
    blame = CrashAttribution(POLICY)

    assert crashes(blame, *[flight()] * 3) == [Suspect("arguments", "d")]


def test_two_crashes_are_not_enough():
    assert crashes(CrashAttribution(POLICY), flight(), flight()) == []


def test_a_tool_among_others_is_blamed_when_its_arguments_differ():
    in_flight = [flight(digest=str(n), state=n) for n in range(3)]

    assert crashes(CrashAttribution(POLICY), *in_flight) == [Suspect("tool", "t")]
    assert crashes(CrashAttribution(POLICY), *in_flight, several=False) == []


def test_a_state_is_blamed_when_tools_and_arguments_differ():
    in_flight = [flight(tool=str(n), digest=str(n)) for n in range(3)]

    assert crashes(CrashAttribution(POLICY), *in_flight) == [Suspect("state", 1)]


def test_a_neighbour_that_was_lost_too_is_not_blamed():
    blame = CrashAttribution(POLICY)
    poison = flight("bad", "poison", state=7)
    in_flight = [[flight(f"good{n}", f"d{n}", state=n), poison] for n in range(3)]

    assert crashes(blame, *in_flight) == [Suspect("arguments", "poison")]
    assert blame.refuses("good2", "d2", 0.0) is None
    assert blame.refuses("bad", "other", 0.0) is None
    assert blame.refuses("bad", "poison", 20.0) == (Suspect("arguments", "poison"), 40.0)


@pytest.mark.parametrize("cleared", [flight(), flight(tool="other"), flight(state=9, tool="other")])
def test_one_good_end_in_between_clears_the_arguments(cleared):
    blame = CrashAttribution(POLICY)
    crashes(blame, flight(), flight())
    blame.ended_well(cleared)

    assert Suspect("arguments", "d") not in crashes(blame, flight(), first=3)


def test_a_good_end_of_other_arguments_clears_no_poison():
    blame = CrashAttribution(POLICY)
    crashes(blame, flight(), flight())
    blame.ended_well(flight(digest="harmless"))

    assert crashes(blame, flight(), first=3) == [Suspect("arguments", "d")]


def test_quarantine_ends_with_its_time_and_by_pardon():
    blame = CrashAttribution(POLICY)
    crashes(blame, *[flight()] * 3)

    assert blame.expired(59.0) == []
    assert blame.expired(60.0) == [Suspect("arguments", "d")]
    crashes(blame, *[flight()] * 3, first=4)
    assert blame.inside() == [Suspect("arguments", "d")]
    blame.pardon()
    assert blame.inside() == []
    assert not blame.watchful
    assert blame.refuses("t", "d", 0.0) is None


def test_who_is_in_quarantine_is_told_with_the_time_that_is_left():
    blame = CrashAttribution(POLICY)
    crashes(blame, *[flight()] * 3)

    assert blame.as_list(20.0) == [{"kind": "arguments", "which": "d", "seconds": 40.0}]
    assert blame.as_list(60.0) == []


def test_nobody_is_watched_until_something_crashed():
    assert not CrashAttribution(POLICY).watchful


@pytest.mark.parametrize("wrong", [{"crashes": 1}, {"seconds": 0}])
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        QuarantinePolicy(**wrong)


@pytest.mark.parametrize("several", [False, True])
def test_without_quarantine_nothing_is_confined_and_a_deadly_state_is_blamed_all_the_same(several):
    in_flight = [flight(digest=str(n)) for n in range(3)]
    blame = CrashAttribution(POLICY, confines=False)

    blamed = crashes(blame, *in_flight, several=several)

    assert blamed == [Suspect("state", 1)]
    assert not blame.confining
    assert blame.refuses("t", "2", 0.0) is None


def test_without_quarantine_the_very_same_arguments_are_still_a_closer_cause_than_the_state():
    blame = CrashAttribution(POLICY, confines=False)

    assert crashes(blame, *[flight()] * 6) == []
    assert not blame.confining
