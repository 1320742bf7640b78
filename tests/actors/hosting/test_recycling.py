"""A host that has come to a limit is replaced without a loss; one that is far beyond it is ended."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from boards import node_board
from callboard.hosts.limits.limits import Limits
from callboard.hosts.node.tool import NodeToolPlugin
from callboard.supervision.restart.backoff import Backoff
from callboard.supervision.restart.policy import RestartPolicy
from leaks import alive, no_leaks, wait_until
from tools import tool_call

if TYPE_CHECKING:
    from callboard.actors.board import Board
    from callboard.actors.calls.call import Call

MB = 1 << 20

NO_BUDGET = RestartPolicy(backoff=Backoff(first=0.0, min=0.01, max=0.01), intensity=0, cool_down=600.0)
"""With it one crash parks a host."""


def submit(board: Board, **arguments: Any) -> Call:
    return board.submit(tool_call("moody", **arguments), deadline=30.0)


def run(board: Board, **arguments: Any) -> dict[str, Any]:
    return submit(board, **arguments).result(30.0)


def limited(standby: bool = False, **limits: Any) -> dict[str, Any]:
    return {"limits": Limits(**{"jitter": 0.0, **limits}), "standby": standby}


def host_status(board: Board) -> dict[str, Any]:
    return board.status()["plugins"]["moody"]["host"]


def test_a_generation_that_was_given_its_calls_is_replaced_and_no_call_is_lost():
    with (
        no_leaks(),
        node_board(host=limited(calls=10), policy=NO_BUDGET, concurrency=4) as (board, _, events),
    ):
        results = [submit(board, do="wait", ms=60) for _ in range(100)]
        pids = {call.result(30.0)["result"]["pid"] for call in results}
        (recycling, *_) = events.wait("host_recycling")
        events.wait("host_retired")
        status = host_status(board)

    assert len(pids) > 1
    assert (recycling.facts["limit"], recycling.facts["bound"], recycling.facts["measure"]) == (
        "calls",
        10,
        10,
    )
    assert status["crashes"] == 0
    assert status["recycles"]["calls"] >= 1
    assert events.of("host_crashed") == []


def test_calls_under_way_end_in_the_old_generation_while_the_new_one_serves():
    with node_board(host=limited(calls=2), concurrency=2) as (board, plugin, events):
        first = plugin.host.pid
        slow = submit(board, do="wait", ms=3000)
        assert run(board)["result"]["pid"] == first
        events.wait("host_ready", 2)
        quick = run(board)
        was_under_way = not slow.done()

        assert quick["result"]["pid"] != first
        assert was_under_way
        assert slow.result(30.0)["result"]["pid"] == first
        (retired,) = events.wait("host_retired")
    assert retired.facts["exit"] == "requested"


def test_a_call_that_outstays_the_drain_is_lost_with_its_generation():
    with no_leaks(), node_board(host=limited(calls=2, drain=0.1), concurrency=2) as (board, _, _events):
        stuck = submit(board, do="wait")
        run(board)
        result = stuck.result(30.0)

    assert (result["code"], result["outcome"]) == ("host_crashed", "outcome_unknown")
    assert "'calls' of 2" in result["error"]
    assert "still under way 0.1 s later" in result["error"]


def test_an_old_generation_is_replaced_by_its_age():
    with node_board(host=limited(age=0.3), policy=NO_BUDGET) as (board, plugin, events):
        first = plugin.host.pid
        (recycling,) = events.wait("host_recycling")
        events.wait("host_ready", 2)

        assert recycling.facts["limit"] == "age"
        assert run(board)["result"]["pid"] != first


def test_a_generation_that_has_grown_is_replaced_at_a_call_boundary():
    host = limited(memory=150 * MB, memory_hard=4000 * MB)
    with no_leaks(), node_board(host=host, policy=NO_BUDGET) as (board, _, events):
        grown = run(board, do="hold", mb=200)
        (recycling,) = events.wait("host_recycling")
        events.wait("host_retired")

        assert grown["success"]
        assert recycling.facts["limit"] == "memory"
        assert recycling.facts["measure"] > recycling.facts["bound"] == 150 * MB
        assert run(board)["success"]


def test_a_generation_far_beyond_its_memory_is_ended_with_its_call():
    with no_leaks(), node_board(host=limited(memory=100 * MB)) as (board, _, events):
        lost = run(board, do="hold", mb=300, stay=True)
        (crashed,) = events.wait("host_crashed")

        assert run(board)["success"]
    assert lost["code"] == "host_crashed"
    # Not how much it held: the watch may look while it is still growing.
    assert "its limit 'memory_hard' of 200 MB is passed: it holds " in lost["error"]
    assert crashed.facts["exit"] == "limit"


def test_a_call_that_computes_beyond_the_limit_is_ended():
    with no_leaks(), node_board(host=limited(cpu_seconds=0.5)) as (board, _, events):
        lost = run(board, do="spin")
        (crashed,) = events.wait("host_crashed")

    assert lost["code"] == "host_crashed"
    assert "'cpu_seconds' of 0.5 s" in lost["error"]
    assert crashed.facts["exit"] == "limit"


def test_open_descriptors_are_a_limit():
    with node_board(host=limited(descriptors=100), policy=NO_BUDGET) as (board, _, events):
        run(board, do="open", files=200)
        (recycling,) = events.wait("host_recycling")

        assert recycling.facts["limit"] == "descriptors"


def test_a_standby_takes_the_place_of_a_generation_that_is_recycled():
    with no_leaks(), node_board(host=limited(standby=True, calls=5)) as (board, _, events):
        events.wait("standby_ready")
        waiting = host_status(board)["standby"]["pid"]
        for _ in range(5):
            run(board)
        events.wait("host_ready", 2)

        assert run(board)["result"]["pid"] == waiting


def test_generations_that_must_not_overlap_never_do_and_calls_wait_in_between():
    with no_leaks(), node_board(host=limited(calls=5, overlap=False), concurrency=3) as (board, _, events):
        alive_at_once, over = [], threading.Event()
        calls = [submit(board, do="wait", ms=2) for _ in range(40)]
        pids = []
        for call in calls:
            pid = call.result(30.0)["result"]["pid"]
            if pid not in pids:
                alive_at_once += [other for other in pids if alive(other)]
                pids.append(pid)
        over.set()

    assert len(pids) > 2
    assert alive_at_once == []
    assert events.of("host_crashed") == []


def test_a_successor_that_cannot_start_leaves_the_old_generation_in_service(tmp_path):
    source = tmp_path / "tool.mjs"
    source.write_text(_STARTS_ONCE.replace("MARK", str(tmp_path / "started")))
    slow = RestartPolicy(backoff=Backoff(first=600.0, min=600.0, max=600.0))
    with no_leaks(), node_board(file=source, host=limited(calls=2), policy=slow) as (board, _, events):
        run(board)
        run(board)
        events.wait("host_backoff")

        assert run(board)["success"]


def test_a_parked_host_leaves_no_generation_that_retires(tmp_path):
    source = tmp_path / "tool.mjs"
    source.write_text(_STARTS_ONCE.replace("MARK", str(tmp_path / "started")))
    with (
        no_leaks(),
        node_board(file=source, host=limited(calls=1), policy=NO_BUDGET) as (board, plugin, events),
    ):
        first = plugin.host.pid
        run(board)
        events.wait("host_parked")
        wait_until(lambda: not alive(first))

        assert run(board)["code"] == "host_unavailable"


def test_a_replacement_by_hand_loses_nothing_and_takes_no_standby():
    with node_board(host=limited(standby=True), concurrency=2) as (board, _, events):
        events.wait("standby_ready")
        waiting = host_status(board)["standby"]["pid"]
        slow = submit(board, do="wait", ms=200)
        board.order("replace", "moody")
        events.wait("host_ready", 2)

        assert run(board)["result"]["pid"] != waiting
        assert slow.result(30.0)["success"]


def test_the_state_of_calls_goes_on_over_a_recycling():
    with node_board(host=limited(calls=3)) as (board, _, events):
        counts = [run(board)["result"]["count"] for _ in range(20)]

        assert counts == list(range(1, 21))
        assert events.wait("host_recycling")


@pytest.mark.parametrize(("given", "kept"), [((), "256"), (("--max-old-space-size=64",), "64")])
def test_node_is_told_of_the_memory_limit_unless_it_was_told_otherwise(given, kept):
    plugin = NodeToolPlugin("moody", __file__, node_options=given)

    plugin.limit_memory(256 * MB)

    heap = [option for option in plugin.command().argv if option.startswith("--max-old-space-size")]
    assert heap == [f"--max-old-space-size={kept}"]


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
