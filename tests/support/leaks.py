"""What a test leaves behind: threads, descriptors, processes.

`no_leaks` takes a census before and after, and waits for what is about to end by itself. Processes
are those that descend from this one, and those that carry `TEST_MARK` in their environment: an
orphan descends from nobody. A zombie is dead; who has to collect it is not the question here.

It asks psutil and ``/proc`` directly, not the house, whose own idea of what lives is under test.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEST_MARK = {"CALLBOARD_TEST_RUN": f"{os.getpid()}-{os.urandom(4).hex()}"}
"""To be put into the environment of every process that a test starts."""

_PAUSE = 0.01


class Census(NamedTuple):
    threads: frozenset[str]
    descriptors: frozenset[str]
    processes: frozenset[str]

    def beyond(self, before: Census) -> Census:
        return Census(*(mine - theirs for mine, theirs in zip(self, before, strict=True)))


def census() -> Census:
    return Census(_threads(), _descriptors(), _processes())


@contextmanager
def no_leaks(within: float = 10.0) -> Iterator[None]:
    """Fail if, ``within`` seconds after the block, there is more than there was before it."""
    before = census()
    yield
    deadline = time.monotonic() + within
    while any(left := census().beyond(before)):
        assert time.monotonic() < deadline, f"left behind: {left}"
        time.sleep(_PAUSE)


def alive(pid: int) -> bool:
    """Whether a process runs. A zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(condition: Callable[[], bool], within: float = 10.0) -> float:
    """Wait for what nobody tells of; return how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() < began + within, f"it did not come true within {within:g} s"
        time.sleep(_PAUSE)
    return time.monotonic() - began


def wait_gone(pids: list[int], within: float = 10.0) -> float:
    """Wait for the end of processes that are not ours to wait for; return how long that took."""
    return wait_until(lambda: not any(alive(pid) for pid in pids), within)


def _threads() -> frozenset[str]:
    return frozenset(
        f"{thread.name} ({thread.ident})" for thread in threading.enumerate() if thread.is_alive()
    )


def _descriptors() -> frozenset[str]:
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that the listing itself has used
            found.add(f"{entry.name} -> {entry.readlink()}")
    return frozenset(found)


def living() -> list[psutil.Process]:
    """The processes that this one has started and that run, orphans among them."""
    found = {process.pid: process for process in psutil.Process().children(recursive=True)}
    (name, value), *_ = TEST_MARK.items()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(name) == value:
                found[process.pid] = process
    return [process for pid, process in found.items() if alive(pid)]


def _processes() -> frozenset[str]:
    return frozenset(f"{process.pid}: {_command_line(process)}" for process in living())


def _command_line(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return "?"
