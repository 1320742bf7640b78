"""What a generation may use: sizes, verdicts, and the option as it is written."""

from __future__ import annotations

import pytest
from callboard.hosts.limits.limits import Exceeded, Limits, judge, read_limits, size_in_bytes
from callboard.hosts.report.oom import counters, find_counter, killed_for_memory, kills_in
from hypothesis import given
from hypothesis import strategies as st

MB = 1 << 20

IDLE = {"rss": 50 * MB, "cpu_seconds": 1.0, "descriptors": 20, "busy": False}


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        (4096, 4096),
        ("4096", 4096),
        ("64k", 64 << 10),
        ("256MB", 256 * MB),
        ("256 MiB", 256 * MB),
        ("1.5 gb", 3 << 29),
        ("10b", 10),
    ],
)
def test_a_size_is_a_number_or_a_text_with_a_unit(said, bytes_):
    assert size_in_bytes(said) == bytes_


@pytest.mark.parametrize("said", ["", "MB", "-1MB", "12 parsecs", True, None, 1.5, "1 TB"])
def test_anything_else_is_no_size(said):
    with pytest.raises(ValueError, match="no size"):
        size_in_bytes(said)


@pytest.mark.parametrize(
    ("limits", "used", "verdict"),
    [
        (Limits(), {"rss": 99999 * MB, "cpu_seconds": 1e9, "descriptors": 10**6}, None),
        (Limits(memory=100 * MB), {"rss": 100 * MB}, None),
        (Limits(memory=100 * MB), {"rss": 100 * MB + 1}, ("memory", False)),
        (Limits(memory=100 * MB), {"rss": 200 * MB}, ("memory", False)),
        (Limits(memory=100 * MB), {"rss": 200 * MB + 1}, ("memory_hard", True)),
        (Limits(memory_hard=100 * MB), {"rss": 101 * MB}, ("memory_hard", True)),
        (Limits(memory=100 * MB, memory_hard=110 * MB), {"rss": 111 * MB}, ("memory_hard", True)),
        (Limits(cpu_seconds=2.0), {"cpu_seconds": 2.0}, None),
        (Limits(cpu_seconds=2.0), {"cpu_seconds": 2.1}, ("cpu_seconds", False)),
        (Limits(cpu_seconds=2.0), {"cpu_seconds": 2.1, "busy": True}, ("cpu_seconds", True)),
        (Limits(descriptors=20), {"descriptors": 21, "busy": True}, ("descriptors", False)),
        (Limits(memory=10 * MB, cpu_seconds=0.5), {"busy": True}, ("memory_hard", True)),
        (Limits(memory=40 * MB, cpu_seconds=0.5), {"busy": True}, ("cpu_seconds", True)),
    ],
)
def test_the_verdict_on_what_was_used(limits, used, verdict):
    exceeded = judge(limits, **(IDLE | used))

    assert verdict == (None if exceeded is None else (exceeded.limit, exceeded.hard))


def test_the_cause_names_the_limit_its_value_and_the_measure():
    exceeded = Exceeded("memory_hard", 256 * MB, 300 * MB, hard=True)

    assert exceeded.cause == "its limit 'memory_hard' of 256 MB is passed: it holds 300 MB"
    assert Exceeded("calls", 1000, 1000).cause == "its limit 'calls' of 1,000 is passed: it was given 1,000"


@given(st.floats(0, 1, exclude_max=True), st.floats(0, 1))
def test_jitter_makes_age_and_calls_larger_and_never_by_more_than_said(chance, jitter):
    drawn = Limits(age=10.0, calls=100, memory=MB, jitter=jitter).drawn(lambda: chance)

    assert drawn.age is not None
    assert drawn.calls is not None
    assert 10.0 <= drawn.age <= 10.0 * (1 + jitter)
    assert 100 <= drawn.calls <= 100 * (1 + jitter) + 0.5
    assert drawn.memory == MB


def test_only_limits_on_what_a_process_holds_need_a_look_at_it():
    assert not Limits(age=1.0, calls=1).sampled
    assert Limits(memory=1).sampled
    assert Limits(memory_hard=1).sampled
    assert Limits(cpu_seconds=1).sampled
    assert Limits(descriptors=1).sampled


def test_the_option_is_read_with_its_units():
    read = read_limits({"memory": "256MB", "calls": 1000, "age": 3600, "overlap": False, "drain": None})

    assert read == Limits(memory=256 * MB, calls=1000, age=3600.0, overlap=False)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"memory": "much"}, "'memory': 'much' is no size"),
        ({"memory": 0}, "'memory' is 0; it has to be more than 0"),
        ({"memory": "256"}, "'memory' is 256 bytes, and no host is that small; give a unit, as in '256MB'"),
        ({"memory": "20MB", "memory_hard": "10MB"}, "'memory_hard' is below 'memory'"),
        ({"calls": 1.5}, "'calls' is 1.5; it has to be a whole number"),
        ({"age": "long"}, "'age' is 'long'; it has to be a number"),
        ({"age": -1}, "'age' is -1"),
        ({"jitter": 2}, "'jitter' is 2"),
        ({"drain": -1}, "'drain' is -1"),
        ({"overlap": 1}, "'overlap' is 1; it has to be true or false"),
    ],
)
def test_what_is_wrong_with_the_option_is_said_by_key(given_, said):
    with pytest.raises(ValueError, match=said):
        read_limits(given_)


def test_the_count_of_kills_for_memory_is_found_in_both_versions_of_control_groups(tmp_path):
    assert counters("0::/a/b\n", tmp_path) == [tmp_path / "a/b/memory.events"]
    assert counters("4:cpu,memory:/x\n1:name=systemd:/\n", tmp_path)[0] == (
        tmp_path / "memory/x/memory.oom_control"
    )


def test_the_count_is_looked_for_where_our_group_is(tmp_path):
    membership = tmp_path / "cgroup"
    membership.write_text("0::/group\n")

    missing = find_counter(membership, tmp_path)
    events = tmp_path / "group" / "memory.events"
    events.parent.mkdir()
    events.write_text("low 0\noom 3\noom_kill 2\n")

    assert missing is None
    assert find_counter(membership, tmp_path) == events
    assert find_counter(tmp_path / "nowhere", tmp_path) is None


def test_the_count_is_one_line_of_many():
    assert kills_in("low 0\noom 3\noom_kill 2\noom_group_kill 1\n") == 2
    assert kills_in("oom_kill_disable 0\nunder_oom 0\n") is None


@pytest.mark.parametrize(("before", "after", "said"), [(1, 2, True), (1, 1, False), (None, 2, None)])
def test_a_count_that_grew_is_a_kill_for_memory(before, after, said):
    assert killed_for_memory(before, after) is said
