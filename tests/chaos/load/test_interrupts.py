"""Callers that are interrupted by real signals: the board bears it, and one that does not is convicted."""

from __future__ import annotations

import signal
from contextlib import contextmanager, nullcontext

import pytest
from callboard.actors.board import Board
from callboard.chaos.checker.interruptions import check_interrupts
from callboard.chaos.checker.standings import Standing
from callboard.chaos.load import interrupts
from callboard.chaos.load.interrupted_plugins import InterruptedTool
from callboard.chaos.load.interrupts import InterruptedCaller, Target
from callboard.chaos.load.soak import Soak
from callboard.chaos.recorder import Recorder
from callboard.direct_calls import own_result, own_result_async
from callboard.plugins.adapter.adapter import PluginAdapter
from leaks import no_leaks
from planted_bugs import interrupt_keeps_place
from thorough import thorough, times

WAYS = {"execute": own_result, "execute async": own_result_async}


def wire(call):
    arguments = {"parts": 2}
    return {"type": "function_call", "call_id": call, "name": InterruptedTool.name, "arguments": arguments}


def interrupted(count, deadline):
    """So many callers of a tool of this process are interrupted; what was seen."""
    with no_leaks(), Board() as board:
        board.add(PluginAdapter(InterruptedTool()), config={})
        recorder = Recorder(board)
        targets = [Target(InterruptedTool.name, wire)]
        with InterruptedCaller(recorder, targets, seed=1, ways=WAYS, deadline=deadline) as caller:
            tried = 0
            while len(caller.interruptions) < count and tried < 20 * count:
                tried += 1
                caller.interrupt()
        recorder.close()
    return check_interrupts(caller.interruptions, caller.freed)


@contextmanager
def an_interrupt_keeps_its_place(monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_keeps_place(patched.setattr)
        yield


@pytest.mark.parametrize("bug", [None, an_interrupt_keeps_its_place])
def test_interrupts_break_nothing_and_a_board_where_they_do_is_convicted(bug, monkeypatch):
    with bug(monkeypatch) if bug else nullcontext():
        check = interrupted(times(60, 600), deadline=0.5 if bug else 20.0)

    assert check.standing is (Standing.BROKEN if bug else Standing.HELD), check.said


def test_an_alarm_that_rings_again_before_its_handler_has_returned_lets_the_caller_go_on(monkeypatch):
    monkeypatch.setattr(interrupts, "_SOON", 1e-6)

    check = interrupted(20, 20.0)

    assert check.standing is Standing.HELD, check.said


def test_the_handler_of_the_signal_is_the_former_one_afterwards():
    before = signal.getsignal(signal.SIGALRM)

    interrupted(1, 20.0)

    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@thorough
def test_a_soak_interrupts_callers_of_tools_hosts_and_servers_that_are_killed(tmp_path):
    soak = Soak(calls=600, hosts=2, faults=6, seed=4, folder=tmp_path, servers=1, interrupts=200, ways=WAYS)

    soaked = soak.run()

    assert [one.said for one in soaked.checks if one.violations] == []
    assert soaked.run.of("mcp_1")
    caller = soak.caller
    assert {one.plugin for one in caller.interruptions} == {
        "interrupted_tool",
        "interrupted_host",
        "interrupted_server",
    }
    assert any(one.crashed for one in caller.interruptions)
