"""A client that asks for much and reads nothing costs a bounded amount of memory and of threads, and is answered all the same."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
from leaks import TEST_MARK, wait_until
from mcp_pipes import Served, call, hello, line, serving
from programs import PROGRAMS
from sdks import needs_sdk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_sdk

CALLS = 400
READS = 600
MOST_RUN = 128
"""Calls of a client that reads nothing which run: a server's 64, and those whose answers fill what may wait."""
MOST_MEMORY = 600 * 1024 * 1024
MOST_THREADS = 128
PATIENCE = 120.0
QUIET = 1.0
"""Seconds in which nobody computes, and after which nobody will."""


def big(folder: Path) -> dict[str, Any]:
    server = str(PROGRAMS / "python" / "mcp_big_server.py")
    entry = {"command": sys.executable, "args": [server, str(folder / "counted")], "env": TEST_MARK}
    return {"plugins": [{"name": "big", "mcp": entry, "deadline": None}]}


def counted(folder: Path) -> int:
    file = folder / "counted"
    return file.stat().st_size if file.exists() else 0


def family(served: Served) -> list[psutil.Process]:
    gateway = psutil.Process(served.process.pid)
    return [gateway, *gateway.children(recursive=True)]


def until_quiet(served: Served) -> None:
    """Wait until neither the gateway nor its servers have computed anything for a while."""
    seen: list[Any] = [None, time.monotonic()]

    def is_quiet() -> bool:
        processes = family(served)
        computed = [sum(each.cpu_times()[:2]) for each in processes]
        if computed != seen[0] or any(each.status() == psutil.STATUS_RUNNING for each in processes):
            seen[:] = computed, time.monotonic()
        return bool(time.monotonic() - seen[1] >= QUIET)

    wait_until(is_quiet, PATIENCE)


def test_calls_whose_answers_nobody_reads_wait_before_they_run(tmp_path: Path) -> None:
    with serving(tmp_path, big(tmp_path)) as served:
        served.say(hello(), line(id="tools", method="tools/list"))
        served.answers(2)
        served.say(*[call(number, "big") for number in range(CALLS)])
        until_quiet(served)

        assert counted(tmp_path) <= MOST_RUN
        assert family(served)[0].memory_info().rss < MOST_MEMORY
        answers = [served.next() for _ in range(CALLS)]
        assert sorted(each["id"] for each in answers) == list(range(CALLS))
        assert all(len(served.text(each)) == 1_000_000 for each in answers)
        assert served.ends() == 0


def test_a_call_that_waits_for_its_client_to_read_can_be_cancelled_and_pings_are_answered(
    tmp_path: Path,
) -> None:
    cancelled = set(range(CALLS // 2, CALLS))
    with serving(tmp_path, big(tmp_path)) as served:
        served.say(hello(), line(id="tools", method="tools/list"))
        served.answers(2)
        calls = [call(number, "big") for number in range(CALLS)]
        cancels = [
            line(method="notifications/cancelled", params={"requestId": each}) for each in sorted(cancelled)
        ]
        served.say(*calls, *cancels, line(id="ping", method="ping"))

        found = served.answers(CALLS - len(cancelled) + 1)

        assert set(found) - {"ping"} == set(range(CALLS)) - cancelled
        assert served.ends() == 0
        assert counted(tmp_path) == CALLS - len(cancelled)


def test_reads_that_a_server_does_not_answer_have_a_bounded_number_of_threads(tmp_path: Path) -> None:
    with serving(tmp_path, big(tmp_path)) as served:
        served.say(hello(), line(id="listed", method="resources/list"))
        served.answers(2)
        served.say(
            *[line(id=each, method="resources/read", params={"uri": "held://one"}) for each in range(READS)]
        )
        until_quiet(served)

        assert family(served)[0].num_threads() <= MOST_THREADS
        served.say(call("release", "release"))
        answers = served.answers(READS + 1)
        assert set(answers) == {*range(READS), "release"}
        assert served.ends() == 0
