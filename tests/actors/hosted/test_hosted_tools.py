"""Tools in a Node host: whatever they do to it, the call ends, once, and the next call works."""

from __future__ import annotations

import os
import signal

import pytest
from boards import MOODY, Recorder, add_node, node_board
from callboard.actors.board import Board
from callboard.base.errors import PluginLoadError
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from leaks import alive, no_leaks
from tools import tool_call

PATIENCE = 30.0


def moody(do=None, **arguments):
    return tool_call("moody", do=do, **arguments)


def run(board, do=None, **arguments):
    return board.submit(moody(do, **arguments)).result(PATIENCE)


@pytest.mark.parametrize(
    ("do", "code", "clue"),
    [
        ("crash", "host_crashed", "SIGKILL"),
        ("exit", "host_crashed", "while it owed answers"),
        ("throw", "tool_raised", "TypeError: told to throw"),
        ("rubbish", "invalid_result", "a str"),
        ("bigint", "invalid_result", "BigInt"),
    ],
)
def test_a_tool_that_fails_costs_its_call_and_the_next_one_works(do, code, clue):
    with node_board() as (board, _plugin, _events):
        bad = run(board, do)
        good = run(board, value="after")

    assert (bad["code"], bad["outcome"]) == (code, "outcome_unknown")
    assert clue in bad["error"]
    assert good["result"]["echo"] == "after"


def test_a_tools_own_failure_is_its_answer_and_no_crash():
    with node_board() as (board, plugin, events):
        pid = plugin.host.pid

        assert run(board, "fail") == {"success": False, "error": "told to fail"}
        assert run(board)["result"]["pid"] == pid

    assert events.of("host_crashed") == []


def test_a_crash_report_says_what_happened():
    with node_board() as (board, plugin, _events):
        pid = plugin.host.pid
        result = run(board, "stderr", text="my last words")

    report = result["crash_report"]
    assert report["signal"] == signal.SIGABRT
    assert report["generation"] == 1
    assert "my last words" in report["stderr"]
    assert len(report["in_flight"]) == 1
    assert report["uptime"] > 0
    assert not alive(pid)


def test_state_goes_on_from_the_last_answer_that_counted():
    with node_board() as (board, _plugin, _events):
        counts = []
        for do in (None, None, "crash", None, "throw", None, "rubbish", None):
            result = run(board, do)
            if result["success"]:
                counts.append(result["result"]["count"])

    assert counts == [1, 2, 3, 4, 5]


def test_parts_that_were_emitted_before_a_crash_are_delivered():
    with node_board() as (board, _plugin, _events):
        call = board.submit(moody("parts", parts=5, then="crash"))

        assert list(call.parts()) == [0, 1, 2, 3, 4]
        assert call.result(PATIENCE)["code"] == "host_crashed"


def test_calls_that_wait_out_a_crash_run_afterwards_in_their_order(tmp_path):
    ledger = tmp_path / "ledger"
    with node_board() as (board, _plugin, _events):
        crash = board.submit(moody("crash"))
        waiting = [board.submit(moody(ledger=str(ledger), line=str(n))) for n in range(20)]
        results = [call.result(PATIENCE) for call in waiting]

    assert crash.result()["code"] == "host_crashed"
    assert all(result["success"] for result in results)
    assert ledger.read_text().split() == [str(n) for n in range(20)]


def test_a_call_is_sent_once_unless_its_tool_is_declared_idempotent(tmp_path):
    once, twice = tmp_path / "once", tmp_path / "twice"
    with node_board() as (board, _plugin, _events):
        assert run(board, "crash", ledger=str(once))["code"] == "host_crashed"
    with node_board(idempotent=frozenset({"moody"})) as (board, _plugin, _events):
        assert run(board, "crash", ledger=str(twice))["code"] == "host_crashed"

    assert len(once.read_text().split()) == 1
    assert len(twice.read_text().split()) == 2


def test_a_busy_host_is_replaced_after_the_grace_time_and_its_neighbours_told_why():
    with node_board(concurrency=4, grace=0.2) as (board, _plugin, events):
        neighbour = board.submit(moody("wait"), deadline=PATIENCE)
        stuck = board.submit(moody("spin"), deadline=0.5)

        assert stuck.result(PATIENCE)["code"] == "deadline_exceeded"
        lost = neighbour.result(PATIENCE)
        assert lost["code"] == "host_crashed"
        assert "went on 0.2 s beyond its deadline" in lost["error"]
        assert run(board)["success"]
        assert events.wait("host_crashed")[0].facts["exit"] == "hang"


def test_a_call_that_ends_within_its_grace_time_leaves_the_host_alone():
    with node_board(grace=PATIENCE) as (board, plugin, events):
        pid = plugin.host.pid
        slow = board.submit(moody("wait", ms=400), deadline=0.2)
        after = board.submit(moody())

        assert slow.result(PATIENCE)["code"] == "deadline_exceeded"
        assert after.result(PATIENCE)["result"]["pid"] == pid
        assert after.result()["result"]["count"] == 1

    assert events.of("host_crashed") == []


def test_a_cancelled_call_is_answered_at_once_and_its_host_generations():
    with node_board(concurrency=2) as (board, plugin, events):
        pid = plugin.host.pid
        call = board.submit(moody("wait", ms=200))
        run(board)

        assert call.cancel()
        assert call.result(0)["outcome"] == "outcome_unknown"
        assert run(board)["result"]["pid"] == pid

    assert events.of("host_crashed") == []


def test_a_host_that_crashes_again_and_again_is_parked_and_its_calls_are_answered_at_once():
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=2)
    with node_board(policy=policy) as (board, _plugin, events):
        for _ in range(3):
            assert run(board, "crash")["code"] == "host_crashed"
        events.wait("host_parked")

        refused = run(board)
        status = board.status()["plugins"]["moody"]
        still_listed = [(tool.tool_name, tool.available) for tool in board.tools()]
        board.order("revive", "moody")
        events.wait("host_ready", 4)
        revived = run(board)

    assert (refused["code"], refused["outcome"]) == ("host_unavailable", "not_sent")
    assert refused["crash_report"]["signal"] == signal.SIGKILL
    assert (status["host"]["state"], status["available"]) == ("parked", False)
    assert still_listed == [("moody", False)]
    assert revived["success"]


def test_a_host_can_be_parked_restarted_and_revived_by_hand():
    with node_board() as (board, plugin, events):
        first = plugin.host.pid
        board.order("restart", "moody")
        events.wait("host_ready", 2)
        second = run(board)["result"]["pid"]
        board.order("park", "moody")
        events.wait("host_parked")
        parked = run(board)
        board.order("revive", "moody")
        events.wait("host_ready", 3)

        assert run(board)["success"]
        assert second != first
        assert parked["code"] == "host_unavailable"
        assert events.of("host_crashed") == []


@pytest.mark.parametrize(
    ("source", "clue"),
    [
        ("export default {", "SyntaxError"),
        ("import 'no-such-package'; export default {};", "no-such-package"),
        ("throw new Error('at import')", "at import"),
        ("export default 42", "expected"),
    ],
)
def test_a_tool_that_cannot_be_loaded_is_parked_at_once_with_its_cause(tmp_path, source, clue):
    file = tmp_path / "bad.mjs"
    file.write_text(source)
    with Board() as board:
        events = Recorder(board)
        with pytest.raises(PluginLoadError) as refusal:
            add_node(board, file, name="bad")
        add_node(board)

        assert clue in str(refusal.value)
        assert (
            len(
                [event for event in events.events if event.kind == "host_starting" and event.subject == "bad"]
            )
            == 1
        )
        assert run(board)["success"]


def test_an_optional_tool_that_cannot_be_loaded_stays_parked_and_comes_when_it_is_mended(tmp_path):
    file = tmp_path / "bad.mjs"
    file.write_text("export default {")
    with Board() as board:
        events = Recorder(board)
        add_node(board, file, required=False)
        assert board.status()["plugins"]["moody"]["host"]["state"] == "parked"

        file.write_text(MOODY.read_text())
        board.order("revive", "moody")
        events.wait("host_ready")

        assert run(board)["success"]


def test_an_init_that_refuses_is_tried_again_and_then_parked():
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=2)
    with Board() as board:
        events = Recorder(board)
        with pytest.raises(PluginLoadError, match="init was told to refuse"):
            add_node(board, config={"refuse": True}, policy=policy)

        assert len(events.wait("host_starting", 3)) == 3


def test_a_missing_node_is_said_at_once(monkeypatch):
    monkeypatch.setenv("CALLBOARD_NODE", "/no/such/node")
    with Board() as board, pytest.raises(PluginLoadError, match="/no/such/node"):
        add_node(board)


def test_a_name_that_is_taken_takes_the_host_off_again():
    with node_board() as (board, _plugin, _events):
        with no_leaks(), pytest.raises(Exception, match="'other' offers the tool 'moody'"):
            add_node(board, name="other")
        assert run(board)["success"]


def test_a_killed_host_takes_its_grandchildren_along_and_they_delay_nothing():
    with no_leaks(), node_board() as (board, plugin, events):
        child = run(board, "orphan")["result"]["pid"]
        call = board.submit(moody("parts", parts=1, then="wait"))
        assert next(call.parts()) == 0  # it is under way
        os.kill(plugin.host.pid, signal.SIGKILL)

        assert call.result(PATIENCE)["code"] == "host_crashed"
        events.wait("host_ready", 2)
        assert not alive(child)


def test_a_board_that_stops_leaves_nothing_behind():
    with no_leaks():
        with node_board(concurrency=8) as (board, _plugin, _events):
            calls = [board.submit(moody("wait")) for _ in range(8)]
            run_orphan = board.submit(moody("orphan"))
            assert not run_orphan.done()
        codes = [call.result(0)["code"] for call in [*calls, run_orphan]]

    assert codes == ["cancelled"] * 9


def test_arguments_that_are_no_object_are_refused_for_a_hosted_tool():
    with node_board() as (board, _plugin, _events):
        custom = {"type": "custom_tool_call", "call_id": "c", "name": "moody", "input": "raw text"}

        result = board.submit(custom).result(PATIENCE)

    assert (result["code"], result["outcome"]) == ("invalid_call", "not_sent")


def test_a_large_message_passes_and_one_beyond_the_limit_is_refused_before_it_is_sent():
    with node_board() as (board, _plugin, _events):
        big = "x" * 16_000_000

        assert run(board, value=big)["result"]["echo"] == big
        refused = board.submit(moody(value="x" * (65 * 1024 * 1024))).result(PATIENCE)
        assert (refused["code"], refused["outcome"]) == ("invalid_call", "not_sent")
        assert run(board)["success"]


def test_an_idempotent_call_whose_host_is_parked_before_it_is_sent_again_may_have_run():
    policy = RestartPolicy(intensity=0)
    with node_board(policy=policy, idempotent=True) as (board, _plugin, _events):
        result = run(board, "crash")

    assert (result["code"], result["outcome"]) == ("host_crashed", "outcome_unknown")
