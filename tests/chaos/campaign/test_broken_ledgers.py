"""Boards that are broken on purpose, held against what the tools have written down: the ledger convicts each.

As in `test_broken_boards`, each is the real board with one fault planted; its tools run in a real host, or in a thread.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from functools import wraps

import pytest
from broken_boards import take_the_last_call_first
from callboard.actors.board import Board
from callboard.actors.calls.call import Call
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.mailbox import Mailbox
from callboard.actors.hosted.given_up import GivenUpCalls
from callboard.actors.hosted.request import HostedRun
from callboard.actors.hosting.settings import HostSettings
from callboard.actors.state.cell import StateCell
from callboard.chaos.campaign.callers import judge, wire
from callboard.chaos.campaign.ledger import read_ledger
from callboard.chaos.campaign.ledger_rules import (
    LEDGER_RULES,
    NOT_SENT,
    ORDER,
    OVERLAP,
    REPEATS,
    STATE,
    SUCCESS,
    check_ledger,
)
from callboard.chaos.campaign.ledger_tool import AsyncLedgerTool, LedgerTool
from callboard.chaos.recorder import Recorder
from callboard.hosts.python.runner.origin import PythonOrigin
from callboard.hosts.python.tool import PythonToolPlugin
from callboard.plugins.adapter.adapter import PluginAdapter
from callboard.plugins.results.codes import Code
from callboard.plugins.results.failures import failure
from leaks import no_leaks, wait_until

CONVICTED = {}
"""The tests of broken boards, by the rule that convicts each; filled as this file is read."""


def convicts(rule, *, beside=()):
    """A test that returns the rules that were broken: this one has to be among them, and no other but those ``beside`` it."""

    def mark(test):
        @wraps(test)
        def judged(**fixtures):
            found = set(test(**fixtures))
            assert rule in found
            assert found <= {rule, *beside}, found

        CONVICTED.setdefault(rule, []).append(test.__name__)
        return judged

    return mark


class Calls:
    def __init__(self, board, ledger):
        self.recorder = Recorder(board)
        self.ledger = ledger
        self._numbers = itertools.count(1)

    def submit(self, mood="well", seconds=0.0, deadline=5.0):
        name = f"c{next(self._numbers)}"
        arguments = {"mood": mood, "seconds": seconds, "parts": 0}
        return self.recorder.submit_wire(
            "book",
            wire(name, "book", arguments, self.ledger),
            name=name,
            deadline=deadline,
            judge=judge(name),
        )

    def make(self, *moods):
        return [self.submit(mood).result(10) for mood in moods]


@contextmanager
def a_run(tmp_path, *, hosted=False, tool=LedgerTool, grace=0.1, **settings):
    """Calls of a ledger tool; the rules that were broken are in the list that is yielded, afterwards."""
    broken, ledger = [], tmp_path / "ledger"
    ledger.touch()
    options = {"config": {"name": "book", "alone": hosted}}
    with no_leaks(), Board() as board:
        if hosted:
            plugin = PythonToolPlugin("book", PythonOrigin(f"{LedgerTool.__module__}.{tool.__name__}"))
            adapter = PluginAdapter(plugin, name="book")
            board.begin_hosted(
                adapter, plugin, host=HostSettings(**options), settings=ToolSettings(grace=grace, **settings)
            )
            board.settle_hosted("book", required=True)
        else:
            board.plugin_manager.begin(
                PluginAdapter(tool(), name="book"), **options, settings=ToolSettings(grace=grace, **settings)
            )
            board.plugin_manager.settle("book", required=True)
        calls = Calls(board, ledger)
        yield calls, broken
        calls.recorder.close()
    found = check_ledger(calls.recorder.run(), read_ledger(ledger.read_text().splitlines()))
    broken += [one.rule for one in found if one.violations]


@pytest.mark.parametrize("hosted", [False, True], ids=["thread", "host"])
@pytest.mark.parametrize("tool", [LedgerTool, AsyncLedgerTool])
def test_a_board_that_is_whole_breaks_no_rule(tmp_path, hosted, tool):
    with a_run(tmp_path, hosted=hosted, tool=tool, mailbox_size=3) as (calls, broken):
        calls.make("well", "fail", "raise", "invalid", "exit", "well")
        for handle in [calls.submit(seconds=0.1) for _ in range(6)]:
            handle.result(10)
        calls.make("exit late", "well")

    assert broken == []


@convicts(NOT_SENT)
def test_a_board_that_says_not_sent_of_what_has_run_is_found(tmp_path, monkeypatch):
    def lie(run, report):
        run._end(failure(Code.HOST_UNAVAILABLE, report.summary))

    monkeypatch.setattr(HostedRun, "on_lost", lie)
    with a_run(tmp_path, hosted=True) as (calls, broken):
        calls.make("exit")

    return broken


@convicts(SUCCESS)
def test_a_board_that_makes_up_an_answer_is_found(tmp_path, monkeypatch):
    def lie(call, *_):
        call.finish({"success": True, "result": {"call": call.id, "run": "made up", "count": 1}})
        return True

    monkeypatch.setattr(Call, "begin", lie)
    with a_run(tmp_path) as (calls, broken):
        calls.make("well")

    return broken


@convicts(REPEATS)
def test_a_board_that_sends_again_what_may_run_once_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(ToolSettings, "is_idempotent", lambda *_: True)

    with a_run(tmp_path, hosted=True) as (calls, broken):
        calls.make("exit")

    return broken


@convicts(ORDER)
def test_a_board_that_takes_the_last_call_first_is_found(tmp_path, monkeypatch):
    take_the_last_call_first(monkeypatch)
    with a_run(tmp_path) as (calls, broken):
        for handle in [calls.submit(seconds=0.1), *(calls.submit() for _ in range(5))]:
            handle.result(10)

    return broken


@convicts(OVERLAP, beside=(STATE, ORDER))
def test_a_board_that_runs_two_calls_of_one_tool_at_once_is_found(tmp_path, monkeypatch):
    def wider(lane, limit, concurrency, grant):
        in_truth(lane, limit, concurrency * 2, grant)

    in_truth = Mailbox.__init__
    monkeypatch.setattr(Mailbox, "__init__", wider)

    with a_run(tmp_path) as (calls, broken):
        for handle in [calls.submit(seconds=0.3) for _ in range(2)]:
            handle.result(10)

    return broken


@convicts(OVERLAP)
def test_a_board_that_goes_on_beside_a_call_that_hangs_in_its_host_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(GivenUpCalls, "add", lambda given_up, call: given_up._endpoint.mailbox.release(call))

    with a_run(tmp_path, hosted=True, tool=AsyncLedgerTool) as (calls, broken):
        calls.submit(seconds=1.0, deadline=0.3).result(10)
        calls.make("well")

    return broken


@convicts(STATE)
def test_a_board_that_forgets_a_state_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(StateCell, "commit", lambda *_, **__: True)

    with a_run(tmp_path) as (calls, broken):
        calls.make("well", "well")

    return broken


@convicts(STATE)
def test_a_board_that_keeps_the_state_of_an_answer_nobody_got_is_found(tmp_path, monkeypatch):
    in_truth = Call.finish

    def eager(call, result, **options):
        if call.done() and "first" in options:
            options["first"]()
        return in_truth(call, result, **options)

    monkeypatch.setattr(Call, "finish", eager)
    with a_run(tmp_path, grace=5.0) as (calls, broken):
        given_up = calls.submit(mood="deaf", seconds=0.3)
        wait_until(lambda: "begin" in calls.ledger.read_text())
        given_up.cancel()
        calls.make("well", "well")

    return broken


@pytest.mark.parametrize("rule", LEDGER_RULES)
def test_every_rule_of_a_ledger_has_a_board_that_it_convicts(rule):
    assert CONVICTED.get(rule), f"nobody has shown that {rule!r} finds anything: plant a fault that breaks it"
