"""A pytest plugin: a test that has failed takes the processes with it that it has started.

Otherwise one failure becomes several: what it has left is in the way of the tests that come after it, in their censuses and
on the processor. A test that passes is not looked after: that it leaves nothing is for itself to show.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psutil
import pytest
from leaks import living

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILED = pytest.StashKey[bool]()

_PAUSE = 0.01
_PATIENCE = 10.0


class Beginning(NamedTuple):
    """When a test began, in ticks of the clock that processes are dated by, and who was there in that same tick."""

    at: int
    children: frozenset[int]


BEGAN = pytest.StashKey[Beginning]()


@pytest.fixture(autouse=True)
def began(request: pytest.FixtureRequest) -> None:
    """What fixtures of more than one test have started was there before, and goes on."""
    now = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    request.node.stash[BEGAN] = Beginning(now, frozenset(_children()))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Look after it once its last part is over."""
    report: pytest.TestReport = yield
    failed = item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    if report.when == "teardown" and failed and BEGAN in item.stash:
        end_those_since(item.stash[BEGAN])
    return report


def end_those_since(began: Beginning) -> None:
    """Kill what descends from this process, or bears the mark of its tests, and was not there then."""
    deadline = time.monotonic() + _PATIENCE
    while left := [
        process
        for process in living()
        if _born(process.pid) >= began.at and process.pid not in began.children
    ]:
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if time.monotonic() > deadline:
            return
        time.sleep(_PAUSE)


def _born(pid: int) -> int:
    """In ticks since the machine was started; what psutil tells is up to a second off."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19])
    except OSError:  # gone
        return -1


def _children() -> list[int]:
    """Read where it costs next to nothing, since all tests do it."""
    found: list[int] = []
    for thread in os.listdir("/proc/self/task"):  # noqa: PTH208 - before each test: names are enough
        with suppress(OSError):  # a thread that has ended, or a system that does not tell
            found += map(int, Path(f"/proc/self/task/{thread}/children").read_text("ascii").split())
    return found
