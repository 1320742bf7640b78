"""Hooks on a board: gates before and after, people who are asked, and calls that end whatever hooks do."""

from __future__ import annotations

import threading
import time

import pytest
from boards import Recorder, node_board
from callboard import AgentCore
from callboard.actors.board import Board
from callboard.actors.hooks.listeners import HookRegistrationError
from callboard.plugins.adapter.adapter import PluginAdapter
from manual_clock import ManualClock
from tools import Tool, a_tool, schema, tool_call

PATIENCE = 20.0


def echo(name: str = "t"):
    return a_tool(lambda arguments, _: {"success": True, "result": arguments}, name)


def deny(_event, _data):
    return {"action": "deny", "reason": "not today"}


@pytest.fixture
def board():
    with Board() as board:
        board.add(echo(), config={})
        yield board


def run(board, _name="t", **arguments):
    return board.submit(tool_call(_name, **arguments)).result(PATIENCE)


def test_a_gate_denies_and_the_tool_is_not_given_the_call(board):
    recorder = Recorder(board)
    board.hooks.add("tool:pre", deny)

    result = run(board)

    assert result == {
        "success": False,
        "error": "the call was denied: 'deny' refused it: not today",
        "code": "denied",
        "outcome": "not_sent",
        "hook": "deny",
        "reason": "not today",
    }
    assert recorder.wait("call_denied")[0].subject == "deny"
    assert recorder.of("call_submitted") == []


def test_the_tool_is_given_the_changed_input_and_nothing_of_the_old_one():
    class Looking:
        name = "looking"

        def get_tool_schemas(self, state):
            return [schema("look")]

        def execute_tool(self, tool_name, payload, state, *, tool_call=None, payload_kind=None):
            return {"success": True, "result": [payload, tool_call, payload_kind]}

    def redact(_event, data):
        data["input"]["key"] = "***"
        return {"action": "modify", "data": data}

    given = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"key": "secret"}'}
    with Board() as board:
        board.add(PluginAdapter(Looking()), config={})
        board.hooks.add("tool:pre", redact)

        payload, shown, kind = board.submit(given).result(PATIENCE)["result"]

    assert (payload, kind) == ({"key": "***"}, "object")
    assert shown["type"] == "function_call"
    assert shown["call_id"] == "c1"
    assert "secret" not in str(shown)


def test_the_changed_input_is_held_to_the_schema_of_the_tool():
    strict = {"type": "object", "properties": {"n": {"type": "integer"}}}

    class Counting(Tool):
        def get_tool_schemas(self, state):
            return [schema("count", strict)]

    with Board() as board:
        board.add(PluginAdapter(Counting(lambda a, _: {"success": True, "result": a}, "count")), config={})
        board.hooks.add("tool:pre", lambda _e, _d: {"action": "modify", "data": {"input": {"n": "many"}}})

        result = run(board, "count", n=1)

    assert result["code"] == "invalid_call"


def test_hooks_may_be_asynchronous_and_may_be_taken_off(board):
    async def async_deny(_event, _data):
        return {"action": "deny"}

    with board.hooks.add("tool:pre", async_deny) as handle:
        denied = run(board)
    handle.close()

    assert handle.name == denied["hook"] == "async_deny"
    assert run(board, x=1) == {"success": True, "result": {"x": 1}}


def test_each_call_has_its_pre_and_one_terminal_event(board):
    events = []
    told = threading.Semaphore(0)

    def watch(event, data):
        events.append((event, data))
        told.release()

    for event in ("tool:pre", "tool:post", "tool:error"):
        board.hooks.add(event, watch, observes=True)
    gate = board.hooks.add(
        "tool:pre", lambda _e, data: {"action": "deny"} if data["tool_input"].get("bad") else None
    )
    context = {"session_id": "s", "parent_id": "p", "other": object()}

    board.submit(tool_call("t", "1", x=1), context=context).result(PATIENCE)
    for _ in range(2):
        assert told.acquire(timeout=PATIENCE)
    for call in (tool_call("t", "2", bad=True), tool_call("none", "3"), {"id": "4", "type": "function"}):
        board.submit(call).result(PATIENCE)
    for _ in range(4):
        assert told.acquire(timeout=PATIENCE)
    gate.close()

    of_call: dict[str, dict[str, dict]] = {}
    for event, data in events:
        of_call.setdefault(data["tool_call_id"], {})[event] = data
    assert len(events) == 6
    assert {each: list(told) for each, told in of_call.items()} == {
        "1": ["tool:pre", "tool:post"],
        "2": ["tool:pre", "tool:error"],
        "3": ["tool:error"],
        "4": ["tool:error"],
    }
    pre, post, error = of_call["1"]["tool:pre"], of_call["1"]["tool:post"], of_call["2"]["tool:error"]
    assert pre.keys() == {
        "tool_name", "tool_call_id", "tool_input", "input", "plugin", "session_id", "parent_id", "timestamp",
        "tool_names", "tool_known_as",
    }  # fmt: skip
    assert pre["input"] == pre["tool_input"] == {"x": 1}
    assert (pre["plugin"], pre["tool_names"]) == ("t", ["t"])
    assert (pre["session_id"], pre["parent_id"]) == ("s", "p")
    assert post["result"] == post["tool_result"] == {"success": True, "result": {"x": 1}, "output": {"x": 1}}
    assert (post["attempt"], post["generation"], post["success"]) == (1, None, True)
    assert post["duration"] >= 0
    assert error["error"]["type"] == "denied"
    assert error["error"]["msg"] == error["error"]["message"]
    assert (error["code"], error["outcome"], error["attempt"]) == ("denied", "not_sent", 0)


def test_the_result_may_be_changed_and_withheld(board):
    recorder = Recorder(board)

    def review(_event, data):
        if data["tool_input"].get("secret"):
            return {"action": "deny", "reason": "a secret"}
        return {"action": "modify", "data": {"result": {"success": True, "result": "seen"}}}

    board.hooks.add("tool:post", review)

    seen, withheld = run(board), run(board, secret=1)

    assert seen == {"success": True, "result": "seen"}
    assert (withheld["code"], withheld["outcome"], withheld["hook"]) == (
        "invalid_result",
        "outcome_unknown",
        "review",
    )
    assert "withheld" in withheld["error"]
    assert "a secret" in withheld["error"]
    assert "result" not in withheld
    assert recorder.wait("result_withheld")[0].subject == "review"


def raises(arguments, _state):
    raise OSError(f"cannot read {arguments['path']}")


@pytest.mark.parametrize("code", ["tool_raised", "invalid_result"])
def test_what_a_tool_says_as_it_fails_is_reviewed_and_stays_a_failure(board, code):
    run_badly = raises if code == "tool_raised" else lambda arguments, _: {"success": arguments["path"]}
    board.add(a_tool(run_badly, "fails"), config={})
    recorder, watched, told = Recorder(board), [], threading.Semaphore(0)

    def redact(_event, data):
        if data["tool_input"]["path"] == "/withheld":
            return {"action": "deny", "reason": "a path"}
        said = data["result"]["error"].replace("/secret", "[path]")
        return {"action": "modify", "data": {"result": data["result"] | {"error": said}}}

    board.hooks.add("tool:post", redact)
    board.hooks.add("tool:post", lambda _e, data: watched.append(data), observes=True)
    board.hooks.add("tool:error", lambda _e, data: (watched.append(data), told.release()))

    redacted, plain = run(board, "fails", path="/secret"), run(board, "fails", path="/tmp")
    withheld = run(board, "fails", path="/withheld")
    for _ in range(3):
        assert told.acquire(timeout=PATIENCE)

    assert "[path]" in redacted["error"]
    assert "/secret" not in str(redacted)
    assert "/tmp" in plain["error"]
    assert ("traceback" in plain) is (code == "tool_raised")
    assert "/withheld" not in str(withheld)
    assert withheld["reason"] == "a path"
    for result in (redacted, plain, withheld):
        assert (result["success"], result["code"], result["outcome"]) == (False, code, "outcome_unknown")
    assert recorder.wait("result_withheld")[0].subject == "redact"
    assert len(watched) == 3, "one terminal event for each call"
    assert all("/secret" not in str(data["result"]) + str(data["error"]) for data in watched)


def test_what_hooks_say_beside_their_answers_stays_with_the_call(board):
    board.hooks.add(
        "tool:pre", lambda _e, _d: {"action": "inject_context", "context_injection": "a"}, name="pre"
    )
    board.hooks.add("tool:post", lambda _e, _d: {"action": "continue", "user_message": "b"}, name="post")

    call = board.submit(tool_call("t"))
    call.result(PATIENCE)

    assert call.notes == (
        {"hook": "pre", "event": "tool:pre", "context_injection": "a"},
        {"hook": "post", "event": "tool:post", "user_message": "b"},
    )


def test_a_call_of_a_board_without_hooks_has_no_notes(board):
    assert board.submit(tool_call("t")).notes == ()


def test_an_agent_has_the_notes_of_hooks_in_the_metadata_of_its_tool_messages(board):
    with AgentCore(board=board) as core:
        core.hook(
            "tool:pre", lambda _e, _d: {"action": "inject_context", "context_injection": "a"}, name="pre"
        )
        noted = core.execute_tool_calls([tool_call("t")], {})[0]["metadata"]["hooks"]

    assert noted == [{"hook": "pre", "event": "tool:pre", "context_injection": "a"}]


@pytest.mark.parametrize("answer", [True, "nonsense", SystemExit(3)])
def test_a_gate_that_is_broken_shuts_and_an_observer_that_is_broken_does_not(board, answer, caplog):
    def broken(_event, _data):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    with board.hooks.add("tool:pre", broken, observes=True):
        observed = run(board)
    with board.hooks.add("tool:pre", broken):
        gated = run(board)
    with board.hooks.add("tool:post", broken):
        reviewed = run(board)

    assert observed["success"]
    assert gated["code"] == "denied"
    assert reviewed["code"] == "invalid_result"
    assert "hook 'broken' of tool:pre failed" in caplog.text


def test_a_gate_that_hangs_shuts_at_its_deadline_and_is_not_asked_for_ever():
    clock, stuck = ManualClock(), threading.Event()
    with Board(clock=clock) as board:
        board.add(echo(), config={})
        board.hooks.add("tool:pre", lambda _e, _d: stuck.wait(PATIENCE) and None, name="slow", deadline=3.0)
        recorder = Recorder(board)
        results = []
        for _ in range(9):
            call = board.submit(tool_call("t"))
            if not call.done():
                clock.advance(3.0)
            results.append(call.result(PATIENCE))
        stuck.set()
        told = recorder.wait("hook_failed", 9)

    assert {result["code"] for result in results} == {"denied"}
    assert "within 3 s" in told[0].facts["error"]
    assert "8 earlier calls of it have not come back" in told[8].facts["error"]


def test_calls_to_one_tool_start_in_their_order_however_long_hooks_take(board):
    started, first_may_go = [], threading.Event()
    board.add(
        a_tool(lambda a, _: started.append(a["n"]) or {"success": True, "result": None}, "in_order"),
        config={},
    )

    def slow_for_the_first(_event, data):
        if data["input"].get("n") == 0:
            assert first_may_go.wait(PATIENCE)

    board.hooks.add("tool:pre", slow_for_the_first)
    calls = [board.submit(tool_call("in_order", n=n)) for n in range(5)]

    other = run(board, "t", x=1)
    first_may_go.set()
    for call in calls:
        call.result(PATIENCE)

    assert other["success"], "other tools do not wait"
    assert started == [0, 1, 2, 3, 4]


def test_the_deadline_and_a_cancel_end_a_call_whose_hooks_are_awaited():
    clock, stuck, asked = ManualClock(), threading.Event(), threading.Semaphore(0)

    def hang(_event, _data):
        asked.release()
        stuck.wait(PATIENCE)

    with Board(clock=clock) as board:
        board.add(echo(), config={})
        before = board.hooks.add("tool:pre", hang, deadline=100.0)
        late, waiting = (
            board.submit(tool_call("t"), deadline=2.0),
            board.submit(tool_call("t"), deadline=50.0),
        )
        assert asked.acquire(timeout=PATIENCE)
        clock.advance(2.0)
        assert asked.acquire(timeout=PATIENCE), "the next one has the gates now"
        waiting.cancel()
        before.close()
        board.hooks.add("tool:post", hang, deadline=100.0)
        after = board.submit(tool_call("t"))
        assert asked.acquire(timeout=PATIENCE)
        after.cancel()
        by_default = board.submit(tool_call("t"))
        assert asked.acquire(timeout=PATIENCE)
        clock.advance(60.0)
        results = [call.result(PATIENCE) for call in (late, waiting, after, by_default)]
        stuck.set()

    assert [(result["code"], result["outcome"]) for result in results] == [
        ("deadline_exceeded", "not_sent"),
        ("cancelled", "not_sent"),
        ("cancelled", "outcome_unknown"),
        ("deadline_exceeded", "outcome_unknown"),
    ]


def test_the_board_stops_though_hooks_hang():
    stuck, asked = threading.Event(), threading.Event()
    with Board() as board:
        board.add(echo(), config={})
        board.hooks.add("tool:pre", lambda _e, _d: asked.set() or stuck.wait(PATIENCE))
        call = board.submit(tool_call("t"))
        assert asked.wait(PATIENCE)
        began = time.monotonic()
    stopped = time.monotonic() - began
    late = board.submit(tool_call("t"))
    stuck.set()

    assert call.result(0)["code"] == late.result(0)["code"] == "cancelled"
    assert stopped < 5


def test_parts_go_to_the_caller_at_once_and_a_hosted_tool_is_hooked_too():
    seen = {}
    with node_board(idempotent=True) as (board, _, _recorder):
        seeing = board.hooks.add("tool:post", lambda _e, data: seen.update(data))
        board.hooks.add(
            "tool:error", lambda _e, data: seen.update(failed=data["generation"], attempt=data["attempt"])
        )
        told = board.submit(tool_call("moody", do="parts", parts=3))
        parts = list(told.parts())
        result = told.result(PATIENCE)
        lost = board.submit(tool_call("moody", do="exit", code=3))
        crash = lost.result(PATIENCE)
        seeing.close()
        board.hooks.add("tool:post", lambda _e, data: seen.update(said=data["result"]) or {"action": "deny"})
        raised = run(board, "moody", do="throw")

    assert (told.plugin_name, told.attempt) == ("moody", 1)
    assert len(parts) == 3
    assert result["success"]
    assert seen["generation"] == 1
    assert crash["code"] == "host_crashed"
    assert lost.attempt == 2, "the repeated call is one call for its caller and for the hooks"
    assert crash["outcome"] == "outcome_unknown"
    assert (seen["said"]["type"], seen["said"]["message"]) == ("TypeError", "told to throw")
    assert (raised["code"], "told to throw" in str(raised)) == ("tool_raised", False)


@pytest.mark.parametrize(
    ("event", "hook", "options", "complaint"),
    [
        ("tool:before", deny, {}, "there is no event 'tool:before'"),
        ("tool:pre", "deny", {}, "cannot be called"),
        ("tool:pre", deny, {"deadline": 0}, "deadline"),
        ("tool:pre", deny, {"deadline": None}, "deadline"),
        ("tool:pre", deny, {"deadline": float("inf")}, "deadline"),
    ],
)
def test_what_cannot_be_a_hook_is_refused_when_it_is_registered(board, event, hook, options, complaint):
    with pytest.raises(HookRegistrationError, match=complaint):
        board.hooks.add(event, hook, **options)
