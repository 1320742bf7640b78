"""The last frames of a host are kept, in little room, and told without its secrets."""

from __future__ import annotations

import json

import pytest
from callboard.hosts.limits.limits import MAX_FRAMES
from callboard.hosts.process.process import Command
from callboard.hosts.report.flight_recorder import FRAME_BYTES, FlightRecorder
from callboard.hosts.report.redaction import Redactor
from evil_hosts import ANSWER, OwnerEar, evil, running, says, sent
from hypothesis import given
from hypothesis import strategies as st

PLAIN = Redactor()


def ticking():
    """A clock that goes on by half a second each time it is looked at."""
    times = iter(range(10_000))
    return lambda: 100 + next(times) / 2


def test_frames_are_told_in_order_with_direction_time_and_size():
    recorder = FlightRecorder(8, ticking())

    recorder.sent(b'{"v":1}\n')
    recorder.received(b'{"v":1,"ok":true}')

    assert recorder.dump(PLAIN) == (
        {"direction": "sent", "at": 0.5, "size": 8, "text": '{"v":1}'},
        {"direction": "received", "at": 1.0, "size": 17, "text": '{"v":1,"ok":true}'},
    )


def test_only_the_last_frames_are_kept():
    recorder = FlightRecorder(3, ticking())

    for n in range(10):
        recorder.received(b"%d" % n)

    assert [frame["text"] for frame in recorder.dump(PLAIN)] == ["7", "8", "9"]


def test_there_is_an_end_to_what_can_be_kept():
    recorder = FlightRecorder(10**9, ticking())

    for _ in range(MAX_FRAMES + 1):
        recorder.sent(b"x")

    assert len(recorder.dump(PLAIN)) == MAX_FRAMES


def test_of_a_long_frame_only_the_beginning_is_kept():
    recorder = FlightRecorder(3, ticking())

    recorder.sent(b"x" * 1_000_000)

    (frame,) = recorder.dump(PLAIN)
    assert frame["size"] == 1_000_000
    assert frame["text"] == "x" * FRAME_BYTES + "…"


@given(st.lists(st.binary(max_size=3 * FRAME_BYTES), max_size=8), st.text(min_size=4, max_size=9))
def test_a_dump_is_bounded_json_whatever_was_sent(frames, secret):
    recorder = FlightRecorder(4, ticking())
    for frame in frames:
        recorder.received(frame)

    dumped = recorder.dump(Redactor([secret]))

    assert len(dumped) == min(len(frames), 4)
    assert all(len(frame["text"]) <= FRAME_BYTES + 1 for frame in dumped)
    json.dumps(dumped).encode()


def test_a_crash_report_has_the_last_messages_both_ways():
    with running(says(ANSWER)) as (host, ear):
        (owner,) = sent(host, "call-1")
        owner.wait("answer")
        host.stop("enough")
        frames = ear.ended().report.as_dict()["frames"]

    assert [frame["direction"] for frame in frames] == ["sent", "received"]
    assert json.loads(frames[0]["text"])["method"] == "execute_tool"
    assert json.loads(frames[1]["text"])["result"] == {"value": "fine"}
    assert 0 <= frames[0]["at"] <= frames[1]["at"] < 60


def test_nothing_is_kept_when_nothing_is_asked_for():
    with running(says(ANSWER), flight_recorder=0) as (host, ear):
        (owner,) = sent(host, "call-1")
        owner.wait("answer")
        host.stop("enough")

        assert ear.ended().report.frames == ()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raises", ["hunter2hunter2"]),
        ("says_then_exits", ["1", "hunter2hunter2\n"]),
        ("says_then_exits", ["1", ANSWER.replace("fine", "hunter2hunter2") + "\n"]),
        ("says_then_exits", ["1", ANSWER.replace("fine", "hunter2hunter2")]),
        ("says_then_exits", ["1", '{"v":1,"id":"ID","ok":true,"result":"hunter2hunt']),
    ],
)
def test_a_report_has_none_of_the_secrets_that_the_host_was_given(program, words):
    plain = evil(program, *words)
    command = Command(plain.argv, {**plain.env, "API_KEY": "hunter2hunter2"})
    with running(command) as (host, ear):
        host.send("execute_tool", {"arguments": {"password": "another"}}, OwnerEar())
        report = json.dumps(ear.ended().report.as_dict())

    assert "***" in report
    assert "hunter2" not in report
    assert "another" not in report
