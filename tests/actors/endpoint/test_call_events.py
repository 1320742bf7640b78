"""What real calls and real crashes publish: the facts of the contract, in the order of the contract."""

from __future__ import annotations

import threading

from boards import Recorder, node_board
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.supervision.runtime.event_order import check_order
from tools import a_tool, tool_call

PATIENCE = 30.0


def flight(recorder, call_id):
    return [event.kind for event in recorder.events if event.facts.get("call") == call_id]


def test_a_call_is_told_from_its_submission_to_its_end():
    with Board() as board:
        recorder = Recorder(board)
        board.add(a_tool(lambda arguments, state: {"success": True}), config={})
        board.submit(tool_call("tool", "one")).result(PATIENCE)
        assert board.events.settle(PATIENCE)

    submitted, started, ended = recorder.events[1:]
    assert (submitted.kind, submitted.facts) == ("call_submitted", {"call": "one", "tool": "tool"})
    assert (started.kind, started.facts["attempt"]) == ("call_started", 1)
    assert (ended.kind, ended.facts["success"], ended.facts["code"]) == ("call_ended", True, None)
    assert 0 <= started.facts["elapsed"] <= ended.facts["elapsed"] < PATIENCE


def test_a_call_that_is_refused_is_never_started():
    held, go_on = threading.Event(), threading.Event()

    def hold(arguments, state):
        held.set()
        assert go_on.wait(PATIENCE)
        return {"success": True}

    with Board() as board:
        recorder = Recorder(board)
        board.add(a_tool(hold), config={}, settings=ToolSettings(mailbox_size=1))
        calls = [board.submit(tool_call("tool", "under way"))]
        assert held.wait(PATIENCE)
        calls += [board.submit(tool_call("tool", name)) for name in ("waits", "too much")]
        go_on.set()
        for call in calls:
            call.result(PATIENCE)
        assert board.events.settle(PATIENCE)

    assert flight(recorder, "too much") == ["call_submitted", "call_ended"]
    assert recorder.of("call_ended")[0].facts["code"] == "overloaded"
    assert recorder.of("call_ended")[0].facts["outcome"] == "not_sent"
    assert check_order(recorder.events) == []


def test_a_call_that_no_plugin_took_has_no_events():
    with Board() as board:
        recorder = Recorder(board)
        board.submit(tool_call("nobody's", "one")).result(PATIENCE)
        assert board.events.settle(PATIENCE)

    assert recorder.events == []


def test_a_call_that_is_sent_again_says_so_and_its_crash_is_told_after_it_was_lost():
    with node_board(idempotent=True) as (board, _, recorder):
        board.submit(tool_call("moody", "one", do="exit", code=7)).result(PATIENCE)
        recorder.wait("host_ready", 3)

    # An attempt is told twice where the generation turned out to be over before anything was sent.
    assert list(dict.fromkeys(flight(recorder, "one"))) == [
        "call_submitted", "call_started", "call_repeated", "call_ended",
    ]  # fmt: skip
    assert {event.facts["attempt"] for event in recorder.of("call_started")} == {1, 2}
    assert "exit code 7" in recorder.of("call_repeated")[0].facts["why"]
    ended, *_ = recorder.of("call_ended")
    assert ended.facts["code"] == "host_crashed"
    assert recorder.of("call_repeated")[0].sequence < recorder.of("host_crashed")[0].sequence
    assert ended.sequence < recorder.of("host_crashed")[1].sequence


def test_a_host_brings_its_tools_before_it_is_ready():
    with node_board() as (_, _, recorder):
        recorder.wait("host_ready")

    kinds = [event.kind for event in recorder.events]
    assert kinds[:3] == ["host_starting", "plugin_registered", "host_ready"]


def test_many_calls_through_many_crashes_are_told_in_order():
    with node_board(idempotent=True, concurrency=4) as (board, _, recorder):
        calls = [board.submit(tool_call("moody", do="exit" if n % 10 == 5 else "")) for n in range(60)]
        for call in calls:
            call.result(PATIENCE)

    ended = [event.facts["call"] for event in recorder.of("call_ended")]
    assert sorted(ended) == sorted(call.id for call in calls)
    assert check_order(recorder.events) == []


def test_a_thread_that_was_given_up_is_told_after_its_call_and_before_it_comes_back():
    go_on = threading.Event()
    with Board() as board:
        recorder = Recorder(board)
        board.add(
            a_tool(lambda arguments, state: go_on.wait(PATIENCE) and {"success": True}),
            config={},
            settings=ToolSettings(deadline=0.05, grace=0.05),
        )
        board.submit(tool_call("tool", "one")).result(PATIENCE)
        recorder.wait("thread_fenced")
        go_on.set()
        recorder.wait("thread_returned")

    assert flight(recorder, "one") == [
        "call_submitted", "call_started", "call_ended", "thread_fenced", "thread_returned",
    ]  # fmt: skip
    assert check_order(recorder.events) == []
