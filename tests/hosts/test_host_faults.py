from __future__ import annotations

import os
import signal
import time

import pytest
from callboard.hosts.errors import (
    HostGone,
    ProtocolBreach,
)
from callboard.hosts.process.stop_ladder import KILL_NOW
from callboard.hosts.protocol.blocking_request import ask
from evil_hosts import ANSWER, PART, PATIENCE, UNHURRIED, OwnerEar, evil, running, says, sent
from leaks import alive, no_leaks


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


# Broken protocol


@pytest.mark.parametrize(
    "noise",
    [
        "a print",
        '{"json": "that is no message"}',
        '{"v":1,"id":"never-asked","ok":true,"result":{}}',
        '{"v":1,"id":"ID","event":{"type":"progress","payload":1}}',
        "",
    ],
)
def test_noise_on_stdout_harms_nobody(noise):
    with running(says(noise, PART, noise, ANSWER, noise)) as (host, _):
        (owner,) = sent(host, "c")
        owner.wait("answer")

        assert owner.kinds() == ["part", "answer"]
        assert ask(host, "again", {}, PATIENCE) == ("fine", None)


def test_what_is_printed_is_told_and_counted():
    with running(says("one", "two", ANSWER)) as (host, ear):
        ask(host, "execute_tool", {}, PATIENCE)

        assert ear.of("stray") == [("one",), ("two",)]
        assert host.counts == {"stray": 2}


def test_a_second_answer_is_dropped_and_counted():
    with running(says(ANSWER, ANSWER.replace("fine", "again"), PART)) as (host, _):
        (first,) = sent(host, "c")
        (second,) = sent(host, "d")
        second.wait("answer")

        assert first.entries == [("answer", "fine", None)]
        assert host.counts["duplicate"] >= 1


def test_a_misshapen_answer_ends_its_own_request_and_the_host_goes_on():
    with running(says('{"v":1,"id":"ID","ok":true,"result":"bare"}')) as (host, ear):
        (owner,) = sent(host, "c")

        assert owner.wait("breach") == [("wrong_shape", "'result' of an answer is not an object")]
        with pytest.raises(ProtocolBreach, match="not an object") as caught:
            ask(host, "execute_tool", {}, PATIENCE)
        assert caught.value.reason == "wrong_shape"
        assert ear.kinds() == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (evil("says_at_last", "3", PART, '{"v":2,"id":"ID","ok":true,"result":{}}', ANSWER), "wrong_version"),
        (evil("says_at_last", "3", PART, '{"v":1,"id":null,"ok":true,"result":{}}', ANSWER), "wrong_shape"),
        (evil("says_at_last", "3", PART, "x" * 5000, ANSWER), "line_too_long"),
        (evil("endless_line", "3"), "line_too_long"),
    ],
)
def test_a_host_that_cannot_be_believed_is_ended_and_everybody_hears_why(command, reason):
    with running(command, max_line=4000) as (host, ear):
        owners = sent(host, "c", "d", "e")
        ended = ear.ended()
        ear.wait("gone")

        for owner in owners:
            assert owner.kinds()[-1] == "breach"
            assert set(owner.kinds()[:-1]) <= {"part"}
            assert owner.of("breach")[0][0] == reason
        assert ended.breach == reason
        assert ended.exit.signal in {signal.SIGTERM, signal.SIGKILL}
        assert ended.report.cause == owners[0].of("breach")[0][1]
        with pytest.raises(HostGone):
            sent(host, "f")


def test_who_gave_up_on_a_host_that_cannot_be_believed_hears_only_that_it_is_over():
    with running(evil("endless_line", "2"), max_line=4000) as (host, ear):
        gave_up = OwnerEar("gave up")
        host.abandon(host.send("execute_tool", {}, gave_up))
        sent(host, "c")
        ear.ended()

    assert gave_up.kinds() == ["released"]


def test_nothing_is_sent_to_a_host_that_is_not_believed_any_more():
    answers = []

    def try_again(_told):
        with pytest.raises(HostGone) as caught:
            sent(host, "again")
        answers.append(caught.value)

    with running(evil("endless_line", "1"), max_line=4000) as (host, ear):
        host.send("execute_tool", {}, OwnerEar(hook=try_again))
        ear.ended()

    assert len(answers) == 1


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_host_that_there_is_no_talking_to_any_more_is_ended(stream):
    with running(evil(f"closes_{stream}")) as (host, ear):
        if stream == "stdin":
            ear.wait("stray")
            os.kill(host.pid, signal.SIGUSR1)
            ear.wait("stray", 2)
            with pytest.raises(HostGone):
                sent(host, "c")
        else:
            (owner,) = sent(host, "c")
            owner.wait("lost")

        assert ear.ended().breach == f"{stream}_closed"
        assert ear.ended().report.cause == f"it closed its {stream} and lived on"


# The end


def test_parts_that_came_before_a_crash_are_delivered_before_it_is_told():
    with running(evil("says_then_exits", "3", PART, PART, "")) as (host, ear):
        (owner,) = sent(host, "c")
        (report,) = owner.wait("lost")[0]

        assert owner.kinds() == ["part", "part", "lost"]
        assert (report.host, report.generation, report.code, report.signal) == ("evil", 1, 3, None)
        assert report.in_flight == ("c",)
        assert ear.ended().report is report


@pytest.mark.parametrize("status", [0, 1])
def test_an_answer_that_beat_the_crash_counts(status):
    with running(evil("says_then_exits", str(status), ANSWER, "")) as (host, ear):
        (owner,) = sent(host, "c")
        ear.ended()

        assert owner.entries == [("answer", "fine", None)]
        assert ear.ended().report.in_flight == ()


def test_half_an_answer_is_none_and_its_beginning_is_in_the_report():
    with running(evil("says_then_exits", "0", ANSWER[:-6])) as (host, ear):
        (owner,) = sent(host, "c")
        (report,) = owner.wait("lost")[0]

        assert owner.kinds() == ["lost"]
        assert report.stderr.startswith('[unfinished stdout line: {"v":1,"id":"1-1","ok":true')
        assert "in the middle of a message" in report.cause
        assert ear.ended().exit.code == 0


def test_the_last_words_and_the_probable_cause_are_in_the_report():
    with running(evil("raises"), generation=4) as (host, _):
        (owner,) = sent(host, "c")
        (report,) = owner.wait("lost")[0]

    assert report.stderr.endswith("RuntimeError: nothing caught this")
    assert report.cause == "an error that nothing caught: RuntimeError: nothing caught this"
    assert report.generation == 4
    assert report.summary == f"host 'evil' (generation 4) ended: exit code 1; {report.cause}"


def test_a_crash_is_told_to_those_who_waited_and_to_those_who_gave_up():
    with running(evil("never_reads")) as (host, ear):
        waiting, gone = OwnerEar("waiting"), OwnerEar("gave up")
        host.send("execute_tool", {}, waiting)
        host.abandon(host.send("execute_tool", {}, gone))
        os.kill(host.pid, signal.SIGKILL)

        assert ear.ended().report.in_flight == ("waiting",)
        assert (waiting.kinds(), gone.kinds()) == (["lost"], ["lost"])


def test_who_asks_hears_of_the_end_with_the_crash_report():
    command = evil("dies_by_signal", "9")

    with running(command) as (host, _), pytest.raises(HostGone, match="signal SIGKILL") as caught:
        ask(host, "execute_tool", {}, PATIENCE)

    assert caught.value.report["signal"] == 9
    assert caught.value.report["in_flight"] == ["execute_tool"]


def test_the_end_is_told_once_and_the_tree_last():
    with running(evil("echoes")) as (host, ear):
        host.stop("not needed", UNHURRIED)
        host.stop("not needed", KILL_NOW)
        ear.wait("gone")
        host.stop("too late", KILL_NOW)

    assert ear.kinds() == ["ended", "gone"]
    assert ear.ended().exit.stop_reason == "not needed"
    assert ear.of("gone") == [([],)]


def test_a_crash_is_told_at_once_though_a_child_holds_stdout():
    with running(evil("leaves_a_child", "session")) as (host, ear):
        (owner,) = sent(host, "c")
        ((child,),) = owner.wait("part")
        os.kill(host.pid, signal.SIGKILL)
        began = time.monotonic()
        owner.wait("lost")
        took = time.monotonic() - began
        ear.wait("gone")

        assert took < 1.0
        assert not alive(child)
