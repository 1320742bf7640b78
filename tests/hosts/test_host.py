from __future__ import annotations

import os
import signal
import threading

import pytest
from callboard.base.errors import JsonValueError
from callboard.hosts.errors import (
    HostGone,
    HostStartError,
    HostTimeout,
    RemoteError,
    RequestTooLarge,
)
from callboard.hosts.host import Host
from callboard.hosts.process.process import Command
from callboard.hosts.process.transport import ProcessTransport
from callboard.hosts.protocol.blocking_request import ask
from evil_hosts import ANSWER, PART, PATIENCE, UNHURRIED, HostEar, OwnerEar, evil, running, says, sent
from leaks import alive, no_leaks, wait_until
from thorough import times


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


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
        value, _ = ask(host, "execute_tool", {"text": "x" * 5_000_000}, PATIENCE)

    assert value == {"text": "x" * 5_000_000}


def test_a_program_can_ask_and_wait():
    with running(says('{"v":1,"id":"ID","ok":true,"result":{"value":7,"state":{"n":1}}}')) as (host, _):
        assert ask(host, "init", {}, PATIENCE) == (7, {"n": 1})


def test_a_remote_error_is_raised_with_what_the_host_said_of_it():
    error = '{"type":"TypeError","detail":"no","stack":"at x","phase":"load"}'
    command = says(f'{{"v":1,"id":"ID","ok":false,"error":{error}}}')

    with running(command) as (host, _), pytest.raises(RemoteError, match="TypeError: no") as caught:
        ask(host, "init", {}, PATIENCE)

    assert (caught.value.type, caught.value.detail, caught.value.stack) == ("TypeError", "no", "at x")
    assert caught.value.phase == "load"


def test_who_asks_does_not_wait_for_ever_and_the_late_answer_is_dropped():
    with running(evil("answers_late")) as (host, _):
        with pytest.raises(HostTimeout, match=r"did not answer init within 0.05 s"):
            ask(host, "init", {}, 0.05)
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
        assert ask(host, "execute_tool", {}, PATIENCE) == ({}, None)
        assert owner.entries == []


def test_a_request_that_is_no_json_is_not_sent_and_harms_nobody():
    with running(evil("echoes")) as (host, _):
        with pytest.raises(JsonValueError, match="arguments"):
            host.send("execute_tool", {"arguments": float("nan")}, OwnerEar())

        assert ask(host, "execute_tool", {}, PATIENCE) == ({}, None)


def test_nothing_is_sent_to_a_host_that_has_ended():
    with running(evil("echoes")) as (host, ear):
        host.stop("not needed", UNHURRIED)
        ear.wait("gone")
        owner = OwnerEar()

        with pytest.raises(HostGone) as caught:
            host.send("execute_tool", {}, owner)

    assert caught.value.report is None
    assert owner.entries == []


@pytest.mark.parametrize("turn", range(times(3, 10)))
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


@pytest.mark.parametrize("turn", range(12))
def test_a_request_that_was_told_as_lost_is_not_refused_as_well(turn):
    owner, refusals = OwnerEar(), []

    def send():
        try:
            host.send("execute_tool", {}, owner)
        except HostGone as error:
            refusals.append(error)

    with running(evil("never_reads")) as (host, ear):
        sender = threading.Thread(target=send)
        with host._transport._process._lock:  # so that the request and the end of the host meet here
            sender.start()
            os.kill(host.pid, signal.SIGKILL)
            wait_until(lambda: not alive(host.pid))
        sender.join()
        ear.ended()

    assert (owner.kinds(), len(refusals)) in ((["lost"], 0), ([], 1))


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


class Hesitant(ProcessTransport):
    """Stops a process once that has ended of itself."""

    def stop(self, reason, ladder):
        assert self.join(PATIENCE)
        super().stop(reason, ladder)


def test_a_host_that_ends_at_its_farewell_has_ended_because_it_was_stopped():
    with running(evil("says_then_exits", "3"), carry=Hesitant) as (host, ear):
        host.farewells["tool"] = dict
        host.stop("taken off")

    assert ear.ended().exit.stop_reason == "taken off"
    assert ear.ended().exit.code == 3
