from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import select
import signal
import sys
import threading
import time

import pytest
from callboard.hosts.errors import HostGone, HostStartError
from callboard.hosts.process import loop_reader
from callboard.hosts.process.posix_process import PolledProcess, Pump
from callboard.hosts.process.process import Command
from callboard.hosts.process.stop_ladder import KILL_NOW
from callboard.hosts.process_tree.watchdog import Watchdog
from evil_hosts import BOTH_WAYS, PATIENCE, REQUEST, UNHURRIED, ProcessEar, bytes_in, carried, evil
from leaks import alive, no_leaks, wait_until
from scarcity import descriptors_up_to, lowest_free_descriptor


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


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
        PolledProcess.spawn(command, host="evil")

    assert caught.value.permanent
    assert caught.value.host == "evil"
    assert "cannot start host 'evil'" in str(caught.value)


def test_a_machine_short_of_descriptors_is_no_permanent_failure_and_nothing_leaks():
    watchdog = Watchdog()
    refusals = []
    process = None

    while process is None:
        with descriptors_up_to(lowest_free_descriptor() + len(refusals)):
            try:
                process = PolledProcess.spawn(evil("echoes"), host="evil", watchdog=watchdog)
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
    process = PolledProcess.spawn(evil("ignores_term"), host="evil")

    process.abort()

    assert not alive(process.pid)


# Output and exit


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_the_exit_comes_once_and_after_all_output(begin):
    with carried("answers_16_mb_then_exits", begin=begin) as (process, ear):
        process.write(REQUEST)
        exit_ = ear.exit()
        ear.wait("gone")

    kinds = ear.kinds()
    assert kinds[-2:] == ["exit", "gone"]
    assert set(kinds[:-2]) == {"output"}
    assert len(ear.output) > 16_000_000
    assert ear.output.endswith(b'"}}\n')
    assert (exit_.code, exit_.signal, exit_.stop_reason) == (0, None, None)


def test_what_was_still_in_the_pipe_at_the_exit_is_handed_over_before_it_is_told():
    class SlowEar(ProcessEar):
        """Hears nothing more until the process has ended."""

        def on_output(self, data):
            super().on_output(data)
            if len(self.entries) == 1:
                process.write(REQUEST)
                wait_until(lambda: not alive(process.pid))

    process, ear = PolledProcess.spawn(evil("bursts_then_exits"), host="evil"), SlowEar()
    size = fcntl.fcntl(process.popen.stdout, fcntl.F_GETPIPE_SZ)
    pump = Pump(process, ear)
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert len(ear.output) == len(b"a line\n") + size - 8192 + 1
    assert ear.kinds()[-2:] == ["exit", "gone"]


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_what_came_of_a_line_before_the_exit_is_handed_over(begin):
    with carried("says_then_exits", "0", '{"v":1,"id":"ID","ok":tr', begin=begin) as (process, ear):
        process.write(REQUEST)
        exit_ = ear.exit()

    assert ear.output == b'{"v":1,"id":"1","ok":tr'
    assert exit_.code == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT])
def test_a_signal_is_told_by_its_number(number):
    with carried("dies_by_signal", str(int(number))) as (process, ear):
        process.write(REQUEST)
        exit_ = ear.exit()

    assert (exit_.code, exit_.signal, exit_.stop_reason) == (None, number, None)


def test_the_last_words_on_stderr_are_there_when_the_exit_is_told():
    heard = []

    class Ear(ProcessEar):
        def on_exit(self, exit_):
            heard.append(process.stderr.tail())
            super().on_exit(exit_)

    process = PolledProcess.spawn(evil("raises"), host="evil")
    pump = Pump(process, Ear())
    pump.start()
    process.write(REQUEST)

    assert pump.join(PATIENCE)
    assert heard[0].endswith("RuntimeError: nothing caught this")


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_a_flood_on_stderr_blocks_nobody_and_memory_stays_bounded(begin):
    with carried("floods_stderr", begin=begin) as (process, ear):
        process.write(REQUEST)
        ear.wait("output")
        wait_until(lambda: process.stderr.total == 8 * 1024 * 1024)

        assert len(process.stderr.tail(lines=10_000)) <= process.stderr.limit
        assert process.stderr.tail(lines=1).startswith("0008191")


def test_uptime_is_the_time_it_lived():
    before = time.monotonic()
    with carried("says_then_exits", "0") as (process, ear):
        process.write(REQUEST)
        exit_ = ear.exit()

    assert 0 < exit_.uptime < time.monotonic() - before


# Writing


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_writing_never_blocks_and_all_of_it_arrives_in_order(begin):
    large = b'{"v":1,"id":"1","method":"go","params":"' + b"x" * 4 * 1024 * 1024 + b'"}\n'
    with carried("reads_late", begin=begin) as (process, ear):
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


def test_no_loop_is_lent_the_output_of_a_process_that_has_ended(monkeypatch):
    monkeypatch.setattr(loop_reader, "LEASE", PATIENCE)  # so that nothing but the end takes it back
    # A child of it holds the pipe, so its output does not end before it does.
    process, ear = PolledProcess.spawn(evil("leaves_a_child"), host="evil"), ProcessEar()
    pump = Pump(process, ear)
    again = []
    lent = threading.Event()

    async def reads_until_it_is_taken_back():
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def returned():
            # The pump has noticed the end, and is about to read what is left itself.
            again.append(pump.lead(loop, lambda: None))
            loop.call_soon_threadsafe(over.set)

        assert pump.lead(loop, returned) is not None
        lent.set()
        await over.wait()

    reading = threading.Thread(target=asyncio.run, args=(reads_until_it_is_taken_back(),))
    pump.start()
    process.write(REQUEST)
    ear.wait("output")
    reading.start()
    assert lent.wait(PATIENCE)
    os.kill(process.pid, signal.SIGKILL)
    reading.join(PATIENCE)

    assert pump.join(PATIENCE)
    assert again == [None]


def test_what_has_to_wait_is_not_overtaken_by_what_comes_later():
    large = b'{"id":"1","text":"' + b"x" * 2 * 1024 * 1024 + b'"}\n'
    process, ear = PolledProcess.spawn(evil("reads_late"), host="evil"), ProcessEar()
    pump = Pump(process, ear)
    process.write(large)
    select.select([process.popen.stdout], [], [], PATIENCE)
    os.kill(process.pid, signal.SIGUSR1)
    # Nobody carries yet, so the pipe runs dry while most of the first line still has to wait.
    wait_until(lambda: bytes_in(process.popen.stdin) == 0)
    process.write(REQUEST)
    pump.start()
    while ear.output.count(b"\n") < 3:
        ear.wait("output", len(ear.of("output")) + 1)
    process.stop("the test is over", UNHURRIED)

    assert pump.join(PATIENCE)
    assert str(len(large)).encode() in ear.output.splitlines()[1]


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_one_that_never_reads_can_be_stopped_whatever_was_written(begin):
    with carried("never_reads", begin=begin) as (process, ear):
        process.write(b"x" * 4 * 1024 * 1024)
        process.stop("not needed", KILL_NOW)

        assert ear.exit().stop_reason == "not needed"


@pytest.mark.parametrize("begin", BOTH_WAYS)
def test_writing_to_one_that_has_ended_says_so(begin):
    with carried("says_then_exits", "0", begin=begin) as (process, ear):
        process.write(REQUEST)
        ear.wait("gone")

        with pytest.raises(HostGone):
            process.write(REQUEST)
