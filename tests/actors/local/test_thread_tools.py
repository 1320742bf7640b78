"""Tools of this process: whatever they do, the call ends, once, and the next call works."""

from __future__ import annotations

import asyncio
import sys
import threading

import pykka
import pytest
from callboard.actors.board import Board
from callboard.actors.endpoint.endpoint import ToolSettings
from callboard.base.errors import PluginError
from manual_clock import ManualClock
from tools import a_tool, count, tool_call

PATIENCE = 20.0


@pytest.fixture
def board():
    with Board() as board:
        yield board


def raising(error):
    def function(arguments, state):
        state["count"] += 100
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("no such value"), "ValueError"),
        (SystemExit(3), "SystemExit"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (MemoryError("too much"), "MemoryError"),
    ],
)
def test_a_tool_that_raises_costs_its_call_and_nothing_else(board, error, kind):
    board.add(a_tool(raising(error), "bad"), config={})
    board.add(a_tool(count, "good"), config={})

    results = [board.submit(tool_call(name)).result(PATIENCE) for name in ("bad", "good", "bad", "good")]

    assert [r.get("code") for r in results] == ["tool_raised", None, "tool_raised", None]
    assert results[0]["type"] == kind
    assert results[0]["outcome"] == "outcome_unknown"
    assert "raising" in results[0]["traceback"] or kind in results[0]["traceback"]
    assert results[3]["result"] == 2


def test_a_tool_that_exits_does_not_stop_foreign_actors(board):
    class Bystander(pykka.ThreadingActor):
        use_daemon_thread = True

        def on_receive(self, message):
            return message

    bystander = Bystander.start()
    board.add(a_tool(lambda _arguments, _state: sys.exit(1), "exits"), config={})

    board.submit(tool_call("exits")).result(PATIENCE)

    assert bystander.ask("alive?", timeout=PATIENCE) == "alive?"
    bystander.stop()


def test_state_is_kept_of_answers_that_count_and_of_no_others(board):
    answers = {
        "success": lambda: {"success": True, "result": 1},
        "failure": lambda: {"success": False, "error": "said so"},
        "rubbish": lambda: "no result",
    }

    def function(arguments, state):
        state["count"] += 1
        if arguments["answer"] == "raise":
            raise ValueError
        return answers[arguments["answer"]]()

    board.add(a_tool(function), config={})
    for answer in ("success", "raise", "rubbish", "failure", "raise"):
        board.submit(tool_call("tool", answer=answer)).result(PATIENCE)

    assert board.state_of("tool")["count"] == 2


def test_a_tool_cannot_reach_the_committed_state_through_its_own_copy(board):
    kept = []

    def function(arguments, state):
        kept.append(state)
        state["count"] += 1
        return {"success": True, "result": None}

    board.add(a_tool(function), config={})
    board.submit(tool_call("tool")).result(PATIENCE)
    kept[0]["count"] = 1000

    assert board.state_of("tool")["count"] == 1


def test_a_state_that_is_no_json_makes_the_answer_invalid(board):
    def function(arguments, state):
        state["lock"] = threading.Lock()
        return {"success": True, "result": 1}

    board.add(a_tool(function), config={})

    result = board.submit(tool_call("tool")).result(PATIENCE)

    assert result["code"] == "invalid_result"
    assert "$.state.lock" in result["error"]
    assert board.state_of("tool")["count"] == 0


def test_a_tool_that_hangs_is_fenced_off_and_works_again_with_its_last_state():
    clock, hang, begun = ManualClock(), threading.Event(), threading.Event()

    def function(arguments, state):
        state["count"] += 1
        if arguments.get("hang"):
            state["count"] += 1000
            begun.set()
            hang.wait()
        return {"success": True, "result": state["count"]}

    with Board(clock=clock) as board:
        fenced, back = threading.Event(), threading.Event()
        board.subscribe(lambda _event: fenced.set(), {"thread_fenced"})
        board.subscribe(lambda _event: back.set(), {"thread_returned"})
        board.add(a_tool(function), config={}, settings=ToolSettings(deadline=5.0, grace=1.0))
        first = board.submit(tool_call("tool")).result(PATIENCE)
        stuck = board.submit(tool_call("tool", hang=True))
        waiting = board.submit(tool_call("tool"), deadline=60.0)
        assert begun.wait(PATIENCE)

        clock.advance(5.0)
        assert stuck.result(PATIENCE)["code"] == "deadline_exceeded"
        assert stuck.result()["outcome"] == "outcome_unknown"
        assert not waiting.done()
        clock.wait_pending(2)  # the waiting call's deadline, and the stuck one's grace
        clock.advance(1.0)

        assert fenced.wait(PATIENCE)
        assert waiting.result(PATIENCE) == {"success": True, "result": 2}
        status = board.status()["plugins"]["tool"]
        assert (status["fenced"], status["fenced_total"]) == (1, 1)
        hang.set()
        assert back.wait(PATIENCE)
        assert board.status()["plugins"]["tool"]["fenced"] == 0
        assert board.state_of("tool")["count"] == 2
        assert first["result"] == 1


def test_a_call_that_waits_past_its_deadline_was_not_sent():
    clock, hang, begun = ManualClock(), threading.Event(), threading.Event()

    def function(arguments, state):
        begun.set()
        hang.wait()
        return {"success": True}

    with Board(clock=clock) as board:
        board.add(a_tool(function), config={}, settings=ToolSettings(deadline=None))
        running = board.submit(tool_call("tool"))
        waiting = board.submit(tool_call("tool"), deadline=2.0)
        assert begun.wait(PATIENCE)

        clock.advance(2.0)

        assert waiting.result(PATIENCE)["outcome"] == "not_sent"
        hang.set()
        assert running.result(PATIENCE)["success"]


def test_a_full_mailbox_answers_at_once_and_cancelling_is_not_behind_it():
    hang, begun = threading.Event(), threading.Event()

    def function(arguments, state):
        begun.set()
        hang.wait()
        return {"success": True}

    with Board() as board:
        board.add(a_tool(function), config={}, settings=ToolSettings(mailbox_size=3))
        running = board.submit(tool_call("tool"))
        assert begun.wait(PATIENCE)
        waiting = [board.submit(tool_call("tool")) for _ in range(3)]

        refused = board.submit(tool_call("tool"))
        waiting[1].cancel()
        accepted = board.submit(tool_call("tool"))

        assert refused.done()
        assert refused.result()["code"] == "overloaded"
        assert waiting[1].result(0)["outcome"] == "not_sent"
        assert not accepted.done()
        assert board.status()["plugins"]["tool"]["waiting"] == 3
        hang.set()
        assert running.result(PATIENCE)["success"]


def test_calls_to_one_tool_start_in_the_order_of_their_submission(board):
    seen = []

    def function(arguments, state):
        seen.append(arguments["n"])
        return {"success": True}

    board.add(a_tool(function), config={})
    calls = [board.submit(tool_call("tool", n=n)) for n in range(500)]
    for call in calls:
        call.result(PATIENCE)

    assert seen == list(range(500))


def test_no_more_calls_are_under_way_than_the_concurrency_allows(board):
    lock, now, most = threading.Lock(), [0], [0]
    full = threading.Barrier(4)

    def function(arguments, state):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        if arguments["n"] < 4:
            full.wait(PATIENCE)
        with lock:
            now[0] -= 1
        return {"success": True}

    board.add(a_tool(function), config={}, settings=ToolSettings(concurrency=4))
    calls = [board.submit(tool_call("tool", n=n)) for n in range(100)]

    assert all(call.result(PATIENCE)["success"] for call in calls)
    assert most[0] == 4


def test_calls_to_different_tools_do_not_wait_for_each_other(board):
    hang = threading.Event()
    board.add(a_tool(lambda _a, _s: hang.wait() and {"success": True}, "slow"), config={})
    board.add(a_tool(count, "quick"), config={})
    slow = board.submit(tool_call("slow"))

    assert board.submit(tool_call("quick")).result(PATIENCE)["success"]
    assert not slow.done()
    hang.set()
    assert slow.result(PATIENCE)["success"]


def test_a_board_that_stops_ends_every_call_with_what_is_true_of_it():
    hang, begun = threading.Event(), threading.Event()

    def function(arguments, state):
        begun.set()
        hang.wait()
        return {"success": True}

    board = Board()
    board.add(a_tool(function), config={})
    running = board.submit(tool_call("tool"))
    assert begun.wait(PATIENCE)
    waiting = board.submit(tool_call("tool"))

    board.stop()
    late = board.submit(tool_call("tool"))

    results = [call.result(PATIENCE) for call in (running, waiting, late)]
    assert [r["code"] for r in results] == ["cancelled"] * 3
    assert [r["outcome"] for r in results] == ["outcome_unknown", "not_sent", "not_sent"]
    hang.set()


def test_a_plugin_whose_name_is_taken_is_refused_and_harms_nobody(board):
    board.add(a_tool(count, "tool", "one"), config={})

    with pytest.raises(PluginError, match="another name"):
        board.add(a_tool(count, "other", "one"), config={})
    with pytest.raises(PluginError, match="'two' offers the tool 'tool', which 'one' offers already"):
        board.add(a_tool(count, "tool", "two"), config={})

    assert [tool.tool_name for tool in board.tools()] == ["tool"]
    assert board.submit(tool_call("tool")).result(PATIENCE)["success"]


def test_a_plugin_that_was_taken_off_is_gone_and_its_name_is_free(board):
    board.add(a_tool(count), config={})
    board.remove("tool")

    gone = board.submit(tool_call("tool")).result(PATIENCE)
    board.add(a_tool(count), config={})

    assert gone["code"] == "unknown_tool"
    assert board.submit(tool_call("tool")).result(PATIENCE)["success"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"id": "1", "type": "function", "function": {"name": "tool", "arguments": "{"}}, "invalid_call"),
        ({"what": "is this"}, "invalid_call"),
        ("text", "invalid_call"),
        (None, "invalid_call"),
        (tool_call("nobody"), "unknown_tool"),
        (tool_call(None), "unknown_tool"),
    ],
)
def test_a_call_that_cannot_be_read_ends_with_the_reason_and_runs_nothing(board, value, code):
    ran = []
    board.add(a_tool(lambda arguments, _state: ran.append(arguments) or {"success": True}), config={})

    result = board.submit(value).result(PATIENCE)

    assert (result["code"], result["outcome"]) == (code, "not_sent")
    assert ran == []


def test_plugins_that_are_not_called_take_no_thread_each(board):
    before = threading.active_count()

    for number in range(50):
        board.add(a_tool(count, f"tool_{number}"), config={})

    assert threading.active_count() <= before + 2  # theirs, and the one that has asked them for their tools
    assert board.submit(tool_call("tool_49")).result(PATIENCE)["success"]
