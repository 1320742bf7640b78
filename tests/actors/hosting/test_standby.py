"""A standby takes over when the present generation ends; what it is made of, and what becomes of it."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from boards import QUICK, node_board
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy, RestartType
from leaks import alive, no_leaks, wait_until
from tools import tool_call

if TYPE_CHECKING:
    from callboard.actors.board import Board

WITH_STANDBY = {"standby": True}


def run(board: Board, **arguments):
    return board.submit(tool_call("moody", **arguments)).result(30.0)


def kill(plugin, events) -> None:
    """Kill the present generation, and wait until that is known: a call may be sent to a host that is just ending."""
    known = len(events.of("host_crashed"))
    os.kill(plugin.host.pid, signal.SIGKILL)
    events.wait("host_crashed", known + 1)


def standby_of(board: Board):
    return board.status()["plugins"]["moody"]["host"]["standby"]


def test_the_standby_takes_over_when_the_host_is_killed_and_another_is_made():
    with no_leaks(), node_board(host=WITH_STANDBY) as (board, plugin, events):
        events.wait("standby_ready")
        waiting = standby_of(board)
        kill(plugin, events)
        answer = run(board)
        events.wait("standby_ready", 2)
        status = board.status()["plugins"]["moody"]["host"]

    assert waiting["ready"]
    assert answer["result"]["pid"] == waiting["pid"]
    assert (status["state"], status["generation"], status["crashes"]) == ("ready", 2, 1)
    assert status["standby"]["pid"] not in {None, waiting["pid"]}


def test_the_standby_goes_on_with_the_committed_state():
    with node_board(host=WITH_STANDBY) as (board, plugin, events):
        events.wait("standby_ready")
        for _ in range(3):
            run(board)
        kill(plugin, events)
        answer = run(board)

    assert answer["result"]["count"] == 4


def test_a_standby_is_sent_no_calls():
    with node_board(host=WITH_STANDBY, concurrency=4) as (board, plugin, events):
        events.wait("standby_ready")
        calls = [board.submit(tool_call("moody")) for _ in range(50)]

        assert {call.result(30.0)["result"]["pid"] for call in calls} == {plugin.host.pid}


def test_a_standby_that_is_killed_is_replaced_quietly():
    with node_board(host=WITH_STANDBY) as (board, plugin, events):
        events.wait("standby_ready")
        present = plugin.host.pid
        os.kill(standby_of(board)["pid"], signal.SIGKILL)
        (failed,) = events.wait("standby_failed")
        events.wait("standby_ready", 2)
        status = board.status()["plugins"]["moody"]["host"]

        assert run(board)["result"]["pid"] == present
    assert (failed.facts["exit"], failed.facts["report"]["signal"]) == ("signal", 9)
    assert (status["crashes"], status["restarts"], status["standby"]["failures"]) == (0, 0, 1)


def test_a_standby_that_cannot_start_is_no_fork_bomb(tmp_path):
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.02), intensity=3, cool_down=600.0)
    source = tmp_path / "tool.mjs"
    source.write_text(_STARTS_ONCE.replace("MARK", str(tmp_path / "started")))
    with no_leaks(), node_board(file=source, host=WITH_STANDBY, policy=policy) as (board, _plugin, events):
        failures = events.wait("standby_failed", 4)
        answer = run(board)
        status = board.status()["plugins"]["moody"]["host"]

    assert answer["success"]
    assert failures[3].facts["seconds"] == pytest.approx(600.0, abs=5.0)
    assert len(events.of("standby_failed")) == 4
    assert (status["state"], status["crashes"]) == ("ready", 0)


def test_the_budget_holds_with_a_standby_too():
    policy = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=1, cool_down=600.0)
    with no_leaks(), node_board(host=WITH_STANDBY, policy=policy) as (board, plugin, events):
        events.wait("standby_ready")
        kill(plugin, events)
        events.wait("standby_ready", 2)
        waiting = standby_of(board)["pid"]
        kill(plugin, events)
        events.wait("host_parked")
        wait_until(lambda: not alive(waiting))

        assert run(board)["code"] == "host_unavailable"
        assert standby_of(board) == {"pid": None, "ready": False, "failures": 0}


def test_a_standby_waits_as_long_as_the_backoff_says():
    policy = RestartPolicy(backoff=Backoff(first=0.5, min=0.5, max=0.5, jitter=0.0))
    with node_board(host=WITH_STANDBY, policy=policy) as (board, plugin, events):
        events.wait("standby_ready")
        waiting = standby_of(board)["pid"]
        kill(plugin, events)
        (backoff,) = events.wait("host_backoff")
        answer = run(board)
        _, started = events.wait("host_starting", 2)

    assert answer["result"]["pid"] == waiting
    assert 0.45 < started.time - backoff.time < 5.0


@pytest.mark.parametrize("order", ["park", "stop"])
def test_an_order_that_ends_the_host_ends_its_standby(order):
    with no_leaks(), node_board(host=WITH_STANDBY) as (board, plugin, events):
        events.wait("standby_ready")
        both = {plugin.host.pid, standby_of(board)["pid"]}
        board.order(order, "moody")
        wait_until(lambda: not any(map(alive, both)))

        assert standby_of(board)["pid"] is None


def test_a_removed_plugin_leaves_no_standby():
    with no_leaks(), node_board(host=WITH_STANDBY) as (board, plugin, events):
        events.wait("standby_ready")
        both = {plugin.host.pid, standby_of(board)["pid"]}
        board.remove("moody")
        wait_until(lambda: not any(map(alive, both)))


def test_a_board_that_stops_while_a_standby_starts_leaves_nothing():
    with no_leaks(), node_board(host=WITH_STANDBY):
        pass


def test_a_restart_by_hand_begins_anew():
    with node_board(host=WITH_STANDBY) as (board, _plugin, events):
        events.wait("standby_ready")
        waiting = standby_of(board)["pid"]
        board.order("restart", "moody")
        events.wait("host_ready", 2)

        assert run(board)["result"]["pid"] != waiting


def test_a_crash_before_the_standby_is_loaded_is_survived():
    with no_leaks(), node_board(host=WITH_STANDBY) as (board, plugin, events):
        for generation in range(2, 6):
            kill(plugin, events)
            events.wait("host_ready", generation)

        assert run(board)["success"]


def test_the_takeover_does_not_wait_for_the_rest_of_the_tree():
    with no_leaks(), node_board(host=WITH_STANDBY) as (board, plugin, events):
        child = run(board, do="orphan", detached=True)["result"]["pid"]
        events.wait("standby_ready")
        kill(plugin, events)

        assert run(board)["success"]
        wait_until(lambda: not alive(child))


def test_a_temporary_host_has_no_standby():
    policy = RestartPolicy(restart=RestartType.TEMPORARY, backoff=QUICK.backoff)
    with node_board(host=WITH_STANDBY, policy=policy) as (board, _plugin, events):
        run(board)

        assert "standby" not in board.status()["plugins"]["moody"]["host"]
        assert events.of("standby_ready") == []


_STARTS_ONCE = """
import { existsSync, writeFileSync } from 'node:fs';
if (existsSync("MARK")) process.exit(7);
export default {
  name: 'moody',
  init() { writeFileSync("MARK", ''); return {}; },
  getToolSchemas: () => [{ type: 'function', function: { name: 'moody', parameters: { type: 'object' } } }],
  executeTool: () => ({ success: true, result: 1 }),
};
"""
