"""What has shaken off session, parents and environment ends with its host all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from callboard.hosts.process.posix_process import polled
from callboard.hosts.process.process import Command
from callboard.hosts.process.stop_ladder import KILL_NOW, StopLadder
from evil_hosts import BOTH_WAYS, PATIENCE, REQUEST, ProcessEar, carried
from leaks import TEST_MARK, alive, no_leaks, wait_gone, wait_until
from programs import EVIL_PYTHON

SHAKEN_OFF = [
    ("session", "unmarked"),
    ("session", "twice", "unmarked"),
    ("session", "twice", "unmarked", "closed"),
]


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@pytest.fixture
def ends():
    """Takes pids that would survive the failure of their test: nothing else would find them."""
    with ExitStack() as stack:

        def end(pid):
            stack.callback(lambda: alive(pid) and os.kill(pid, signal.SIGKILL))
            return pid

        yield end


def detached_child_of(process, ear, ends):
    """The pid of the child that it has left, once that has nothing of it any more."""
    process.write(REQUEST)
    ear.wait("output")
    child = ends(int(ear.output.rpartition(b'"payload": ')[2].rstrip(b"}\n")))
    wait_until(lambda: Path(f"/proc/{child}/environ").read_bytes() == b"" and os.getsid(child) != process.pid)
    return child


@pytest.mark.parametrize("begin", BOTH_WAYS)
@pytest.mark.parametrize("how", SHAKEN_OFF)
def test_what_has_shaken_off_everything_ends_with_its_killed_host(how, begin, ends):
    with carried("leaves_a_child", *how, begin=begin) as (process, ear):
        child = detached_child_of(process, ear, ends)
        os.kill(process.pid, signal.SIGKILL)

        assert ear.wait("gone") == [([],)]
        assert not alive(child)


@pytest.mark.parametrize("how", SHAKEN_OFF)
def test_what_has_shaken_off_everything_ends_with_a_host_that_ends_by_itself(how, ends):
    with carried("leaves_a_child", *how) as (process, ear):
        child = detached_child_of(process, ear, ends)
        process.stop("not needed", StopLadder(PATIENCE, PATIENCE))
        os.kill(process.pid, signal.SIGTERM)

        assert ear.wait("gone") == [([],)]
        assert not alive(child)


@pytest.mark.parametrize("ladder", [StopLadder(0.05, 0.05), KILL_NOW])
@pytest.mark.parametrize("how", SHAKEN_OFF)
def test_what_has_shaken_off_everything_ends_in_an_orderly_stop(how, ladder, ends):
    with carried("leaves_a_child", *how) as (process, ear):
        child = detached_child_of(process, ear, ends)
        process.stop("not needed", ladder)

        assert ear.wait("gone") == [([],)]
        assert not alive(child)


# From its first instruction on


@contextmanager
def threads_that_never_wait(count):
    """As in a busy program: whoever waited for something waits for the interpreter after that."""
    over = False

    def compute():
        while not over:
            sum(range(1000))

    threads = [threading.Thread(target=compute) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over = True
        for thread in threads:
            thread.join()


DAEMON = 'setsid env -i /bin/sh -c "echo \\$\\$; exec sleep 1000" &'
STARTS_A_DAEMON_AT_ONCE = Command(("/bin/sh", "-c", f"({DAEMON}); exec cat"), dict(TEST_MARK))


def test_what_a_host_starts_in_its_first_instructions_ends_with_it(ends):
    survivors = []
    with threads_that_never_wait(3):
        for _ in range(10):
            ear = ProcessEar()
            process, pump = polled(STARTS_A_DAEMON_AT_ONCE, ear, host="evil", watchdog=None)
            pump.start()
            ear.wait("output")
            daemon = ends(int(ear.output))
            process.stop("not needed", KILL_NOW)
            assert pump.join(PATIENCE)
            survivors += [daemon] if alive(daemon) else []

    assert survivors == []


# The embedding process is killed


@contextmanager
def embedder(*programs):
    command = [sys.executable, "-I", str(EVIL_PYTHON / "embeds.py"), *programs]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | TEST_MARK)
    with process:
        try:
            yield process
        finally:
            process.kill()


def told(process, ends, *, count):
    """The first pids that it tells of, its watchdogs among them."""
    return [ends(int(process.stdout.readline().split()[-1])) for _ in range(count)]


@pytest.mark.parametrize("how", SHAKEN_OFF)
def test_what_has_shaken_off_everything_ends_when_the_embedding_process_is_killed(how, ends):
    with embedder(":".join(("leaves_a_child", *how))) as process:
        pids = told(process, ends, count=3)

        process.kill()
        wait_gone(pids)


# A host that has hosts itself

NESTED = "leaves_a_child+session+twice+unmarked+closed"


def nested_pids(process, ear, ends):
    """Those of the inner watchdog, the inner host, and what that has left."""
    wait_until(lambda: ear.output.count(b"\n") == 3)
    pids = {what: [] for what in ("told", "watchdog")}
    for line in ear.output.decode().splitlines():
        what, pid = line.split()
        pids[what].append(ends(int(pid)))
    (inner,) = [pid for pid in pids["told"] if psutil.Process(pid).ppid() == process.pid]
    (left,) = set(pids["told"]) - {inner}
    return pids["watchdog"][0], inner, left


def test_the_hosts_of_a_host_end_with_it_and_all_that_they_have_left(ends):
    with carried("embeds", NESTED.replace("+", ":")) as (process, ear):
        pids = nested_pids(process, ear, ends)
        os.kill(process.pid, signal.SIGKILL)

        assert ear.wait("gone") == [([],)]
        assert not any(map(alive, pids))


def test_a_host_of_a_host_is_swept_by_the_one_that_has_started_it(ends):
    with carried("embeds", NESTED.replace("+", ":")) as (process, ear):
        watchdog, inner, left = nested_pids(process, ear, ends)
        os.kill(inner, signal.SIGKILL)
        wait_gone([left])

        assert alive(process.pid)
        assert alive(watchdog)


def test_nothing_of_a_host_of_a_host_remains_when_the_embedding_process_is_killed(ends):
    with embedder(f"embeds:{NESTED}") as process:
        pids = told(process, ends, count=5)

        process.kill()
        wait_gone(pids)
