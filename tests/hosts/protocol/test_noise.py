"""Of what comes without end a sample is told, and nothing is forgotten."""

from __future__ import annotations

from callboard.hosts.protocol.noise import INTERVAL, MOST, Sample
from hypothesis import example, given
from hypothesis import strategies as st

moments = st.lists(
    st.tuples(st.integers(1, 10_000), st.sampled_from((0.0, 0.0, 0.001, 0.4, INTERVAL, 7.0))), max_size=400
)


def told(news):
    """The time of each news, and how many it was told for."""
    sample, now, heard = Sample(), 0.0, []
    for count, later in news:
        now += later
        heard.append((now, sample.take(count, now)))
    return heard, sample.rest()


@given(moments)
def test_what_is_told_adds_up_to_all_that_came(news):
    heard, rest = told(news)

    assert sum(count for _, count in heard) + rest == sum(count for count, _ in news)


@given(moments)
@example([(1, 0.0)] * (3 * MOST))
@example([(1, 0.001)] * (3 * MOST))
def test_no_interval_has_more_than_so_many_twice_over(news):
    heard, _ = told(news)
    times = [now for now, count in heard if count]

    for start in times:
        assert sum(start <= now < start + INTERVAL for now in times) <= 2 * MOST


def test_what_comes_now_and_then_is_told_one_by_one():
    heard, rest = told([(1, 0.05)] * 200)

    assert ([count for _, count in heard], rest) == ([1] * 200, 0)
