"""L: protocol faults, with real processes."""

from __future__ import annotations

import psutil
from boards import add_node, node_board
from callboard.hosts.limits.limits import Limits
from leaks import no_leaks, wait_until
from obedient_hosts import PATIENCE, add_obedient, obedient, obedient_board, run, submit
from programs import NODE
from tools import tool_call

FAILS = NODE / "fails.mjs"
MB = 1 << 20


def test_scenario_L1_half_a_line_and_then_the_end_is_a_crash_with_its_beginning_in_the_report():
    for code in (0, 1):
        with obedient_board() as (board, _plugin, _events):
            result = run(board, do="half", code=code)
            after = run(board)

        assert (result["code"], result["crash_report"]["code"]) == ("host_crashed", code)
        assert '"result":{"val' in result["crash_report"]["stderr"]
        assert "half a line is out" in result["crash_report"]["stderr"]
        assert after["result"]["count"] == 1  # nothing of the half answer was taken for an answer


def test_scenario_L2_stray_lines_are_counted_and_beyond_the_limit_a_breach():
    with obedient_board(host={"max_stray_lines": 100}) as (board, plugin, events):
        few = run(board, do="stray", lines=3)
        strays = plugin.host.counts["stray"]
        many = run(board, do="stray", lines=1000)
        after = run(board)

    assert few["success"]
    assert strays == 3
    assert (many["code"], many["reason"]) == ("protocol_error", "too_many_strays")
    assert events.of("host_crashed")[0].facts["exit"] == "protocol"
    assert after["success"]


def test_scenario_L5_every_way_to_fall_has_its_class_and_the_last_words_are_attached():
    ends = {"throw": "code", "reject": "code", "heap": "oom", "resident": "limit"}
    host = {"limits": Limits(memory_hard=250 * MB)}
    with (
        no_leaks(),
        node_board(file=FAILS, name="fails", host=host) as (board, plugin, events),
    ):
        # This bounds the heap of later generations, so that it is full before the limit is passed.
        plugin.limit_memory(64 * MB)
        for number, way in enumerate(ends, 1):
            lost = board.submit(tool_call("fails", do=way), deadline=PATIENCE).result(PATIENCE)
            crashed = events.wait("host_crashed", number)[-1]
            after = board.submit(tool_call("fails"), deadline=PATIENCE).result(PATIENCE)

            assert (lost["code"], crashed.facts["exit"]) == ("host_crashed", ends[way])
            assert f"about to {way}" in crashed.facts["report"]["stderr"]
            assert lost["crash_report"]["id"] == crashed.facts["report"]["id"]
            assert after["success"]


def test_scenario_L6_an_endless_loop_costs_its_own_host_and_no_other():
    with node_board(grace=0.2) as (board, plugin, events):
        other = add_node(board, name="other", config={"names": ["other"]})
        pid = other.host.pid
        stuck = board.submit(tool_call("moody", do="spin"), deadline=0.5)
        while not stuck.done():
            assert board.submit(tool_call("other")).result(PATIENCE)["result"]["pid"] == pid
        first = plugin.host

        assert stuck.result()["code"] == "deadline_exceeded"
        assert board.submit(tool_call("moody")).result(PATIENCE)["success"]
        assert plugin.host is not first
        assert [event.subject for event in events.wait("host_crashed")] == ["moody"]


def test_scenario_L7_floods_leave_memory_bounded_and_an_endless_line_ends_the_host():
    me = psutil.Process()
    with obedient_board(host={"max_line_bytes": 1024 * 1024}) as (board, _plugin, _events):
        before = me.memory_info().rss
        for _ in range(50):  # 50 MB on stderr
            assert run(board, do="flood")["success"]
        endless = run(board, do="endless line")
        grown = me.memory_info().rss - before
        after = run(board)

    assert (endless["code"], endless["reason"]) == ("protocol_error", "line_too_long")
    assert grown < 40 * 1024 * 1024
    assert after["success"]


def test_scenario_L8_a_host_that_reads_nothing_holds_up_nobody():
    with no_leaks(), obedient_board(concurrency=4, grace=0.2) as (board, _plugin, events):
        add_obedient(board, obedient("other"))
        deaf = submit(board, do="deaf", deadline=5.0)
        unread = [submit(board, deadline=5.0, text="x" * 1024 * 1024) for _ in range(3)]
        wait_until(lambda: board.status()["plugins"]["obey"]["running"] == 4)

        assert all(run(board, "other")["success"] for _ in range(50))
        assert not any(call.done() for call in (deaf, *unread))
        assert {call.result(PATIENCE)["code"] for call in (deaf, *unread)} <= {
            "deadline_exceeded",
            "host_crashed",
        }
        events.wait("host_crashed")
        assert run(board)["success"]
