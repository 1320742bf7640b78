"""The filter of system calls, run by an interpreter of the kernel's language for such programs."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from callboard.hosts.sandbox.seccomp import (
    ALLOW,
    FAMILIES,
    FORBIDDEN,
    KILL,
    MACHINES,
    MISSING,
    NAMESPACES,
    NEW_NAMESPACES,
    SKIPPED,
    TERMINAL,
    UNSUPPORTED,
    X32,
    seccomp_filter,
)
from hypothesis import given
from hypothesis import strategies as st

LOOKED_AT = {"ioctl", "socket", "socketpair", "clone"}


def answer(program, architecture, number, *arguments):
    """What the kernel would do: as its documentation defines the instructions."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    instructions = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at = accumulator = 0
    tests = {
        0x15: lambda value: accumulator == value,
        0x35: lambda value: accumulator >= value,
        0x45: lambda value: accumulator & value,
    }
    while True:
        code, true, false, value = instructions[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            assert value % 4 == 0
            (accumulator,) = struct.unpack_from("=I", data, value)
        else:
            at += true if tests[code](value) else false


def expected(machine, name, arguments, *, nests):
    low = [each & 0xFFFF_FFFF for each in arguments]
    match name:
        case "ioctl":
            return FORBIDDEN if low[1] in TERMINAL else ALLOW
        case "socket" | "socketpair":
            return ALLOW if low[0] in FAMILIES else UNSUPPORTED
        case "clone":
            return FORBIDDEN if low[0] & NEW_NAMESPACES and not nests else ALLOW
        case None:
            return ALLOW
    return ALLOW if nests and name in NAMESPACES else MISSING


WORDS = st.integers(0, 2**64 - 1) | st.sampled_from(
    [*TERMINAL, *FAMILIES, 38, 40, 1 << 32 | 0x5412, 0x1000_0000]
)


@given(st.sampled_from(sorted(MACHINES)), st.booleans(), st.data())
def test_what_is_listed_is_refused_and_all_else_is_let_through(name, nests, data):
    machine = MACHINES[name]
    names = {number: call for call, number in machine.numbers.items()}
    number = data.draw(st.sampled_from(sorted(names)) | st.integers(0, 600))
    arguments = data.draw(st.lists(WORDS, min_size=6, max_size=6))

    answered = answer(seccomp_filter(machine, nests=nests), machine.architecture, number, *arguments)

    assert answered == expected(machine, names.get(number), arguments, nests=nests)


@pytest.mark.parametrize("name", sorted(MACHINES))
@given(number=st.integers(0, 2**32 - 1), architecture=st.integers(0, 2**32 - 1))
def test_a_call_by_the_convention_of_another_processor_ends_the_process(name, number, architecture):
    machine = MACHINES[name]
    if architecture != machine.architecture:
        assert answer(seccomp_filter(machine), architecture, number) == KILL


@given(number=st.integers(X32, SKIPPED))
def test_of_the_second_convention_of_x86_there_are_no_calls(number):
    machine = MACHINES["x86_64"]

    answered = answer(seccomp_filter(machine), machine.architecture, number)

    assert answered == (ALLOW if number == SKIPPED else MISSING)


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_a_filter_is_as_short_as_the_kernel_and_a_pipe_take_it(name):
    program = seccomp_filter(MACHINES[name])

    assert len(program) % 8 == 0
    assert len(program) <= 4096


HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_the_numbers_are_those_of_the_kernel(name):
    """Where its headers are installed; what they do not know is newer than they are."""
    header = HEADERS[name]
    text = header.read_text() if header.is_file() else ""
    known = {call: int(number) for call, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    ours = MACHINES[name].numbers

    assert {call: number for call, number in ours.items() if known.get(call, number) != number} == {}
    assert len(set(ours.values())) == len(ours)
