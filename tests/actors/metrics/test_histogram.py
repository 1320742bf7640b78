"""Durations in buckets: nothing is lost, and estimates are right as to the bucket."""

from __future__ import annotations

import itertools
from bisect import bisect_left

import pytest
from callboard.actors.metrics.calls import BOUNDS, Histogram, merged
from hypothesis import given
from hypothesis import strategies as st

DURATIONS = st.lists(st.floats(0, 5000, allow_nan=False), min_size=1)


def of(*durations):
    histogram = Histogram()
    for seconds in durations:
        histogram.add(seconds)
    return histogram


def test_bounds_are_on_a_logarithmic_scale_from_ten_microseconds_to_a_thousand_seconds():
    steps = {round(upper / lower, 3) for lower, upper in itertools.pairwise(BOUNDS)}

    assert (BOUNDS[0], BOUNDS[-1], len(BOUNDS)) == (1e-05, 1000.0, 25)
    assert steps == {2.0, 2.5}


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [(-1.0, "1e-05"), (0.0, "1e-05"), (1e-05, "1e-05"), (1.1e-05, "2e-05"), (0.002, "0.002"), (1.0, "1.0"), (1000.0, "1000.0"), (1000.1, "inf")],
)  # fmt: skip
def test_a_duration_is_in_the_first_bucket_whose_bound_it_does_not_exceed(seconds, bucket):
    assert of(seconds).as_dict()["buckets"] == {bucket: 1}


def test_nothing_has_no_percentiles():
    assert of().as_dict() == {
        "count": 0, "sum": 0.0, "max": 0.0, "p50": None, "p95": None, "p99": None, "buckets": {},
    }  # fmt: skip


def test_percentiles_of_a_hundred_durations_are_near_to_what_they_are():
    durations = of(*(number / 100 for number in range(1, 101)))

    told = durations.as_dict()

    assert told["count"] == 100
    assert told["sum"] == 50.5
    assert told["p50"] == pytest.approx(0.5, rel=0.05)
    assert told["p95"] == pytest.approx(0.95, rel=0.05)
    assert told["p99"] == pytest.approx(0.99, rel=0.05)
    assert told["max"] == 1.0


@given(DURATIONS, st.floats(0, 1))
def test_a_percentile_lies_in_the_bucket_of_the_duration_that_it_estimates(durations, share):
    histogram = of(*durations)
    exact = sorted(durations)[max(0, -int(-share * len(durations) // 1) - 1)]

    estimate = histogram.percentile(share)

    index = bisect_left(BOUNDS, exact)
    lower = BOUNDS[index - 1] if index else 0.0
    assert lower <= estimate <= (BOUNDS[index] if index < len(BOUNDS) else max(durations)) * 1.000001
    assert estimate <= max(durations)


@given(DURATIONS)
def test_every_duration_is_counted_once(durations):
    told = of(*durations).as_dict()

    assert told["count"] == sum(told["buckets"].values()) == len(durations)
    assert told["sum"] == pytest.approx(sum(durations), abs=1e-5)
    assert told["max"] == pytest.approx(max(durations), abs=1e-5)


@given(DURATIONS)
def test_percentiles_do_not_fall(durations):
    told = of(*durations).as_dict()

    assert 0 <= told["p50"] <= told["p95"] <= told["p99"] <= told["max"]


@given(DURATIONS, DURATIONS)
def test_merging_is_the_same_as_counting_in_one(some, others):
    together, whole = of(*some, *others).as_dict(), merged([of(*some), of(*others)]).as_dict()

    assert whole.pop("sum") == pytest.approx(together.pop("sum"))
    assert whole == together
