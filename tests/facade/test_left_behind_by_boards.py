"""Daemons that tools start end with the host, whatever they have shaken off, and before the board's stop returns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from callboard import Callboard, PluginLoadError
from leaks import TEST_MARK, alive, no_leaks, wait_gone
from moody_python import Moody
from tools import tool_call

QUICK = {"backoff": {"first": 0.0, "min": 0.01, "max": 0.05}, "intensity": 5}


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


def daemon_of(board, ends):
    return ends(board.execute(tool_call("moody", way="leaves_a_daemon"))["result"])


def test_a_daemon_that_a_tool_has_started_ends_with_its_killed_host(ends):
    with Callboard() as board:
        board.register(Moody, isolate=True, env=TEST_MARK, restart=QUICK)
        daemon = daemon_of(board, ends)
        os.kill(board.status()["plugins"]["moody"]["host"]["pid"], signal.SIGKILL)

        wait_gone([daemon])


def test_no_daemon_is_there_when_the_stop_of_a_board_returns(ends):
    with Callboard() as board:
        board.register(Moody, isolate=True, env=TEST_MARK, restart=QUICK)
        daemons = [daemon_of(board, ends) for _ in range(3)]
        board.stop()

        assert not any(map(alive, daemons))


def test_no_daemon_outlives_a_host_that_is_started_again_and_again(tmp_path, ends):
    pids = tmp_path / "pids"
    script = f"(setsid env -i /bin/sh -c 'echo $$ >> {pids}; exec sleep 1000' >/dev/null 2>&1 &); sleep 0.2"
    entry = {"host": {"command": ["/bin/sh", "-c", script], "protocol": "thp/1"}}
    with Callboard() as board:
        with pytest.raises(PluginLoadError):
            board.load(entry, restart=QUICK, env=TEST_MARK)
        board.stop()
        daemons = [ends(int(pid)) for pid in pids.read_text().split()]

    assert len(daemons) > 2
    assert not any(map(alive, daemons))


def test_the_status_says_by_what_processes_are_found():
    with Callboard() as board:
        board.register(Moody, isolate=True, env=TEST_MARK)
        status = board.status()["plugins"]["moody"]["host"]

    assert status["found_by"] == ["session", "descent", "environment", "limit"]


UNDER_A_LIMIT = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from callboard import Callboard
from moody_python import Moody

resource.setrlimit(10, (1000, 1000))
with Callboard() as board:
    board.register(Moody, isolate=True)
    print(*board.status()["plugins"]["moody"]["host"]["found_by"])
"""


def test_where_there_is_no_room_for_a_limit_the_status_says_so():
    support = Path(sys.modules["moody_python"].__file__).parent
    words = [sys.executable, "-c", UNDER_A_LIMIT, str(support)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=os.environ | TEST_MARK)

    assert done.stdout.split() == ["session", "descent", "environment"]
