from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from callboard.hosts.errors import HostStartError
from callboard.hosts.process.posix_process import PolledProcess
from callboard.hosts.process.process import Command
from callboard.hosts.process_tree.fingerprint import draw, launching, number_for, put_on
from callboard.hosts.process_tree.tree_kill import FILE_LOCKS, WITHIN, created, limit_of, members
from evil_hosts import PATIENCE, evil
from hypothesis import given
from hypothesis import strategies as st
from leaks import TEST_MARK, no_leaks, wait_until

UNLIMITED = -1
LONGEST = (1 << 63) - 1


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks():
        yield


# The numbers


def at(place):
    """A chance that comes out at this place between none and all."""
    return lambda below: int(place * (below - 1))


places = st.floats(0, 1)


@given(places)
def test_a_number_can_be_set_read_and_told_from_every_limit_that_people_set(place):
    number = number_for(UNLIMITED, at(place))

    assert 1 << 62 <= number < LONGEST
    assert number & WITHIN == WITHIN


@given(places, places)
def test_the_number_of_a_host_of_a_host_is_lower_and_known_to_both(outer, inner):
    above = number_for(UNLIMITED, at(outer))
    number = number_for(above, at(inner))

    assert 1 << 62 <= number < above
    assert number | WITHIN == above


@given(places, places, places)
def test_below_a_host_of_a_host_there_is_no_room_for_more(outer, inner, third):
    number = number_for(number_for(UNLIMITED, at(outer)), at(inner))

    assert number_for(number, at(third)) == 0


@given(st.integers(0, (1 << 62) - 1), places)
def test_under_a_limit_that_somebody_has_set_there_is_no_number(limit, place):
    assert number_for(limit, at(place)) == 0


@pytest.mark.parametrize("limit", [LONGEST, (1 << 64) - 1])
def test_a_limit_that_is_none_in_all_but_name_is_none(limit):
    assert number_for(limit, at(0.5)) > 1 << 62


def test_no_two_numbers_are_the_same():
    assert len({draw() for _ in range(1000)}) == 1000


# On processes


def limits_of(pid):
    return resource.prlimit(pid, FILE_LOCKS)


@pytest.mark.parametrize("libraries", [{}, {"LD_BIND_NOW": "1"}], ids=["launched", "set afterwards"])
def test_a_host_carries_a_number_of_its_own(libraries):
    plain = evil("echoes")
    one, other = (
        PolledProcess.spawn(Command(plain.argv, {**plain.env, **libraries}), host="evil") for _ in range(2)
    )
    try:
        wait_until(lambda: limits_of(one.pid) != limits_of(other.pid) != (-1, -1) != limits_of(one.pid))
        assert limits_of(one.pid) == (one.number, one.number)
        assert "limit" in one.found_by
    finally:
        one.abort()
        other.abort()


def test_the_embedding_process_has_none():
    before = limits_of(0)
    process = PolledProcess.spawn(evil("echoes"), host="evil")
    process.abort()

    assert limits_of(0) == before


def test_a_number_that_comes_late_is_put_on_those_who_were_started_before():
    number = draw()
    words = ["sh", "-c", "(sleep 1000 & sleep 1000 & echo; wait) & wait"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=TEST_MARK, start_new_session=True) as process:
        process.stdout.readline()
        there = put_on(process.pid, number)
        found = members(0, created(process.pid), number=number)
        os.killpg(process.pid, signal.SIGKILL)

    assert there
    assert len(found) == 4


def test_a_process_that_is_gone_carries_nothing():
    process = subprocess.Popen(["true"])
    process.wait()

    assert not put_on(process.pid, draw())
    assert limit_of(process.pid) is None


def test_one_that_carries_another_number_is_a_stranger():
    number = draw()
    with subprocess.Popen(["sleep", "1000"], env=TEST_MARK, start_new_session=True) as process:
        put_on(process.pid, number)
        birth = created(process.pid)

        assert members(0, birth, number=number) == [process.pid]
        assert members(0, birth + 1, number=number) == []
        assert members(0, birth, number=draw()) == []
        process.kill()


# Launching


def file(folder, content, mode=0o755):
    path = folder / "program"
    path.write_bytes(content)
    path.chmod(mode)
    return str(path)


def elf_of_another_machine():
    head = bytearray(Path(sys.executable).read_bytes()[:64])
    head[18] ^= 0xFF
    return bytes(head)


def test_what_surely_starts_is_launched_with_its_number(tmp_path):
    for program in (shutil.which("sh"), sys.executable, file(tmp_path, b"#!/bin/sh\n")):
        assert launching((program, "a word"), {}, 7)[-2:] == (program, "a word")


CANNOT_START = {
    "no program": lambda folder: str(folder / "none"),
    "a folder": str,
    "not executable": lambda folder: file(folder, b"#!/bin/sh\n", 0o644),
    "of no kind": lambda folder: file(folder, b"echo hello\n"),
    "empty": lambda folder: file(folder, b""),
    "without its interpreter": lambda folder: file(folder, b"#!/no/such/interpreter\n"),
    "with an interpreter that is not one": lambda folder: file(folder, b"#!/etc/passwd\n"),
    "for another machine": lambda folder: file(folder, elf_of_another_machine()),
}


@pytest.mark.parametrize("make", CANNOT_START.values(), ids=CANNOT_START)
def test_what_cannot_start_is_not_launched_so_that_the_system_says_why(make, tmp_path):
    program = make(tmp_path)

    assert launching((program,), {}, 7) is None
    with pytest.raises(HostStartError) as caught:
        PolledProcess.spawn(Command((program,), {}), host="evil")
    assert caught.value.permanent


@pytest.mark.parametrize("argv", [("sh",), ("./sh",)])
def test_a_program_that_is_looked_up_elsewhere_is_not_launched(argv):
    assert launching(argv, {}, 7) is None


def test_a_launched_program_is_given_its_words_and_its_environment_as_they_are(tmp_path):
    code = "import os, sys; print(sys.argv[1:], sorted(os.environ.items()), os.getpid())"
    words = ("--locks=5", "--", "", "a b", "\u00e9")
    env = {"not a name": "x", "A": "1 2", "npm_config_//host/:_authToken": "t", "LC_ALL": "C.UTF-8"}
    argv = launching((sys.executable, "-I", "-c", code, *words), env, draw())
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        said, _ = process.communicate(timeout=PATIENCE)

    assert said.strip() == f"{list(words)} {sorted(env.items())} {process.pid}"
