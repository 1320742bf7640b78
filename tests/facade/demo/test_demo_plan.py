"""What the demonstration asks of its tools: the same for a seed, and in formats that a board reads."""

from __future__ import annotations

from random import Random

import pytest
from callboard.chaos.load.requests import quotas
from callboard.cli.demo.summary import options
from callboard.demo.demonstration import demonstration
from callboard.demo.plan import FEWEST_CALLS, LANES
from callboard.interop.default_registry import compose_registry


@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_the_same_seed_asks_the_same(lane):
    def asked(seed):
        chance, source = Random(seed), lane.source()
        return [source.draw(chance) for _ in range(50)]

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("lane", LANES, ids=lambda lane: lane.name)
def test_a_call_is_written_in_a_format_that_the_board_reads(lane, number):
    request = lane.request(number, Random(1))

    inspected = compose_registry(()).inspect_call({"id": "1", "call_id": "1", **request.wire})

    assert (inspected.tool_name, inspected.payload["n"]) == (lane.tool, number)


@pytest.mark.parametrize("calls", [FEWEST_CALLS, 400, 9_999])
def test_all_calls_but_one_to_each_plugin_are_made_before_the_end(calls):
    trial = demonstration(calls, None, 1, 1)

    assert trial.plan.calls == calls - len(LANES)
    assert min(quotas(trial.plan.calls, [lane.name for lane in LANES]).values()) >= 1


@pytest.mark.parametrize(
    ("calls", "seconds", "told"),
    [(10, None, "--calls 10 --kills 2 --seed 3"), (None, 1.5, "--seconds 1.5 --kills 2 --seed 3")],
)
def test_a_plan_tells_the_options_that_make_it_again(calls, seconds, told):
    assert options(demonstration(calls, seconds, 2, 3).plan) == told
