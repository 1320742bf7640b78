"""Hosts that are killed under load: every call is answered truly, state goes on, nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from random import Random

import psutil
from boards import MOODY, node_board
from callboard import Callboard
from leaks import TEST_MARK, alive, no_leaks
from thorough import thorough, times
from tools import tool_call

CALLS = times(500, 1500)
PATIENCE = 60.0


@thorough
def test_two_thousand_calls_with_a_kill_at_each_hundredth_are_all_answered_truly(tmp_path):
    ledger = tmp_path / "ledger"
    with no_leaks():
        with node_board(mailbox_size=2000) as (board, plugin, events):
            calls, killed = [], 0
            for number in range(2000):
                calls.append(board.submit(tool_call("moody", ledger=str(ledger), line=number)))
                if number % 100 == 99:
                    calls[number - 50].result(PATIENCE)
                    events.wait("host_ready", killed + 1)
                    os.kill(plugin.host.pid, signal.SIGKILL)
                    killed += 1
                    events.wait("host_crashed", killed)
            results = [call.result(PATIENCE) for call in calls]
            events.wait("host_ready", killed + 1)
            status = board.status()["plugins"]["moody"]
        ran = [int(line) for line in ledger.read_text().split()]

    succeeded = [number for number, result in enumerate(results) if result["success"]]
    crashed = [number for number, result in enumerate(results) if result.get("code") == "host_crashed"]
    assert len(succeeded) + len(crashed) == 2000
    assert len(crashed) <= killed == 20
    # The counter counts the answers that counted, across all generations.
    assert [results[number]["result"]["count"] for number in succeeded] == list(range(1, len(succeeded) + 1))
    # What was answered ran once; what was lost ran once or not at all; nothing ran twice or out of order.
    assert ran == sorted(set(ran))
    assert set(succeeded) <= set(ran) <= set(succeeded) | set(crashed)
    assert status["host"]["crashes"] == status["host"]["restarts"] == killed
    assert status["calls"]["submitted"] == status["calls"]["ended"] == 2000


def test_whatever_tools_callers_and_killers_do_every_call_ends_once_and_the_board_heals():
    random = Random(1)
    config = {
        "supervision": {"intensity": 100_000, "backoff": {"min": 0.01, "max": 0.05}},
        "calls": {"grace": 0.1, "mailbox_size": 2000},
    }
    names = [f"moody{number}" for number in range(4)]
    moods = [None, "throw", "parts", "fail", "rubbish", "exit", "spin", "wait"]
    ends: Counter[str] = Counter()
    with no_leaks(), Callboard(config) as board:
        for number, name in enumerate(names):
            source = {"node_tool": {"file": str(MOODY), "id": name}}
            board.load(
                source,
                config={"names": [name]},
                env=TEST_MARK,
                concurrency=1 + 7 * (number % 2),
                idempotent=number > 1,
            )
        calls = []
        for number in range(CALLS):
            (do,) = random.choices(moods, [60, 5, 5, 5, 2, 1, 0.3, 3])
            call = board.submit(
                tool_call(random.choice(names), f"c{number}", do=do, parts=3, ms=random.randint(1, 50)),
                deadline=random.choice([0.05, 0.5, 5]),
            )
            call.add_done_callback(lambda call=call: ends.update([call.id]))
            calls.append(call)
            if random.random() < 0.05:
                random.choice(calls[-50:]).cancel()
            if random.random() < 0.02:
                host = board.status()["plugins"][random.choice(names)]["host"]
                if "pid" in host:
                    with suppress(ProcessLookupError):
                        os.kill(host["pid"], signal.SIGKILL)
        results = [call.result(PATIENCE) for call in calls]
        healed = [board.execute(tool_call(name), deadline=PATIENCE)["success"] for name in names]
        status = board.status()["plugins"]

    assert len(ends) == CALLS
    assert set(ends.values()) == {1}
    assert all(result["success"] or result["error"] for result in results)
    assert healed == [True] * 4
    for name in names:
        call_metrics = status[name]["calls"]
        assert call_metrics["submitted"] == call_metrics["ended"]
        assert (status[name]["running"], status[name]["waiting"]) == (0, 0)


def test_a_program_that_never_stops_its_board_ends_and_leaves_nothing_behind():
    program = subprocess.run(
        [sys.executable, "-c", FORGETFUL, str(MOODY)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert (program.returncode, program.stderr) == (0, "")
    pid = int(program.stdout)
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=0.05)
    assert not alive(pid)


FORGETFUL = """
import sys
from callboard import Callboard

board = Callboard().start()
board.load({"node_tool": {"file": sys.argv[1], "id": "moody"}})
call = {"id": "1", "type": "function", "function": {"name": "moody", "arguments": {}}}
print(board.execute(call)["result"]["pid"])
"""
