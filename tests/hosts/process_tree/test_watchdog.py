from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import psutil
import pytest
from callboard.hosts.process.posix_process import PolledProcess
from callboard.hosts.process_tree.tree_kill import created
from callboard.hosts.process_tree.watchdog import Watchdog
from every_point import interrupted_at_each_point
from evil_hosts import evil
from leaks import TEST_MARK, alive, no_leaks, wait_gone, wait_until
from programs import EVIL_PYTHON

SLEEPS = "import signal; signal.pause()"


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@contextmanager
def a_watchdog():
    watchdog = Watchdog()
    try:
        yield watchdog
    finally:
        watchdog.close()


@contextmanager
def a_session():
    process = subprocess.Popen([sys.executable, "-I", "-c", SLEEPS], start_new_session=True, env=TEST_MARK)
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_it_starts_with_the_first_host():
    with a_watchdog() as watchdog, a_session() as host:
        before = watchdog.pid
        watchdog.add(host.pid, created(host.pid))

        assert before is None
        assert alive(watchdog.pid)


def test_hosts_that_are_still_there_end_with_it():
    with a_watchdog() as watchdog, a_session() as one, a_session() as another:
        watchdog.add(one.pid, created(one.pid))
        watchdog.add(another.pid, created(another.pid))

        watchdog.close()

        assert one.wait(0) == another.wait(0) == -signal.SIGKILL


def test_a_host_that_was_removed_is_none_of_its_business():
    with a_watchdog() as watchdog, a_session() as host:
        watchdog.add(host.pid, created(host.pid))
        watchdog.remove(host.pid)

        watchdog.close()

        assert alive(host.pid)


def test_closing_it_twice_and_what_comes_after_is_harmless():
    with a_watchdog() as watchdog, a_session() as host:
        watchdog.close()
        watchdog.close()
        watchdog.add(host.pid, created(host.pid))
        watchdog.remove(host.pid)

        assert watchdog.pid is None
        assert alive(host.pid)


def test_a_close_that_was_interrupted_is_gone_on_with_by_the_next():
    watchdogs = []

    with a_session() as host:
        birth = created(host.pid)

        def begin():
            watchdogs.append(Watchdog())
            watchdogs[-1].add(host.pid, birth)

        def close():
            watchdogs[-1].close()

        for place in interrupted_at_each_point(close, before=begin):
            close()
            assert watchdogs[-1].pid is None, place


def test_one_that_was_killed_is_replaced_and_the_new_one_knows_what_the_old_one_knew():
    with a_watchdog() as watchdog, a_session() as one, a_session() as another:
        watchdog.add(one.pid, created(one.pid))
        killed = watchdog.pid
        os.kill(killed, signal.SIGKILL)
        wait_gone([killed])
        watchdog.add(another.pid, created(another.pid))

        assert watchdog.pid != killed
        watchdog.close()
        assert one.wait(0) == another.wait(0) == -signal.SIGKILL


def test_one_that_sleeps_is_replaced_before_it_blocks_anybody():
    with a_watchdog() as watchdog, a_session() as host:
        watchdog.add(host.pid, created(host.pid))
        sleeping = watchdog.pid
        os.kill(sleeping, signal.SIGSTOP)
        turns = 0
        while watchdog.pid == sleeping:
            watchdog.add(2**30, 0.0, "x" * 4000)
            watchdog.remove(2**30)
            turns += 1

        assert turns > 1
        assert alive(host.pid)
        watchdog.close()
        assert host.wait(0) == -signal.SIGKILL


def test_one_that_sleeps_ends_its_hosts_all_the_same_when_it_is_closed():
    with a_watchdog() as watchdog, a_session() as host:
        watchdog.add(host.pid, created(host.pid))
        os.kill(watchdog.pid, signal.SIGSTOP)

        watchdog.close()

        assert host.wait(0) == -signal.SIGKILL


def test_a_host_is_registered_while_it_lives():
    with a_watchdog() as watchdog:
        process = PolledProcess.spawn(evil("ignores_term"), host="evil", watchdog=watchdog)
        watchdog.close()
        wait_gone([process.pid])

        process.abort()


# The embedding process is killed


@contextmanager
def embedder(*programs):
    """A program that embeds hosts, and the pids of all that it started."""
    command = [sys.executable, "-I", str(EVIL_PYTHON / "embeds.py"), *programs]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | TEST_MARK)
    with process:
        try:
            yield process
        finally:
            process.kill()


def told(process, *, hosts, forks=0):
    """Read until it has told of so many processes; their pids, and those of its forks."""
    pids: dict[str, list[int]] = {"told": [], "forked": [], "watchdog": []}
    while len(pids["told"]) < hosts or len(pids["forked"]) < forks:
        said, pid = process.stdout.readline().split()
        pids[said].append(int(pid))
    return set(pids["told"]), pids["forked"]


TEN = (
    "ignores_term", "ignores_term", "stops_itself", "stops_itself", "stops_itself", "never_reads",
    "leaves_a_child", "leaves_a_child:twice", "leaves_a_child:session", "leaves_a_child:session:twice",
)  # fmt: skip


def test_nothing_remains_when_the_embedding_process_is_killed():
    with embedder(*TEN) as process:
        # Each host is told of, and all but one tell the pid of themselves or of their child.
        pids, _ = told(process, hosts=2 * len(TEN) - 1)
        watchdogs = [child.pid for child in psutil.Process(process.pid).children() if child.pid not in pids]

        process.kill()
        took = wait_gone([*pids, *watchdogs])

    assert len(pids) == len(TEN) + 4
    assert len(watchdogs) == 1
    assert took < 5.0


def test_nothing_remains_though_a_fork_of_the_embedding_process_lives_on():
    with embedder("ignores_term", "stops_itself", "fork") as process:
        pids, (fork,) = told(process, hosts=4, forks=1)

        process.kill()
        wait_gone(list(pids))

        assert alive(fork)
        os.kill(fork, signal.SIGKILL)
        wait_until(lambda: not alive(fork))
