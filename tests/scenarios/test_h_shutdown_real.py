"""H: shutdown and the process tree, with real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from boards import Recorder
from callboard.actors.board import Board
from callboard.hosts.process.stop_ladder import KILL_NOW, StopLadder
from evil_hosts import HostEar, running, sent
from leaks import alive, no_leaks, wait_gone
from obedient_hosts import PATIENCE, UNHURRIED, add_obedient, obedient, obedient_board, run, submit
from programs import ROOT
from thorough import times


@pytest.fixture(autouse=True)
def nothing_is_left():
    with no_leaks(within=PATIENCE):
        yield


def test_scenario_H1_a_polite_host_ends_at_the_end_of_its_stdin_without_a_signal():
    with running(obedient(at_eof="exit:0", on_term="exit:9").command()) as (host, ear):
        sent(host, "call-1")[0].wait("answer")
        host.stop("not needed", UNHURRIED)
        ended = ear.ended()

    assert (ended.exit.code, ended.exit.signal) == (0, None)
    assert ended.exit.stop_reason == "not needed"


def test_scenario_H2_a_host_that_ignores_the_end_of_its_stdin_is_terminated_after_the_first_grace():
    with running(obedient(at_eof="ignore").command()) as (host, ear):
        sent(host, "call-1")[0].wait("answer")
        began = time.monotonic()
        host.stop("not needed", StopLadder(polite=0.2, firm=PATIENCE))
        ended = ear.ended()

    assert ended.exit.signal == signal.SIGTERM
    assert 0.2 <= time.monotonic() - began < PATIENCE


def test_scenario_H3_a_host_that_traps_the_signal_and_spins_is_killed_at_the_deadline():
    with running(obedient(at_eof="spin", on_term="spin").command()) as (host, ear):
        sent(host, "call-1")[0].wait("answer")
        began = time.monotonic()
        host.stop("not needed", StopLadder(polite=0.2, firm=0.3))
        ended = ear.ended()

    assert ended.exit.signal == signal.SIGKILL
    assert 0.5 <= time.monotonic() - began < PATIENCE


def test_scenario_H4_a_stopped_host_is_ended_by_the_kill():
    with running(obedient().command()) as (host, ear):
        sent(host, "call-1")[0].wait("answer")
        os.kill(host.pid, signal.SIGSTOP)
        host.stop("not needed", StopLadder(polite=0.1, firm=0.1))

        assert ear.ended().exit.signal == signal.SIGKILL


def test_scenario_H6_a_host_that_dies_on_its_own_before_the_signal_is_reported_as_it_ended():
    ears = []
    for _ in range(20):  # the death and the stop meet in a different place each time
        with running(obedient().command()) as (host, ear):
            (owner,) = sent(host, "call-1")
            host.send("execute_tool", {"arguments": {"do": "half", "code": 7}, "state": {}}, owner)
            host.stop("not needed", KILL_NOW)
            host.stop("once more", KILL_NOW)
            ear.ended()
            ears.append(ear)

    assert all(_truthful(ear) for ear in ears)


def _truthful(ear: HostEar) -> bool:
    exit_ = ear.ended().exit
    return (exit_.code, exit_.signal) in {(7, None), (0, None), (None, 15), (None, 9)}


def test_scenario_H7_nothing_of_the_tree_outlives_a_stop_or_a_crash():
    with obedient_board({"child": "plain", "shell": True}) as (board, plugin, events):
        first = _tree(plugin.host.pid)
        os.kill(plugin.host.pid, signal.SIGKILL)
        events.wait("host_ready", 2)
        wait_gone(first, PATIENCE)
        second = _tree(plugin.host.pid)
        board.stop(PATIENCE)

        assert len(first) == len(second) == 3  # the shell, the host, its child
        assert [pid for pid in first + second if alive(pid)] == []


def _tree(pid: int) -> list[int]:
    return [pid, *(process.pid for process in psutil.Process(pid).children(recursive=True))]


def test_scenario_H8_a_death_is_noticed_at_once_though_a_grandchild_holds_stdout():
    with obedient_board({"child": "plain"}) as (board, _plugin, _events):
        (grandchild,) = run(board)["result"]["children"]
        began = time.monotonic()
        call = submit(board, do="kill")

        assert call.result(PATIENCE)["code"] == "host_crashed"
        assert time.monotonic() - began < 10  # the rule says 1 s; ten times that only guards
        wait_gone([grandchild], PATIENCE)


EMBEDDER = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from obedient_hosts import Board, add_obedient, obedient, submit

board = Board()
for number in range(4):
    add_obedient(board, obedient(f"host{number}", at_eof="spin", on_term="ignore", child="apart"))
    submit(board, f"host{number}", do="deaf", deadline=None)
print(json.dumps([process.pid for process in __import__("psutil").Process().children(recursive=True)]), flush=True)
if sys.argv[2] == "exits":
    sys.exit(0)
sys.stdin.read()
"""


def test_scenario_H10_all_hosts_vanish_with_the_program_however_that_ends():
    support = json.dumps([str(ROOT / "tests" / "support")])
    for ending in ("killed", "exits"):
        program = subprocess.Popen(
            [sys.executable, "-c", EMBEDDER, support, ending],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with program:
            assert program.stdout is not None
            pids = json.loads(program.stdout.readline())
            if ending == "killed":
                program.kill()
            program.wait(PATIENCE)  # an exit does not hang on hosts that do not end
        wait_gone(pids, PATIENCE)

        assert len(pids) >= 8


def test_scenario_H11_many_restarts_leave_no_zombie_no_descriptor_and_no_thread():
    with Board(seed=1) as board:
        events = Recorder(board)
        plugin = add_obedient(board, obedient())
        before = _census()
        for generation in range(2, 2 + times(20, 100)):
            os.kill(plugin.host.pid, signal.SIGKILL)
            events.wait("host_ready", generation, PATIENCE)
        run(board)
        deadline = time.monotonic() + PATIENCE
        while (more := _beyond(_census(), before)) and time.monotonic() < deadline:
            run(board)

    assert more == {}


def _census() -> dict[str, int]:
    me = psutil.Process()
    children = len(me.children(recursive=True))
    return {"descriptors": me.num_fds(), "threads": threading.active_count(), "processes": children}


def _beyond(after: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """What there is more of. Less is no leak: a thread of an earlier test may have ended meanwhile."""
    return {what: count - before[what] for what, count in after.items() if count > before[what]}
