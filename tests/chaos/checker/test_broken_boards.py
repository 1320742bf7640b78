"""Boards that are broken on purpose: each is the real one with one fault planted, and the rules find it.

The hosts are real. A board that nothing was done to breaks no rule in the same run.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from dataclasses import replace

import pytest
from broken_boards import CONVICTED, LATE, PROMPT, a_run, convicts, take_the_last_call_first
from callboard.actors.board import Board
from callboard.actors.calls.call import Call
from callboard.actors.calls.unread_parts import UnreadParts
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.actors.endpoint.mailbox import Mailbox
from callboard.actors.hosted.request import HostedRun
from callboard.actors.hosting.lifecycle import Lifecycle
from callboard.actors.state.cell import StateCell
from callboard.chaos import recorder
from callboard.chaos.checker.call_rules import parts_in_order
from callboard.chaos.checker.facts import Asked, PartsRead, Run, Terms
from callboard.chaos.checker.invariants import RULES, violations
from callboard.chaos.checker.leak_check import Census
from callboard.chaos.faults import Exit, Garbage, Orphan, StdoutFlood, Truncate, WrongVersion
from callboard.chaos.simulation import simulate
from callboard.chaos.triggers import AtPoint, NthCall
from callboard.hosts.process import process
from callboard.hosts.protocol.peer import Peer
from callboard.plugins.results.codes import Code
from callboard.plugins.results.failures import failure
from callboard.supervision import fates
from callboard.supervision.restart.exits import Exit as Ended
from callboard.supervision.restart.exits import ExitKind
from callboard.supervision.restart.policy import History, Restart
from callboard.supervision.runtime.events import EventStream
from callboard.supervision.transitions import Transitions
from leaks import no_leaks


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
            return self._call_parser.read(tool_call, context=None, streaming=True)
        return super().submit(tool_call, **options)


@convicts("each call ends once")
def test_a_board_that_loses_a_call_is_found(tmp_path):
    with a_run(tmp_path, board=LosesACall) as (calls, found):
        calls.make(1)
        calls.submit()
        calls.make(1)

    return found


@convicts("each call ends in time")
def test_a_board_that_lets_a_call_outstay_its_deadline_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "REAL_SLACK", 0.02)
    monkeypatch.setattr(Call, "_expire", lambda call: None)

    with a_run(tmp_path, tool="slow") as (calls, found):
        calls.submit(deadline=0.1).result(10)

    return found


@pytest.mark.parametrize("fault", [Garbage(8, newline=False), Garbage(8), StdoutFlood(200_000)])
@convicts("unknown has a reason")
def test_a_board_that_takes_a_print_for_a_breach_is_found(tmp_path, monkeypatch, fault):
    in_truth = Peer.__init__
    monkeypatch.setattr(
        Peer, "__init__", lambda peer, **options: in_truth(peer, **{**options, "max_stray": 0})
    )

    with a_run(tmp_path, (NthCall(2), fault), tool="echo") as (calls, found):
        calls.make(3)

    return found


@pytest.mark.parametrize("fault", [WrongVersion(), Truncate(40), StdoutFlood(200_000), Garbage(8)])
def test_a_board_that_takes_a_malformed_line_for_a_breach_breaks_no_rule(tmp_path, fault):
    with no_leaks(), a_run(tmp_path, (NthCall(2), fault), tool="echo") as (calls, found):
        calls.make(3)

    assert found == []


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


@convicts("each call ends once")
def test_a_board_that_answers_twice_is_found(tmp_path):
    with a_run(tmp_path, board=AnswersTwice) as (calls, found):
        calls.make(1)

    return found


def at_once(policy, history, exit_, now, chance):
    return Restart(0.0, history)


@convicts("no start before its time")
def test_a_board_that_starts_a_host_before_its_time_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(fates, "decide", at_once)

    with a_run(tmp_path, (NthCall(1), Exit(3)), policy=LATE) as (calls, found):
        calls.make(2)

    return found


@convicts("restarts within budget")
def test_a_board_that_restarts_a_host_more_often_than_was_agreed_is_found(tmp_path):
    with a_run(tmp_path, *[(NthCall(n), Exit(3)) for n in (1, 3, 5)]) as (calls, found):
        agreed = calls.recorder.terms["evil"]
        calls.recorder.terms["evil"] = replace(agreed, policy=replace(PROMPT, intensity=2))
        calls.make(6)

    return found


@convicts("works after the faults")
def test_a_board_that_never_starts_a_host_again_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(fates, "decide", lambda *_: Restart(3600.0, History()))

    with a_run(tmp_path, (NthCall(1), Exit(3))) as (calls, found):
        calls.make(1)
        calls.events.expect("host_backoff")
        calls.recorder.heal()

    return found


@convicts("one generation at a time", beside=("nothing left behind",))
def test_a_board_that_runs_two_generations_at_once_is_found(tmp_path, monkeypatch):
    start = Lifecycle.start

    class Careless:
        def __init__(self, reporter):
            self._reporter = reporter

        def stop(self, reason, **_):
            self._reporter.ended(Ended(ExitKind.REQUESTED, reason))

    def start_careless(self, reporter):
        start(self, reporter)
        return Careless(reporter)

    monkeypatch.setattr(Lifecycle, "start", start_careless)
    with no_leaks(), a_run(tmp_path) as (calls, found):
        calls.recorder.order("restart", "evil")
        calls.events.expect("host_ready", generation=2)
        calls.recorder.close()
        for pid, _ in calls.recorder.known:
            os.kill(pid, signal.SIGKILL)

    return found


@convicts("calls begin in order")
def test_a_board_that_takes_calls_out_of_order_is_found(tmp_path, monkeypatch):
    take_the_last_call_first(monkeypatch)
    with a_run(tmp_path) as (calls, found):
        mailbox = calls.recorder.board.plugin_manager.handle("evil").endpoint.mailbox
        mailbox.pause()  # or each may be taken before the next has come
        handles = [calls.submit() for _ in range(20)]
        mailbox.resume()
        for handle in handles:
            handle.result(10)

    return found


@convicts("runs as often as it may")
def test_a_board_that_sends_again_what_may_run_once_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(ToolSettings, "is_idempotent", lambda *_: True)

    with a_run(tmp_path, (AtPoint("ledger.after"), Exit(3))) as (calls, found):
        calls.make(2)

    assert found[0].what == "call c1 of 'evil' ran 2 times; it may run once"
    return found


@convicts("runs as often as it may")
def test_a_board_that_says_not_sent_of_what_has_run_is_found(tmp_path, monkeypatch):
    def lie(run, report):
        run._end(failure(Code.HOST_UNAVAILABLE, report.summary))

    monkeypatch.setattr(HostedRun, "on_lost", lie)
    with a_run(tmp_path, (AtPoint("ledger.after"), Exit(3))) as (calls, found):
        calls.make(1)

    return found


@convicts("unknown has a reason")
def test_a_board_that_says_unknown_without_a_reason_is_found(tmp_path, monkeypatch):
    def lie(run, value, state):
        run._end(failure(Code.HOST_CRASHED, "it is said to be gone"))

    monkeypatch.setattr(HostedRun, "on_answer", lie)
    with a_run(tmp_path) as (calls, found):
        calls.make(1)

    return found


@convicts("counts without a gap")
def test_a_board_that_forgets_a_state_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(StateCell, "commit", lambda *_, **__: None)

    with a_run(tmp_path, tool="count") as (calls, found):
        calls.make(2)

    return found


@convicts("each answer is its call's")
def test_a_board_that_gives_a_caller_the_answer_of_another_is_found(tmp_path, monkeypatch):
    def one_late(run, value, state):
        kept.append(value)
        in_truth(run, kept.pop(0) if len(kept) > 2 else value, state)

    kept, in_truth = [], HostedRun.on_answer
    monkeypatch.setattr(HostedRun, "on_answer", one_late)

    with a_run(tmp_path, tool="echo") as (calls, found):
        calls.make(4)

    return found


@convicts("no reply crosses generations")
def test_a_board_that_takes_the_reply_of_a_generation_that_is_over_is_found(tmp_path, monkeypatch):
    def of_old(run, value, state):
        in_truth(run, first.setdefault("value", value), state)

    first, in_truth = {}, HostedRun.on_answer
    monkeypatch.setattr(HostedRun, "on_answer", of_old)

    with a_run(tmp_path, (NthCall(2), Exit(3)), tool="count", counts=False) as (calls, found):
        calls.make(3)

    assert "came from generation 1, which was over when the call began" in found[0].what
    return found


@convicts("one call at a time")
def test_a_board_that_runs_two_calls_of_one_tool_at_once_is_found(tmp_path, monkeypatch):
    def wider(lane, limit, concurrency, grant):
        in_truth(lane, limit, concurrency * 2, grant)

    in_truth = Mailbox.__init__
    monkeypatch.setattr(Mailbox, "__init__", wider)

    with a_run(tmp_path, tool="slow") as (calls, found):
        for handle in [calls.submit() for _ in range(2)]:
            handle.result(10)

    return found


@convicts("generations count up", beside=("events keep their order",))
def test_a_board_that_passes_over_a_generation_is_found(tmp_path, monkeypatch):
    def start(generations, child, now):
        child.generation += child.generation
        return in_truth(generations, child, now)

    in_truth = Transitions.start
    monkeypatch.setattr(Transitions, "start", start)

    with a_run(tmp_path, (NthCall(1), Exit(3))) as (calls, found):
        calls.make(2)

    return found


@convicts("events keep their order")
def test_a_board_that_tells_the_end_of_a_call_before_its_beginning_is_found(tmp_path, monkeypatch):
    def publish(stream, kind, subject, told=None, /, **facts):
        if kind == "call_started":
            held.append((subject, facts))
            return
        in_truth(stream, kind, subject, told, **facts)
        while kind == "call_ended" and held:
            whose, started = held.pop()
            in_truth(stream, "call_started", whose, **started)

    held, in_truth = [], EventStream.publish
    monkeypatch.setattr(EventStream, "publish", publish)

    with a_run(tmp_path) as (calls, found):
        calls.make(2)

    return found


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
@convicts("nothing left behind")
def test_a_board_that_leaves_something_behind_is_found(board, what):
    census = Census()
    one = board()
    one.stop()

    left = census.left(within=0.2)
    one.clear()

    found = violations(Run((), {}, left=left))
    assert [violation.what.split(" were")[0] for violation in found] == [what]
    return found


@convicts("nothing left behind")
def test_a_board_that_leaves_an_orphan_with_a_session_of_its_own_is_found(tmp_path, monkeypatch):
    ended, in_truth = [], process.end_session
    monkeypatch.setattr(process, "end_session", lambda *host, **by: ended.append((host, by)) or [])

    with a_run(tmp_path, (NthCall(1), Orphan()), (NthCall(2), Exit(3))) as (calls, found):
        calls.make(3)

    for host, by in ended:
        assert in_truth(*host, **by) == []
    return found


@convicts("mailboxes are bounded")
def test_a_board_that_refuses_nobody_is_found(tmp_path, monkeypatch):
    def endless(mailbox, limit, concurrency, grant):
        in_truth(mailbox, 1_000_000, concurrency, grant)

    in_truth = Mailbox.__init__
    monkeypatch.setattr(Mailbox, "__init__", endless)

    with a_run(tmp_path, tool="slow", mailbox_size=2) as (calls, found):
        for handle in [calls.submit() for _ in range(7)]:
            handle.result(10)

    return found


@convicts("unknown has a reason")
def test_a_board_that_loses_an_answer_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(HostedRun, "on_answer", lambda *_: None)

    with a_run(tmp_path, tool="echo") as (calls, found):
        calls.submit(deadline=1.5).result(10)

    return found


@convicts("unknown has a reason")
def test_a_board_that_never_tells_of_a_crash_is_found(tmp_path, monkeypatch):
    def silent(fates_, *given):
        return tuple(effect for effect in in_truth(fates_, *given) if effect.kind != "host_crashed")

    in_truth = fates.Fates.of
    monkeypatch.setattr(fates.Fates, "of", silent)

    with a_run(tmp_path, (NthCall(1), Exit(3))) as (calls, found):
        calls.make(1)

    return found


@convicts("parts in order")
def test_a_board_that_drops_the_parts_of_a_lost_call_is_found(tmp_path, monkeypatch):
    def lossy(run, report):
        run.call._chunks.clear()
        in_truth(run, report)

    in_truth = HostedRun.on_lost
    monkeypatch.setattr(HostedRun, "on_lost", lossy)

    with a_run(tmp_path, (AtPoint("stream.part", 3), Exit(3)), tool="stream") as (calls, found):
        calls.make(2)

    return found


@convicts("parts in order")
def test_a_board_that_gives_parts_out_of_order_is_found(monkeypatch):
    def first(parts, chunk, size):
        dropped = in_truth(parts, chunk, size)
        parts.rotate(1)
        return dropped

    in_truth = UnreadParts.keep
    monkeypatch.setattr(UnreadParts, "keep", first)

    return simulate(1, faults=0).violations


@pytest.mark.parametrize("repeats", [0, 1])
def test_only_a_call_that_may_be_repeated_may_give_its_parts_anew(repeats):
    facts = (Asked(0.0, "one", "c1"), PartsRead(1.0, "one", "c1", (1, 2, 1, 2, 3), 3))

    assert len(list(parts_in_order(Run(facts, {"one": Terms(repeats=repeats)})))) == 1 - repeats


def test_a_success_whose_last_part_is_missing_is_found():
    run = Run((PartsRead(1.0, "one", "c1", (1, 2), 3),), {"one": Terms()})

    assert [violation.rule for violation in parts_in_order(run)] == ["parts in order"]


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_board_that_it_convicts(rule):
    assert CONVICTED.get(rule), f"nobody has shown that {rule!r} finds anything: plant a fault that breaks it"


def test_nothing_is_convicted_by_a_rule_that_there_is_not():
    assert set(CONVICTED) - set(RULES) == set()
