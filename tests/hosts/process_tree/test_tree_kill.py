from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from callboard.hosts.process_tree import tree_kill as sweep
from callboard.hosts.process_tree.tree_kill import (
    MARK,
    WatchList,
    alive,
    created,
    descendants,
    end_session,
    marks_of,
    members,
)
from evil_hosts import PATIENCE
from hypothesis import given
from hypothesis import strategies as st
from leaks import TEST_MARK, no_leaks, wait_gone, wait_until

A_MARK = f"a-mark-of-{os.getpid()}"
"""Of this process alone: the same tests may run beside these, in another one."""

SLEEPS = "import signal; print(flush=True); signal.pause()"
STARTS_ONE_THAT_SLEEPS = (
    "import subprocess, sys, signal;"
    "child = subprocess.Popen([sys.executable, '-I', '-c', {child!r}], start_new_session={apart}, env={env});"
    "print(child.pid, flush=True); {then}"
)


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


@contextmanager
def started(code, *, program=sys.executable, **env):
    """A process in a session of its own, and the first thing it says."""
    process = subprocess.Popen(
        [program, "-I", "-c", code], stdout=subprocess.PIPE, start_new_session=True, env=TEST_MARK | env
    )
    with process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def parent_code(*, apart=False, env=None, then="signal.pause()"):
    return STARTS_ONE_THAT_SLEEPS.format(child=SLEEPS, apart=apart, env=env, then=then)


def nobody():
    """The pid of a process that has been."""
    process = subprocess.Popen([sys.executable, "-I", "-c", ""])
    process.wait()
    return process.pid


def ended(process):
    return process.wait(PATIENCE) is not None


# Who lives


def test_a_process_is_alive_until_it_has_ended():
    with started(SLEEPS) as (process, _):
        birth = created(process.pid)
        was_alive = alive(process.pid)
        process.kill()
        wait_gone([process.pid])  # a zombie by now: nobody has collected it

        assert was_alive
        assert not alive(process.pid)
        assert created(process.pid) == birth


def test_of_a_process_that_has_been_there_is_nothing():
    pid = nobody()

    assert created(pid) is None
    assert not alive(pid)
    assert descendants(pid) == []


def test_the_time_of_creation_orders_processes():
    with started(SLEEPS) as (process, _):
        assert 0 < created(1) <= created(os.getpid()) <= created(process.pid)


@pytest.mark.parametrize("name", ["a) Z 1 1 (b", "(((", "a b\nc"])
def test_a_program_may_have_any_name(name, tmp_path):
    program = tmp_path / name
    program.symlink_to(Path(sys.executable).resolve())

    with started(SLEEPS, program=str(program)) as (process, _):
        assert alive(process.pid)
        assert created(process.pid) >= created(os.getpid())
        assert members(process.pid, created(process.pid)) == [process.pid]


# Who belongs to a host


@pytest.mark.parametrize("apart", [False, True])
def test_descendants_are_found_in_any_session(apart):
    with started(parent_code(apart=apart)) as (process, said):
        child = int(said)

        assert descendants(process.pid) == [(child, created(child))]
        end_session(process.pid, created(process.pid), [(child, created(child))])


def test_members_are_those_of_the_session():
    with started(parent_code()) as (process, said):
        birth = created(process.pid)

        assert sorted(members(process.pid, birth)) == sorted([process.pid, int(said)])
        end_session(process.pid, birth, [])


def test_the_mark_finds_one_that_has_only_just_been_started():
    # Its parent is told of it a moment before the kernel has put its environment in place.
    missed = 0
    for _ in range(200):
        with subprocess.Popen(
            ["sleep", "100"], start_new_session=True, env=TEST_MARK | {MARK: A_MARK}
        ) as process:
            missed += A_MARK not in marks_of(process.pid)
            process.kill()

    assert missed == 0


@pytest.mark.parametrize("looks_before", range(6))
def test_the_mark_is_found_whichever_look_the_start_falls_between(looks_before, monkeypatch):
    starting = {"environ": b"", "stat": b"1 (sleep) R 1 1 1 0 -1 0"}
    started = {"environ": f"{MARK}={A_MARK}\0".encode(), "stat": b"1 (sleep) S 1 1 1 0 -1 0"}
    looks = itertools.chain([starting] * looks_before, itertools.repeat(started))
    monkeypatch.setattr(sweep, "_read", lambda path: next(looks)[Path(path).name])

    assert marks_of(1) == {A_MARK}


@pytest.mark.parametrize("env", [{}, {"HOME": "/"}])
def test_one_that_runs_without_the_mark_is_a_stranger_at_once(env, monkeypatch):
    monkeypatch.setattr(sweep, "_PAUSE", PATIENCE)
    with subprocess.Popen(["sleep", "100"], env=env) as process:
        wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_SLEEPING)
        began = time.monotonic()
        bears = A_MARK in marks_of(process.pid)
        took = time.monotonic() - began
        process.kill()

    assert not bears
    assert took < PATIENCE


def test_the_mark_finds_one_that_left_the_session_and_whose_parent_is_gone():
    with started(parent_code(apart=True, then=""), **{MARK: A_MARK}) as (process, said):
        birth = created(process.pid)
        ended(process)

        assert members(process.pid, birth) == []
        assert members(process.pid, birth, A_MARK) == [int(said)]
        assert members(process.pid, birth, "another-mark") == []
        assert end_session(process.pid, birth, [], mark=A_MARK) == []
        wait_gone([int(said)])


def test_nothing_that_is_older_than_the_host_is_its_own():
    with started(SLEEPS, **{MARK: A_MARK}) as (process, _):
        assert members(nobody(), created(process.pid) + 1, A_MARK) == []


def test_the_mark_finds_one_whose_session_has_lost_its_leader():
    with started(SLEEPS) as (process, _):
        birth = created(process.pid)
        words, env = ["sh", "-c", "sleep 100 >&2 & echo $!"], TEST_MARK | {MARK: A_MARK}
        leader = subprocess.run(words, env=env, start_new_session=True, check=True, stdout=subprocess.PIPE)

        assert sorted(members(process.pid, birth, A_MARK)) == sorted([process.pid, int(leader.stdout)])
        assert end_session(process.pid, birth, [], mark=A_MARK) == []


# Ending


def test_all_of_a_session_is_ended_though_its_leader_is_gone():
    with started(parent_code(then="")) as (process, said):
        birth = created(process.pid)
        ended(process)

        assert end_session(process.pid, birth, []) == []
        assert not psutil.pid_exists(int(said)) or not alive(int(said))


def test_known_descendants_that_left_the_session_are_ended_too():
    with started(parent_code(apart=True, env={})) as (process, said):
        known = descendants(process.pid)

        assert end_session(process.pid, created(process.pid), known) == []
        wait_gone([int(said)])


def test_a_pid_that_belongs_to_somebody_else_by_now_is_left_alone():
    with started(SLEEPS) as (stranger, _):
        other_birth = created(stranger.pid) - 1

        assert end_session(stranger.pid, other_birth, [(stranger.pid, other_birth)]) == []
        assert alive(stranger.pid)


def test_what_will_not_end_is_named(monkeypatch):
    with started(SLEEPS) as (process, _):
        monkeypatch.setattr(sweep, "kill", lambda _pid: None)

        assert end_session(process.pid, created(process.pid), [], within=0.02) == [process.pid]


# The watch_list

LINES = b"+ 11 5.5 mark-a 0\n+ 12 6.0  0\n- 11\n+ 13 7.25 mark-c 99\n- 99\n+ 14 8.0 mark-d 12"


def test_the_watch_list_holds_those_that_were_added_and_not_removed():
    watch_list = WatchList()

    watch_list.feed(LINES)

    assert watch_list.hosts == {12: (6.0, "", 0), 13: (7.25, "mark-c", 99)}


@given(st.lists(st.integers(0, len(LINES)), max_size=20))
def test_any_chunking_gives_the_same_watch_list(places):
    watch_list = WatchList()

    for start, end in itertools.pairwise([0, *sorted(places), len(LINES)]):
        watch_list.feed(LINES[start:end])

    assert watch_list.hosts == {12: (6.0, "", 0), 13: (7.25, "mark-c", 99)}


def test_the_watch_list_ends_all_who_are_on_it_and_no_stranger():
    watch_list = WatchList()
    with started(parent_code(apart=True)) as (host, said), started(SLEEPS) as (stranger, _):
        watch_list.feed(f"+ {host.pid} {created(host.pid)!r}  0\n".encode())
        watch_list.feed(f"+ {stranger.pid} {created(stranger.pid) - 1!r}  0\n".encode())

        watch_list.end_all()

        assert ended(host)
        wait_gone([int(said)])
        assert alive(stranger.pid)


# As a script


def script(*, embedder=None, packages=None):
    packages = packages or str(Path(psutil.__file__).parent.parent)
    # Without `site`, so that it has psutil from where it was told, as in an unusual installation.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", sweep.__file__, str(embedder or os.getpid()), packages],
        stdin=subprocess.PIPE,
        env=TEST_MARK,
    )


def ignores(pid, number):
    (line,) = [
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigIgn")
    ]
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


def test_the_script_ends_the_hosts_when_its_stdin_ends():
    with started(parent_code(apart=True)) as (host, said), script() as watchdog:
        watchdog.stdin.write(f"+ {host.pid} {created(host.pid)!r}  0\n".encode())
        watchdog.stdin.close()

        assert ended(watchdog)
        assert watchdog.returncode == 0
        assert ended(host)
        wait_gone([int(said)])


def test_the_script_ends_the_hosts_when_the_embedder_was_gone_before_it_began():
    with started(SLEEPS) as (host, _), script(embedder=nobody()) as watchdog:
        watchdog.stdin.write(f"+ {host.pid} {created(host.pid)!r}  0\n".encode())
        watchdog.stdin.flush()

        assert ended(watchdog)
        assert ended(host)


@pytest.mark.parametrize("number", [1, 2, 15])
def test_the_script_is_not_ended_by_what_ends_the_embedder(number):
    with started(SLEEPS) as (host, _), script() as watchdog:
        watchdog.stdin.write(f"+ {host.pid} {created(host.pid)!r}  0\n".encode())
        watchdog.stdin.flush()
        wait_until(lambda: ignores(watchdog.pid, number))
        os.kill(watchdog.pid, number)
        watchdog.stdin.close()

        assert ended(watchdog)
        assert ended(host)


# Many who look at once


def test_those_who_look_at_the_same_time_look_together(monkeypatch):
    looks, begun, go_on = [], threading.Event(), threading.Event()

    class SlowLook(sweep.Look):
        def __init__(self):
            looks.append(self)
            begun.set()
            assert go_on.wait(PATIENCE)
            super().__init__()

    monkeypatch.setattr(sweep, "Look", SlowLook)
    with ThreadPoolExecutor(20) as threads, started(SLEEPS) as (process, _):
        first = threads.submit(descendants, os.getpid())
        assert begun.wait(PATIENCE)
        others = [threads.submit(descendants, os.getpid()) for _ in range(19)]
        wait_until(lambda: len(sweep._LOOKS_TAKEN._changed._waiters) == 19)
        go_on.set()

        assert all(process.pid in dict(each.result(PATIENCE)) for each in [first, *others])
    assert len(looks) == 2  # the second began when all the others had asked


def no_descriptor():
    raise OSError(24, "Too many open files")


def test_who_cannot_look_keeps_nobody_else_from_it(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sweep, "_all_with_sessions", no_descriptor)
        assert descendants(os.getpid()) == []

    with started(SLEEPS) as (process, _):
        assert process.pid in dict(descendants(os.getpid()))
