"""Boards that are broken on purpose: each is the real one with one fault planted, and the rules find it.

The hosts are real. A board that nothing was done to breaks no rule in the same run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest
from callboard.actors.board import Board
from callboard.actors.desk import ToolSettings
from callboard.actors.host_actor import HostSettings
from callboard.actors.hosted_run import HostedRun
from callboard.actors.lane import Lane
from callboard.actors.state import StateCell
from callboard.actors.succession import Succession
from callboard.chaos.census import Census
from callboard.chaos.evil_tool import EvilToolPlugin
from callboard.chaos.expecting import ExpectedEvents
from callboard.chaos.facts import Run
from callboard.chaos.faults import Exit
from callboard.chaos.invariants import violations
from callboard.chaos.recorder import Recorder, terms_of
from callboard.chaos.schedule import Schedule
from callboard.chaos.triggers import AtPoint, NthCall
from callboard.plugins.adapter import PluginAdapter
from callboard.plugins.codes import Code
from callboard.plugins.failures import failure
from callboard.supervision import fates
from callboard.supervision.backoff import Backoff
from callboard.supervision.exits import Exit as Ended
from callboard.supervision.exits import ExitKind
from callboard.supervision.policy import History, Restart, RestartPolicy
from leaks import no_leaks

PROMPT = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=50)
LATE = RestartPolicy(backoff=Backoff(first=0.6, min=0.6, max=0.6, jitter=0.0), intensity=50)


@contextmanager
def a_run(tmp_path, *entries, board=Board, policy=PROMPT, tool="ledger", patience=5.0):
    """A host that goes wrong as scheduled; what it proves is in the list that is yielded, afterwards."""
    found, census = [], Census()
    one = board()
    with one:
        plugin = EvilToolPlugin("evil", Schedule(1, entries), folder=tmp_path, language="python")
        adapter = PluginAdapter(plugin)
        one.begin_hosted(adapter, plugin, host=HostSettings({}), policy=policy, settings=ToolSettings())
        one.settle_hosted("evil", required=True)
        recorder = Recorder(one, patience=patience)
        recorder.terms["evil"] = replace(
            terms_of(one.roster.member("evil")), ledger=tool == "ledger", counts=tool == "count"
        )
        yield _Calls(recorder, tmp_path / "ledger", tool), found
        recorder.close()
        if (tmp_path / "ledger").exists():
            recorder.take_ledger("evil", (tmp_path / "ledger").read_text().splitlines())
    found += violations(recorder.run(census.left(recorder.known)))


class _Calls:
    def __init__(self, recorder, ledger, tool):
        self.recorder = recorder
        self.events = ExpectedEvents(recorder.board)
        self._ledger, self._tool, self._count = str(ledger), tool, 0

    def submit(self, deadline=5.0):
        self._count += 1
        name = f"c{self._count}"
        arguments = {"path": self._ledger, "line": name} if self._tool == "ledger" else {}
        judge = (lambda result: {"counted": result["result"]}) if self._tool == "count" else None
        return self.recorder.submit(
            "evil", f"evil_{self._tool}", arguments, name=name, deadline=deadline, judge=judge
        )

    def make(self, count):
        return [self.submit().result(10) for _ in range(count)]


def rules(found):
    return {violation.rule for violation in found}


@pytest.mark.parametrize("tool", ["ledger", "count"])
def test_a_board_that_is_whole_breaks_no_rule(tmp_path, tool):
    with (
        no_leaks(),
        a_run(tmp_path, (NthCall(2), Exit(3)), (NthCall(5), Exit(0)), tool=tool) as (calls, found),
    ):
        calls.make(8)
        calls.recorder.heal()
        calls.make(1)

    assert found == []


class LosesACall(Board):
    def submit(self, tool_call, **options):
        if tool_call["call_id"] == "c2":
            return self._intake.read(tool_call, context=None, streaming=True)
        return super().submit(tool_call, **options)


def test_a_board_that_loses_a_call_is_found(tmp_path):
    with a_run(tmp_path, board=LosesACall) as (calls, found):
        calls.make(1)
        calls.submit()
        calls.make(1)

    assert rules(found) == {"each call ends once"}


class AnswersTwice(Board):
    def submit(self, tool_call, **options):
        return Twice(super().submit(tool_call, **options))


class Twice:
    def __init__(self, call):
        self._call = call

    def add_done_callback(self, function):
        self._call.add_done_callback(lambda: (function(), function()))

    def __getattr__(self, name):
        return getattr(self._call, name)


def test_a_board_that_answers_twice_is_found(tmp_path):
    with a_run(tmp_path, board=AnswersTwice) as (calls, found):
        calls.make(1)

    assert rules(found) == {"each call ends once"}


def at_once(policy, history, exit_, now, chance):
    return Restart(0.0, history)


def test_a_board_that_starts_a_host_before_its_time_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(fates, "decide", at_once)

    with a_run(tmp_path, (NthCall(1), Exit(3)), policy=LATE) as (calls, found):
        calls.make(2)

    assert rules(found) == {"no start before its time"}


def test_a_board_that_restarts_a_host_more_often_than_was_agreed_is_found(tmp_path):
    with a_run(tmp_path, *[(NthCall(n), Exit(3)) for n in (1, 3, 5)]) as (calls, found):
        agreed = calls.recorder.terms["evil"]
        calls.recorder.terms["evil"] = replace(agreed, policy=replace(PROMPT, intensity=2))
        calls.make(6)

    assert rules(found) == {"restarts within budget"}


def test_a_board_that_never_starts_a_host_again_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(fates, "decide", lambda *_: Restart(3600.0, History()))

    with a_run(tmp_path, (NthCall(1), Exit(3))) as (calls, found):
        calls.make(1)
        calls.events.expect("host_backoff")
        calls.recorder.heal()

    assert rules(found) == {"works after the faults"}


def test_a_board_that_runs_two_lives_at_once_is_found(tmp_path, monkeypatch):
    start = Succession.start

    class Careless:
        def __init__(self, reporter):
            self._reporter = reporter

        def stop(self, reason, **_):
            self._reporter.ended(Ended(ExitKind.REQUESTED, reason))

    def start_careless(self, reporter):
        start(self, reporter)
        return Careless(reporter)

    monkeypatch.setattr(Succession, "start", start_careless)
    with no_leaks():
        with a_run(tmp_path) as (calls, found):
            calls.recorder.order("restart", "evil")
            calls.events.expect("host_ready", generation=2)
            calls.recorder.close()
            for pid, _ in calls.recorder.known:
                os.kill(pid, signal.SIGKILL)

        assert "one life at a time" in rules(found)


def test_a_board_that_takes_calls_out_of_order_is_found(tmp_path, monkeypatch):
    def last_first(lane):
        with lane._lock:
            lane._untaken -= 1
            if lane._open and lane._calls:
                call = lane._calls.pop()
                lane._taken.add(call)
                lane._in_hand += 1
                return call
            lane._granted -= 1
            return None

    monkeypatch.setattr(Lane, "take", last_first)
    with a_run(tmp_path) as (calls, found):
        for handle in [calls.submit() for _ in range(20)]:
            handle.result(10)

    assert rules(found) == {"calls begin in order"}


def test_a_board_that_sends_again_what_may_run_once_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(ToolSettings, "is_idempotent", lambda *_: True)

    with a_run(tmp_path, (AtPoint("ledger.after"), Exit(3))) as (calls, found):
        calls.make(2)

    assert rules(found) == {"runs as often as it may"}
    assert found[0].what == "call c1 of 'evil' ran 2 times; it may run once"


def test_a_board_that_says_not_sent_of_what_has_run_is_found(tmp_path, monkeypatch):
    def lie(run, report):
        run._end(failure(Code.HOST_UNAVAILABLE, report.summary))

    monkeypatch.setattr(HostedRun, "on_lost", lie)
    with a_run(tmp_path, (AtPoint("ledger.after"), Exit(3))) as (calls, found):
        calls.make(1)

    assert rules(found) == {"runs as often as it may"}


def test_a_board_that_says_unknown_without_a_reason_is_found(tmp_path, monkeypatch):
    def lie(run, value, state):
        run._end(failure(Code.HOST_CRASHED, "it is said to be gone"))

    monkeypatch.setattr(HostedRun, "on_answer", lie)
    with a_run(tmp_path) as (calls, found):
        calls.make(1)

    assert rules(found) == {"unknown has a reason"}


def test_a_board_that_forgets_a_state_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(StateCell, "commit", lambda *_, **__: None)

    with a_run(tmp_path, tool="count") as (calls, found):
        calls.make(2)

    assert rules(found) == {"counts without a gap"}


class Untidy(Board):
    def stop(self, timeout=10.0):
        super().stop(timeout)
        self.leave()


class LeavesAProcess(Untidy):
    def leave(self):
        self.left = subprocess.Popen(["sleep", "60"])

    def clear(self):
        self.left.kill()
        self.left.wait()


class LeavesAThread(Untidy):
    def leave(self):
        self.over = threading.Event()
        self.left = threading.Thread(target=self.over.wait, args=(30,), daemon=True)
        self.left.start()

    def clear(self):
        self.over.set()
        self.left.join()


class LeavesADescriptor(Untidy):
    def leave(self):
        self.left = os.pipe()

    def clear(self):
        for descriptor in self.left:
            os.close(descriptor)


@pytest.mark.parametrize(
    ("board", "what"),
    [(LeavesAProcess, "1 processes"), (LeavesAThread, "1 threads"), (LeavesADescriptor, "2 descriptors")],
    ids=["process", "thread", "descriptor"],
)
def test_a_board_that_leaves_something_behind_is_found(board, what):
    census = Census()
    one = board()
    one.stop()

    left = census.left(within=0.2)
    one.clear()

    (violation,) = violations(Run((), {}, left=left))
    assert (violation.rule, violation.what.split(" were")[0]) == ("nothing left behind", what)
