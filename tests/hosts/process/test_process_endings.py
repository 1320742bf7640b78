from __future__ import annotations

import os
import select
import signal
import time

import pytest
from callboard.hosts.errors import THREAD_FAILED, HostGone
from callboard.hosts.process.posix_process import PolledProcess, Pump
from callboard.hosts.process.stop_ladder import KILL_NOW, StopLadder
from evil_hosts import BOTH_WAYS, PATIENCE, REQUEST, UNHURRIED, ProcessEar, carried, evil
from leaks import alive, no_leaks, wait_gone
from scarcity import descriptors_up_to, lowest_free_descriptor


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


# Stopping


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_a_polite_one_ends_by_itself_when_its_stdin_ends(begin):
    with carried("echoes", begin=begin) as (process, ear):
        process.write(REQUEST)
        ear.wait("output")
        process.stop("not needed", UNHURRIED)
        exit_ = ear.exit()

    assert (exit_.code, exit_.signal, exit_.stop_reason) == (0, None, "not needed")


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_one_that_ignores_the_end_of_stdin_is_terminated(begin):
    with carried("ignores_eof", begin=begin) as (process, ear):
        ear.wait("output")
        process.stop("not needed", StopLadder(polite=0.05, firm=PATIENCE))

        assert ear.exit().signal == signal.SIGTERM


def test_one_that_ignores_sigterm_is_killed_when_the_ladder_says():
    with carried("ignores_term") as (process, ear):
        ear.wait("output")
        began = time.monotonic()
        process.stop("not needed", StopLadder(polite=0.1, firm=0.2))
        exit_ = ear.exit()

    assert exit_.signal == signal.SIGKILL
    assert time.monotonic() - began >= 0.3


def test_one_that_is_stopped_by_a_signal_is_killed():
    with carried("stops_itself") as (process, ear):
        ear.wait("output")
        process.stop("not needed", StopLadder(polite=0.05, firm=0.05))

        assert ear.exit().signal == signal.SIGKILL


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_a_later_stop_hastens_and_never_delays(begin):
    with carried("ignores_term", begin=begin) as (process, ear):
        ear.wait("output")
        process.stop("first", UNHURRIED)
        process.stop("second", KILL_NOW)
        process.stop("third", UNHURRIED)
        exit_ = ear.exit()

    assert (exit_.signal, exit_.stop_reason) == (signal.SIGKILL, "first")


def test_one_that_tidies_up_after_the_end_of_stdin_is_given_its_time():
    with carried("tidies_up") as (process, ear):
        ear.wait("output")
        process.stop("not needed", UNHURRIED)
        exit_ = ear.exit()

        assert (exit_.code, exit_.fault) == (0, None)
        assert process.stderr.tail() == "tidy"


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_stopping_what_has_ended_changes_nothing(begin):
    with carried("says_then_exits", "3", begin=begin) as (process, ear):
        process.write(REQUEST)
        ear.wait("gone")
        process.stop("too late", KILL_NOW)

    assert ear.exit().code == 3
    assert ear.exit().stop_reason is None


# Half closed


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_one_that_closed_its_stdout_is_ended(begin):
    with carried("closes_stdout", begin=begin) as (process, ear):
        process.write(REQUEST)
        exit_ = ear.exit()

    assert exit_.signal in {signal.SIGTERM, signal.SIGKILL}
    assert (exit_.fault, exit_.stop_reason) == ("stdout_closed", "it closed its stdout and lived on")


def test_one_that_closed_its_stdin_is_ended_once_somebody_writes_to_it():
    with carried("closes_stdin") as (process, ear):
        ear.wait("output")
        os.kill(process.pid, signal.SIGUSR1)
        ear.wait("output", 2)
        with pytest.raises(HostGone):
            process.write(REQUEST)
        exit_ = ear.exit()

    assert exit_.signal in {signal.SIGTERM, signal.SIGKILL}
    assert (exit_.fault, exit_.stop_reason) == ("stdin_closed", "it closed its stdin and lived on")


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_one_that_closes_its_stdin_while_much_waits_to_be_written_is_ended(begin):
    with carried("closes_stdin", begin=begin) as (process, ear):
        ear.wait("output")
        process.write(b"x" * 4 * 1024 * 1024)
        os.kill(process.pid, signal.SIGUSR1)

        assert ear.exit().fault == "stdin_closed"


# The tree


def child_of(process, ear):
    process.write(REQUEST)
    ear.wait("output")
    return int(ear.output.rpartition(b'"payload": ')[2].rstrip(b"}\n"))


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_the_end_is_told_at_once_though_a_child_holds_stdout(begin):
    with carried("leaves_a_child", "session", begin=begin) as (process, ear):
        child = child_of(process, ear)
        os.kill(process.pid, signal.SIGKILL)
        began = time.monotonic()
        exit_ = ear.exit()
        took = time.monotonic() - began

        assert exit_.signal == signal.SIGKILL
        assert took < 1.0
        assert ear.wait("gone") == [([],)]
        wait_gone([child])


@pytest.mark.parametrize("how", [(), ("session",), ("session", "twice"), ("session", "unmarked")])
@pytest.mark.parametrize("ladder", [StopLadder(0.05, 0.05), KILL_NOW])
def test_nothing_of_the_tree_outlives_a_stop(how, ladder):
    with carried("leaves_a_child", *how) as (process, ear):
        child = child_of(process, ear)
        process.stop("not needed", ladder)

        assert ear.wait("gone") == [([],)]
        assert not alive(child)


@pytest.mark.parametrize("how", [(), ("session",), ("session", "twice")])
def test_nothing_of_the_tree_outlives_a_crash(how):
    with carried("leaves_a_child", "exit", *how) as (process, ear):
        child = child_of(process, ear)

        assert ear.wait("gone") == [([],)]
        assert ear.exit().code == 3
        assert not alive(child)


def test_a_child_that_floods_the_pipes_delays_nothing():
    class SlowEar(ProcessEar):
        """Takes so long over what it hears that there is always more by then."""

        def on_output(self, data):
            super().on_output(data)
            select.select([process.popen.stdout], [], [], PATIENCE)

    process, ear = PolledProcess.spawn(evil("leaves_a_flood"), host="evil"), SlowEar()
    pump = Pump(process, ear)
    pump.start()
    process.write(REQUEST)

    assert ear.exit().code == 3
    assert ear.wait("gone") == [([],)]
    assert pump.join(PATIENCE)


# Our own bugs


def test_a_listener_that_fails_on_output_ends_the_process_and_nothing_leaks(caplog):
    class Ear(ProcessEar):
        def on_output(self, data):
            super().on_output(data)
            raise RuntimeError("a bug")

    ear = Ear()
    process = PolledProcess.spawn(evil("counts"), host="evil")
    pump = Pump(process, ear)
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert ear.kinds() == ["output", "exit", "gone"]
    assert process.stderr.tail() == "go"
    assert ear.exit().fault == THREAD_FAILED
    assert "RuntimeError: a bug" in ear.exit().stop_reason
    assert "carrying host 'evil' failed" in caplog.text


def test_a_listener_that_fails_on_the_exit_is_told_the_rest_and_nothing_leaks(caplog):
    class Ear(ProcessEar):
        def on_exit(self, exit_):
            super().on_exit(exit_)
            raise RuntimeError("a bug")

    ear = Ear()
    process = PolledProcess.spawn(evil("says_then_exits", "0"), host="evil")
    pump = Pump(process, ear)
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert ear.kinds()[-2:] == ["exit", "gone"]
    assert "RuntimeError: a bug" in caplog.text


def test_the_end_is_told_though_there_is_no_descriptor_left_to_look_around_with(caplog):
    limit = lowest_free_descriptor()
    with carried("echoes") as (process, ear):
        process.write(REQUEST)
        ear.wait("output")
        with descriptors_up_to(limit):
            process.stop("not needed", UNHURRIED)
            assert ear.wait("gone") == [([],)]

    assert ear.exit().code == 0
    assert "could not look for what host 'evil' has left" in caplog.text


def test_without_pidfd_the_end_is_seen_all_the_same(monkeypatch):
    def forbidden(_pid):
        raise PermissionError("as in some sandboxes")

    monkeypatch.setattr(os, "pidfd_open", forbidden)

    with carried("leaves_a_child", "session") as (process, ear):
        child_of(process, ear)
        os.kill(process.pid, signal.SIGKILL)

        assert ear.exit().signal == signal.SIGKILL
