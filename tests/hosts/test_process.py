from __future__ import annotations

import errno
import os
import resource
import signal
import sys
import time
from contextlib import contextmanager

import pytest
from callboard.hosts.errors import HostGone, HostStartError
from callboard.hosts.ladder import KILL_NOW, StopLadder
from callboard.hosts.process import Command, HostProcess
from callboard.hosts.pump import Pump
from callboard.hosts.watchdog import Watchdog
from evil_hosts import PATIENCE, ProcessEar, evil
from leaks import alive, no_leaks, wait_gone

REQUEST = b'{"v":1,"id":"1","method":"go","params":{}}\n'
LONG = StopLadder(polite=PATIENCE, firm=PATIENCE)


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@contextmanager
def carried(program, *arguments):
    """A process and what is told of it; ended in the end, if it has not ended before."""
    ear = ProcessEar()
    process = HostProcess.spawn(evil(program, *arguments), host="evil")
    pump = Pump(process, ear)
    pump.start()
    try:
        yield process, ear
    finally:
        process.stop("the test is over", KILL_NOW)
        assert pump.join(PATIENCE)


def exit_of(ear):
    ((exit_,),) = ear.wait("exit")
    return exit_


# Starting


@pytest.mark.parametrize(
    "command",
    [
        Command(("/no/such/program",), {}),
        Command((sys.executable,), {}, "/no/such/folder"),
        Command(("/etc/passwd",), {}),
        Command(("/",), {}),
        Command((sys.executable, "a\0b"), {}),
        Command((sys.executable, "x" * 10_000_000), {}),
    ],
)
def test_what_can_never_start_is_a_permanent_failure(command):
    with pytest.raises(HostStartError) as caught:
        HostProcess.spawn(command, host="evil")

    assert caught.value.permanent
    assert caught.value.host == "evil"
    assert "cannot start host 'evil'" in str(caught.value)


@contextmanager
def descriptors_up_to(limit):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def lowest_free_descriptor():
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    return lowest


def test_a_machine_short_of_descriptors_is_no_permanent_failure_and_nothing_leaks():
    watchdog = Watchdog()
    refusals = []
    process = None

    while process is None:
        with descriptors_up_to(lowest_free_descriptor() + len(refusals)):
            try:
                process = HostProcess.spawn(evil("echoes"), host="evil", watchdog=watchdog)
            except HostStartError as error:
                refusals.append(error)

    process.abort()
    watchdog.close()
    assert len(refusals) > 8
    assert not any(error.permanent for error in refusals)
    assert {error.__cause__.errno for error in refusals} == {errno.EMFILE}


def test_a_process_leads_a_session_of_its_own():
    with carried("echoes") as (process, _):
        assert os.getsid(process.pid) == process.pid
        assert os.getpgid(process.pid) == process.pid


def test_a_process_that_nobody_carries_can_be_ended():
    process = HostProcess.spawn(evil("ignores_term"), host="evil")

    process.abort()

    assert not alive(process.pid)


# Output and exit


def test_the_exit_comes_once_and_after_all_output():
    with carried("answers_16_mb_then_exits") as (process, ear):
        process.write(REQUEST)
        exit_ = exit_of(ear)
        ear.wait("gone")

    kinds = ear.kinds()
    assert kinds[-2:] == ["exit", "gone"]
    assert set(kinds[:-2]) == {"output"}
    assert len(ear.output) > 16_000_000
    assert ear.output.endswith(b'"}}\n')
    assert (exit_.code, exit_.signal, exit_.stop_reason) == (0, None, None)


def test_what_came_of_a_line_before_the_exit_is_handed_over():
    with carried("says_then_exits", "0", '{"v":1,"id":"ID","ok":tr') as (process, ear):
        process.write(REQUEST)
        exit_ = exit_of(ear)

    assert ear.output == b'{"v":1,"id":"1","ok":tr'
    assert exit_.code == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_is_told_by_its_number(number):
    with carried("dies_by_signal", str(int(number))) as (process, ear):
        process.write(REQUEST)
        exit_ = exit_of(ear)

    assert (exit_.code, exit_.signal, exit_.stop_reason) == (None, number, None)


def test_the_last_words_on_stderr_are_there_when_the_exit_is_told():
    heard = []

    class Ear(ProcessEar):
        def on_exit(self, exit_):
            heard.append(process.stderr.tail())
            super().on_exit(exit_)

    process = HostProcess.spawn(evil("raises"), host="evil")
    pump = Pump(process, Ear())
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert heard[0].endswith("RuntimeError: nothing caught this")


def test_a_flood_on_stderr_blocks_nobody_and_memory_stays_bounded():
    with carried("floods_stderr") as (process, ear):
        process.write(REQUEST)
        ear.wait("output")

        assert process.stderr.total > 8_000_000
        assert len(process.stderr.tail(lines=10_000)) <= process.stderr.limit
        assert process.stderr.tail(lines=1).startswith("0008191")


def test_uptime_is_the_time_it_lived():
    before = time.monotonic()
    with carried("says_then_exits", "0") as (process, ear):
        process.write(REQUEST)
        exit_ = exit_of(ear)

    assert 0 < exit_.uptime < time.monotonic() - before


# Writing


def test_writing_never_blocks_and_all_of_it_arrives_in_order():
    large = b'{"v":1,"id":"1","method":"go","params":"' + b"x" * 4 * 1024 * 1024 + b'"}\n'
    with carried("reads_late") as (process, ear):
        ear.wait("output")
        began = time.monotonic()
        for _ in range(3):
            process.write(large)
        process.write(REQUEST)
        took = time.monotonic() - began
        os.kill(process.pid, signal.SIGUSR1)
        while ear.output.count(b"\n") < 5:
            ear.wait("output", len(ear.of("output")) + 1)

    assert took < 1.0
    lengths = [line.partition(b'"value": ')[2].rstrip(b"}") for line in ear.output.splitlines()[1:]]
    assert lengths == [str(len(large)).encode()] * 3 + [str(len(REQUEST)).encode()]


def test_one_that_never_reads_can_be_stopped_whatever_was_written():
    with carried("never_reads") as (process, ear):
        process.write(b"x" * 4 * 1024 * 1024)
        process.stop("not needed", KILL_NOW)

        assert exit_of(ear).stop_reason == "not needed"


def test_writing_to_one_that_has_ended_says_so():
    with carried("says_then_exits", "0") as (process, ear):
        process.write(REQUEST)
        ear.wait("gone")

        with pytest.raises(HostGone):
            process.write(REQUEST)


# Stopping


def test_a_polite_one_ends_by_itself_when_its_stdin_ends():
    with carried("echoes") as (process, ear):
        process.write(REQUEST)
        ear.wait("output")
        process.stop("not needed", LONG)
        exit_ = exit_of(ear)

    assert (exit_.code, exit_.signal, exit_.stop_reason) == (0, None, "not needed")


def test_one_that_ignores_the_end_of_stdin_is_terminated():
    with carried("ignores_eof") as (process, ear):
        ear.wait("output")
        process.stop("not needed", StopLadder(polite=0.05, firm=PATIENCE))

        assert exit_of(ear).signal == signal.SIGTERM


def test_one_that_ignores_sigterm_is_killed_when_the_ladder_says():
    with carried("ignores_term") as (process, ear):
        ear.wait("output")
        began = time.monotonic()
        process.stop("not needed", StopLadder(polite=0.1, firm=0.2))
        exit_ = exit_of(ear)

    assert exit_.signal == signal.SIGKILL
    assert time.monotonic() - began >= 0.3


def test_one_that_is_stopped_by_a_signal_is_killed():
    with carried("stops_itself") as (process, ear):
        ear.wait("output")
        process.stop("not needed", StopLadder(polite=0.05, firm=0.05))

        assert exit_of(ear).signal == signal.SIGKILL


def test_a_later_stop_hastens_and_never_delays():
    with carried("ignores_term") as (process, ear):
        ear.wait("output")
        process.stop("first", LONG)
        process.stop("second", KILL_NOW)
        process.stop("third", LONG)
        exit_ = exit_of(ear)

    assert (exit_.signal, exit_.stop_reason) == (signal.SIGKILL, "first")


def test_one_that_tidies_up_after_the_end_of_stdin_is_given_its_time():
    with carried("tidies_up") as (process, ear):
        ear.wait("output")
        process.stop("not needed", LONG)
        exit_ = exit_of(ear)

        assert (exit_.code, exit_.fault) == (0, None)
        assert process.stderr.tail() == "tidy"


def test_stopping_what_has_ended_changes_nothing():
    with carried("says_then_exits", "3") as (process, ear):
        process.write(REQUEST)
        ear.wait("gone")
        process.stop("too late", KILL_NOW)

    assert exit_of(ear).code == 3
    assert exit_of(ear).stop_reason is None


# Half closed


def test_one_that_closed_its_stdout_is_ended():
    with carried("closes_stdout") as (process, ear):
        process.write(REQUEST)
        exit_ = exit_of(ear)

    assert exit_.signal in {signal.SIGTERM, signal.SIGKILL}
    assert (exit_.fault, exit_.stop_reason) == ("stdout_closed", "it closed its stdout and lived on")


def test_one_that_closed_its_stdin_is_ended_once_somebody_writes_to_it():
    with carried("closes_stdin") as (process, ear):
        ear.wait("output")
        os.kill(process.pid, signal.SIGUSR1)
        ear.wait("output", 2)
        with pytest.raises(HostGone):
            process.write(REQUEST)
        exit_ = exit_of(ear)

    assert exit_.signal in {signal.SIGTERM, signal.SIGKILL}
    assert (exit_.fault, exit_.stop_reason) == ("stdin_closed", "it closed its stdin and lived on")


def test_one_that_closes_its_stdin_while_much_waits_to_be_written_is_ended():
    with carried("closes_stdin") as (process, ear):
        ear.wait("output")
        process.write(b"x" * 4 * 1024 * 1024)
        os.kill(process.pid, signal.SIGUSR1)

        assert exit_of(ear).fault == "stdin_closed"


# The tree


def child_of(process, ear):
    process.write(REQUEST)
    ear.wait("output")
    return int(ear.output.rpartition(b'"payload": ')[2].rstrip(b"}\n"))


def test_the_end_is_told_at_once_though_a_child_holds_stdout():
    with carried("leaves_a_child", "session") as (process, ear):
        child = child_of(process, ear)
        os.kill(process.pid, signal.SIGKILL)
        began = time.monotonic()
        exit_ = exit_of(ear)
        took = time.monotonic() - began

        assert exit_.signal == signal.SIGKILL
        assert took < 1.0
        assert ear.wait("gone") == [([],)]
        wait_gone([child])


@pytest.mark.parametrize("how", [(), ("session",), ("session", "twice")])
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
        assert exit_of(ear).code == 3
        assert not alive(child)


def test_a_child_that_floods_the_pipes_delays_nothing():
    with carried("leaves_a_flood") as (process, ear):
        process.write(REQUEST)

        assert exit_of(ear).code == 3
        assert ear.wait("gone") == [([],)]


# Our own bugs


def test_a_listener_that_fails_on_output_ends_the_process_and_nothing_leaks(caplog):
    class Ear(ProcessEar):
        def on_output(self, data):
            super().on_output(data)
            raise RuntimeError("a bug")

    ear = Ear()
    process = HostProcess.spawn(evil("ignores_term"), host="evil")
    pump = Pump(process, ear)
    pump.start()

    assert pump.join(PATIENCE)
    assert ear.kinds() == ["output", "exit", "gone"]
    assert exit_of(ear).stop_reason == "internal error"
    assert "carrying host 'evil' failed" in caplog.text


def test_a_listener_that_fails_on_the_exit_is_told_the_rest_and_nothing_leaks(caplog):
    class Ear(ProcessEar):
        def on_exit(self, exit_):
            super().on_exit(exit_)
            raise RuntimeError("a bug")

    ear = Ear()
    process = HostProcess.spawn(evil("says_then_exits", "0"), host="evil")
    pump = Pump(process, ear)
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert ear.kinds()[-2:] == ["exit", "gone"]
    assert "the listener of host 'evil' failed" in caplog.text


def test_the_end_is_told_though_there_is_no_descriptor_left_to_look_around_with(caplog):
    limit = lowest_free_descriptor()
    with carried("echoes") as (process, ear):
        process.write(REQUEST)
        ear.wait("output")
        with descriptors_up_to(limit):
            process.stop("not needed", LONG)
            assert ear.wait("gone") == [([],)]

    assert exit_of(ear).code == 0
    assert "could not look for what host 'evil' has left" in caplog.text


def test_without_pidfd_the_end_is_seen_all_the_same(monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)

    with carried("leaves_a_child", "session") as (process, ear):
        child_of(process, ear)
        os.kill(process.pid, signal.SIGKILL)

        assert exit_of(ear).signal == signal.SIGKILL


def test_a_hundred_lives_leave_nothing_behind():
    for _ in range(100):
        with carried("says_then_exits", "3") as (process, ear):
            process.write(REQUEST)
            assert exit_of(ear).code == 3
