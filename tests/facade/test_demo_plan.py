"""What the demonstration asks of its tools: the same for a seed, and never more than the kills allow."""

from __future__ import annotations

import pytest
from callboard.demo.plan import FEWEST_CALLS, LANES, Plan
from callboard.interop.default_registry import compose_registry
from hypothesis import given
from hypothesis import strategies as st

calls = st.integers(FEWEST_CALLS, 5000)
kills = st.integers(0, 200)


def a_plan(calls=1000, kills=10, seed=1):
    return Plan(calls, None, kills, seed)


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_the_same_seed_asks_the_same(lane):
    def asked(seed):
        chance = a_plan(seed=seed).chance(lane.name)
        return [lane.make(n, chance) for n in range(1, 50)]

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@given(calls, kills)
def test_the_lanes_make_all_calls_but_one_for_each_host(calls, kills):
    plan = a_plan(calls, kills)

    assert sum(plan.quota(lane) for lane in LANES) == calls - sum(lane.hosted for lane in LANES)
    assert [plan.allowed(lane, kills) for lane in LANES] == [plan.quota(lane) for lane in LANES]


@given(calls, kills)
def test_every_kill_is_reached_by_the_calls_that_may_be_made_before_it(calls, kills):
    plan = a_plan(calls, kills)
    flow = sum(plan.quota(lane) for lane in LANES)

    for done, due in enumerate(plan.kills_due()):
        assert sum(plan.allowed(lane, done) for lane in LANES) >= due * flow


@given(kills)
def test_kills_come_one_after_the_other_and_end_before_the_end(kills):
    due = a_plan(kills=kills).kills_due()

    assert list(due) == sorted(due)
    assert all(0 < time < 1 for time in due)
    assert len(due) == kills


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_a_call_is_written_in_a_format_that_the_board_reads(lane, number):
    request = lane.make(number, a_plan().chance(lane.name))

    inspected = compose_registry(()).inspect_call(lane.wire(request))

    assert (inspected.tool_name, inspected.payload) == (lane.tool, request.arguments)
    assert inspected.call_id == f"{lane.name}-{number}"


@pytest.mark.parametrize(("calls", "seconds"), [(None, None), (10, 1.0)])
def test_a_plan_is_for_calls_or_for_seconds(calls, seconds):
    with pytest.raises(ValueError, match="one of them"):
        Plan(calls, seconds, 1, 1)


def test_a_plan_tells_the_options_that_make_it_again():
    assert Plan(10, None, 2, 3).options == "--calls 10 --kills 2 --seed 3"
    assert Plan(None, 1.5, 2, 3).options == "--seconds 1.5 --kills 2 --seed 3"
