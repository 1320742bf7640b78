from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from callboard.hosts.errors import (
    HostGone,
    HostStartError,
    HostTimeout,
    ProtocolBreach,
    RemoteError,
    RequestTooLarge,
)
from callboard.hosts.host import Host
from callboard.hosts.ladder import KILL_NOW, StopLadder
from callboard.hosts.process import Command
from callboard.plugins.errors import JsonValueError
from evil_hosts import PATIENCE, HostEar, OwnerEar, evil, running, says
from leaks import alive, no_leaks

ANSWER = '{"v":1,"id":"ID","ok":true,"result":{"value":"fine"}}'
PART = '{"v":1,"id":"ID","event":{"type":"part","payload":"so far"}}'
POLITE = StopLadder(polite=PATIENCE, firm=PATIENCE)


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


def sent(host, *call_ids):
    owners = [OwnerEar(call_id) for call_id in call_ids]
    for owner in owners:
        host.send("execute_tool", {}, owner)
    return owners


# Answers


def test_an_answer_reaches_the_owner_of_its_request():
    with running(evil("echoes")) as (host, _):
        owner = OwnerEar()
        host.send("execute_tool", {"arguments": {"text": "é😀"}}, owner)

        assert owner.wait("answer") == [({"arguments": {"text": "é😀"}}, None)]


def test_parts_come_before_the_answer_and_all_of_them():
    with running(says(PART, PART, ANSWER)) as (host, _):
        (owner,) = sent(host, "c")
        owner.wait("answer")

        assert owner.entries == [("part", "so far"), ("part", "so far"), ("answer", "fine", None)]


def test_many_requests_at_once_each_get_their_own_answer():
    with running(evil("echoes")) as (host, _):
        owners = [OwnerEar(str(number)) for number in range(200)]
        threads = [
            threading.Thread(target=lambda start=start: [
                host.send("execute_tool", {"n": number}, owners[number]) for number in range(start, 200, 4)
            ])
            for start in range(4)
        ]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        for number, owner in enumerate(owners):
            assert owner.wait("answer") == [({"n": number}, None)]


def test_a_large_request_and_its_answer_go_through():
    with running(evil("echoes")) as (host, _):
        value, _ = host.ask("execute_tool", {"text": "x" * 5_000_000}, PATIENCE)

    assert value == {"text": "x" * 5_000_000}


def test_a_program_can_ask_and_wait():
    with running(says('{"v":1,"id":"ID","ok":true,"result":{"value":7,"state":{"n":1}}}')) as (host, _):
        assert host.ask("init", {}, PATIENCE) == (7, {"n": 1})


def test_a_remote_error_is_raised_with_what_the_host_said_of_it():
    error = '{"type":"TypeError","detail":"no","stack":"at x","phase":"load"}'
    command = says(f'{{"v":1,"id":"ID","ok":false,"error":{error}}}')

    with running(command) as (host, _), pytest.raises(RemoteError, match="TypeError: no") as caught:
        host.ask("init", {}, PATIENCE)

    assert (caught.value.type, caught.value.detail, caught.value.stack) == ("TypeError", "no", "at x")
    assert caught.value.phase == "load"


def test_who_asks_does_not_wait_for_ever_and_the_late_answer_is_dropped():
    with running(evil("answers_late")) as (host, _):
        with pytest.raises(HostTimeout, match=r"did not answer init within 0.05 s"):
            host.ask("init", {}, 0.05)
        (owner,) = sent(host, "next")
        sent(host, "one more")
        owner.wait("answer")

        assert host.counts == {"late": 2}


# Giving up


def test_an_owner_that_gave_up_hears_only_that_it_is_over():
    with running(evil("answers_late")) as (host, _):
        owner = OwnerEar()
        request_id = host.send("execute_tool", {}, owner)

        assert host.abandon(request_id)
        sent(host, "the next one")
        owner.wait("released")

    assert owner.kinds() == ["released"]


def test_what_has_ended_cannot_be_given_up():
    with running(evil("echoes")) as (host, _):
        owner = OwnerEar()
        request_id = host.send("execute_tool", {}, owner)
        owner.wait("answer")

        assert host.abandon(request_id) is False


# What is not sent


def test_a_request_beyond_the_limit_is_not_sent_and_harms_nobody():
    with running(evil("echoes"), max_line=1000) as (host, _):
        owner = OwnerEar()
        with pytest.raises(RequestTooLarge) as caught:
            host.send("execute_tool", {"text": "x" * 2000}, owner)

        assert caught.value.size > caught.value.limit == 1000
        assert "max_line_bytes" in str(caught.value)
        assert host.ask("execute_tool", {}, PATIENCE) == ({}, None)
        assert owner.entries == []


def test_a_request_that_is_no_json_is_not_sent_and_harms_nobody():
    with running(evil("echoes")) as (host, _):
        with pytest.raises(JsonValueError, match="arguments"):
            host.send("execute_tool", {"arguments": float("nan")}, OwnerEar())

        assert host.ask("execute_tool", {}, PATIENCE) == ({}, None)


def test_nothing_is_sent_to_a_host_that_has_ended():
    with running(evil("echoes")) as (host, ear):
        host.stop("not needed", POLITE)
        ear.wait("gone")
        owner = OwnerEar()

        with pytest.raises(HostGone) as caught:
            host.send("execute_tool", {}, owner)

    assert caught.value.report is None
    assert owner.entries == []


@pytest.mark.parametrize("turn", range(10))
def test_a_request_that_meets_the_end_of_the_host_ends_exactly_once(turn):
    with running(evil("says_then_exits", "0")) as (host, ear):
        owners, refused = [], 0
        sent(host, "the one that ends it")
        while not refused:
            owner = OwnerEar()
            try:
                host.send("execute_tool", {}, owner)
                owners.append(owner)
            except HostGone:
                refused += 1
                assert owner.entries == []
        ear.wait("ended")

        for owner in owners:
            assert owner.kinds() == ["lost"]


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
        assert host.ask("again", {}, PATIENCE) == ("fine", None)


def test_what_is_printed_is_told_and_counted():
    with running(says("one", "two", ANSWER)) as (host, ear):
        host.ask("execute_tool", {}, PATIENCE)

        assert ear.of("stray") == [(b"one",), (b"two",)]
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
            host.ask("execute_tool", {}, PATIENCE)
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
    assert report.cause == "an exception that nothing caught"
    assert report.generation == 4
    assert report.summary == "host 'evil' (generation 4) ended: exit code 1; an exception that nothing caught"


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
        host.ask("execute_tool", {}, PATIENCE)

    assert caught.value.report["signal"] == 9
    assert caught.value.report["in_flight"] == ["execute_tool"]


def test_the_end_is_told_once_and_the_tree_last():
    with running(evil("echoes")) as (host, ear):
        host.stop("not needed", POLITE)
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


# Owners and listeners that fail


@pytest.mark.parametrize("kind", ["part", "answer"])
def test_an_owner_that_fails_costs_nobody_else_an_answer(kind, caplog):
    def fail(told):
        if told == kind:
            raise RuntimeError("a bug")

    with running(says(PART, ANSWER)) as (host, ear):
        host.send("execute_tool", {}, OwnerEar("failing", fail))
        (owner,) = sent(host, "c")
        owner.wait("answer")

        assert ear.kinds() == []
        assert "a bug" in caplog.text


def test_an_owner_that_fails_on_a_crash_costs_nobody_the_news(caplog):
    def fail(_told):
        raise RuntimeError("a bug")

    with running(evil("never_reads")) as (host, ear):
        host.send("execute_tool", {}, OwnerEar("failing", fail))
        (owner,) = sent(host, "c")
        os.kill(host.pid, signal.SIGKILL)
        owner.wait("lost")
        ear.wait("gone")

    assert ear.kinds() == ["ended", "gone"]
    assert "a bug" in caplog.text


# Starting


def test_a_program_that_is_not_there_is_told_before_anything_begins():
    with pytest.raises(HostStartError) as caught:
        Host("evil", Command(("/no/such/program",), {}), HostEar())

    assert caught.value.permanent


def test_a_machine_without_threads_is_no_permanent_failure_and_nothing_leaks(monkeypatch):
    def no_thread_left(_self):
        raise RuntimeError("can't start new thread")

    host = Host("evil", evil("ignores_term"), HostEar())
    monkeypatch.setattr(threading.Thread, "start", no_thread_left)

    with pytest.raises(HostStartError, match="can't start new thread") as caught:
        host.start()

    assert not caught.value.permanent
    assert not alive(host.pid)
